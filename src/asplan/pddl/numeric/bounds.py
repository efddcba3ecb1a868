"""Between which bounds numbers stay: an analysis of intervals over all that can be reached.

Facts are taken to be reachable, so that bounds follow from the tests of operators alone. What an
operator adds to a number, it is taken to add again and again, as far as its tests let it; so bounds
are found at once that single steps would take long to reach. (Compare Scala, Haslum and Thiebaux,
Heuristics for Numeric Planning via Subgoaling, 2016, and their additive interval relaxation.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import ceil, floor, inf, isfinite

from asplan.pddl.language.syntax import TaskText
from asplan.pddl.numeric.ground import ground
from asplan.pddl.numeric.scale import LARGEST, Change, Counted, Least, NumericTask, Sum, scale

Interval = tuple[float, float]

ROUNDS = 30
"""After so many, bounds that still move are given up."""


def numeric_task(text: TaskText) -> NumericTask:
    """The ground task of one with numbers, in whole numbers; raises as `ground` and `scale` do."""
    return with_bounds(scale(ground(text)))


def with_bounds(task: NumericTask) -> NumericTask:
    """The task with its bounds, and without operators that never apply because of them."""
    bounds = tuple(bounds_of(task))

    def is_possible(test: Least) -> bool:
        return interval_of(test[0], bounds)[1] >= test[1]

    if not all(map(is_possible, task.goal)):
        why = "the numbers that the goal asks for cannot be reached"
        return replace(task, task=replace(task.task, hopeless=why), bounds=bounds)
    pairs = zip(task.task.operators, task.counted, strict=True)
    kept = [(o, c) for o, c in pairs if all(map(is_possible, c.tests))]
    return replace(
        task,
        task=replace(task.task, operators=tuple(o for o, _ in kept)),
        counted=tuple(c for _, c in kept),
        bounds=bounds,
    )


def bounds_of(task: NumericTask) -> Sequence[Interval]:
    """An end that is infinite, or beyond what clingcon knows, is not known."""
    known: list[Interval] = [(value, value) for value in task.initial]
    counted = [c for c in task.counted if c.changes]
    for round_number in range(2 * ROUNDS):
        moved = list(known)
        for one in counted:
            _widen(moved, known, one)
        if moved == known:
            break
        if round_number >= ROUNDS:
            moved = [
                (low if low == old[0] else -inf, high if high == old[1] else inf)
                for (low, high), old in zip(moved, known, strict=True)
            ]
        known = moved
    return [
        (low if low >= -LARGEST else -inf, high if high <= LARGEST else inf) for low, high in known
    ]


def _widen(moved: list[Interval], known: Sequence[Interval], counted: Counted) -> None:
    """Widen intervals by what an operator may do."""
    limits: dict[int, Interval] = {}
    for test in counted.tests:
        for number, limit in _limits(test, known):
            low, high = limits.get(number, (-inf, inf))
            limits[number] = max(low, limit[0]), min(high, limit[1])
    inner = list(known)
    for number, (low, high) in limits.items():
        inner[number] = max(low, known[number][0]), min(high, known[number][1])
        if inner[number][0] > inner[number][1]:
            return  # it does not apply yet
    for change in counted.changes:
        low, high = moved[change.number]
        least, most = interval_of(change.total, inner)
        least, most = least + change.constant, most + change.constant
        if change.adds:
            # Again and again, as far as the tests go; they may speak of just what it becomes.
            floor_, ceiling = limits.get(change.number, (-inf, inf))
            below, above = _tested(_sum_after(change), counted.tests)
            least = max(floor_ + least, below + change.constant) if least < 0 else low
            most = min(ceiling + most, above + change.constant) if most > 0 else high
        moved[change.number] = min(low, least), max(high, most)


def _sum_after(change: Change) -> Sum:
    """What a number is after it was increased, but for the constant."""
    terms = dict(change.total)
    terms[change.number] = terms.get(change.number, 0) + 1
    return tuple(sorted((n, factor) for n, factor in terms.items() if factor))


def _tested(total: Sum, tests: Iterable[Least]) -> Interval:
    """Between what a sum is where some tests hold, as far as one of them is about just that sum."""
    low, high = -inf, inf
    for tested, least in tests:
        if tested == total:
            low = max(low, least)
        elif tested == tuple((n, -factor) for n, factor in total):
            high = min(high, -least)
    return low, high


def _limits(test: Least, known: Sequence[Interval]) -> Iterable[tuple[int, Interval]]:
    """What a test says of each number in it, given the intervals of the others."""
    total, least = test
    for number, factor in total:
        _, others = interval_of([t for t in total if t[0] != number], known)
        bound = (least - others) / factor
        if factor > 0:
            yield number, (bound if bound == -inf else ceil(bound), inf)
        else:
            yield number, (-inf, bound if bound == inf else floor(bound))


def interval_of(total: Iterable[tuple[int, int]], known: Sequence[Interval]) -> Interval:
    """The least and the greatest value of a sum of numbers."""
    low = high = 0.0
    for number, factor in total:
        ends = [factor * end for end in known[number]]
        low, high = low + min(ends), high + max(ends)
    return low, high


def steps_within(task: NumericTask, repeats: int, most: int) -> int:
    """In how many steps no number can leave the range of clingcon, `most` at most.

    In a step each operator may happen so often, if it adds the same each time, or once.
    """
    for step, known in enumerate(islice(after_steps(task, repeats), most)):
        if any(low < -LARGEST or high > LARGEST for low, high in known):
            return step
    return most


def after_steps(task: NumericTask, repeats: int = 1) -> Iterator[Sequence[Interval]]:
    """Between which bounds numbers are after one step, two, and so on; some always the same."""
    open_ones = {n for n, bound in enumerate(task.bounds) if not all(map(isfinite, bound))}
    known: list[Interval] = [
        (value, value) if n in open_ones else task.bounds[n] for n, value in enumerate(task.initial)
    ]
    changes = [(c, n in one.adds) for one in task.counted for c in one.changes for n in [c.number]]
    changes = [(change, plain) for change, plain in changes if change.number in open_ones]
    while True:
        moved = list(known)
        for change, plain in changes:
            low, high = interval_of(change.total, known)
            low, high = low + change.constant, high + change.constant
            low, high = (low * repeats, high * repeats) if plain else (low, high)
            least, greatest = moved[change.number]
            if change.adds:
                moved[change.number] = least + min(low, 0), greatest + max(high, 0)
            else:
                moved[change.number] = min(low, least), max(high, greatest)
        known = moved
        yield known
