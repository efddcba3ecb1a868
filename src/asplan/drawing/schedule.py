"""Plans whose actions have times, for drawing: their steps are the moments at which things happen.

>>> from fractions import Fraction as F
>>> plan = Plan((("load(a)",), ("go",)), times=(((F(0), F(2)),), ((F(1), None),)))
>>> for step in happenings(plan, (F(0), F(0), F(1), F(2))):
...     print(step)
('begin(load(a))',)
('go',)
('end(load(a))',)
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from math import floor, log10

from asplan.core.plan import Plan
from asplan.core.text import decimal_text

PARTS = 1000  # into which the time of a plan is divided


def happenings(plan: Plan, times: Sequence[Fraction]) -> Plan:
    """What begins and ends at each of some times, the first of which is before all happens."""
    place = {time: t for t, time in enumerate(times[1:])}
    steps: list[list[str]] = [[] for _ in place]
    names = {}
    for action, start, takes in _timed(plan):
        if takes is None:
            found = [(start, action, plan.name(action))]
        else:
            written = plan.name(action)
            found = [(start, f"begin({action})", f"{written} begins")]
            found.append((start + takes, f"end({action})", f"{written} ends"))
        for time, term, name in found:
            steps[place[time]].append(term)
            names[term] = f"{decimal_text(time)}: {name}"
    return Plan(tuple(map(tuple, steps)), names=names)


def facts_of_times(plan: Plan, times: Sequence[Fraction]) -> Iterator[str]:
    """The times of a plan as facts for drawing rules; docs/drawing.md describes them."""
    actions = sorted(_timed(plan), key=lambda each: each[1:2])
    ends = [start + (takes or 0) for _, start, takes in actions]
    last = max([*ends, *times], default=Fraction(0)) or Fraction(1)

    def part(time: Fraction) -> int:
        return round(time * PARTS / last)

    kinds: dict[str, int] = {}
    for i, ((action, start, takes), end) in enumerate(zip(actions, ends, strict=True), 1):
        kind = kinds.setdefault(action.partition("(")[0], len(kinds))
        yield f"spans({i},{part(start)},{part(end)}). kind({i},{kind})."
        yield f"called({i},{json.dumps(plan.name(action))}). action({i},{action})."
        if takes is not None:
            yield f'lasts({i},"{decimal_text(takes)}").'
    for t, time in enumerate(times):
        yield f'moment({t},{part(time)}). clock({t},"{decimal_text(time)}").'
    # A round number that goes into the time between four and ten times or so.
    power = Fraction(10) ** floor(log10(last / 4))
    width = max(factor * power for factor in (1, 2, 5) if factor * power * 4 <= last)
    for k in range(floor(last / width) + 1):
        yield f'tick({part(k * width)},"{decimal_text(k * width)}").'


def _timed(plan: Plan) -> list[tuple[str, Fraction, Fraction | None]]:
    timing = chain.from_iterable(plan.times)
    return [(a, start, takes) for a, (start, takes) in zip(plan.actions, timing, strict=True)]
