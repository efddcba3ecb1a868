"""Submissions of many people for the puzzles of one domain, graded by its model.

`grading` runs each on every instance and judges its plan; `report` writes what came of it.
"""
