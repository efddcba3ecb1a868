"""The conversion of results for tasks with time: layers of instants become plans with times.

A layer is a step of the encoding: a set of instants. Its number does not determine their times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from asplan.core.choices import Objective
from asplan.core.plan import Plan
from asplan.pddl.temporal.ground import LastingAction, TimedTask
from asplan.result import Result

if TYPE_CHECKING:
    from asplan.core.plan import Timing


def with_times(timed: TimedTask, result: Result) -> Result:
    """Convert a result of the encoding for tasks with time to the terms of the PDDL task.

    A result whose plans have times already was found on the text; it is returned unchanged.
    """
    if any(plan.times for plan in result.plans):
        return result
    return replace(
        result,
        optimized=Objective.LAYERS,
        plans=tuple(timed_plan(timed, plan) for plan in result.plans),
        cost=None,
        trajectory=None,
    )


class _Occurrence(NamedTuple):
    """An action in a plan.

    Attributes
    ----------
    start
        The time of its start, in units (`TimedTask.unit`).
    action
        The action as a term.
    duration
        The duration in units; None for an action without duration.
    """

    start: int
    action: str
    duration: int | None


def timed_plan(timed: TimedTask, plan: Plan) -> Plan:
    """Convert a plan of the encoding, whose steps are sets of instants, to a plan with times.

    An instant is, for example, the start or the end of an action. In the new plan, the actions of
    a step have the same start.
    """
    unit = timed.unit
    occurrences = sorted(_occurrences(timed, plan))
    steps = list[tuple[str, ...]]()
    times: list[tuple[Timing, ...]] = []
    for _, group in groupby(occurrences, key=lambda occurrence: occurrence.start):
        step = list(group)
        steps.append(tuple(occurrence.action for occurrence in step))
        timings: list[Timing] = []
        for start, _, duration in step:
            timings.append((start * unit, None if duration is None else duration * unit))
        times.append(tuple(timings))
    return Plan(tuple(steps), times=tuple(times))


def _occurrences(timed: TimedTask, plan: Plan) -> Iterator[_Occurrence]:
    """Yield the actions in a plan of instants; a durative action is yielded at its end."""
    lasting = {action.term: action for action in timed.lasting}
    values = {term: int(value) for term, value in plan.values.items()}
    starts: dict[str, int] = {}
    for layer, instant in _instants(plan):
        kind, _, term = instant.removesuffix(")").partition("(")
        action = lasting.get(term)
        if kind == "start" and action is not None:
            starts[term] = values[f"time(begin({action.running[0]}),{layer})"]
        elif kind == "end" and action is not None:
            start = starts.pop(term)
            duration = _fixed_duration(timed, action)
            if duration is None:
                duration = values[f"time(end({action.running[0]}),{layer})"] - start
            yield _Occurrence(start, term, duration)
        elif kind != "event":
            yield _momentary(timed, instant, layer, values)


def _instants(plan: Plan) -> Iterator[tuple[int, str]]:
    """Yield a pair for each instant of a plan: the number of its layer, from 1, and the instant."""
    for layer, instants in enumerate(plan, 1):
        for instant in instants:
            yield layer, instant


def _momentary(
    timed: TimedTask,
    action: str,
    layer: int,
    values: Mapping[str, int],
) -> _Occurrence:
    """Return the occurrence of an action that takes no time.

    Its operators (ways to apply it) may have different times in the answer; the latest one counts.
    `values` has the values of the answer by term.
    """
    operators = timed.grounded.task.by_action[action]
    terms = (f"time(moment({o}),{layer})" for o in operators)
    time = max(values[term] for term in terms if term in values)
    duration = 0 if action in timed.at_once else None
    return _Occurrence(time, action, duration)


def _fixed_duration(timed: TimedTask, action: LastingAction) -> int | None:
    """Return the only possible duration of an action, in units; None if there are several."""
    if action.shortest != action.longest:
        return None
    return timed.units(action.shortest)
