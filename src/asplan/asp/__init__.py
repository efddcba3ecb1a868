"""All that talks to clingo, in the order in which a program passes through it.

`source` reads files into statements, `program` knows their parts, `controller` grounds and solves
them horizon by horizon, `oneshot` in a single call, `replay` checks a plan in a fresh clingo.

`grounding` measures the size of a ground program; `profile` counts by source rule, with what
`instrument` puts into the rules, and reports `costs`.
"""
