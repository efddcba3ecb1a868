"""Plans of tasks with numbers: which encoding finds them, and what its answers mean."""

from __future__ import annotations

from dataclasses import replace

from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.numeric.scale import NumericTask

FORMS = ("sequential", "forall", "rolled")
"""What a step may hold; `numeric_` before it is the name of an encoding."""

USUAL = "forall"


def encoding_of(named: str | None) -> str:
    """The encoding for tasks with numbers, where one for others, or none, was named.

    Raises `UsageError` where there is no such encoding for tasks with numbers.
    """
    if named is None:
        return f"numeric_{USUAL}"
    form = named.removeprefix("pddl/")
    if form in FORMS:
        return f"numeric_{form}"
    if form in ("exists", "relaxed", "cheapest"):
        raise UsageError(
            f"{form} knows no numbers, and the task has some",
            hint=f"steps of such tasks are {', '.join(FORMS)}; the usual are {USUAL}",
        )
    return named


def tidy_counted(text: TextModel, task: NumericTask, model: object, plan: Plan) -> Plan:
    """The plan with each action as often as the answer says, in steps of any order."""
    numbers = {operator.action: o for o, operator in enumerate(task.task.operators)}
    times = {o: int(plan.values.get(f"times({o},1)", 1)) for o in numbers.values()}
    steps = []
    for t, step in enumerate(plan, 1):
        repeated: list[str] = []
        for action in step:
            repeated += [action] * times_of(plan, t, numbers[action])
        steps.append(tuple(repeated))
    return replace(plan, steps=tuple(steps), values={})


def times_of(plan: Plan, t: int, operator: int) -> int:
    """How often an operator happens in a step."""
    return int(plan.values.get(f"times({operator},{t})", 1))
