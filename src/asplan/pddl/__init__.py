"""PDDL, from its text to checked plans.

`language` parses a domain and a problem, and checks plans against them. `grounding` translates them
into a finite-domain task. `task` holds this task: its facts for encodings and its model for
searches. `preferences`, `numeric` and `temporal` add later features of PDDL: preferences, numbers
and durations. `front` is the front end: it makes problems of PDDL files.
"""
