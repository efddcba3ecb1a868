"""Tasks with time, and plans with times.

`split` makes plain actions of the instants of durative ones, and `ground` grounds these.
`interference` finds the resources that they read and write, and `merging` makes the variables
fewer. `facts` writes the facts of a task, and `answers` makes timed plans of its answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from asplan.core.errors import UsageError
from asplan.pddl.temporal.answers import timed_plan, with_times
from asplan.pddl.temporal.facts import timed_facts

__all__ = [
    "TEMPORAL",
    "TEMPORAL_NUMERIC",
    "refuse_others",
    "timed_facts",
    "timed_plan",
    "with_times",
]

TEMPORAL = "temporal"
"""The encoding for tasks with time."""

TEMPORAL_NUMERIC = "temporal_numeric"
"""The encoding for tasks with time in which something depends on numbers."""

_WITHOUT_TIME = ("sequential", "forall", "exists", "relaxed", "rolled", "cheapest")


def refuse_others(
    named: str | None,
    preferred: Sequence[str],
) -> None:
    """Raise `UsageError` if the encoding or the objective does not support time."""
    name = (named or "").removeprefix("pddl/").removeprefix("numeric_")
    if name in _WITHOUT_TIME:
        problem = f"the encoding {name} does not support time, and the task needs it"
        hint = f"leave it out: {TEMPORAL} finds plans with the fewest layers"
        raise UsageError(problem, hint=hint)
    if "cheapest" in preferred:
        problem = "--optimal: in tasks with time asplan minimizes the layers, then the makespan"
        raise UsageError(problem, hint="leave it out")
