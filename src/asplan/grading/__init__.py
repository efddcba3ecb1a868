"""Grading of submissions: encodings by many authors, run on instances of one domain.

`submissions` finds their files, `exercises` the instances, `marking` runs and judges them, and
`report` presents the marks.
"""
