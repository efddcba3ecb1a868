"""The parts in which two plans differ, between states that they have in common.

>>> states = [frozenset({"at(a)"}), frozenset({"at(b)"}), frozenset({"at(c)"})]
>>> mine = Passage((("go(b)",), ("go(c)",)), states)
>>> other = Passage((("jump(c)",),), [states[0], states[2]])
>>> [(one.steps, one.other_steps, one.meets) for one in find_detours(mine, other)]
[((('go(b)',), ('go(c)',)), (('jump(c)',),), True)]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from asplan.core.dataclass import dataclass
from asplan.core.plan import Steps
from asplan.explaining.contrast import Detour

State = frozenset[str]


@dataclass(frozen=True)
class Passage:
    """The steps of a plan, and the fluents of its states; `states` is empty if they are unknown."""

    steps: Steps
    states: Sequence[State]

    def state(self, time: int) -> State | None:
        """Return the state at a time; None if it is unknown."""
        return self.states[time] if len(self.states) == len(self.steps) + 1 else None


def count_common(one: Steps, other: Steps) -> int:
    """Return the number of equal steps at the beginning of two plans."""
    for number, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if not is_same(mine, theirs):
            return number
    return min(len(one), len(other))


def is_same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether two steps have the same actions, in any order."""
    return sorted(one) == sorted(other)


def find_detours(mine: Passage, other: Passage) -> Iterator[Detour]:
    """Yield the parts in which two plans differ, in the order of their steps."""
    here = 0
    there = 0
    while here < len(mine.steps) or there < len(other.steps):
        common = count_common(mine.steps[here:], other.steps[there:])
        here += common
        there += common
        if here == len(mine.steps) and there == len(other.steps):
            return
        meeting = _find_meeting(mine, other, here, there)
        end, other_end = meeting or (len(mine.steps), len(other.steps))
        yield Detour(
            here,
            there,
            mine.steps[here:end],
            other.steps[there:other_end],
            tuple(sorted(mine.state(here) or ())),
            meeting is not None,
        )
        here = end
        there = other_end


def _find_meeting(mine: Passage, other: Passage, here: int, there: int) -> tuple[int, int] | None:
    """Return the time in each plan at which both plans are first in the same state again.

    `here` and `there` are the times at which the plans part. Return None if they never meet again.
    """
    meetings: list[tuple[int, int]] = []
    for time in range(here, len(mine.steps) + 1):
        state = mine.state(time)
        if not state:
            continue
        for other_time in range(there, len(other.steps) + 1):
            if state == other.state(other_time) and (time, other_time) != (here, there):
                meetings.append((time, other_time))
    return min(meetings, key=lambda pair: (sum(pair), pair), default=None)
