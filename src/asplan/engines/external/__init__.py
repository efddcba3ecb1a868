"""Planners that unified-planning has installed, on PDDL tasks, under asplan's limits and checks.

`engine` is what `--engine up:NAME` runs; `ask` puts the question to a planner, in a process of its
own.
"""

from __future__ import annotations

from typing import Any

from asplan.engines.run import Run
from asplan.result import Result


def solve(name: str, run: Run[Any]) -> Result:
    """Ask the planner of a name; what does the work is imported first."""
    from asplan.engines.external import engine

    return engine.solve(name, run)
