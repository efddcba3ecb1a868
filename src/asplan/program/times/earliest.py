"""The earliest times that the atoms of a single-shot program can have.

This is an interval analysis: from the facts, with widening to minus infinity and then narrowing
(Cousot and Cousot 1977). `reach` does the same for the latest times. Times are numbers as in the
program. A time that grows with the constant that bounds the time counts as infinitely late.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf

from asplan.program.model.timed_rules import Scope, ScopedRule, TimedAtom, is_variable
from asplan.program.syntax import Signature
from asplan.program.syntax.terms import Time
from asplan.program.times.timing import Extents

_ROUNDS = 3  # of decrease before the analysis assumes that a time decreases for ever

Times = Mapping[Signature, float]


@dataclass(frozen=True, eq=False)
class Earliest:
    """The earliest times at which atoms of each predicate can hold.

    Attributes
    ----------
    rules
        The rules, with the times of their atoms.
    extents
        The predicates such as `time(0..n)` and `last(n)`, whose times the constant bounds.
    facts
        The earliest time of the facts of each predicate.
    """

    rules: Collection[ScopedRule]
    extents: Extents
    facts: Mapping[Signature, int]

    @cached_property
    def times(self) -> Times:
        """The earliest time of each predicate. Predicates that never hold are left out."""
        times: dict[Signature, float] = {}
        for turn in range(len(self.rules) + _ROUNDS):
            derived = self._derive(times)
            smaller = [key for key, time in derived.items() if time < times.get(key, inf)]
            if not smaller:
                break
            for key in smaller:
                times[key] = derived[key] if turn < _ROUNDS else -inf
        # The bounds of rules bring up what was assumed to decrease for ever.
        for _ in self.rules:
            derived = self._derive(times)
            if derived == times:
                break
            times = derived
        return times

    def lower(self, rule: ScopedRule, scope: Scope, time: Time) -> float:
        """Return the least value that `time` can have in a scope; -inf if nothing bounds it.

        The scope is a rule or one of its elements.
        """
        return self._lower(rule, scope, time, self.times)

    def _derive(self, times: Times) -> dict[Signature, float]:
        """Return the earliest times of all heads, given the earliest times of all predicates."""
        derived: dict[Signature, float] = dict(self.facts)
        for rule in self.rules:
            for scope in rule.scopes():
                for head in scope.heads:
                    if head.has_time:
                        time = self._lower_of_head(rule, scope, head, times)
                        derived[head.key] = min(time, derived.get(head.key, inf))
        return derived

    def _lower_of_head(
        self, rule: ScopedRule, scope: Scope, head: TimedAtom, times: Times
    ) -> float:
        return -inf if head.low is None else self._lower(rule, scope, head.low, times)

    def _lower(self, rule: ScopedRule, scope: Scope, time: Time, times: Times) -> float:
        name, shift = time
        if not is_variable(time):
            return _fixed(time)
        scopes = (rule.own,) if scope is rule.own else (rule.own, scope)
        floors = [self._floor(atom, name, times) for each in scopes for atom in each.body]
        floors += [
            _fixed(bound.low) - bound.high[1]
            for each in scopes
            for bound in each.bounds
            if bound.high[0] == name and not is_variable(bound.low)
        ]
        return max(floors, default=-inf) + shift

    def _floor(self, atom: TimedAtom, name: str, times: Times) -> float:
        """Return the least value that the variable `name` can have because of a body atom.

        It is -inf if the atom does not bound the variable.
        """
        if atom.is_negative or atom.is_counted or atom.time is None or atom.low is None:
            return -inf
        if atom.time[0] != name or atom.low[0] != name:
            return -inf
        # Of `p(T-1..T)` one of the times holds, so T is at least the earliest time.
        return self._of_predicate(atom.key, times) - atom.time[1]

    def _of_predicate(self, key: Signature, times: Times) -> float:
        if key in self.extents.domains:
            return self.extents.domains[key][0]
        if key in self.extents.ends:
            return inf
        return times.get(key, inf)


def _fixed(time: Time) -> float:
    """Return the number that a time is; inf if it is a constant plus a number."""
    name, shift = time
    return inf if name else shift
