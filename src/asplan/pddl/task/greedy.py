"""Any plan, soon: greedy best-first search, guided by relaxed plans and landmarks.

A state is evaluated when it is taken out, and what follows it is queued by its estimates. Operators
of the relaxed plan are preferred: they are queued a second time, in lists that have precedence
after each progress. So few states are evaluated, which is what takes the time.

Sources: Hoffmann and Nebel, The FF Planning System, 2001; Richter and Helmert, Preferred Operators
and Deferred Evaluation in Satisficing Planning, ICAPS 2009; Richter and Westphal, The LAMA Planner,
2010; for the landmarks Keyder, Richter and Helmert, Sound and Complete Landmarks for And/Or Graphs,
ECAI 2010.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from heapq import heappop, heappush

from asplan.core.text import amount
from asplan.domains.base import Found
from asplan.pddl.task.flat import Flat
from asplan.pddl.task.model import TaskModel

BOOST = 1000
"""Turns of the preferred operators after each progress."""

_LOOK = 16
"""States that are evaluated between two looks at the clock."""

_FAR = 1 << 60
_HOLDS, _UNREACHED = -1, -2


def find_plan(model: TaskModel, heed: Callable[[], None]) -> Found:
    """A plan, or that none exists, as all states were seen that may lead to one.

    `heed` is called now and then; what it raises ends the search.
    """
    flat = Flat(model, [1] * len(model.task.operators))
    relaxed_plan, landmarks = relaxed_plans(flat), Landmarks(flat, flat.facts_of(model.initial))
    queues = [(by, is_preferred, _Queue()) for by in (0, 1) for is_preferred in (False, True)]
    least = [_FAR, _FAR]
    came_from: dict[int, tuple[int, int]] = {}
    reached: dict[int, int] = {}
    before, operator, state = -1, -1, model.initial
    while True:
        if state not in came_from:
            came_from[state] = before, operator
            if len(came_from) % _LOOK == 0:
                heed()
            if model.is_goal(state):
                how = f"found by greedy search among {amount(len(came_from), 'state')}"
                return Found(_actions(model, came_from, state), how)
            facts = flat.facts_of(state)
            if (useful := relaxed_plan(facts)) is not None:
                reached[state] = landmarks.reached(facts, reached.get(before, 0))
                estimates = len(useful), landmarks.left(facts, reached[state])
                if estimates[0] < least[0] or estimates[1] < least[1]:
                    least = list(map(min, least, estimates))
                    for _, is_preferred, queue in queues:
                        queue.priority -= BOOST * is_preferred
                for index in model.applicable(state):
                    for by, is_preferred, queue in queues:
                        if not is_preferred or index in useful:
                            queue.push(estimates[by], (state, index))
        filled = [queue for _, _, queue in queues if queue.size]
        if not filled:
            return Found(None, f"none of the {len(came_from)} states that may lead on is a goal")
        chosen = min(filled, key=lambda queue: queue.priority)
        before, operator = chosen.pop()
        state = model.after(before, operator)


def _actions(model: TaskModel, came_from: dict[int, tuple[int, int]], state: int) -> list[str]:
    found = []
    while (step := came_from[state])[0] >= 0:
        state = step[0]
        found.append(model.task.operators[step[1]].action)
    return found[::-1]


class _Queue:
    """What waits, the least value first, and first in, first out; `priority` counts its turns."""

    def __init__(self) -> None:
        self.buckets: dict[int, deque[tuple[int, int]]] = {}
        self.values: list[int] = []
        self.size = self.priority = 0

    def push(self, value: int, item: tuple[int, int]) -> None:
        if value not in self.buckets:
            self.buckets[value] = deque()
            heappush(self.values, value)
        self.buckets[value].append(item)
        self.size += 1

    def pop(self) -> tuple[int, int]:
        bucket = self.buckets[self.values[0]]
        item = bucket.popleft()
        if not bucket:
            del self.buckets[heappop(self.values)]
        self.size -= 1
        self.priority += 1
        return item


def relaxed_plans(flat: Flat) -> Callable[[list[int]], set[int] | None]:
    """From the facts of a state to the operators of a relaxed plan; None where there is none.

    Each fact is brought about by the part that can do so first, layer by layer.
    """
    needed_by, adds, sizes, goal = flat.needed_by, flat.adds, flat.sizes, flat.goal
    owners, preconditions = flat.owners, flat.preconditions

    def relaxed_plan(facts: list[int]) -> set[int] | None:
        missing, support, known = sizes[:], [_UNREACHED] * flat.facts, facts[:]
        for fact in facts:
            support[fact] = _HOLDS
        for fact in known:  # which grows
            for part in needed_by[fact]:
                missing[part] = lacks = missing[part] - 1
                if not lacks:
                    for added in adds[part]:
                        if support[added] == _UNREACHED:
                            support[added] = part
                            known.append(added)
            if support[goal] >= 0:
                break
        else:
            return None
        chosen, waiting = set[int](), [goal]
        while waiting:
            part = support[waiting.pop()]
            if part >= 0 and part not in chosen:
                chosen.add(part)
                waiting += preconditions[part]
        return {owners[part] for part in chosen if owners[part] >= 0}

    return relaxed_plan


class Landmarks:
    """Facts that every plan reaches, as bits: those of the delete relaxation.

    A fact has as landmarks itself, and what all parts that add it have in common. A landmark is
    left as long as the path has not reached it, and again where the goal cannot do without it, or
    another landmark that is left.
    """

    def __init__(self, flat: Flat, initial: list[int]) -> None:
        """Those on all paths from a state with some facts."""
        known = _landmarks(flat, initial)
        self._mask = (known[flat.goal] or 0) & ~(1 << flat.goal | 1 << flat.start)
        self._goal = _bits(flat.preconditions[-1])
        # What all parts need that may add a landmark for the first time.
        self._needs: list[tuple[int, int]] = []
        for fact in _places(self._mask):
            needs = ~0
            for part in flat.added_by[fact]:
                asked = flat.preconditions[part]
                if not any(_contains(known[f], fact) for f in asked):
                    needs &= _bits(asked)
            if needs != ~0 and needs & self._mask:
                self._needs.append((1 << fact, needs & self._mask))

    def reached(self, facts: list[int], before: int) -> int:
        """The landmarks that a path has reached, with those that it had before its last state."""
        return before | (_bits(facts) & self._mask)

    def left(self, facts: list[int], reached: int) -> int:
        """How many are left where these are reached and these facts hold."""
        missing = self._mask & ~reached
        again = self._goal
        for landmark, needs in self._needs:
            if missing & landmark:
                again |= needs
        return (missing | (again & self._mask & ~_bits(facts))).bit_count()


def _landmarks(flat: Flat, initial: list[int]) -> list[int | None]:
    """For each fact its landmarks as bits; None where it cannot be reached."""
    known: list[int | None] = [None] * flat.facts
    for fact in initial:
        known[fact] = 1 << fact
    waiting = deque(initial)
    queued = set(initial)
    while waiting:
        queued.discard(fact := waiting.popleft())
        for part in flat.needed_by[fact]:
            common = 0
            for asked in flat.preconditions[part]:
                if (found := known[asked]) is None:
                    break
                common |= found
            else:
                for added in flat.adds[part]:
                    old = known[added]
                    new = (common if old is None else common & old) | 1 << added
                    if new != old:
                        known[added] = new
                        if added not in queued:
                            queued.add(added)
                            waiting.append(added)
    return known


def _bits(facts: Iterable[int]) -> int:
    found = 0
    for fact in facts:
        found |= 1 << fact
    return found


def _contains(bits: int | None, place: int) -> bool:
    return bits is None or bool(bits >> place & 1)


def _places(bits: int) -> list[int]:
    return [place for place in range(bits.bit_length()) if bits >> place & 1]
