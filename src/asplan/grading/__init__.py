"""Submissions of many people for the puzzles of one domain, graded by its model."""
