"""What a program costs to ground: `grounding` measures the size of a ground program, `comparison`
sets encodings side by side, and `profile` counts by source rule, with what `instrument` puts into
the rules.
"""
