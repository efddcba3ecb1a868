"""Tasks with whole numbers instead of fractions, for a solver of whole numbers.

The conversion is exact. Each number gets a factor by which all its values are whole: the initial
value, and all amounts that are assigned or added. If amounts depend on other numbers, so do the
factors. A numeric condition requires that a sum has at least some value. It is multiplied until its
coefficients are whole, and divided by their greatest common divisor. Then its bound is rounded up.

An analysis finds bounds of each number in all reachable states. It ignores the facts in the
preconditions, so that bounds follow from numeric conditions alone. It assumes that an operator adds
its amount repeatedly, as often as its numeric conditions allow. So it finds at once bounds that
single steps would take long to reach. (Compare the additive interval relaxation of Scala, Haslum
and Thiebaux, Heuristics for Numeric Planning via Subgoaling, 2016.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice
from math import ceil, floor, gcd, inf, isfinite, lcm

from asplan.core.dataclass import dataclass
from asplan.pddl.language.lexer import Group, quoted, wrong
from asplan.pddl.language.syntax import GroundAtom, TaskText
from asplan.pddl.numeric.ground import Changing, GroundNumbers, GroundNumericTask, Test, ground
from asplan.pddl.numeric.strip import Linear
from asplan.pddl.task.task import Fact, Task

LARGEST = 2**30 - 1
"""The largest number that clingcon represents; the least one is its negative."""

Sum = tuple[tuple[int, int], ...]
"""A linear sum: pairs of a number (its index in `NumericTask.numbers`) and its coefficient."""

Least = tuple[Sum, int]
"""A numeric condition: a sum, and the least value of the sum for which the condition holds."""

Interval = tuple[float, float]
"""The least and the greatest value of a number; infinite if unknown."""

UNBOUNDED = (-inf, inf)


@dataclass(frozen=True)
class NumberChange:
    """A change of a number by an operator.

    Attributes
    ----------
    number
        The index of the number that changes.
    total, constant
        The amount: a sum and a constant, evaluated in the state before.
    adds
        True if the amount is added to the number, False if it is assigned.
    causes
        The condition: all facts of one of these tuples hold. Empty if there is no condition.
    """

    number: int
    total: Sum
    constant: int
    adds: bool
    causes: tuple[tuple[Fact, ...], ...] = ()

    @property
    def is_constant(self) -> bool:
        """True if the change has no condition and always adds the same constant."""
        return self.adds and not self.total and not self.causes


@dataclass(frozen=True)
class NumericPart:
    """The numeric part of an operator: its preconditions on numbers, and its changes of numbers."""

    tests: tuple[Least, ...]
    changes: tuple[NumberChange, ...]

    @property
    def adds(self) -> dict[int, int]:
        """The constants that the operator always adds, by the index of the number."""
        return {change.number: change.constant for change in self.changes if change.is_constant}


@dataclass(frozen=True)
class Metric:
    """The metric as a sum to minimize.

    The metric of the PDDL task equals `factor` times the sum plus `constant`. The factor is
    negative if the task maximizes its metric.
    """

    total: Sum
    factor: Fraction
    constant: Fraction


@dataclass(frozen=True)
class NumericTask:
    """A finite-domain task with whole numbers.

    Attributes
    ----------
    task
        The finite-domain task.
    numbers
        The numbers of the PDDL task: ground functions whose values may change.
    factors
        The factor by which the values of each number are multiplied.
    initial
        The initial values of the numbers, multiplied.
    counted
        The numeric parts of the operators, in the order of the operators.
    goal
        The numeric conditions in the goal.
    tests
        The facts that are derived from numeric conditions, each with its condition.
    metric
        The metric; None if the task has none, or one that is not linear.
    bounds
        The least and the greatest value of each number in all reachable states; infinite if
        unknown.
    """

    task: Task
    numbers: tuple[GroundAtom, ...]
    factors: tuple[int, ...]
    initial: tuple[int, ...]
    counted: tuple[NumericPart, ...]
    goal: tuple[Least, ...]
    tests: Mapping[Fact, Least]
    metric: Metric | None = None
    bounds: tuple[Interval, ...] = ()


def scale(grounded: GroundNumericTask) -> NumericTask:
    """Convert the task to whole numbers.

    Raise `InputError` if no factors suffice, or if numbers become too large for the solver.
    """
    return _Scaler(grounded).scaled()


class _Scaler:
    """The conversion of one task's numbers to whole numbers.

    Attributes
    ----------
    places
        The index of each number.
    factors
        The factor of each number.
    """

    def __init__(self, grounded: GroundNumericTask) -> None:
        self.grounded = grounded
        self.places = {number: n for n, number in enumerate(grounded.initial)}
        self.factors = _factors(grounded)

    def scaled(self) -> NumericTask:
        """Return the task in whole numbers, without bounds."""
        grounded = self.grounded
        factors = self.factors
        metric = self._metric()
        counted = tuple(map(self._counted, grounded.counted))
        initial = (int(value * factors[number]) for number, value in grounded.initial.items())
        return NumericTask(
            task=grounded.task,
            numbers=tuple(self.places),
            factors=tuple(factors[number] for number in self.places),
            initial=tuple(initial),
            counted=counted,
            goal=tuple(map(self._least, grounded.goal)),
            tests={fact: self._least(test) for fact, test in grounded.tests.items()},
            metric=metric,
        )

    def _coefficients(
        self,
        amount: Linear,
    ) -> dict[GroundAtom, Fraction]:
        """Return the coefficients of a linear sum, if numbers are multiplied by their factors."""
        return {number: c / self.factors[number] for number, c in amount.terms.items()}

    def _sum(self, amount: Linear, factor: Fraction, at: Group) -> Sum:
        """Return a linear sum times `factor` in whole numbers; its constant is left out."""
        coefficients = self._coefficients(amount)
        terms = [(self.places[number], factor * c) for number, c in coefficients.items()]
        return tuple((place, _whole(c, at)) for place, c in sorted(terms))

    def _least(self, test: Test) -> Least:
        """Return the condition "this sum is at least this whole number" for a numeric condition."""
        coefficients = self._coefficients(test.total).values()
        factor = Fraction(lcm(*(c.denominator for c in coefficients)))
        factor /= gcd(*(int(c * factor) for c in coefficients)) or 1
        bound = -test.total.constant * factor
        whole_bound = Fraction(floor(bound) + 1 if test.strict else ceil(bound))
        return self._sum(test.total, factor, test.at), _whole(whole_bound, test.at)

    def _change(self, change: Changing) -> NumberChange:
        """Convert a change to whole numbers."""
        factor = Fraction(self.factors[change.number])
        return NumberChange(
            number=self.places[change.number],
            total=self._sum(change.amount, factor, change.at),
            constant=_whole(change.amount.constant * factor, change.at),
            adds=change.adds,
            causes=() if change.is_plain else change.causes,
        )

    def _counted(self, counted: GroundNumbers) -> NumericPart:
        """Convert the numeric part of an operator to whole numbers."""
        tests = tuple(map(self._least, counted.tests))
        return NumericPart(tests, tuple(map(self._change, counted.changes)))

    def _metric(self) -> Metric | None:
        """Convert the metric to whole numbers; None if there is none."""
        if self.grounded.metric is None:
            return None
        word, amount = self.grounded.metric
        coefficients = self._coefficients(amount)
        factor = Fraction(lcm(*(c.denominator for c in coefficients.values())))
        factor *= 1 if word == "minimize" else -1
        terms = [(self.places[number], int(c * factor)) for number, c in coefficients.items()]
        return Metric(tuple(terms), 1 / factor, amount.constant)


def _whole(value: Fraction, at: Group) -> int:
    """Convert a whole fraction to an integer; raise `InputError` if the solver cannot hold it.

    `at` is the place of the number in the PDDL text.
    """
    if abs(value) > LARGEST:
        what = f"{quoted(at)} needs the whole number {value}, beyond the {LARGEST} of clingcon"
        raise wrong(at, what, "multiply the numbers of the task by a factor, or round them")
    return int(value)


FINEST = 10**6
"""The largest factor to try.

