"""Whole numbers in place of fractions, exactly, for a solver that knows no others.

Each number gets a factor by which all its values are whole: those at the start, and whatever is
assigned to it or added. Where amounts are computed from other numbers, the factors follow from each
other. A test is multiplied by what makes its coefficients whole, and divided by what they have in
common; its bound is rounded, as whole numbers do not lie between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd, lcm

from asplan.pddl.language.lexer import Group, quoted, wrong
from asplan.pddl.language.syntax import GroundAtom
from asplan.pddl.numeric.ground import Changing, Grounded, Test
from asplan.pddl.numeric.linear import Linear
from asplan.pddl.task.task import Fact, Task

LARGEST = 2**30 - 1
"""The largest number of clingcon; the least is its negative."""

Sum = tuple[tuple[int, int], ...]
"""Numbers, counted from 0, with their coefficients."""

Least = tuple[Sum, int]
"""A sum is at least so much."""


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
    """A finite-domain task with whole numbers.

    Attributes
    ----------
    numbers, factors
        The numbers as PDDL has them, and by what each was multiplied.
    initial
        Their values at the start.
    counted
        For each operator of the task what it has to do with numbers.
    goal
        What must hold of numbers in the end.
    tests
        Derived variables that have the value of the fact if the test holds.
    metric
        What is to be as small as can be; None where the task says nothing of that kind.
    bounds
        The least and the greatest value of each number in all states that can be reached; infinite
        where that is not known.
    """

    task: Task
    numbers: tuple[GroundAtom, ...]
    factors: tuple[int, ...]
    initial: tuple[int, ...]
    counted: tuple[Counted, ...]
    goal: tuple[Least, ...]
    tests: Mapping[Fact, Least]
    metric: Metric | None = None
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
        grounded.metric and _metric(*grounded.metric, numbers, factors),
    )


def _metric(
    word: str, amount: Linear, numbers: Mapping[GroundAtom, int], factors: Mapping[GroundAtom, int]
) -> Metric:
    parts = {number: c / factors[number] for number, c in amount.terms.items()}
    by = Fraction(lcm(*(c.denominator for c in parts.values())))
    by *= 1 if word == "minimize" else -1
    total = tuple((numbers[number], int(c * by)) for number, c in parts.items())
    return Metric(total, 1 / by, amount.constant)


def _whole(value: Fraction, at: Group) -> int:
    if abs(value) > LARGEST:
        raise wrong(
            at,
            f"{quoted(at)} needs the whole number {value}, beyond the {LARGEST} of clingcon",
            "multiply the numbers of the task by a factor, or round them",
        )
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
                raise wrong(
                    change.at,
                    f"{quoted(change.at)} makes ever smaller fractions, which whole numbers cannot "
                    "stand for",
                    "ENHSP plans with floating-point numbers",
                )
            grows |= needed > factors[change.number]
            factors[change.number] = needed
    return factors
