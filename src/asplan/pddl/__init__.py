"""PDDL, from its text to checked plans.

`language` reads a domain and a problem and says what they mean; plans are checked by that alone.
`grounding` makes a finite-domain task of them, and `task` is that task: its facts for encodings,
its model for searches. `preferences`, `numeric` and `temporal` do what goes beyond. `front` puts it
all together.
"""
