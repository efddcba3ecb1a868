"""The latest and the earliest times at which the atoms of a single-shot program can hold.

Both are an interval analysis: from the facts upwards, with widening to infinity and then narrowing
(Cousot and Cousot 1977). `FurthestTimes` has the analysis, whose two subclasses go forward and
backward in time.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from math import inf
from typing import ClassVar

from asplan.core.dataclass import dataclass
from asplan.program.model.timed_rules import Scope, ScopedRule, TimedAtom, is_variable
from asplan.program.syntax import Signature
from asplan.program.syntax.terms import Time
from asplan.program.times.timing import Extents

LONG_AGO = -1_000_000
"""The number that represents a time that does not grow with the constant."""

_ROUNDS = 3  # of growth before the analysis assumes that a time grows for ever

Times = Mapping[Signature, float]


@dataclass(frozen=True, eq=False)
class FurthestTimes(ABC):
    """The furthest times in one direction at which atoms of each predicate can hold.

    Attributes
    ----------
    rules
        The rules, with the times of their atoms.
    extents
        The predicates such as `time(0..n)` and `last(n)`, whose times the constant bounds.
    facts
        The furthest time of the facts of each predicate.
    """

    rules: Collection[ScopedRule]
    extents: Extents
    facts: Mapping[Signature, float]

    never: ClassVar[float]
    """The furthest time of a predicate that never holds; its negation stands for no bound."""

    @cached_property
    def times(self) -> Times:
        """The furthest time of each predicate. Predicates that never hold are left out."""
        times: dict[Signature, float] = {}
        for turn in range(len(self.rules) + _ROUNDS):
            derived = self._derive(times)
            further = [
                key
                for key, time in derived.items()
                if self._is_further(time, times.get(key, self.never))
            ]
            if not further:
                break
            for key in further:
                times[key] = derived[key] if turn < _ROUNDS else -self.never
        # The bounds of rules bring back what was assumed to grow for ever.
        for _ in self.rules:
            derived = self._derive(times)
            if derived == times:
                break
            times = derived
        return times

    def of_predicate(self, key: Signature) -> float:
        """Return the furthest time of a predicate; `never` if it never holds."""
        return self._known(key, self.times)

    def bound(self, rule: ScopedRule, scope: Scope, time: Time | None) -> float:
        """Return the furthest value of `time` in a scope: a rule or one of its elements.

        It is infinite if nothing bounds the time.
        """
        return self._bound(rule, scope, time, self.times)

    def _derive(self, times: Times) -> dict[Signature, float]:
        """Return the furthest times of all heads that follow from the furthest times `times`."""
        derived = dict(self.facts)
        for rule in self.rules:
            for scope in rule.scopes():
                for head in filter(_has_time, scope.heads):
                    time = self._bound(rule, scope, self._end_of(head), times)
                    known = derived.get(head.key, self.never)
                    derived[head.key] = time if self._is_further(time, known) else known
        return derived

    def _bound(self, rule: ScopedRule, scope: Scope, time: Time | None, times: Times) -> float:
        if time is None:
            return -self.never
        name, shift = time
        if not is_variable(time):
            return self._fixed(time)
        nearest = -self.never
        for each in (rule.own,) if scope is rule.own else (rule.own, scope):
            for value in self._limits(each, name, times):
                if self._is_further(nearest, value):
                    nearest = value
        return nearest + shift

    @abstractmethod
    def _is_further(self, time: float, other: float) -> bool:
        """Return whether a time is further in the direction of the analysis than another."""

    @abstractmethod
    def _end_of(self, head: TimedAtom) -> Time | None:
        """Return the time of a head, or the furthest end of its interval of times."""

    @abstractmethod
    def _fixed(self, time: Time) -> float:
        """Return a time without a variable as a number, in the scale of the analysis.

        This is a time as in the program, or the distance from the constant that bounds the time.
        """

    @abstractmethod
    def _limits(self, scope: Scope, name: str, times: Times) -> Iterator[float]:
        """Yield the bounds on the variable `name` by the atoms and comparisons of a scope."""

    @abstractmethod
    def _known(self, key: Signature, times: Times) -> float:
        """Return the furthest time of a predicate: from the extents, or else from `times`."""


class LatestTimes(FurthestTimes):
    """The latest times at which atoms of each predicate can hold.

    Times are given as numbers to add to the constant n that bounds the time: -1 means "up to n-1".
    The numbers are right for large values of n. A time that does not grow with n counts as
    `LONG_AGO`.
    """

    never = -inf

    def end(self, scope: Scope, time: Time) -> float | None:
        """Return how far `time` exceeds the constant, if the scope fixes it at the end of time.

        A scope is a rule or one of its elements. It fixes the time by the constant, by a predicate
        such as `last(T)` that holds at the end alone, or by two limits that meet there, as in
        `time(T), not time(T+1)`. Return None otherwise.
        """
        name, shift = time
        if not is_variable(time):
            return self._fixed(time) if name == self.extents.name else None
        least = max(self._least_at_end(scope, name), default=-inf)
        greatest = min(self._greatest_at_end(scope, name), default=inf)
        is_end = least > -inf and least >= greatest
        return greatest + shift if is_end else None

    def _least_at_end(self, scope: Scope, name: str) -> Iterator[float]:
        """Yield k for each lower bound h+k of the variable `name` in a scope.

        The constant h is the horizon.
        """
        for bound in scope.bounds:
            if bound.high[0] == name and bound.low[0] == self.extents.name:
                yield bound.low[1] - bound.high[1]
        for atom, shift in _atoms_at(scope, name):
            if atom.is_negative and atom.key in self.extents.domains:
                yield self.extents.domains[atom.key][1] + 1 - shift
            elif not atom.is_negative and atom.key in self.extents.ends:
                yield self.extents.ends[atom.key] - shift

    def _greatest_at_end(self, scope: Scope, name: str) -> Iterator[float]:
        """Yield the upper bounds that a scope sets for `name`, by comparisons and extents only."""
        yield from self._compared(scope, name)
        for atom, shift in _atoms_at(scope, name):
            is_bounded = atom.key in self.extents.ends or atom.key in self.extents.domains
            if is_bounded and not atom.is_negative:
                yield self._known(atom.key, {}) - shift

    def _is_further(self, time: float, other: float) -> bool:
        return time > other

    def _end_of(self, head: TimedAtom) -> Time | None:
        return head.time

    def _fixed(self, time: Time) -> float:
        """Return how far a time without a variable exceeds the constant.

        For a plain number, return a number far below all others.
        """
        name, shift = time
        return shift if name == self.extents.name else LONG_AGO + shift

    def _limits(self, scope: Scope, name: str, times: Times) -> Iterator[float]:
        yield from self._compared(scope, name)
        for atom in scope.body:
            if atom.time is None or atom.time[0] != name:
                continue
            if not atom.is_negative:
                yield self._known(atom.key, times) - atom.time[1]
            elif atom.key in self.extents.ends:
                # `not last(T)` excludes the end; what is after it is excluded by something else.
                yield self.extents.ends[atom.key] - 1 - atom.time[1]

    def _compared(self, scope: Scope, name: str) -> Iterator[float]:
        """Yield the greatest values that comparisons of a scope allow for the variable `name`."""
        ends = {
            atom.time[0]: self.extents.ends[atom.key] - atom.time[1]
            for atom in scope.body
            if atom.time is not None and atom.key in self.extents.ends and not atom.is_negative
        }
        for bound in scope.bounds:
            if bound.low[0] == name:
                yield self._distance(bound.high, ends) - bound.low[1]

    def _distance(self, time: Time, ends: Mapping[str, float]) -> float:
        """Return how far a time exceeds the constant.

        `ends` maps variables that are fixed at the end of time to their distances from the
        constant. For any other variable, return inf.
        """
        if not is_variable(time):
            return self._fixed(time)
        return ends[time[0]] + time[1] if time[0] in ends else inf

    def _known(self, key: Signature, times: Times) -> float:
        if key in self.extents.domains:
            return self.extents.domains[key][1]
        if key in self.extents.ends:
            return self.extents.ends[key]
        return times.get(key, -inf)


class EarliestTimes(FurthestTimes):
    """The earliest times at which atoms of each predicate can hold.

    Times are numbers as in the program. A time that grows with the constant that bounds the time
    counts as infinitely late.
    """

    never = inf

    def _is_further(self, time: float, other: float) -> bool:
        return time < other

    def _end_of(self, head: TimedAtom) -> Time | None:
        return head.low

    def _fixed(self, time: Time) -> float:
        """Return the value of a time that is a number; inf if it is a constant plus a number."""
        name, shift = time
        return inf if name else shift

    def _limits(self, scope: Scope, name: str, times: Times) -> Iterator[float]:
        for bound in scope.bounds:
            if bound.high[0] == name and not is_variable(bound.low):
                yield self._fixed(bound.low) - bound.high[1]
        for atom, shift in _atoms_at(scope, name):
            if not atom.is_negative and atom.low is not None and atom.low[0] == name:
                # Of `p(T-1..T)` one of the times holds, so T is at least the earliest time.
                yield self._known(atom.key, times) - shift

    def _known(self, key: Signature, times: Times) -> float:
        if key in self.extents.domains:
            return self.extents.domains[key][0]
        if key in self.extents.ends:
            return inf
        return times.get(key, inf)


def _has_time(atom: TimedAtom) -> bool:
    return atom.has_time


def _atoms_at(scope: Scope, name: str) -> Iterator[tuple[TimedAtom, int]]:
    """Yield each body atom whose time is the variable `name` plus a number, and this number.

    Leave out atoms in elements, such as those of an aggregate.
    """
    for atom in scope.body:
        if atom.time is not None and atom.time[0] == name and not atom.is_counted:
            yield atom, atom.time[1]
