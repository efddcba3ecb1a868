"""The predicates by which a program says what happens in a step.

What happens is chosen, by a choice, a disjunction or two rules that deny each other. A chosen
predicate that `base` derives as well, or that its own rule carries on, is a fluent instead. Where
no predicate is left, one that is chosen in `base` too, or in `check(t)`, says what happens if it
bears on a lasting fluent, as what is chosen in a part `always` of telingo does.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from asplan.core.graphs import closure, components_of
from asplan.program import syntax
from asplan.program.incremental import TIMED, Program
from asplan.program.syntax import AST, ASTType, Sign, Signature
from asplan.program.terms import distance_to
from asplan.program.unit import HELPER, OCCURS, QUERY, Shown

Timed = tuple[Signature, int]  # a predicate, and how far its time is from the parameter


@dataclass(frozen=True)
class TimedRule:
    """The atoms of a timed rule that have a time.

    `chooses` is that its heads are left open, `demands` that `query(t)` is among its conditions.
    """

    part: str
    chooses: bool
    demands: bool
    heads: Collection[Timed]
    positive: Collection[Timed]
    negative: Collection[Timed]

    @property
    def body(self) -> Iterator[Timed]:
        yield from self.positive
        yield from self.negative


def timed_rules(program: Program, places: Mapping[Signature, int]) -> Iterator[TimedRule]:
    """Yield the rules of `step(t)` and `check(t)`; `places` has the time of each predicate."""
    for section in (s for s in program.sections if s.part in TIMED):
        for rule in (s for s in section.statements if s.ast_type == ASTType.Rule):
            yield _timed_rule(rule, section.part, section.parameter, places)


def _timed_rule(rule: AST, part: str, parameter: str, places: Mapping[Signature, int]) -> TimedRule:
    def timed(found: Iterable[AST]) -> list[Timed]:
        known = ((atom, syntax.time_of(atom, places)) for atom in found)
        times = ((a, distance_to(t, parameter)) for a, t in known if t is not None)
        return [(syntax.signature(atom), time) for atom, time in times if time is not None]

    literals = (literal for literal in rule.body if literal.ast_type == ASTType.Literal)
    denied = [literal for literal in literals if literal.sign == Sign.Negation]
    others = [literal for literal in rule.body if literal not in denied]
    return TimedRule(
        part,
        chooses=syntax.is_choice(rule),
        demands=any(str(literal) == f"{QUERY[1]}({parameter})" for literal in rule.body),
        heads=timed(syntax.heads(rule)),
        positive=timed(syntax.reads(rule, others)),
        negative=timed(atom for literal in denied for atom in syntax.atoms(literal)),
    )


@dataclass(frozen=True, eq=False)
class Evidence:
    """The uses of predicates that tell actions from fluents.

    Predicates that are `derived` in some parts; those `given` at the start, by facts or by rules of
    `base` that are no choices, and among them those `started` whatever is chosen at the start; the
    timed `rules`; and the `fluents` that a state hands on.
    """

    derived: Mapping[Signature, Collection[str]]
    given: frozenset[Signature]
    started: frozenset[Signature]
    rules: Collection[TimedRule]
    fluents: frozenset[Signature]
    shown: Shown

    @cached_property
    def steps(self) -> list[TimedRule]:
        """Return the rules of `step(t)`."""
        return [rule for rule in self.rules if rule.part == "step"]

    @cached_property
    def carried(self) -> set[Signature]:
        """Return the predicates that some rule derives from themselves at an earlier time."""
        return {
            key
            for rule in self.rules
            for key, time in rule.heads
            if any(key == other and before < time for other, before in rule.positive)
        }

    @cached_property
    def states(self) -> set[Signature]:
        """Return the predicates that `base` derives or a rule carries on."""
        first = {key for key, parts in self.derived.items() if "base" in parts}
        return first | self.given | self.carried

    @cached_property
    def chosen(self) -> set[Signature]:
        """Return the predicates that a rule of `step(t)` chooses."""
        chosen = {key for rule in self.steps if rule.chooses for key, _ in rule.heads}
        return chosen.union(_denying_each_other(self.steps, self.rules, self.states))

    @cached_property
    def events(self) -> set[Signature]:
        """Return the chosen predicates that are no states."""
        return set(filter(_may_happen, self.chosen - self.states))

    @cached_property
    def guesses(self) -> set[Signature]:
        """Return the predicates chosen at each time that bear on a lasting fluent."""
        choices = (rule for rule in self.rules if rule.chooses)
        chosen = {key for rule in choices for key, _ in rule.heads} - self.given - self.carried
        return {key for key in filter(_may_happen, chosen - self.events) if self._bears(key)}

    def _bears(self, key: Signature) -> bool:
        """Return whether a predicate is an action by its effects, at its own time or the next."""
        if self.acts_next(key):
            return True
        if self.lasting.isdisjoint(self._follows_now([key])):
            return False
        times = ({time for other, time in rule.body if other == key} for rule in self.rules)
        return all(len(found) < 2 for found in times)

    @cached_property
    def lasting(self) -> set[Signature]:
        """Return the fluents that last: started by facts, or carried on."""
        return (self.carried | self.started) & self.fluents

    def acts_next(self, key: Signature) -> bool:
        """Return whether a predicate of time t changes lasting fluents of t+1, and none of t.

        It is chosen at time 0 as well, in `base` or `check(0)`, and no goal needs it.
        """
        parts = self.derived.get(key, ())
        if "base" not in parts and "check" not in parts:
            return False
        now = self._follows_now([key])
        goals = (rule for rule in self.rules if rule.demands and not rule.heads)
        if any(other in now for rule in goals for other, _ in rule.negative):
            return False
        later = {
            head
            for rule in self.rules
            for head, time in rule.heads
            if any(other in now and before == time - 1 for other, before in rule.body)
        }
        is_late = not self.lasting.isdisjoint(self._follows_now(later))
        return is_late and self.lasting.isdisjoint(now)

    def _follows_now(self, starts: Iterable[Signature]) -> set[Signature]:
        """Return some predicates and those that depend on them at one time."""
        return closure(starts, lambda key: self._dependent.get(key, ()))

    @cached_property
    def _dependent(self) -> dict[Signature, set[Signature]]:
        after: dict[Signature, set[Signature]] = {}
        for rule in self.rules:
            for head, time in rule.heads:
                for key in (key for key, at in rule.body if at == time):
                    after.setdefault(key, set()).add(head)
        return after

    def find_actions(self) -> Collection[Signature]:
        """Return the predicates of what happens, as far as they are shown."""
        occurs = self._plain_occurs()
        if occurs and self.derived[OCCURS] != {"base"} and OCCURS not in self.carried:
            return occurs
        return self._shown_among(self.events) or self._shown_among(self.guesses) or occurs

    def find_hidden(self) -> Collection[Signature]:
        """Return the predicates of what happens, shown or not."""
        return self.events or self.guesses

    def _plain_occurs(self) -> list[Signature]:
        """Return `occurs/2` if the program derives it and shows it."""
        is_shown = not self.shown.is_limited or OCCURS in self.shown.named
        return [OCCURS] if self.derived.get(OCCURS) and is_shown else []

    def _shown_among(self, events: set[Signature]) -> set[Signature]:
        """Return events that are shown, that a shown term stands for, or what follows from them."""
        if not self.shown.is_limited:
            return events
        follow = _following(self.steps, events, self.chosen, self.states | self.fluents)
        for found in (events & self.shown.named, events & self.shown.conditions):
            if found:
                return found
        return follow & self.shown.named


def _may_happen(key: Signature) -> bool:
    """Return whether a predicate can be that of an action: not negated, not asplan's own."""
    return not key[0] and not key[1].startswith((HELPER, "__"))


