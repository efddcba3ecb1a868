"""The roles of predicates: which speak of a time, which say what happens, which make up a state.

What happens in a step is chosen there, by a choice, a disjunction or two rules that deny each
other, and is of the time `t` or `t-1`. What is chosen but given in `base`, or carried on by its own
rule, is a fluent instead. A program that defines and shows `occurs/2` names with it all that
happens. Where `#show` names predicates, only those count; where it hides what is chosen, what
follows from it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from asplan.core.errors import InputError, Location, UsageError, nearest
from asplan.core.graphs import components_of
from asplan.core.text import shortened
from asplan.program import syntax
from asplan.program.incremental import TIMED, ActionForm, Program, Reading
from asplan.program.syntax import AST, ASTType, Sign, Signature, heads, variable_names
from asplan.program.terms import MIRRORED, Compared, Op, Putting, Time, comparisons, distance_to
from asplan.program.unit import HELPER, OCCURS, QUERY, Section, pairs

TELLING = (ASTType.Rule, ASTType.External, ASTType.Edge, ASTType.TheoryDefinition)
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
        return self.section.part in TIMED and self.statement.ast_type in TELLING

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
    on: they are read at an earlier time than they are derived at.
    """

    places: Mapping[Signature, int]
    actions: Mapping[Signature, int]
    fluents: frozenset[Signature]


@lru_cache(maxsize=16)
def roles_of(program: Program) -> Roles:
    """The roles of the predicates of a program; it need be no transition system."""
    program = _plain(program)
    index = occurrences(program)
    places = places_of(index)
    rules = list(_rules(program, places))
    latest: dict[Signature, int] = {}
    for key, time in (head for rule in rules for head in rule.heads):
        latest[key] = max(time, latest.get(key, time))
    read = {atom for rule in rules for atom in rule.body}
    fluents = frozenset(key for key, time in read if time < latest.get(key, time))
    lags = {key: _lag(index[key], place) for key, place in places.items()}
    found = program.written.actions or _happening(program, index, rules, fluents)
    if OCCURS in found:
        places.setdefault(OCCURS, 1)
        lags.setdefault(OCCURS, 0)
    actions = {key: lag for key in sorted(found) if (lag := lags.get(key)) is not None}
    return Roles(places, actions, fluents)


@lru_cache(maxsize=16)
def with_actions(program: Program, named: tuple[str, ...] = ()) -> Program:
    """The same program, which says what happens by the predicates with that role, shown, too.

    `named` are given as NAME/ARITY, and decide; then what the program says does.
    """
    if named:
        keys = dict.fromkeys(map(_parsed, named))
        program = replace(program, written=replace(program.written, actions=keys))
    said = program.written.actions
    for key, at in said.items():
        _check_action(program, key, at)
    if not said and program.horizon is None and _keeps_to_occurs(program):
        return program
    roles, (signatures, terms) = roles_of(program), _shown(program)
    start = None if program.horizon is None else program.horizon.start
    if not roles.actions or (start is None and not said and OCCURS in roles.actions):
        return program
    hidden = roles.actions.keys() - signatures - terms if signatures else ()
    forms = (
        ActionForm(*key[1:], roles.places[key], before - (start or 0))
        for key, before in roles.actions.items()
    )
    in_part = bool(signatures) and not roles.actions.keys() <= signatures.union(hidden)
    readings = (Reading(tuple(forms)),)
    told = replace(program, readings=readings, plans=True, plans_in_part=in_part)
    return _with_shown(told, hidden)


def _keeps_to_occurs(program: Program) -> bool:
    """Whether `occurs/2` plainly names all that happens, so that `_happening` need not be asked."""
    signatures, terms = _shown(program)
    if (signatures or terms) and OCCURS not in signatures | terms:
        return False
    is_said = False
    for section, statement in pairs(program.sections):
        # To write a statement is one call of clingo, and to look for its atoms takes many.
        if OCCURS[1] in str(statement) and OCCURS in syntax.defined_in(statement):
            if OCCURS in syntax.read_in(statement):
                return False  # it may be carried on from step to step
            is_said = is_said or section.part != "base"
    return is_said


