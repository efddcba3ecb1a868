"""Evaluation of the results of benchmarks.

`report` writes the report of one folder; `differences` compares two folders. `values` arranges
records as tables, `statistics`, `coverage` and `charts` summarize them, and `disagreements` finds
contradictory answers.
"""
