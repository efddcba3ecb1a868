"""Benchmarks: suites of methods on many instances.

A `suite` names `instances` and methods. `running` measures its trials on this machine, `cluster` on
the workers of a Dask scheduler. `records` stores the results, and `reports` evaluates them.
"""