Amounts that are fractions of the changed number have no factor at all.
"""


def _factors(grounded: GroundNumericTask) -> dict[GroundAtom, int]:
    """Return the least factors by which all values of the numbers are whole.

    Raise `InputError` if a factor would be larger than `FINEST`.
    """
    factors = {number: value.denominator for number, value in grounded.initial.items()}
    changes = list(chain.from_iterable(counted.changes for counted in grounded.counted))
    grows = True
    while grows:
        grows = False
        for change in changes:
            needed = _needed_factor(change, factors)
            grows |= needed > factors[change.number]
            factors[change.number] = needed
    return factors


def _needed_factor(
    change: Changing,
    factors: Mapping[GroundAtom, int],
) -> int:
    """Return the least factor that keeps the values of a number whole after a change.

    The result is a multiple of the number's present factor. `factors` has the present factors.
    """
    terms = change.amount.terms.items()
    coefficients = [coefficient / factors[number] for number, coefficient in terms]
    denominators = [each.denominator for each in (change.amount.constant, *coefficients)]
    needed = lcm(factors[change.number], *denominators)
    if needed > FINEST:
        what = "makes ever smaller fractions, which whole numbers cannot represent"
        hint = "ENHSP plans with floating-point numbers"
        raise wrong(change.at, f"{quoted(change.at)} {what}", hint)
    return needed


ROUNDS = 30
"""The number of rounds after which bounds that still change are taken to be infinite."""


def numeric_task(text: TaskText) -> NumericTask:
    """Return the ground task in whole numbers, with bounds and without operators that never apply.

    If the bounds show that the goal is impossible, `task.hopeless` of the result has the reason.
    Raise the errors of `ground` and `scale`.
    """
    task = scale(ground(text))
    bounds = tuple(bounds_of(task))

    def is_possible(test: Least) -> bool:
        total, least = test
        return interval_of(total, bounds)[1] >= least

    if not all(map(is_possible, task.goal)):
        why = "the numbers that the goal requires cannot be reached"
        return replace(task, task=replace(task.task, hopeless=why), bounds=bounds)
    pairs = zip(task.task.operators, task.counted, strict=True)
    kept = [pair for pair in pairs if all(map(is_possible, pair[1].tests))]
    return replace(
        task,
        task=replace(task.task, operators=tuple(operator for operator, _ in kept)),
        counted=tuple(counted for _, counted in kept),
        bounds=bounds,
    )


def bounds_of(task: NumericTask) -> Sequence[Interval]:
    """Return bounds of the numbers in all reachable states.

    A bound beyond the range of the solver becomes infinite.
    """
    intervals: list[Interval] = [(value, value) for value in task.initial]
    changing = [counted for counted in task.counted if counted.changes]
    for round_number in range(2 * ROUNDS):
        wider = list(intervals)
        for counted in changing:
            _widen(wider, intervals, counted)
        if wider == intervals:
            break
        if round_number >= ROUNDS:
            wider = list(map(_without_moved_ends, wider, intervals))
        intervals = wider
    return list(map(_within_range, intervals))


def _without_moved_ends(
    interval: Interval,
    before: Interval,
) -> Interval:
    """Return an interval in which each bound that has moved since `before` is infinite."""
    low, high = interval
    return low if low == before[0] else -inf, high if high == before[1] else inf


def _within_range(interval: Interval) -> Interval:
    """Replace the bounds beyond the range of the solver by infinite ones."""
    low, high = interval
    return low if low >= -LARGEST else -inf, high if high <= LARGEST else inf


def _widen(
    wider: list[Interval],
    intervals: Sequence[Interval],
    counted: NumericPart,
) -> None:
    """Widen the intervals in `wider` by the changes of an operator, if it can apply.

    Parameters
    ----------
    wider
        The intervals after this round, which are changed in place.
    intervals
        The intervals after the round before.
    counted
        The numeric part of the operator.
    """
    limits = _limits(counted.tests, intervals)
    inner = list(intervals)
    for number, (low, high) in limits.items():
        least = max(low, intervals[number][0])
        greatest = min(high, intervals[number][1])
        if least > greatest:
            return  # the operator does not apply yet
        inner[number] = least, greatest
    for change in counted.changes:
        low, high = wider[change.number]
        least, greatest = _amount_of(change, inner)
        if change.adds:
            # The operator is repeated as often as its conditions allow. They may also bound the
            # result of the addition.
            below, above = _result_limits(change, counted.tests)
            floor_, ceiling = limits.get(change.number, UNBOUNDED)
            least = max(floor_ + least, below + change.constant) if least < 0 else low
            greatest = min(ceiling + greatest, above + change.constant) if greatest > 0 else high
        wider[change.number] = min(low, least), max(high, greatest)


def _limits(
    tests: Iterable[Least],
    intervals: Sequence[Interval],
) -> dict[int, Interval]:
    """Return intervals of numbers: if a number is outside its interval, some condition fails.

    `tests` are the numeric conditions, and `intervals` the bounds of all numbers.
    """
    limits: dict[int, Interval] = {}
    for total, bound in tests:
        for number, factor in total:
            others = [term for term in total if term[0] != number]
            limit = (bound - interval_of(others, intervals)[1]) / factor
            low, high = limits.get(number, UNBOUNDED)
            if factor > 0:
                low = max(low, limit if limit == -inf else ceil(limit))
            else:
                high = min(high, limit if limit == inf else floor(limit))
            limits[number] = low, high
    return limits


def _result_limits(change: NumberChange, tests: Iterable[Least]) -> Interval:
    """Return the bounds that an operator's conditions imply for a number plus `change.total`.

    Parameters
    ----------
    change
        The addition of a sum and a constant to a number.
    tests
        The numeric conditions of the operator.

    Returns
    -------
    Interval
        The bounds of the number after the change, without the constant, which the caller adds.
    """
    result = dict(change.total)
    result[change.number] = result.get(change.number, 0) + 1
    terms = sorted(result.items())
    total = tuple((n, factor) for n, factor in terms if factor)
    negated = tuple((n, -factor) for n, factor in total)
    below, above = UNBOUNDED
    for tested, limit in tests:
        if tested == total:
            below = max(below, limit)
        elif tested == negated:
            above = min(above, -limit)
    return below, above


def _amount_of(
    change: NumberChange,
    intervals: Sequence[Interval],
) -> Interval:
    """Return the least and the greatest amount of a change, given the bounds of all numbers."""
    low, high = interval_of(change.total, intervals)
    return low + change.constant, high + change.constant


def interval_of(
    total: Iterable[tuple[int, int]],
    intervals: Sequence[Interval],
) -> Interval:
    """Return the least and the greatest value of a sum, given the bounds of all numbers."""
    low = 0.0
    high = 0.0
    for number, factor in total:
        ends = [factor * end for end in intervals[number]]
        low += min(ends)
        high += max(ends)
    return low, high


def steps_within(task: NumericTask, repeats: int, most: int) -> int:
    """Return the number of steps, at most `most`, in which no number can leave the solver's range.

    In a step, a change may happen `repeats` times if it adds a constant, else once.
    """
    for step, intervals in enumerate(islice(after_steps(task, repeats), most)):
        if any(low < -LARGEST or high > LARGEST for low, high in intervals):
            return step
    return most


def after_steps(
    task: NumericTask,
    repeats: int = 1,
) -> Iterator[Sequence[Interval]]:
    """Yield bounds of the numbers after one step, after two steps, and so on without end.

    In a step, a change may happen `repeats` times if it adds a constant, else once.
    """
    unbounded = {n for n, bound in enumerate(task.bounds) if not all(map(isfinite, bound))}
    intervals = list(task.bounds)
    for n in unbounded:
        intervals[n] = task.initial[n], task.initial[n]
    repeated = list[tuple[NumberChange, int]]()
    for counted in task.counted:
        constant = counted.adds
        for change in counted.changes:
            if change.number in unbounded:
                repeated.append((change, repeats if change.number in constant else 1))
    while True:
        wider = list(intervals)
        for change, times in repeated:
            low, high = _amount_of(change, intervals)
            least, greatest = wider[change.number]
            if change.adds:
                least += min(low * times, 0)
                greatest += max(high * times, 0)
            else:
                least = min(low * times, least)
                greatest = max(high * times, greatest)
            wider[change.number] = least, greatest
        intervals = wider
        yield intervals
