"""Plans of tasks with numbers: which encoding finds them, and what its answers mean."""

from __future__ import annotations

from dataclasses import replace

from asplan.core.errors import UsageError
from asplan.core.plan import Plan
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


def tidy_counted(task: NumericTask, model: object, plan: Plan) -> Plan:
    """The plan with each action as often as the answer says.

    Every order of the actions of a step will do.
    """
    operators: dict[str, list[int]] = {}
    for o, operator in enumerate(task.task.operators):
        operators.setdefault(operator.action, []).append(o)

    def times(action: str, t: int) -> int:
        counted = (int(plan.values.get(f"times({o},{t})", 0)) for o in operators[action])
        return max(1, sum(counted))

    steps = (
        [a for action in step for a in [action] * times(action, t)]
        for t, step in enumerate(plan, 1)
    )
    return replace(plan, steps=tuple(map(tuple, steps)), values={})
