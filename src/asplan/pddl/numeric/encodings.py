"""The choice of an encoding for tasks with numbers, and a search that finds plans for them.

Rolled steps repeat an action in one step; an integer variable has the number of repetitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from asplan.core.budget import Budget, Reporter
from asplan.core.errors import Location, Stopped, UsageError
from asplan.core.text import parse_natural
from asplan.domains.base import Finder, Found
from asplan.pddl.language.plain import beyond_costs
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.numeric.scale import NumericTask

FORMS = ("sequential", "forall", "rolled")
"""The forms of steps, as they end the names of the encodings after `numeric_`."""

USUAL = "forall"
ROLLED = "numeric_rolled"

REPEATS = 1000
"""The default of the constant `repeats`: how often an action may happen in a rolled step."""


def encoding_of(
    name: str | None,
    prefers: Iterable[str] = (),
    at: Location | None = None,
) -> str:
    """Return the encoding for tasks with numbers that corresponds to the named encoding.

    For example, `forall` becomes `numeric_forall`. A name that asplan does not know, such as that
    of the user's own file, is returned unchanged. Raise `UsageError` if the named encoding has no
    counterpart for tasks with numbers.

    Parameters
    ----------
    name
        The name of an encoding; None for the default.
    prefers
        The wanted properties. If `name` is None and `rolled` is among them, return the encoding
        with rolled steps, which repeat actions and lead to a plan soonest.
    at
        The location of a number in the task, for the error.
    """
    if name is None:
        return ROLLED if "rolled" in prefers else f"numeric_{USUAL}"
    form = name.removeprefix("pddl/")
    if form in FORMS:
        return f"numeric_{form}"
    if form in ("exists", "relaxed", "cheapest"):
        what = f"the encoding {form} does not support numbers, and the task has some"
        hint = f"choose one of {', '.join(FORMS)}; the default is {USUAL}"
        raise UsageError(what, at=at, hint=hint)
    return name


def repeats_of(
    encoding: str,
    constants: Mapping[str, str],
) -> int:
    """Return how often an action may happen in a step of the encoding with these constants."""
    if encoding != ROLLED:
        return 1
    repeats = parse_natural(constants.get("repeats", str(REPEATS)))
    return 1 if repeats is None else repeats


def parts_of(
    task: NumericTask,
    wanted: Iterable[str],
    text: TaskText,
) -> list[str]:
    """Return the program files that define the objective, out of the names in `wanted`.

    Raise `UsageError` if the task cannot have this objective. `text` is the PDDL text of the task.
    """
    parts = [name for name in wanted if name.startswith("least_")]
    if "least_metric" in parts and task.metric is None:
        what = "--optimal metric: the task has no metric, or one that is not linear"
        raise UsageError(what, hint="--optimal actions counts the actions")
    if "least_cost" in parts:
        at, why = beyond_costs(text) or (None, "this task has others")
        what = f"--optimal cost needs a task whose only numbers are costs: {why}"
        hint = (
            "a cost is a whole number from 0 that an action adds to (total-cost) without a "
            "condition; --optimal metric optimizes other numbers"
        )
        raise UsageError(what, at=at, hint=hint)
    return parts


def finder_of(
    task: NumericTask,
    encoding: str,
    constants: Mapping[str, str],
) -> Finder | None:
    """Return a greedy search for any plan, with steps as the encoding has them (see `FORMS`).

    Return None if the encoding or a constant may exclude plans of the task. The search raises
    `Stopped` if it finds no plan; this does not prove that there is none.
    """
    if constants or encoding.removeprefix("numeric_") not in FORMS:
        return None

    def find(model: object, budget: Budget, report: Reporter[str]) -> Found:
        from asplan.pddl.numeric.greedy import find_moves  # with numpy, which takes time

        moves = find_moves(task, budget, report)
        if moves is None:
            raise Stopped("a search through states finds no plan")
        steps = [[task.task.operators[o].action] * times for o, times in moves]
        if encoding != ROLLED:
            steps = [[action] for action in chain.from_iterable(steps)]
        return Found(steps, "found by greedy search")

    return find
