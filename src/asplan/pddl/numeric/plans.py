"""Plans of tasks with numbers: which encoding finds them, and what its answers mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.core.text import decimal_text, whole
from asplan.pddl.numeric.bounds import steps_within
from asplan.pddl.numeric.scale import LARGEST, NumericTask
from asplan.result import Outcome, Result

FORMS = ("sequential", "forall", "rolled")
"""What a step may hold; `numeric_` before it is the name of an encoding."""

USUAL = "forall"
ROLLED = "numeric_rolled"

REPEATS = 1000
"""The constant `repeats` of that encoding, where nobody sets it."""


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


def parts_of(task: NumericTask, wanted: Iterable[str]) -> list[str]:
    """The files beside an encoding, of some that are wanted: those that say what is to be least.

    Raises `UsageError` where the task cannot say what that is.
    """
    parts = [name for name in wanted if name.startswith("least_")]
    if "least_metric" in parts and task.metric is None:
        raise UsageError(
            "--optimal metric: the task has no metric, or one that is not linear",
            hint="--optimal actions counts the actions",
        )
    if "least_cost" in parts:
        raise UsageError(
            "--optimal cost is about tasks that have no numbers but the costs of actions",
            hint="--optimal metric is about others",
        )
    return parts


def repeats_of(encoding: str, constants: Mapping[str, str]) -> int:
    """How often an operator may happen in a step of an encoding."""
    rolled = whole(constants.get("repeats", str(REPEATS)))
    return 1 if encoding != ROLLED or rolled is None else rolled


def with_counts(task: NumericTask, repeats: int, result: Result) -> Result:
    """A result of an encoding for tasks with numbers, as the task speaks of it.

    Its plans have each action as often as the answer says; every order of a step will do. A value
    of the metric is the task's own. What is proven is so for the numbers that the solver knows: if
    others can be reached in as many steps as were refuted, it is proven for fewer steps alone.
    """
    result = replace(result, plans=tuple(_repeated(task, plan) for plan in result.plans))
    if (metric := task.metric) is not None and result.cost and "; metric " in result.reason:
        value = decimal_text(result.cost[0] * metric.factor + metric.constant)
        reason = re.sub(r"(; metric )-?\d+", rf"\g<1>{value}", result.reason)
        if metric.factor < 0:
            reason = reason.replace("the least of", "the most of").replace(
                "lower ones", "higher ones"
            )
        result = replace(result, reason=reason, cost=None)
    sure = steps_within(task, repeats, result.lower_bound) + 1
    if sure < result.lower_bound:
        far = f"with more than {sure - 1} steps numbers may leave the range of clingcon, ±{LARGEST}"
        is_less = result.outcome is Outcome.OPTIMAL and (result.horizon or 0) > sure
        outcome = Outcome.PLAN if is_less else result.outcome
        reason = "; ".join(filter(None, [result.reason, far]))
        result = replace(result, lower_bound=sure, outcome=outcome, reason=reason)
    return result


def _repeated(task: NumericTask, plan: Plan) -> Plan:
    operators: dict[str, list[int]] = {}
    for o, operator in enumerate(task.task.operators):
        operators.setdefault(operator.action, []).append(o)

    def times(action: str, t: int) -> int:
        # Where a condition is a disjunction, several operators are one action.
        counted = (int(plan.values.get(f"times({o},{t})", 0)) for o in operators[action])
        return max(1, sum(counted))

    steps = (
        tuple(a for action in step for a in [action] * times(action, t))
        for t, step in enumerate(plan, 1)
    )
    return replace(plan, steps=tuple(steps), values={}, cost=None)
