"""The latest times of the atoms of a single-shot program, and times on which its goal depends.

All times are given as numbers to add to the constant n that bounds the time: -1 means "up to n-1".
They hold for large values of n. A time that does not grow with n counts as `LONG_AGO`.

`Reach.latest` is an interval analysis: from the facts upwards, with widening to infinity and then
narrowing (Cousot and Cousot 1977). `Demand` walks the rules backwards from the constraints that
state the goal, with the sign of each dependency.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf

from asplan.program.model.timed_rules import RuleEffect, Scope, ScopedRule, TimedAtom, is_variable
from asplan.program.syntax import Signature
from asplan.program.syntax.terms import Time
from asplan.program.times.timing import Extents

LONG_AGO = -1_000_000
"""The number that represents a time that does not grow with the constant."""

_ROUNDS = 3  # of growth before the analysis assumes that a time grows for ever

Latest = Mapping[Signature, float]


@dataclass(frozen=True, eq=False)
class Reach:
    """The latest times at which atoms of each predicate can hold, relative to the constant.

    Attributes
    ----------
    rules
        The rules, with the times of their atoms.
    extents
        The predicates such as `time(0..n)` and `last(n)`, whose times the constant bounds.
    facts
        The predicates of facts about fixed times.
    """

    rules: Collection[ScopedRule]
    extents: Extents
    facts: frozenset[Signature] = frozenset()

    @cached_property
    def latest(self) -> Latest:
        """The latest time of each predicate, relative to the constant.

        Predicates that never hold are left out.
        """
        latest: dict[Signature, float] = {}
        for turn in range(len(self.rules) + _ROUNDS):
            derived = self._derive(latest)
            larger = [key for key, time in derived.items() if time > latest.get(key, -inf)]
            if not larger:
                break
            for key in larger:
                latest[key] = derived[key] if turn < _ROUNDS else inf
        # The caps of rules bring down what was assumed to grow for ever.
        for _ in self.rules:
            derived = self._derive(latest)
            if derived == latest:
                break
            latest = derived
        return latest

    def of_predicate(self, key: Signature) -> float:
        """Return the latest time of a predicate; -inf if it never holds."""
        return self._known(key, self.latest)

    def upper(self, rule: ScopedRule, scope: Scope, time: Time | None) -> float:
        """Return the greatest value of `time` in a scope (a rule or one of its elements)."""
        return self._upper(rule, scope, time, self.latest)

    def end(self, scope: Scope, time: Time) -> float | None:
        """Return how far `time` exceeds the constant, if the scope fixes it at the end of time.

        A scope is a rule or one of its elements. It fixes the time by the constant, by a predicate
        such as `last(T)` that holds at the end alone, or by two limits that meet there, as in
        `time(T), not time(T+1)`. Return None otherwise.
        """
        name, shift = time
        if not is_variable(time):
            return self._fixed(time) if name == self.extents.name else None
        least = [
            bound.low[1] - bound.high[1]
            for bound in scope.bounds
            if bound.high[0] == name and bound.low[0] == self.extents.name
        ]
        greatest = [self._limit(scope, name)]
        for atom in scope.body:
            if atom.time is None or atom.time[0] != name or atom.is_counted:
                continue
            if atom.is_negative and atom.key in self.extents.domains:
                least.append(self.extents.domains[atom.key][1] + 1 - atom.time[1])
            elif not atom.is_negative and atom.key in self.extents.ends:
                least.append(self.extents.ends[atom.key] - atom.time[1])
                greatest.append(least[-1])
            elif not atom.is_negative and atom.key in self.extents.domains:
                greatest.append(self.extents.domains[atom.key][1] - atom.time[1])
        is_end = bool(least) and max(least) >= min(greatest)
        return min(greatest) + shift if is_end else None

    def _derive(self, latest: Latest) -> dict[Signature, float]:
        """Return the latest times of all heads, given the latest times of all predicates."""
        found: dict[Signature, float] = dict.fromkeys(self.facts, LONG_AGO)
        for rule in self.rules:
            for scope in rule.scopes():
                for head in scope.heads:
                    if head.has_time:
                        time = self._upper(rule, scope, head.time, latest)
                        found[head.key] = max(time, found.get(head.key, -inf))
        return found

    def _upper(self, rule: ScopedRule, scope: Scope, time: Time | None, latest: Latest) -> float:
        if time is None:
            return inf
        name, shift = time
        if not is_variable(time):
            return self._fixed(time)
        scopes = (rule.own,) if scope is rule.own else (rule.own, scope)
        caps = [self._cap(atom, name, latest) for each in scopes for atom in each.body]
        caps += [self._limit(each, name) for each in scopes]
        return min(caps) + shift

    def _fixed(self, time: Time) -> float:
        """Return how far a time without a variable exceeds the constant.

        For a plain number, return a number far below all others.
        """
        name, shift = time
        return shift if name == self.extents.name else LONG_AGO + shift

    def _cap(self, atom: TimedAtom, name: str, latest: Latest) -> float:
        """Return the greatest value that the variable `name` can have because of a body atom.

        It is inf if the atom does not bound the variable.
        """
        if atom.time is None or atom.time[0] != name:
            return inf
        if not atom.is_negative:
            return self._known(atom.key, latest) - atom.time[1]
        # `not last(T)` excludes the end; what is after it is excluded by something else.
        ends = self.extents.ends
        return ends[atom.key] - 1 - atom.time[1] if atom.key in ends else inf

    def _limit(self, scope: Scope, name: str) -> float:
        """Return the greatest value that comparisons of a scope allow for the variable `name`."""
        ends = {
            atom.time[0]: self.extents.ends[atom.key] - atom.time[1]
            for atom in scope.body
            if atom.time is not None and atom.key in self.extents.ends and not atom.is_negative
        }
        limits = [
            self._distance(bound.high, ends) - bound.low[1]
            for bound in scope.bounds
            if bound.low[0] == name
        ]
        return min(limits, default=inf)

    def _distance(self, time: Time, ends: Mapping[str, float]) -> float:
        """Return how far a time exceeds the constant.

        `ends` maps variables that are fixed at the end of time to their distances from the
        constant. For any other variable, return inf.
        """
        if not is_variable(time):
            return self._fixed(time)
        return ends[time[0]] + time[1] if time[0] in ends else inf

    def _known(self, key: Signature, latest: Latest) -> float:
        if key in self.extents.domains:
            return self.extents.domains[key][1]
        if key in self.extents.ends:
            return self.extents.ends[key]
        return latest.get(key, -inf)


@dataclass(frozen=True)
class Want:
    """A predicate on which the goal depends, and whether its atoms should be true or false."""

    key: Signature
    is_true: bool


@dataclass(eq=False)
class Demand:
    """The latest times at which the goal depends on each predicate.

    A constraint states a goal if it names the end of time, an atom without a time, or a time that
    stands in no positive atom, as in `not goal(_)`. A constraint about each time of a domain is
    only a restriction.

    Attributes
    ----------
    reach
        The latest times at which atoms can hold.
    open
        The predicates that depend on choices. All others are known before the search.
    at_end
        Whether only constraints that name the end of time count as goals.
    latest
        The result: maps each predicate that should be true or false to the latest time at which the
        goal depends on it, relative to the constant.
    """

    reach: Reach
    open: Collection[Signature]
    at_end: bool = False
    latest: dict[Want, float] = field(default_factory=dict)
    _waiting: list[Want] = field(default_factory=list)

    def __post_init__(self) -> None:
        for rule in self.reach.rules:
            if rule.effect is RuleEffect.EXCLUDES:
                self._forbid(rule, head=None, time=inf)
        while self._waiting:
            want = self._waiting.pop()
            for rule, head in self._rules_for(want.key):
                if want.is_true:
                    self._require(rule, head, self.latest[want])
                else:
                    self._forbid(rule, head, self.latest[want])

    def of_predicate(self, key: Signature, is_true: bool | None = None) -> float:
        """Return the latest time at which the goal depends on a predicate; -inf if it does not.

        If `is_true` is given, only the need for true or for false atoms counts.
        """
        signs = (True, False) if is_true is None else (is_true,)
        return max(self.latest.get(Want(key, sign), -inf) for sign in signs)

    def _rules_for(self, key: Signature) -> Iterator[tuple[ScopedRule, tuple[Scope, TimedAtom]]]:
        for rule in self.reach.rules:
            for scope in rule.scopes():
                yield from ((rule, (scope, head)) for head in scope.heads if head.key == key)

    def _want(self, atom: TimedAtom, is_true: bool, time: float) -> None:
        """Record that the goal needs an atom true (or false) up to `time`.

        If this time is later than before, queue the need, so that it is traced through the rules.
        """
        if atom.key not in self.open:
            return
        if atom.has_time:
            time = min(time, self.reach.of_predicate(atom.key))
        for sign in (True, False) if atom.is_counted else (is_true,):
            want = Want(atom.key, sign)
            if time > self.latest.get(want, -inf):
                self.latest[want] = time
                self._waiting.append(want)

    def _require(self, rule: ScopedRule, head: tuple[Scope, TimedAtom], latest: float) -> None:
        """Record that the body of a rule should be true, so that `head` holds up to `latest`."""
        scope, atom = head
        name, most = self._variable_of(rule, scope, atom, latest)
        for each in (rule.own, scope) if scope is not rule.own else rule.scopes():
            for literal in each.body:
                time = self._time_in(rule, each, literal, name, most)
                self._want(literal, not literal.is_negative, time)

    def _forbid(self, rule: ScopedRule, head: tuple[Scope, TimedAtom] | None, time: float) -> None:
        """Record that the body of a rule should be false.

        Either the rule is a constraint (then `head` is None), or its head should be false up to
        `time`.
        """
        name, most = "", inf
        if head is not None:
            name, most = self._variable_of(rule, *head, time)
        bound_names = rule.own.names() - {name}
        for scope in rule.scopes():
            for literal in scope.body:
                if literal.time is not None and literal.time[0] == name != "":
                    self._want(literal, literal.is_negative, most + literal.time[1])
                elif self._states_goal(rule, scope, literal, bound_names):
                    time_of = self._time_in(rule, scope, literal, "", inf)
                    self._want(literal, literal.is_negative, time_of)

    def _variable_of(
        self, rule: ScopedRule, scope: Scope, head: TimedAtom, latest: float
    ) -> tuple[str, float]:
        """Return the time variable of a head, and its value if the head has the time `latest`.

        Return "" and inf if the head has no time variable.
        """
        if head.time is None or not is_variable(head.time):
            return "", inf
        name, shift = head.time
        return name, min(latest - shift, self.reach.upper(rule, scope, (name, 0)))

    def _time_in(
        self, rule: ScopedRule, scope: Scope, atom: TimedAtom, name: str, most: float
    ) -> float:
        """Return the latest time that a body atom can have if `name` is at most `most`.

        `name` is the time variable of the rule's head.
        """
        if not atom.has_time:
            return inf
        if atom.time is None:
            return -inf if self.at_end else inf
        if name and atom.time[0] == name:
            return most + atom.time[1]
        end = self.reach.end(rule.own, atom.time)
        if end is not None:
            return end
        return -inf if self.at_end else self.reach.upper(rule, scope, atom.time)

    def _states_goal(
        self, rule: ScopedRule, scope: Scope, atom: TimedAtom, bound_names: Collection[str]
    ) -> bool:
        """Return whether a body atom of a constraint makes it a goal rather than a restriction.

        `bound_names` are the time variables that positive atoms bind.
        """
        if atom.time is not None and self.reach.end(rule.own, atom.time) is not None:
            return True
        if not atom.has_time:
            return True
        if self.at_end or (atom.time is not None and atom.time[0] in bound_names):
            return False
        if atom.time is None:
            return atom.is_negative or atom.is_counted
        return is_variable(atom.time)
