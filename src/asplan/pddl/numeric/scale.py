"""Whole numbers in place of fractions, exactly, for a solver that knows no others.

Each number gets a factor by which all its values are whole: those at the start, and whatever is
assigned to it or added. Where amounts are computed from other numbers, the factors follow from each
other. A test is multiplied by what makes its coefficients whole, and divided by what they have in
common; its bound is rounded, as whole numbers do not lie between.

Between which bounds numbers stay is found by an analysis of intervals over all that can be reached.
Facts are taken to be reachable, so that bounds follow from the tests of operators alone. What an
operator adds to a number, it is taken to add again and again, as far as its tests let it; so bounds
are found at once that single steps would take long to reach. (Compare Scala, Haslum and Thiebaux,
Heuristics for Numeric Planning via Subgoaling, 2016, and their additive interval relaxation.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from math import ceil, floor, gcd, inf, isfinite, lcm

from asplan.pddl.language.lexer import Group, quoted, wrong
from asplan.pddl.language.syntax import GroundAtom, TaskText
from asplan.pddl.numeric.ground import Changing, Grounded, Test, ground
from asplan.pddl.numeric.strip import Linear
from asplan.pddl.task.task import Fact, Task

LARGEST = 2**30 - 1  # the largest number of clingcon; the least is its negative
Sum = tuple[tuple[int, int], ...]  # numbers, counted from 0, with their coefficients
Least = tuple[Sum, int]  # a sum is at least so much


@dataclass(frozen=True)
class Change:
    """A number is set to a sum and a constant, or increased by that, if it `adds`.

    It happens with its operator, and where it has causes only if all facts of one of them hold.
    """

    number: int
    total: Sum
    constant: int
    adds: bool
    causes: tuple[tuple[Fact, ...], ...] = ()


@dataclass(frozen=True)
class Counted:
    """What an operator has to do with numbers."""

    tests: tuple[Least, ...]
    changes: tuple[Change, ...]

    @property
    def adds(self) -> dict[int, int]:
        """By how much it always increases numbers, as far as this is constant."""
        return {
            c.number: c.constant for c in self.changes if c.adds and not c.total and not c.causes
        }


@dataclass(frozen=True)
class Metric:
    """A sum that is to be as small as can be: times `factor`, plus `constant`, it is the metric.

    The factor of what is to be as large as can be is negative.
    """

    total: Sum
    factor: Fraction
    constant: Fraction


@dataclass(frozen=True)
class NumericTask:
    """A finite-domain task with whole numbers."""

    task: Task
    numbers: tuple[GroundAtom, ...]  # as PDDL has them
    factors: tuple[int, ...]  # by what each was multiplied
    initial: tuple[int, ...]
    counted: tuple[Counted, ...]  # what each operator of the task has to do with numbers
    goal: tuple[Least, ...]  # what must hold of numbers in the end
    tests: Mapping[Fact, Least]  # derived variables have the value of the fact if the test holds
    metric: Metric | None = None  # None where the task says nothing of that kind
    # The least and the greatest value of each number in all states that can be reached; infinite
    # where that is not known.
    bounds: tuple[tuple[float, float], ...] = ()


def scale(grounded: Grounded) -> NumericTask:
    """The task in whole numbers.

    Raises `InputError` where no factors suffice, or where numbers become too large for 32 bits.
    """
    numbers = {number: n for n, number in enumerate(grounded.initial)}
    factors = _factors(grounded)

    def total(amount: Linear, by: Fraction, at: Group) -> Sum:
        terms = sorted(
            (numbers[number], by * c / factors[number]) for number, c in amount.terms.items()
        )
        return tuple((number, _whole(c, at)) for number, c in terms)

    def least(test: Test) -> Least:
        parts = {number: c / factors[number] for number, c in test.total.terms.items()}
        by = Fraction(lcm(*(c.denominator for c in parts.values())))
        by /= gcd(*(int(c * by) for c in parts.values())) or 1
        bound = -test.total.constant * by
        bound = Fraction(floor(bound) + 1 if test.strict else ceil(bound))
        return total(test.total, by, test.at), _whole(bound, test.at)

    def change(found: Changing) -> Change:
        factor, amount = Fraction(factors[found.number]), found.amount
        return Change(
            numbers[found.number],
            total(amount, factor, found.at),
            _whole(amount.constant * factor, found.at),
            found.adds,
            () if found.is_plain else found.causes,
        )

    metric = None
    if grounded.metric is not None:
        word, amount = grounded.metric
        parts = {number: c / factors[number] for number, c in amount.terms.items()}
        by = Fraction(lcm(*(c.denominator for c in parts.values())))
        by *= 1 if word == "minimize" else -1
        terms = tuple((numbers[number], int(c * by)) for number, c in parts.items())
        metric = Metric(terms, 1 / by, amount.constant)
    counted = tuple(
        Counted(tuple(map(least, c.tests)), tuple(map(change, c.changes))) for c in grounded.counted
    )
    return NumericTask(
        grounded.task,
        tuple(numbers),
        tuple(factors[number] for number in numbers),
        tuple(int(value * factors[number]) for number, value in grounded.initial.items()),
        counted,
        tuple(map(least, grounded.goal)),
        {fact: least(test) for fact, test in grounded.tests.items()},
        metric,
    )


def _whole(value: Fraction, at: Group) -> int:
    if abs(value) > LARGEST:
        what = f"{quoted(at)} needs the whole number {value}, beyond the {LARGEST} of clingcon"
        raise wrong(at, what, "multiply the numbers of the task by a factor, or round them")
    return int(value)


FINEST = 10**6
"""The largest factor; where amounts are fractions of what they change, none would suffice."""


def _factors(grounded: Grounded) -> dict[GroundAtom, int]:
    """The least factors by which all values are whole.

    Raises `InputError` where there are none up to `FINEST`.
    """
    factors = {number: value.denominator for number, value in grounded.initial.items()}
    changes = [change for counted in grounded.counted for change in counted.changes]
    grows = True
    while grows:
        grows = False
        for change in changes:
            parts = [change.amount.constant]
            parts += (c / factors[number] for number, c in change.amount.terms.items())
            needed = lcm(factors[change.number], *(part.denominator for part in parts))
            if needed > FINEST:
                what = "makes ever smaller fractions, which whole numbers cannot stand for"
                hint = "ENHSP plans with floating-point numbers"
                raise wrong(change.at, f"{quoted(change.at)} {what}", hint)
            grows |= needed > factors[change.number]
            factors[change.number] = needed
    return factors


Interval = tuple[float, float]

ROUNDS = 30  # after so many, bounds that still move are given up


def numeric_task(text: TaskText) -> NumericTask:
    """The ground task of one with numbers, in whole numbers; raises as `ground` and `scale` do.

    It has its bounds, and is without operators that never apply because of them.
    """
    task = scale(ground(text))
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
    for total, bound in counted.tests:
        for number, factor in total:
            _, others = interval_of([term for term in total if term[0] != number], known)
            limit = (bound - others) / factor
            low, high = limits.get(number, (-inf, inf))
            if factor > 0:
                limits[number] = max(low, limit if limit == -inf else ceil(limit)), high
            else:
                limits[number] = low, min(high, limit if limit == inf else floor(limit))
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
            after = dict(change.total)  # what it becomes, but for the constant
            after[change.number] = after.get(change.number, 0) + 1
            whole = tuple(sorted((n, factor) for n, factor in after.items() if factor))
            negated, (below, above) = tuple((n, -factor) for n, factor in whole), (-inf, inf)
            for tested, limit in counted.tests:
                if tested == whole:
                    below = max(below, limit)
                elif tested == negated:
                    above = min(above, -limit)
            floor_, ceiling = limits.get(change.number, (-inf, inf))
            least = max(floor_ + least, below + change.constant) if least < 0 else low
            most = min(ceiling + most, above + change.constant) if most > 0 else high
        moved[change.number] = min(low, least), max(high, most)


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
