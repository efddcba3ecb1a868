"""Planners that unified-planning has installed, on PDDL tasks, under asplan's limits and checks.

`engine` is what `--engine up:NAME` runs. `asked` puts the question to a planner, in a process of
its own; `guard` sees to it that nothing of that outlives who asked.
"""
