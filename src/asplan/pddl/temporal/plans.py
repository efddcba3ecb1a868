"""From the layers of instants that an answer has to a plan whose actions have times."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING

from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.core.text import decimal_text
from asplan.pddl.temporal.ground import Timed
from asplan.result import Result

if TYPE_CHECKING:
    from asplan.core.plan import Timing

TEMPORAL, TEMPORAL_NUMERIC = "temporal", "temporal_numeric"
"""The encodings for tasks with time, and for those in which numbers matter as well."""

LAYERS = "layers"
"""What the horizon of a task with time counts."""


_WITHOUT_TIME = ("sequential", "forall", "exists", "relaxed", "rolled", "cheapest")


def refuse_others(named: str | None, preferred: Sequence[str]) -> None:
    """Raise `UsageError` where an encoding or an aim is asked for that knows no time."""
    name = (named or "").removeprefix("pddl/").removeprefix("numeric_")
    if name in _WITHOUT_TIME:
        raise UsageError(
            f"{name} knows no time, and the task has some",
            hint=f"leave it out: {TEMPORAL} finds plans with the fewest layers",
        )
    if "cheapest" in preferred:
        raise UsageError(
            "--optimal: of tasks with time asplan minimizes the layers, then the makespan",
            hint="leave it out",
        )


def with_times(timed: Timed, result: Result) -> Result:
    """A result of the encoding for tasks with time, as the task speaks of it."""
    unit = timed.unit
    return replace(
        result,
        optimized=LAYERS,
        plans=tuple(timed_plan(timed, plan) for plan in result.plans),
        cost=None,
        reason=_said(result.reason, unit),
        trajectory=None,
    )


def timed_plan(timed: Timed, plan: Plan) -> Plan:
    """The plan of the actions that start in some layers, at the times that the answer says."""
    unit, begun = timed.unit, sorted(_begun(timed, plan))
    steps = [list(group) for _, group in groupby(begun, key=lambda each: each[0])]
    times: tuple[tuple[Timing, ...], ...] = tuple(
        tuple((start * unit, None if takes is None else takes * unit) for start, _, takes in step)
        for step in steps
    )
    return Plan(tuple(tuple(action for _, action, _ in step) for step in steps), times=times)


def _begun(timed: Timed, plan: Plan) -> Iterator[tuple[int, str, int | None]]:
    """The actions with their starts and durations, in units of time."""
    lasting = {action.term: action for action in timed.lasting}
    values = {term: int(value) for term, value in plan.values.items()}
    running: dict[str, int] = {}
    for layer, instants in enumerate(plan, 1):
        for instant in instants:
            kind, _, term = instant.removesuffix(")").partition("(")
            if kind == "start" and term in lasting:
                running[term] = values[f"time(begin({lasting[term].running[0]}),{layer})"]
            elif kind == "end" and term in lasting:
                start, action = running.pop(term), lasting[term]
                if action.shortest == action.longest:
                    takes: int | None = timed.units(action.shortest)
                else:
                    takes = values[f"time(end({action.running[0]}),{layer})"] - start
                yield start, term, takes
            elif kind != "event":
                takes = 0 if instant in timed.at_once else None
                # Of several operators for one action that which happens has the latest time.
                operators = timed.grounded.task.by_action[instant]
                several = (f"time(moment({o}),{layer})" for o in operators)
                yield max(values[term] for term in several if term in values), instant, takes


def _said(reason: str, unit: Fraction) -> str:
    """What an engine says of steps and units, in words of layers and times."""

    def in_time(match: re.Match[str]) -> str:
        return match[1] + decimal_text(int(match[2]) * unit)

    reason = re.sub(r"(makespan |at least )(-?\d+)", in_time, reason)
    reason = re.sub(r"shortest: (\d+) steps refuted", r"fewest layers: \1 refuted", reason)
    return re.sub(r"(least|possible) of (\d+) steps", r"\1 with \2 layers", reason)
