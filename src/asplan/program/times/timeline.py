"""The timeline of a single-shot program: its first and last state, and the times of its actions.

Each property has a function of its own that decides it by evidence in the rules: the predicates of
actions, predicates that are carried on, the lag (whether an action at T leads to the state at T or
at T+1), the time of the initial state, and the time of the last state on which the goal depends.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import inf, isfinite

from asplan.core.dataclass import dataclass
from asplan.program import syntax
from asplan.program.model.program import TemporalRule, depending_on
from asplan.program.model.sorts import Sort, Sorts
from asplan.program.model.timed_rules import RuleEffect, ScopedRule, TimedAtom
from asplan.program.syntax import Signature
from asplan.program.times.demand import Demand
from asplan.program.times.furthest import LONG_AGO, EarliestTimes, LatestTimes
from asplan.program.times.timing import Extents

Predicates = frozenset[Signature]
NO_PREDICATES: Predicates = frozenset()


@dataclass(frozen=True)
class Timeline:
    """The times of actions and states in a single-shot program.

    Attributes
    ----------
    events
        The predicates that are chosen at a time and not carried on from an earlier one: the
        actions.
    carried
        The predicates that a rule derives from an earlier atom of the same predicate.
    lag
        1 if an event at time T leads to the state at T+1, and 0 if it leads to the state at T.
    start
        The time of the initial state.
    last
        The number to add to the constant for the time of the last state that matters.
    has_goal
        Whether a constraint demands something of `events` or `carried` predicates.
    """

    events: Predicates
    carried: Predicates
    lag: int
    start: int
    last: int
    has_goal: bool


def find_timeline(
    rules: Sequence[ScopedRule],
    sorts: Sorts,
    sort: Sort,
    extents: Extents,
    facts: Collection[TemporalRule],
    actions: Predicates = NO_PREDICATES,
) -> Timeline:
    """Return the times of the actions and states of a program.

    Parameters
    ----------
    rules
        The rules, with the times of their atoms.
    sorts, sort
        The sorts of arguments, and the one that is time.
    extents
        The predicates such as `time(0..n)` and `last(n)`, whose times the constant bounds.
    facts
        The facts with times.
    actions
        The predicates that the user has named as actions.
    """
    return _Evidence(rules, sorts, sort, extents, facts, actions).timeline()


def carried_in(rules: Iterable[ScopedRule], actions: Predicates = NO_PREDICATES) -> Predicates:
    """Return the predicates that a rule derives from an earlier atom of the same predicate.

    The `actions` are left out.
    """
    carried = frozenset(
        head.key
        for head, atom in _leading(rules)
        if head.key == atom.key and _delay(atom, head) > 0
    )
    return carried - actions


def events_in(rules: Sequence[ScopedRule], actions: Predicates = NO_PREDICATES) -> Predicates:
    """Return the predicates that are chosen at a time, by choices or by mutual negation.

    Carried predicates are left out. If the user has named `actions`, return just these.
    """
    if actions:
        return actions
    opening = (rule for rule in rules if rule.effect is RuleEffect.OPENS)
    opened = {head.key for rule in opening for head in rule.heads if head.has_time}
    denied = set(_denials(rules))
    opened |= {a for a, b in denied if (b, a) in denied and a != b}
    return frozenset(opened - carried_in(rules))


def _denials(rules: Iterable[ScopedRule]) -> Iterator[tuple[Signature, Signature]]:
    """Yield (head, predicate) for each predicate that a rule negates at the time of its head."""
    for rule in rules:
        negative = [atom for atom in rule.body if atom.is_negative and atom.time is not None]
        for head in rule.heads:
            yield from ((head.key, atom.key) for atom in negative if atom.time == head.time)


def _leading(rules: Iterable[ScopedRule]) -> Iterator[tuple[TimedAtom, TimedAtom]]:
    """Yield each pair of a head and a body atom whose times are the same variable plus numbers."""
    for rule in rules:
        for head, atom in product(rule.heads, rule.body):
            if head.time and atom.time and head.time[0] == atom.time[0]:
                yield head, atom


@dataclass(frozen=True, eq=False)
class _Evidence:
    """The rules of a program with `sort` as time, and their evidence about actions and states."""

    rules: Sequence[ScopedRule]
    sorts: Sorts
    sort: Sort
    extents: Extents
    facts: Collection[TemporalRule]
    actions: Predicates

    def timeline(self) -> Timeline:
        return Timeline(
            self.events, self.carried, self.lag, self.start, self._last(), self._has_goal()
        )

    @cached_property
    def carried(self) -> Predicates:
        return carried_in(self.rules, self.actions)

    @cached_property
    def events(self) -> Predicates:
        return events_in(self.rules, self.actions)

    @cached_property
    def first_time(self) -> int | None:
        """The least time of all domains; None if there are no domains."""
        return min((low for low, _ in self.extents.domains.values()), default=None)

    @cached_property
    def given_times(self) -> set[int]:
        """The times of atoms that may belong to the initial state, as numbers.

        These are times that are written as numbers in heads of predicates other than domains and
        actions. If there is a domain that begins at f, only the times f and f-1 count.
        """
        excluded = self.extents.domains.keys() | self.actions
        times = {
            use.shift
            for rule in (*self.sorts.rules, *self.facts)
            for use in rule.uses
            if use.head and not use.name and use.key not in excluded
            if (use.key, use.place) in self.sort.places
        }
        times |= set(self._equal_times())
        low = self.first_time
        return {time for time in times if low is None or low - 1 <= time <= low}

    def _equal_times(self) -> Iterator[int]:
        """Yield the times of carried heads whose time variable the body equates with a number."""
        for rule in self.rules:
            for scope in rule.scopes():
                pairs = {(bound.low, bound.high) for bound in scope.bounds}
                numbers = {
                    variable[0]: number[1] - variable[1]
                    for variable, number in pairs
                    if not number[0] and (number, variable) in pairs
                }
                for head in rule.heads:
                    if head.key in self.carried and head.time and head.time[0] in numbers:
                        yield numbers[head.time[0]] + head.time[1]

    @cached_property
    def lag(self) -> int:
        """1 if an event at T leads to the state at T+1, and 0 if it leads to the state at T."""
        delays = self._delays(self.events, self.carried)
        if not delays:
            # As in `move(X,T) :- cross(X,T)`: what follows from an event has the effects.
            same_time = following(self.rules, self.events, self.carried)
            delays = self._delays(same_time, self.carried)
        delays = delays or self._delays(self.events, self.sorts.open)
        later = delays.count(1)
        same = delays.count(0)
        if later != same:
            return int(later > same)
        # If something holds before the first time, an event there leads to its own time.
        holds_before = self.first_time is not None and self.first_time - 1 in self.given_times
        return int(later > 0 and not holds_before)

    def _delays(self, causes: Collection[Signature], effects: Collection[Signature]) -> list[int]:
        """Return by how much later each rule derives an effect from a cause."""
        led = _leading(self.rules)
        return [_delay(b, h) for h, b in led if b.key in causes and h.key in effects]

    @cached_property
    def start(self) -> int:
        """The time of the initial state. No event with an effect leads to this state."""
        given = self._given_start()
        first = self._first_effective_time()
        return min(given, int(first) - 1 + self.lag) if isfinite(first) else given

    def _first_effective_time(self) -> float:
        """Return the earliest time at which an event can influence a state or the goal.

        Return inf if there is none.
        """
        earliest = EarliestTimes(self.rules, self.extents, _earliest_in(self.facts, self.sort))
        causes = following(self.rules, self.events, self.carried)
        times = [
            earliest.bound(rule, scope, atom.time)
            for rule in self.rules
            if any(head.key in self.carried or not head.has_time for head in rule.heads)
            for scope in rule.scopes()
            for atom in scope.body
            if atom.key in causes and atom.time is not None and not atom.is_negative
        ]
        return min(times, default=inf)

    def _given_start(self) -> int:
        """Return the time of the initial state according to domains and facts alone."""
        low = self.first_time
        if not self.given_times:
            if low is None:
                return 0
            return low if self.lag else low - 1
        # A rule may bring facts at 0 to 1: what happens at T sets out from T, or from T-1.
        is_later = self.lag and low is not None
        return max(self.given_times) if is_later else min(self.given_times)

    @cached_property
    def reach(self) -> LatestTimes:
        """The latest times at which atoms can hold by the rules."""
        facts = frozenset[Signature]().union(*(rule.defined for rule in self.facts))
        return LatestTimes(self.rules, self.extents, dict.fromkeys(facts, LONG_AGO))

    @cached_property
    def demand(self) -> Demand:
        """The latest times at which the goal depends on atoms."""
        return Demand(self.reach, self.sorts.open)

    def _has_goal(self) -> bool:
        return any(self.demand.of_predicate(key) > -inf for key in self.events | self.carried)

    def _last(self) -> int:
        """Return the time of the last state on which the goal depends, minus the constant.

        This state follows the last event on which the goal depends, or is a later state that the
        goal names. States after all events count only if the goal names their time.
        """
        reach = self.reach
        demand = self.demand
        at_end = Demand(reach, self.sorts.open, at_end=True)
        possible = max(map(reach.of_predicate, self.events), default=-inf) + self.lag
        states = max(map(demand.of_predicate, self.carried), default=-inf)
        named = max(map(at_end.of_predicate, self.carried), default=-inf)
        happening = max((demand.of_predicate(key, True) for key in self.events), default=-inf)
        last = max(happening + self.lag, named, min(states, possible))
        if last <= LONG_AGO / 2:  # no constraint states a goal
            last = min(possible, max(map(reach.of_predicate, self.carried), default=inf))
        if abs(last) > -LONG_AGO / 2:
            last = max((high for _, high in self.extents.domains.values()), default=0)
        return int(last) + self.lag - self._least_frame_delay()

    def _least_frame_delay(self) -> int:
        """Return the least delay from an event to a state in which it stops a frame rule.

        The delay is the lag, unless the effect of the event and the frame rule have different
        times, as in `on(X,T+1) :- put(X,T).  on(X,T) :- on(X,T-1), not moved(X,T).`
        """
        denied = following(self.rules, self.events, self.carried)
        delays = [
            _delay(atom, head)
            for head, atom in _leading(self.rules)
            if atom.is_negative and atom.key in denied and head.key in self.carried
        ]
        return min([self.lag, *(delay for delay in delays if delay >= 0)])


def _earliest_in(facts: Iterable[TemporalRule], sort: Sort) -> Mapping[Signature, int]:
    """Map each predicate to the least number that facts have as its time."""
    times: dict[Signature, list[int]] = {}
    for rule in facts:
        for use in rule.uses:
            if use.head and not use.name and (use.key, use.place) in sort.places:
                times.setdefault(use.key, []).append(use.shift)
        for _, low, between in rule.ends:
            number = syntax.number_of(low)
            if number is not None and (between.key, between.place) in sort.places:
                times.setdefault(between.key, []).append(number)
    return {key: min(numbers) for key, numbers in times.items()}


def _delay(cause: TimedAtom, effect: TimedAtom) -> int:
    assert cause.time is not None
    assert effect.time is not None
    return effect.time[1] - cause.time[1]


def following(
    rules: Iterable[ScopedRule],
    starts: Iterable[Signature],
    excluded: Collection[Signature],
) -> Predicates:
    """Return `starts` and the predicates that follow from them at the same time.

    An atom without a time follows as well. Predicates in `excluded` do not follow.
    """
    links: list[tuple[set[Signature], set[Signature]]] = []
    for rule in rules:
        for atom in (atom for atom in rule.body if atom.time is not None):
            same = {h.key for h in rule.heads if not h.has_time or h.time == atom.time}
            links.append((same.difference(excluded), {atom.key}))
    return frozenset(depending_on(starts, links))
