"""Drawing of plans with times: each moment at which actions begin or end becomes a step.

>>> from fractions import Fraction as F
>>> plan = Plan((("load(a)",), ("go",)), times=(((F(0), F(2)),), ((F(1), None),)))
>>> [step for step, in plan_by_moments(plan, (F(0), F(0), F(1), F(2)))]
['begin(load(a))', 'go', 'end(load(a))']
"""

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from math import floor, log10
from typing import NamedTuple

from asplan.core.plan import Plan
from asplan.core.text import decimal_text

PARTS = 1000  # facts for drawing rules give times in thousandths of the plan's duration


class TimedAction(NamedTuple):
    """An action with its start and its duration; the duration is None for an
    instantaneous action.
    """

    action: str
    start: Fraction
    duration: Fraction | None


def plan_by_moments(plan: Plan, times: Sequence[Fraction]) -> Plan:
    """Return a plan with a step for each moment at which actions begin or end.

    The actions of the new plan are these beginnings and ends. `times` has the time of each state;
    the first time is that of the initial state, before all actions.
    """
    step_at = {time: step for step, time in enumerate(times[1:])}
    steps: list[list[str]] = [[] for _ in step_at]
    names = {}
    for timed in _timed_actions(plan):
        for time, term, name in _find_ends(timed, plan.name(timed.action)):
            steps[step_at[time]].append(term)
            names[term] = f"{decimal_text(time)}: {name}"
    return Plan(tuple(map(tuple, steps)), names=names)


def _find_ends(timed: TimedAction, name: str) -> Iterator[tuple[Fraction, str, str]]:
    """Yield the beginning and the end of an action: the time, the term and the display name of
    each.

    An instantaneous action yields itself once. `name` is the action as its source writes it.
    """
    action, start, duration = timed
    if duration is None:
        yield start, action, name
        return
    yield start, f"begin({action})", f"{name} begins"
    yield start + duration, f"end({action})", f"{name} ends"


def write_times(plan: Plan, times: Sequence[Fraction]) -> Iterator[str]:
    """Yield facts for drawing rules about the times of actions and states; see docs/drawing.md."""
    actions = sorted(_timed_actions(plan), key=lambda timed: timed.start)
    ends = [start + (duration or 0) for _, start, duration in actions]
    last = max(*ends, *times, Fraction(0)) or Fraction(1)

    def part(time: Fraction) -> int:
        return round(time * PARTS / last)

    kinds: dict[str, int] = {}
    for i, (action, start, duration) in enumerate(actions, 1):
        name, _, _ = action.partition("(")
        kind = kinds.setdefault(name, len(kinds))
        end = start + (duration or 0)
        yield f"spans({i},{part(start)},{part(end)}). kind({i},{kind})."
        yield f"called({i},{json.dumps(plan.name(action))}). action({i},{action})."
        if duration is not None:
            yield f'lasts({i},"{decimal_text(duration)}").'
    for step, time in enumerate(times):
        yield f'moment({step},{part(time)}). clock({step},"{decimal_text(time)}").'
    width = _tick_width(last)
    for tick in range(floor(last / width) + 1):
        time = tick * width
        yield f'tick({part(time)},"{decimal_text(time)}").'


def _tick_width(last: Fraction) -> Fraction:
    """Return the distance between ticks of a time axis from 0 to `last`.

    Distances are 1, 2 or 5 times a power of ten. The result is the largest distance with at least
    four ticks.
    """
    power = Fraction(10) ** floor(log10(last / 4))
    widths = (factor * power for factor in (1, 2, 5))
    return max(width for width in widths if width * 4 <= last)


def _timed_actions(plan: Plan) -> list[TimedAction]:
    pairs = zip(plan.actions, chain.from_iterable(plan.times), strict=True)
    return [TimedAction(action, start, duration) for action, (start, duration) in pairs]