@lru_cache(maxsize=16)
def with_readings(program: Program, written: Program) -> Program:
    """A program in parts that says what happens as the one does of which it was made."""
    signatures, terms = _shown(program)
    names = ("readings", "plans", "plans_in_part")
    told = replace(program, **{name: getattr(written, name) for name in names})
    return _with_shown(told, written.actions - signatures - terms if signatures else ())


def _with_shown(program: Program, hidden: Collection[Signature]) -> Program:
    shows = " ".join(f"#show {name}/{arity}." for _, name, arity in sorted(hidden))
    return program.with_sections(Section.of_text("base", "", shows))


def _plain(program: Program) -> Program:
    """A program in parts, and with no second name of a time."""
    if program.horizon is not None:
        from asplan.program.conversion import in_parts

        program = in_parts(program)
    return without_aliases(program)


def _parsed(word: str) -> Signature:
    """The predicate that NAME/ARITY names."""
    if (found := re.fullmatch(r"(_*[a-z][A-Za-z0-9_']*)/([0-9]{1,3})", word.strip())) is None:
        hint = "move(a,b,t) is of move/3: the time counts as well"
        raise UsageError(f"--action {shortened(word)}: an action is named NAME/ARITY", hint=hint)
    return "", found[1], int(found[2])


def _check_action(program: Program, key: Signature, at: Location | None) -> None:
    """Raise an error where a predicate cannot say what happens; `at` is where it is named."""
    index = occurrences(_plain(program))
    known = [
        f"{name}/{arity}"
        for (sign, name, arity), found in index.items()
        if not sign and any(o.head and o.section.part == "step" for o in found)
    ]
    text, why, hint = f"{key[1]}/{key[2]}", "", ""
    if text not in known:
        why = "no rule of step(t) derives or chooses it"
        hint = nearest(text, known, noun="predicates") if known else ""
    elif (place := places_of({key: index[key]}).get(key)) is None:
        why = "none of its arguments is the time t"
    elif _lag(index[key], place) is None:
        why = "rules derive it at other times than t, or than t-1"
    if why and at is None:
        raise UsageError(f"--action {text}: {why}", hint=hint)
    if why:
        raise InputError(f"{text} is no action: {why}", at=at, hint=hint)


def _lag(found: Iterable[Occurrence], place: int) -> int | None:
    """How much less than that of the step the time of all heads is; None if it is not 0 or 1."""
    times = {o.shift(place) for o in found if o.head and o.is_timed}
    return 0 if times == {0} else 1 if times == {-1} else None


Timed = tuple[Signature, int]  # a predicate, and how far its time is from the parameter


@dataclass(frozen=True)
class _Rule:
    """The atoms of a timed rule that have a time; `chooses` is that its heads are left open."""

    part: str
    chooses: bool
    heads: Collection[Timed]
    positive: Collection[Timed]
    negative: Collection[Timed]

    @property
    def body(self) -> Iterator[Timed]:
        yield from self.positive
        yield from self.negative


def _rules(program: Program, places: Mapping[Signature, int]) -> Iterator[_Rule]:
    for section in (s for s in program.sections if s.part in TIMED):

        def timed(found: Iterable[AST], parameter: str = section.parameter) -> list[Timed]:
            known = ((atom, syntax.time_of(atom, places)) for atom in found)
            times = ((a, distance_to(t, parameter)) for a, t in known if t is not None)
            return [(syntax.signature(atom), time) for atom, time in times if time is not None]

        for rule in (s for s in section.statements if s.ast_type == ASTType.Rule):
            literals = (literal for literal in rule.body if literal.ast_type == ASTType.Literal)
            denied = [literal for literal in literals if literal.sign == Sign.Negation]
            others = [literal for literal in rule.body if literal not in denied]
            positive = timed(syntax.reads(rule, others))
            negative = timed(atom for literal in denied for atom in syntax.atoms(literal))
            is_choice, derived = syntax.is_choice(rule), timed(heads(rule))
            yield _Rule(section.part, is_choice, derived, positive, negative)


