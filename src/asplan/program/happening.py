"""The evidence that separates actions from fluents, and the actions that follow from it.

An action is chosen: by a choice, by a disjunction, or by two rules that deny each other. A chosen
predicate is a fluent instead if `base` derives it as well, or if its own rule carries it on. If no
predicate is left, an action may also be chosen in `base` or in `check(t)`, as in a part `always` of
telingo, but it must have an effect on a lasting fluent.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from asplan.core.graphs import closure, components_of
from asplan.program.model import Literal, TemporalProgram, TemporalRule
from asplan.program.syntax import Signature
from asplan.program.unit import HELPER, OCCURS, TIMED, Shown

TimedPredicate = tuple[Signature, int]
"""A predicate, and the distance of its time from the parameter."""


@dataclass(frozen=True, eq=False)
class TimedRule:
    """A rule of `step(t)` or `check(t)`, with the distances of its atoms from the parameter.

    Atoms without a time are left out; `places` has the time of each predicate.
    """

    rule: TemporalRule
    places: Mapping[Signature, int]

    @property
    def part(self) -> str:
        """The part of the program in which it stands."""
        return self.rule.part

    @property
    def chooses(self) -> bool:
        """True if it leaves open which heads hold."""
        return self.rule.is_choice

    @property
    def demands(self) -> bool:
        """True if its body has `query(t)`."""
        return self.rule.demands_goal

    @cached_property
    def heads(self) -> list[TimedPredicate]:
        """The atoms that it derives or leaves open."""
        return self._timed(self.rule.heads)

    @cached_property
    def positive(self) -> list[TimedPredicate]:
        """The atoms that it reads, except negative ones."""
        return self._timed(each for each in self.rule.reads if not each.is_denied)

    @cached_property
    def negative(self) -> list[TimedPredicate]:
        """The atoms behind `not` in its body."""
        return self._timed(each for each in self.rule.reads if each.is_denied)

    @cached_property
    def body(self) -> list[TimedPredicate]:
        """The positive and the negative atoms of the body."""
        return [*self.positive, *self.negative]

    def _timed(self, literals: Iterable[Literal]) -> list[TimedPredicate]:
        timed: list[TimedPredicate] = []
        for literal in literals:
            place = self.places.get(literal.key)
            distance = None if place is None else literal.shift(place)
            if distance is not None:
                timed.append((literal.key, distance))
        return timed


def timed_rules(model: TemporalProgram, places: Mapping[Signature, int]) -> Iterator[TimedRule]:
    """Yield the rules of `step(t)` and `check(t)`; `places` has the time of each predicate."""
    for rule in model.rules:
        if rule.part in TIMED and rule.is_rule:
            yield TimedRule(rule, places)


@dataclass(frozen=True, eq=False)
class ActionEvidence:
    """The uses of predicates that separate actions from fluents.

    Attributes
    ----------
    derived
        The parts in which rules derive each predicate.
    given
        The predicates of the initial state, by facts or by rules of `base` that are no choices.
    started
        The part of `given` that depends on no choice of the initial state.
    rules
        The rules of `step(t)` and `check(t)`.
    fluents
        The predicates that a state hands on to the next.
    shown
        The predicates that the program shows.
    """

    derived: Mapping[Signature, Collection[str]]
    given: frozenset[Signature]
    started: frozenset[Signature]
    rules: Collection[TimedRule]
    fluents: frozenset[Signature]
    shown: Shown

    @cached_property
    def steps(self) -> list[TimedRule]:
        """The rules of `step(t)`."""
        return [rule for rule in self.rules if rule.part == "step"]

    @cached_property
    def carried(self) -> set[Signature]:
        """The predicates that some rule derives from themselves at an earlier time."""
        carried = set[Signature]()
        for rule in self.rules:
            for key, time in rule.heads:
                if any(key == other and before < time for other, before in rule.positive):
                    carried.add(key)
        return carried

    @cached_property
    def states(self) -> set[Signature]:
        """The predicates that `base` derives or a rule carries on."""
        first = {key for key, parts in self.derived.items() if "base" in parts}
        return first | self.given | self.carried

    @cached_property
    def chosen(self) -> set[Signature]:
        """The predicates that a rule of `step(t)` chooses."""
        chosen = _heads_of(rule for rule in self.steps if rule.chooses)
        return chosen.union(_denying_each_other(self.steps, self.rules, self.states))

    @cached_property
    def events(self) -> set[Signature]:
        """The chosen predicates that are no states."""
        return set(filter(_may_be_action, self.chosen - self.states))

    @cached_property
    def guesses(self) -> set[Signature]:
        """The predicates that are chosen at each time and have an effect on a lasting fluent."""
        chosen = _heads_of(rule for rule in self.rules if rule.chooses)
        free = chosen - self.given - self.carried - self.events
        return {key for key in filter(_may_be_action, free) if self._has_effect(key)}

    def _has_effect(self, key: Signature) -> bool:
        """Return whether a predicate is an action by its effects, at its own time or the next."""
        if self.acts_next(key):
            return True
        if self.lasting.isdisjoint(self._follows_now([key])):
            return False
        times = ({time for other, time in rule.body if other == key} for rule in self.rules)
        return all(len(found) < 2 for found in times)

    @cached_property
    def lasting(self) -> set[Signature]:
        """The fluents that last: started by facts, or carried on."""
        return (self.carried | self.started) & self.fluents

    def acts_next(self, key: Signature) -> bool:
        """Return whether a predicate of time t changes lasting fluents of t+1, and none of t.

        It is chosen at time 0 as well, in `base` or `check(0)`, and no goal needs it.
        """
        parts = self.derived.get(key, ())
        if "base" not in parts and "check" not in parts:
            return False
        now = self._follows_now([key])
        if self._is_demanded(now) or not self.lasting.isdisjoint(now):
            return False
        later = self._follows_now(self._follows_next(now))
        return not self.lasting.isdisjoint(later)

    def _is_demanded(self, keys: Collection[Signature]) -> bool:
        """Return whether a constraint of the goal demands an atom of some predicates."""
        goals = (rule for rule in self.rules if rule.demands and not rule.heads)
        return any(key in keys for rule in goals for key, _ in rule.negative)

    def _follows_next(self, keys: Collection[Signature]) -> set[Signature]:
        """Return the heads of rules that read some predicates at the time before."""
        heads = set[Signature]()
        for rule in self.rules:
            for head, time in rule.heads:
                if any(key in keys and before == time - 1 for key, before in rule.body):
                    heads.add(head)
        return heads

    def _follows_now(self, starts: Iterable[Signature]) -> set[Signature]:
        """Return some predicates and all that depend on them at one time."""
        return closure(starts, lambda key: self._dependent.get(key, ()))

    @cached_property
    def _dependent(self) -> dict[Signature, set[Signature]]:
        """The predicates that depend on each predicate at one time, by one rule."""
        after: dict[Signature, set[Signature]] = {}
        for rule in self.rules:
            for head, time in rule.heads:
                for key, at in rule.body:
                    if at == time:
                        after.setdefault(key, set()).add(head)
        return after

    def find_actions(self) -> Collection[Signature]:
        """Return the predicates of the actions that the program shows."""
        occurs = self._shown_occurs()
        if occurs and self.derived[OCCURS] != {"base"} and OCCURS not in self.carried:
            return occurs
        return self._shown_among(self.events) or self._shown_among(self.guesses) or occurs

    def find_hidden(self) -> Collection[Signature]:
        """Return the predicates of the actions, shown or not."""
        return self.events or self.guesses

    def _shown_occurs(self) -> list[Signature]:
        """Return `occurs/2` if the program derives it and shows it."""
        is_shown = not self.shown.is_limited or OCCURS in self.shown.named
        return [OCCURS] if self.derived.get(OCCURS) and is_shown else []

    def _shown_among(self, events: set[Signature]) -> set[Signature]:
        """Return the shown predicates that name some events.

        These are the events themselves, or else the events that shown terms have as conditions, or
        else predicates that follow from events.
        """
        if not self.shown.is_limited:
            return events
        named = events & self.shown.named
        conditions = events & self.shown.conditions
        if named or conditions:
            return named or conditions
        follow = _following(self.steps, events, self.chosen, self.states | self.fluents)
        return follow & self.shown.named


def _heads_of(rules: Iterable[TimedRule]) -> set[Signature]:
    return {key for rule in rules for key, _ in rule.heads}


def _may_be_action(key: Signature) -> bool:
    """Return whether a predicate can be an action: not negated, and not asplan's own."""
    return not key[0] and not key[1].startswith((HELPER, "__"))


