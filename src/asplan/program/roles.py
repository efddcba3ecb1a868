"""The roles of predicates: their times, the actions, and the fluents that make up a state.

A program that defines and shows `occurs/2` names with it all that happens; else the module
`happening` finds the predicates of actions. Where `#show` names predicates, only those count;
where it hides what is chosen, what a shown term stands for, or what follows from it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from asplan.core.errors import InputError, Location, UsageError, nearest
from asplan.core.text import shortened
from asplan.program import syntax
from asplan.program.incremental import TIMED, ActionForm, Program, Reading
from asplan.program.syntax import AST, ASTType, Sign, Signature, heads, variable_names
from asplan.program.terms import (
    MIRRORED,
    Compared,
    Op,
    Substitution,
    Time,
    comparisons,
    distance_to,
)
from asplan.program.unit import OCCURS, QUERY, Section, pairs, shown_by

if TYPE_CHECKING:
    from asplan.program.happening import Evidence, TimedRule

TRANSITION_STATEMENTS = (ASTType.Rule, ASTType.External, ASTType.Edge, ASTType.TheoryDefinition)
"""Statements that may say something of what a step leads to."""


@dataclass(frozen=True, eq=False)
class Occurrence:
    """An atom in a statement, which defines it where it is a `head`."""

    section: Section
    statement: AST
    key: Signature
    atom: AST
    terms: Sequence[AST]
    head: bool

    @property
    def is_timed(self) -> bool:
        return self.section.part in TIMED and self.statement.ast_type in TRANSITION_STATEMENTS

    def shift(self, place: int) -> int | None:
        """How far an argument is from the parameter of the part; None if that is not told."""
        return self.all_shifts[place]

    @cached_property
    def all_shifts(self) -> list[int | None]:
        """The same of all arguments."""
        parameter = self.section.parameter
        return [distance_to(term, parameter) if parameter else None for term in self.terms]

    def is_now(self, place: int) -> bool:
        """Whether an argument is just the parameter of the part."""
        return syntax.is_now(self.terms[place], self.section.parameter)

    def is_earlier(self, place: int) -> bool:
        """Whether an argument is the parameter of the part minus a number from 1."""
        return syntax.is_before(self.terms[place], self.section.parameter)

    def is_just_before(self, place: int) -> bool:
        """Whether an argument is the parameter of the part minus 1."""
        return syntax.is_just_before(self.terms[place], self.section.parameter)

    def is_start(self, place: int) -> bool:
        """Whether an argument is a number that is at most 0."""
        text = str(self.terms[place])
        return text == "0" or (text.startswith("-") and text[1:].isdigit())


def occurrences(program: Program) -> dict[Signature, list[Occurrence]]:
    """The occurrences of each predicate, in order; a head stands among the others once more."""
    found: dict[Signature, list[Occurrence]] = {}
    for section, statement in pairs(program.sections):
        for head, group in ((True, heads(statement)), (False, syntax.atoms(statement))):
            for atom in group:
                key, terms = syntax.signature(atom), syntax.arguments(atom)
                one = Occurrence(section, statement, key, atom, terms, head)
                found.setdefault(key, []).append(one)
    return found


def places_of(index: Mapping[Signature, Iterable[Occurrence]]) -> dict[Signature, int]:
    """For each predicate that speaks of a time the argument in which most occurrences have one."""
    places = {}
    for key, found in index.items():
        timed = [o for o in found if o.is_timed and key != QUERY]
        fitting = [sum(o.shift(i) is not None for o in timed) for i in range(key[2])]
        if any(fitting):
            places[key] = fitting.index(max(fitting))
    return places


@dataclass(frozen=True)
class Roles:
    """What the predicates of a program are.

    `places` has the argument of each that is the time, in timed parts. `actions` say what happens,
    with how much less than that of the step their time is, 0 or 1. `fluents` are what a state hands
    on: they are read at an earlier time than they are derived at. `hidden` are the predicates of
    what happens that would be the actions if `#show` hid nothing.
    """

    places: Mapping[Signature, int]
    actions: Mapping[Signature, int]
    fluents: frozenset[Signature]
    hidden: frozenset[Signature] = frozenset()

    @property
    def kept(self) -> frozenset[Signature]:
        """Return the fluents without the actions of a time that lead from there to the next."""
        return self.fluents - {key for key, before in self.actions.items() if before}


@lru_cache(maxsize=16)
def roles_of(program: Program) -> Roles:
    """The roles of the predicates of a program; it need be no transition system."""
    from asplan.program.happening import timed_rules  # most programs name their actions occurs/2

    program = _plain(program)
    index = occurrences(program)
    places = places_of(index)
    rules = list(timed_rules(program, places))
    latest: dict[Signature, int] = {}
    for key, time in (head for rule in rules for head in rule.heads):
        latest[key] = max(time, latest.get(key, time))
    read = {atom for rule in rules for atom in rule.body}
    fluents = frozenset(key for key, time in read if time < latest.get(key, time))
    evidence = _evidence(program, index, places, rules, fluents)
    found = program.written.actions or evidence.find_actions()
    lags = {key: _lag(evidence, index[key], place) for key, place in places.items()}
    if OCCURS in found:
        places.setdefault(OCCURS, 1)
        lags.setdefault(OCCURS, 0)
    actions = {key: lag for key in sorted(found) if (lag := lags.get(key)) is not None}
    hidden = (key for key in evidence.find_hidden() if lags.get(key) is not None)
    return Roles(places, actions, fluents, frozenset(hidden))


def _evidence(
    program: Program,
    index: Mapping[Signature, Sequence[Occurrence]],
    places: Mapping[Signature, int],
    rules: Collection[TimedRule],
    fluents: frozenset[Signature],
) -> Evidence:
    """Collect the uses of predicates that tell actions from fluents."""
    from asplan.program.happening import Evidence

    heads = {key: [o for o in found if o.head] for key, found in index.items()}
    derived = {key: {o.section.part for o in found} for key, found in heads.items() if found}
    started = set[Signature]().union(*(facts.signatures for facts in program.facts))
    given = set(started)
    for key, found in heads.items():
        first = [o.statement for o in found if o.section.part == "base"]
        rules_of_base = [s for s in first if not syntax.is_choice(s)]
        if rules_of_base:
            given.add(key)
        if any(places.keys().isdisjoint(syntax.read_in(s)) for s in rules_of_base):
            started.add(key)
    known = frozenset(given), frozenset(started)
    return Evidence(derived, *known, rules, fluents, shown_by(program.statements))


@lru_cache(maxsize=16)
def with_actions(program: Program, named: tuple[str, ...] = ()) -> Program:
    """The same program, which says what happens by the predicates with that role, shown, too.

    `named` are given as NAME/ARITY, and decide; then what the program says does.
    """
    if named:
        keys = dict.fromkeys(map(parse_action, named))
        program = replace(program, written=replace(program.written, actions=keys))
    said = program.written.actions
    for key, at in said.items():
        _check_action(program, key, at)
    if not said and program.horizon is None and _keeps_to_occurs(program):
        return program
    roles, shown = roles_of(program), shown_by(program.statements)
    start = None if program.horizon is None else program.horizon.start
    if not roles.actions or (start is None and not said and roles.actions.get(OCCURS) == 0):
        return program
    hidden = roles.actions.keys() - shown.named if shown.is_limited else ()
    forms = (
        ActionForm(*key[1:], roles.places[key], before - (start or 0))
        for key, before in roles.actions.items()
    )
    in_part = shown.is_limited and not roles.actions.keys() <= shown.signatures.union(hidden)
    readings = (Reading(tuple(forms)),)
    told = replace(program, readings=readings, plans=True, plans_in_part=in_part)
    return _with_shown(told, hidden)


def _keeps_to_occurs(program: Program) -> bool:
    """Return whether `occurs/2` plainly names all that happens, which saves looking for roles."""
    shown = shown_by(program.statements)
    if shown.named and OCCURS not in shown.named:
        return False
    is_said = False
    for section, statement in pairs(program.sections):
        # To write a statement is one call of clingo, and to look for its atoms takes many.
        if OCCURS[1] in str(statement) and OCCURS in syntax.defined_in(statement):
            if OCCURS in syntax.read_in(statement):
                return False  # it may be carried on from step to step
            if section.part in ("base", "check"):
                return False  # it may lead from its time to the next
            is_said = True
    return is_said


def explain_missing_actions(program: Program, is_temporal: bool = False) -> str:
    """Return why a program has no list of actions, and what to write.

    A temporal program of telingo writes its predicates without the time.
    """
    if program.written.actions:
        return ""
    hidden = sorted(roles_of(program).hidden)
    if not hidden:
        why = "no rule chooses what happens in a step"
        return f"{why}: --action NAME/ARITY names the predicate that says it"
    written = [f"{name}/{arity - is_temporal}" for _, name, arity in hidden]
    shows = " ".join(f"#show {each}." for each in written)
    options = " ".join(f"--action {name}/{arity}" for _, name, arity in hidden)
    return f"the program does not show {' and '.join(written)}: write {shows} or say {options}"


@lru_cache(maxsize=16)
def with_readings(program: Program, written: Program) -> Program:
    """A program in parts that says what happens as the one does of which it was made."""
    shown = shown_by(program.statements)
    names = ("readings", "plans", "plans_in_part")
    told = replace(program, **{name: getattr(written, name) for name in names})
    return _with_shown(told, written.actions - shown.named if shown.is_limited else ())


def _with_shown(program: Program, hidden: Collection[Signature]) -> Program:
    shows = " ".join(f"#show {name}/{arity}." for _, name, arity in sorted(hidden))
    return program.with_sections(Section.of_text("base", "", shows))


def _plain(program: Program) -> Program:
    """A program in parts, and with no second name of a time."""
    if program.horizon is not None:
        from asplan.program.conversion import in_parts

        program = in_parts(program)
    return without_aliases(program)


def parse_action(word: str) -> Signature:
    """Return the predicate that NAME/ARITY names; raise `UsageError` if it is written otherwise."""
    if (found := re.fullmatch(r"(_*[a-z][A-Za-z0-9_']*)/([0-9]{1,3})", word.strip())) is None:
        hint = "move(a,b,t) is of move/3: the time counts as well"
        raise UsageError(f"--action {shortened(word)}: an action is named NAME/ARITY", hint=hint)
    return "", found[1], int(found[2])


def _check_action(program: Program, key: Signature, at: Location | None) -> None:
    """Raise an error where a predicate cannot say what happens; `at` is where it is named."""
    program = _plain(program)
    index = occurrences(program)
    known = [
        f"{name}/{arity}"
        for (sign, name, arity), found in index.items()
        if not sign and any(o.head and o.section.part in TIMED for o in found)
    ]
    text, why, hint = f"{key[1]}/{key[2]}", "", ""
    if text not in known:
        why = "no rule of step(t) derives or chooses it"
        hint = nearest(text, known, noun="predicates") if known else ""
    elif (place := places_of({key: index[key]}).get(key)) is None:
        why = "none of its arguments is the time t"
    elif {o.shift(place) for o in index[key] if o.head and o.is_timed} not in ({0}, {-1}):
        why = "rules derive it at other times than t, or than t-1"
    if why and at is None:
        raise UsageError(f"--action {text}: {why}", hint=hint)
    if why:
        raise InputError(f"{text} is no action: {why}", at=at, hint=hint)


def _lag(evidence: Evidence, found: Sequence[Occurrence], place: int) -> int | None:
    """Return how much less than that of its step the time of an action is; None if not 0 or 1."""
    times = {o.shift(place) for o in found if o.head and o.is_timed}
    if times == {0}:
        return int(evidence.acts_next(found[0].key))
    return 1 if times == {-1} else None


@lru_cache(maxsize=16)
def without_aliases(program: Program) -> Program:
    """The same program with the parameter in the place of each name that a rule gives it."""
    return program.with_timed(_without_aliases)


def _without_aliases(rule: AST, parameter: str) -> AST:
    for place, literal in enumerate(rule.body if rule.ast_type == ASTType.Rule else ()):
        if alias := _alias(literal, parameter):
            body = [*rule.body[:place], *rule.body[place + 1 :]]
            renamed: AST = Substitution(alias).visit(rule.update(body=body))
            return _without_aliases(renamed, parameter)  # one may be told by another
    return rule


def _alias(literal: AST, parameter: str) -> dict[str, Time]:
    """The variable that a literal sets equal to a time, and the time."""
    for side, operator, time in mirrored_comparisons(literal):
        names, distance = variable_names(side), distance_to(time, parameter)
        less = distance_to(side, names[0]) if len(names) == 1 else None
        equal = operator == Op.Equal and literal.sign == Sign.NoSign
        if equal and less is not None and distance is not None:
            return {names[0]: (parameter, distance - less)}
    return {}


def mirrored_comparisons(literal: AST) -> Iterator[Compared]:
    """What a comparison of two terms says, from the left and from the right."""
    if literal.ast_type == ASTType.Literal and literal.atom.ast_type == ASTType.Comparison:
        for left, operator, right in comparisons(literal) if len(literal.atom.guards) == 1 else ():
            yield left, operator, right
            yield right, MIRRORED[operator], left