def _happening(
    program: Program,
    index: Mapping[Signature, Iterable[Occurrence]],
    rules: Collection[_Rule],
    fluents: frozenset[Signature],
) -> Collection[Signature]:
    """The predicates of what happens, as the module defines them."""
    parts = {key: {o.section.part for o in found if o.head} for key, found in index.items()}
    states = {key for key, found in parts.items() if "base" in found}
    states.update(*(facts.signatures for facts in program.facts))
    carried = {k for r in rules for k, t in r.heads if any(k == b and u < t for b, u in r.positive)}
    states |= carried
    signatures, terms = _shown(program)
    shown = signatures | terms if signatures else None
    named = [OCCURS] if parts.get(OCCURS) and (shown is None or OCCURS in shown) else []
    if named and parts[OCCURS] != {"base"} and OCCURS not in carried:
        return named
    steps = [rule for rule in rules if rule.part == "step"]
    chosen = {key for rule in steps if rule.chooses for key, _ in rule.heads}
    chosen.update(_denying_each_other(steps, rules, states))
    events = {key for key in chosen - states if not key[0] and not key[1].startswith(HELPER)}
    if shown is not None:
        follow = _following(steps, events, chosen, states.union(fluents))
        events = events & shown or follow & shown
    return events or named


def _shown(program: Program) -> tuple[set[Signature], set[Signature]]:
    """The predicates that `#show` names as signatures, and those as terms under a condition."""
    terms = set[Signature]()
    for show in program.of_kind(ASTType.ShowTerm):
        read = (atom for literal in show.body for atom in syntax.atoms(literal))
        terms.update(syntax.signature(a) for a in read if str(a) == str(show.term))
    return set(map(syntax.named_by, program.of_kind(ASTType.ShowSignature))), terms


def _denying_each_other(
    steps: Iterable[_Rule], rules: Iterable[_Rule], states: Collection[Signature]
) -> Iterator[Signature]:
    """Those of which one holds where another does not, as in `a :- not b. b :- not a.`"""
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
    steps: Collection[_Rule], events: set[Signature], chosen: set[Signature], states: set[Signature]
) -> set[Signature]:
    """What follows in the same step from what is chosen, and is no state.

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


@lru_cache(maxsize=16)
def without_aliases(program: Program) -> Program:
    """The same program with the parameter in the place of each name that a rule gives it."""
    return program.with_timed(_without_aliases)


def _without_aliases(rule: AST, parameter: str) -> AST:
    for place, literal in enumerate(rule.body if rule.ast_type == ASTType.Rule else ()):
        if alias := _alias(literal, parameter):
            body = [*rule.body[:place], *rule.body[place + 1 :]]
            renamed: AST = Putting(alias).visit(rule.update(body=body))
            return _without_aliases(renamed, parameter)  # one may be told by another
    return rule


def _alias(literal: AST, parameter: str) -> dict[str, Time]:
    """The variable that a literal sets equal to a time, and the time."""
    for side, operator, time in _sides(literal):
        names, distance = variable_names(side), distance_to(time, parameter)
        less = distance_to(side, names[0]) if len(names) == 1 else None
        equal = operator == Op.Equal and literal.sign == Sign.NoSign
        if equal and less is not None and distance is not None:
            return {names[0]: (parameter, distance - less)}
    return {}


def _sides(literal: AST) -> Iterator[Compared]:
    """What a comparison of two terms says, from the left and from the right."""
    if literal.ast_type == ASTType.Literal and literal.atom.ast_type == ASTType.Comparison:
        for left, operator, right in comparisons(literal) if len(literal.atom.guards) == 1 else ():
            yield left, operator, right
            yield right, MIRRORED[operator], left