def _denying_each_other(
    steps: Iterable[TimedRule],
    rules: Iterable[TimedRule],
    states: Collection[Signature],
) -> Iterator[Signature]:
    """Yield predicates that hold unless others do, as in `a :- not b` with `b :- not a`.

    They make up a strongly connected component with a negation. Yield only the members that rules
    for other predicates read, or all members if there are none.
    """
    read: dict[Signature, set[Signature]] = {}
    denied: dict[Signature, set[Signature]] = {}
    for rule in steps:
        for key, time in rule.heads if not rule.chooses else ():
            read.setdefault(key, set()).update(_keys_at(time, rule.body))
            denied.setdefault(key, set()).update(_keys_at(time, rule.negative))
    for members in map(set, components_of(read)):
        is_open = any(not members.isdisjoint(denied[key]) for key in members)
        if is_open and len(members) > 1 and members.isdisjoint(states):
            yield from members & _read_by_others(members, rules) or members


def _keys_at(time: int, atoms: Iterable[TimedPredicate]) -> Iterator[Signature]:
    """Yield the predicates of the atoms of one time."""
    return (key for key, other in atoms if other == time)


def _read_by_others(members: set[Signature], rules: Iterable[TimedRule]) -> set[Signature]:
    """Return the predicates in bodies of rules that derive no members."""
    others = (rule for rule in rules if members.isdisjoint(_heads_of([rule])))
    return {key for rule in others for key, _ in rule.body}


def _following(
    steps: Collection[TimedRule],
    events: set[Signature],
    chosen: set[Signature],
    states: set[Signature],
) -> set[Signature]:
    """Return the predicates that follow in the same step from events, and are no states.

    A chosen state counts as an event in rules that read the state before as well. The set is the
    least fixpoint over the rules.
    """
    found = set(events)
    size = -1
    while size != len(found):
        size = len(found)
        for rule in steps:
            for key, time in rule.heads:
                reads_back = any(before < time for _, before in rule.body)
                sources = found | chosen if reads_back else found
                now = {other for other, at in rule.positive if at == time}
                if key not in states and not now.isdisjoint(sources):
                    found.add(key)
    return found
