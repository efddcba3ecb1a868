"""Benchmarks: suites of methods on many instances.

A `suite` names `instances` and methods. A *trial* is one method on one instance, once. `running`
measures trials on this machine, `cluster` on the workers of a Dask scheduler. `records` stores the
results, and `reports` evaluates them.
"""
