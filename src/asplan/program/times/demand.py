"""The times on which the goal of a single-shot program depends.

`Demand` walks the rules backwards from the constraints that state the goal, with the sign of each
dependency. Times are given relative to the constant that bounds the time, as in `LatestTimes`.
"""

from collections.abc import Collection, Iterator
from dataclasses import field
from math import inf

from asplan.core.dataclass import dataclass
from asplan.program.model.timed_rules import RuleEffect, Scope, ScopedRule, TimedAtom, is_variable
from asplan.program.syntax import Signature
from asplan.program.times.furthest import LatestTimes


@dataclass(frozen=True)
class Want:
    """A predicate on which the goal depends, and whether its atoms should be true or false."""

    key: Signature
    is_true: bool


@dataclass(eq=False)
class Demand:
    """The latest times at which the goal depends on each predicate.

    A constraint states a goal if it names the end of time, an atom without a time, or a time that
    occurs in no positive atom, as in `not goal(_)`. A constraint about each time of a domain is
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

    reach: LatestTimes
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
        """Record that the goal needs an atom to be true (or false) up to `time`.

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
        return name, min(latest - shift, self.reach.bound(rule, scope, (name, 0)))

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
        return -inf if self.at_end else self.reach.bound(rule, scope, atom.time)

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
