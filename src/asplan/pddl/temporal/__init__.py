"""Tasks with time (durative actions, timed initial literals), and plans with times.

An instant is the start or the end of a durative action, an action without duration, or a timed
change. `split` makes a plain action, without duration, of each instant, and `ground` grounds these.
`interference` finds the atoms and functions that each instant reads or changes. `merging` makes the
number of variables smaller. `facts` writes the facts of a task for the encoding, and `answers`
converts answers to plans with times.
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
"""The name of the encoding for tasks with time."""

TEMPORAL_NUMERIC = "temporal_numeric"
"""The name of the encoding for tasks with time that also depend on numbers."""

_WITHOUT_TIME = ("sequential", "forall", "exists", "relaxed", "rolled", "cheapest")


def refuse_others(
    named: str | None,
    preferred: Sequence[str],
) -> None:
    """Raise `UsageError` if the named encoding or a wanted objective does not support time.

    `named` is the encoding that the user names, if any, and `preferred` are the wanted objectives.
    """
    name = (named or "").removeprefix("pddl/").removeprefix("numeric_")
    if name in _WITHOUT_TIME:
        problem = f"the encoding {name} does not support time, and the task needs it"
        hint = f"leave it out: {TEMPORAL} finds plans with the fewest layers"
        raise UsageError(problem, hint=hint)
    if "cheapest" in preferred:
        problem = "--optimal: in tasks with time asplan minimizes the layers, then the makespan"
        raise UsageError(problem, hint="leave it out")
