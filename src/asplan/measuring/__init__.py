"""What a program costs to ground.

`grounding` measures the size of a ground program; `profile` counts by source rule, with what
`instrument` puts into the rules, and reports `costs`.
"""
