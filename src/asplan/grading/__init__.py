"""Grading of submissions: encodings by many authors, run on instances of one domain.

`submissions` finds the files of each author, and `exercises` the instances. `marking` runs the
submissions and judges their plans, as the domain's model or a solution of `references` has it.
`report` and `pages` present the marks. `heuristics` scores heuristics, and `worksheets` makes
programs with gaps.
"""
