"""Submissions of many people for the puzzles of one domain, graded by its model.

`grading` runs each on every instance, judges its plan, and writes what came of it.
"""
