"""The evidence that distinguishes actions from fluents, and the actions that follow from it.

A predicate is chosen if a choice or a disjunction has it in the head, or if two rules derive it and
its opposite by negation: `a :- not b.  b :- not a.` A chosen predicate of `step(t)` is an action,
unless `base` derives it too, or its own rule carries it on from an earlier time: then it is a
fluent. If this leaves nothing, a predicate that is chosen in `base` or `check(t)`, as telingo's
part `always` does, may be an action too, if it has an effect on a lasting fluent.

Times of atoms are given as distances: 0 for `t`, -1 for `t-1`, with the parameter t of the part.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from asplan.core.dataclass import dataclass
from asplan.core.graphs import closure, components_of
from asplan.program.model.program import Literal, TemporalProgram, TemporalRule
from asplan.program.reading.unit import HELPER, OCCURS, TIMED, ShownPredicates
from asplan.program.syntax import Signature

TimedPredicate = tuple[Signature, int]
"""A predicate and the number k of an atom of it whose time is t+k."""


@dataclass(frozen=True, eq=False)
class TimedRule:
    """A rule of `step(t)` or `check(t)`, reduced to its predicates with their times t+k.

    Atoms without a time are left out. `places` maps each predicate to the index of its time
    argument.
    """

    rule: TemporalRule
    places: Mapping[Signature, int]

    @property
    def part(self) -> str:
        """The name of the part with this rule: `step` or `check`."""
        return self.rule.part

    @property
    def chooses(self) -> bool:
        """True if the rule is a choice or a disjunction."""
        return self.rule.is_choice

    @property
    def demands(self) -> bool:
        """True if the body has `query(t)`: the rule belongs to the goal."""
        return self.rule.demands_goal

    @cached_property
    def heads(self) -> list[TimedPredicate]:
        """The timed atoms that the rule derives or chooses."""
        return self._timed(self.rule.heads)

    @cached_property
    def positive(self) -> list[TimedPredicate]:
        """The timed atoms that the rule reads without `not`."""
        return self._timed(each for each in self.rule.reads if not each.is_denied)

    @cached_property
    def negative(self) -> list[TimedPredicate]:
        """The timed atoms that the rule reads with `not`."""
        return self._timed(each for each in self.rule.reads if each.is_denied)

    @cached_property
    def body(self) -> list[TimedPredicate]:
        """All timed atoms that the rule reads: `positive`, then `negative`."""
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
    """Yield the rules of `step(t)` and `check(t)`.

    `places` maps predicates to the index of their time.
    """
    for rule in model.rules:
        if rule.part in TIMED and rule.is_rule:
            yield TimedRule(rule, places)


@dataclass(frozen=True, eq=False)
class ActionEvidence:
    """The facts about predicates that distinguish actions from fluents.

    Attributes
    ----------
    derived
        Maps each predicate to the names of the parts whose rules derive it.
    given
        The predicates of the initial state: facts, and heads of rules in `base` other than choices.
    started
        The predicates of `given` whose initial values depend on no timed predicate.
    rules
        The rules of `step(t)` and `check(t)`.
    fluents
        The predicates with atoms that rules read at an earlier time, such as t-1, and derive at a
        later one, such as t.
    shown
        The predicates that the program shows.
    """

    derived: Mapping[Signature, Collection[str]]
    given: frozenset[Signature]
    started: frozenset[Signature]
    rules: Collection[TimedRule]
    fluents: frozenset[Signature]
    shown: ShownPredicates

    @cached_property
    def steps(self) -> list[TimedRule]:
        """The rules of `step(t)`."""
        return [rule for rule in self.rules if rule.part == "step"]

    @cached_property
    def carried(self) -> set[Signature]:
        """The predicates that some rule derives from an earlier atom of the same predicate."""
        carried = set[Signature]()
        for rule in self.rules:
            for key, time in rule.heads:
                if any(key == other and before < time for other, before in rule.positive):
                    carried.add(key)
        return carried

    @cached_property
    def states(self) -> set[Signature]:
        """The predicates that are no actions: `base` derives them, or a rule carries them on."""
        first = {key for key, parts in self.derived.items() if "base" in parts}
        return first | self.given | self.carried

    @cached_property
    def chosen(self) -> set[Signature]:
        """The predicates that `step(t)` chooses, by choices or by rules that deny each other."""
        chosen = _heads_of(rule for rule in self.steps if rule.chooses)
        return chosen.union(_denying_each_other(self.steps, self.rules, self.states))

    @cached_property
    def events(self) -> set[Signature]:
        """The chosen predicates of `step(t)` that are not `states`: the likely actions."""
        return set(filter(_may_be_action, self.chosen - self.states))

    @cached_property
    def guesses(self) -> set[Signature]:
        """The predicates that are chosen in any part and that have an effect on a lasting fluent.

        They are actions only if there are no `events`.
        """
        chosen = _heads_of(rule for rule in self.rules if rule.chooses)
        free = chosen - self.given - self.carried - self.events
        return {key for key in filter(_may_be_action, free) if self._has_effect(key)}

    def _has_effect(self, key: Signature) -> bool:
        """Return whether a predicate changes a lasting fluent, at its own time or the next.

        A change at its own time counts only if no rule reads the predicate at two different times.
        """
        if self.acts_next(key):
            return True
        if self.lasting.isdisjoint(self._follows_now([key])):
            return False
        times = ({time for other, time in rule.body if other == key} for rule in self.rules)
        return all(len(found) < 2 for found in times)

    @cached_property
    def lasting(self) -> set[Signature]:
        """The fluents that a rule carries on, or whose first values are facts."""
        return (self.carried | self.started) & self.fluents

    def acts_next(self, key: Signature) -> bool:
        """Return whether a predicate at time t changes lasting fluents of t+1, and none of t.

        It must also be derived in `base` or `check(t)`, so that it can hold at time 0, and the goal
        must not demand it.
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
        """Return whether a goal such as `:- not p(t), query(t)` demands one of the predicates."""
        goals = (rule for rule in self.rules if rule.demands and not rule.heads)
        return any(key in keys for rule in goals for key, _ in rule.negative)

    def _follows_next(self, keys: Collection[Signature]) -> set[Signature]:
        """Return the heads of rules that read one of the predicates at the time before."""
        heads = set[Signature]()
        for rule in self.rules:
            for head, time in rule.heads:
                if any(key in keys and before == time - 1 for key, before in rule.body):
                    heads.add(head)
        return heads

    def _follows_now(self, starts: Iterable[Signature]) -> set[Signature]:
        """Return `starts` and all predicates that depend on them within the same time."""
        return closure(starts, lambda key: self._dependent.get(key, ()))

    @cached_property
    def _dependent(self) -> dict[Signature, set[Signature]]:
        """Maps each predicate to the heads of rules that read it at the time of the head."""
        after: dict[Signature, set[Signature]] = {}
        for rule in self.rules:
            for head, time in rule.heads:
                for key, at in rule.body:
                    if at == time:
                        after.setdefault(key, set()).add(head)
        return after

    def find_actions(self) -> Collection[Signature]:
        """Return the predicates of the actions that the program shows; empty if there are none."""
        occurs = self._shown_occurs()
        if occurs and self.derived[OCCURS] != {"base"} and OCCURS not in self.carried:
            return occurs
        return self._shown_among(self.events) or self._shown_among(self.guesses) or occurs

    def find_hidden(self) -> Collection[Signature]:
        """Return the predicates of the likely actions, whether the program shows them or not."""
        return self.events or self.guesses

    def _shown_occurs(self) -> list[Signature]:
        """Return `[occurs/2]` if the program derives and shows it, else an empty list."""
        is_shown = not self.shown.is_limited or OCCURS in self.shown.named
        return [OCCURS] if self.derived.get(OCCURS) and is_shown else []

    def _shown_among(self, events: set[Signature]) -> set[Signature]:
        """Return the shown predicates that represent `events`.

        If the program hides nothing, these are all events. Else these are the events that it
        shows. If it shows no event, these are the events in conditions of shown terms; and if there
        are none either, the shown predicates that follow from events.
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
    """Return the predicates of the timed heads of some rules."""
    return {key for rule in rules for key, _ in rule.heads}


def _may_be_action(key: Signature) -> bool:
    """Return whether a predicate may name actions: no classical negation, no helper of asplan."""
    return not key[0] and not key[1].startswith((HELPER, "__"))


def _denying_each_other(
    steps: Iterable[TimedRule],
    rules: Iterable[TimedRule],
    states: Collection[Signature],
) -> Iterator[Signature]:
    """Yield the predicates that rules choose by mutual negation: `a :- not b` with `b :- not a`.

    A strongly connected component of at least two predicates counts if it has a negation and none
    of `states`. Of each component, yield the members that other rules read, or all members if there
    are no such rules. `steps` are the rules of `step(t)`, `rules` all timed rules.
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
    """Yield the predicates of the `atoms` whose time is t + `time`."""
    return (key for key, other in atoms if other == time)


def _read_by_others(members: set[Signature], rules: Iterable[TimedRule]) -> set[Signature]:
    """Return the predicates that are read by rules without a head among `members`."""
    others = (rule for rule in rules if members.isdisjoint(_heads_of([rule])))
    return {key for rule in others for key, _ in rule.body}


def _following(
    steps: Collection[TimedRule],
    events: set[Signature],
    chosen: set[Signature],
    states: set[Signature],
) -> set[Signature]:
    """Return `events` and the predicates that follow from them within the same step.

    `states` are left out. In a rule that also reads an earlier time, each `chosen` predicate counts
    as an event. The set is a least fixpoint over the rules of `step(t)`.
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