def _denying_each_other(
    steps: Iterable[TimedRule], rules: Iterable[TimedRule], states: Collection[Signature]
) -> Iterator[Signature]:
    """Yield predicates of which one holds where another does not: `a :- not b. b :- not a.`"""
    after: dict[Signature, set[Signature]] = {}
    denied = set[tuple[Signature, Signature]]()
    for rule in steps:
        for key, time in rule.heads if not rule.chooses else ():
            after.setdefault(key, set()).update(b for b, t in rule.body if t == time)
            denied |= {(key, b) for b, t in rule.negative if t == time}
    for members in map(set, components_of(after)):
        is_open = any({a, b} <= members for a, b in denied) and members.isdisjoint(states)
        if is_open and len(members) > 1:
            others = (r for r in rules if members.isdisjoint(key for key, _ in r.heads))
            yield from members & {key for rule in others for key, _ in rule.body} or members


def _following(
    steps: Collection[TimedRule],
    events: set[Signature],
    chosen: set[Signature],
    states: set[Signature],
) -> set[Signature]:
    """Return what follows in the same step from what is chosen, and is no state.

    From a state that is chosen follows what happens where the state before is read as well.
    """
    found, size = set(events), -1
    while size != len(found):
        size = len(found)
        for rule in steps:
            for key, time in rule.heads:
                sources = found | chosen if any(t < time for _, t in rule.body) else found
                if key not in states and any(b in sources and t == time for b, t in rule.positive):
                    found.add(key)
    return found
