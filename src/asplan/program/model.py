"""The model of a program with times: its rules, and the literals in them.

`Program.model` makes it once from the syntax trees. The roles of predicates, the rewriting,
transition systems and warnings all read this one model. A literal has its predicate, its arguments
and its sign, and stands in a head, in a body, in a condition or in an aggregate. Given the argument
that is its time, it returns the distance of that time from the parameter of its part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from asplan.core.errors import Location
from asplan.program import syntax
from asplan.program.syntax import AST, ASTType, Sign, Signature
from asplan.program.terms import OWN, distance_to
from asplan.program.unit import QUERY, TIMED, Section, pairs
from asplan.program.wording import Wording, without_extra_brackets

INSIDE = " "  # the sign in the signature of a function in an argument


class Kind(Enum):
    """The kind of a statement."""

    FACT = "fact"
    RULE = "rule"
    CHOICE = "choice"
    CONSTRAINT = "constraint"
    THEORY = "theory"
    EXTERNAL = "external"
    SHOW = "show"
    MINIMIZE = "minimize"
    HEURISTIC = "heuristic"
    EDGE = "edge"
    PROJECT = "project"
    OTHER = "other"


_KINDS = {
    ASTType.External: Kind.EXTERNAL,
    ASTType.ShowTerm: Kind.SHOW,
    ASTType.Minimize: Kind.MINIMIZE,
    ASTType.Heuristic: Kind.HEURISTIC,
    ASTType.Edge: Kind.EDGE,
    ASTType.ProjectAtom: Kind.PROJECT,
}
"""The kinds of statements that are no rules and have atoms."""

_RULES = (Kind.FACT, Kind.RULE, Kind.CHOICE, Kind.CONSTRAINT, Kind.THEORY)
_TRANSITION_KINDS = (*_RULES, Kind.EXTERNAL, Kind.EDGE)


class Where(Enum):
    """The part of a rule in which a literal stands.

    `CONDITION` is a condition of the head, and an atom that a statement names without deriving it.
    `ELEMENT` is an element of an aggregate, of a conditional literal or of a theory atom in the
    body.
    """

    HEAD = "head"
    BODY = "body"
    CONDITION = "condition"
    ELEMENT = "element"


@dataclass(frozen=True, eq=False)
class Literal:
    """An atom in a rule, with its sign.

    Attributes
    ----------
    rule
        The rule in which it stands.
    atom
        Its atom as a syntax tree; a member of a pool is an atom of its own.
    key
        Its predicate.
    terms
        Its arguments.
    where
        The part of the rule in which it stands.
    sign
        The number of `not` before it.
    outer_sign
        The number of `not` before the member of the body that holds it: an element has its own
        `sign` inside.
    is_pooled
        Whether it belongs to a pool of several atoms.
    """

    rule: TemporalRule
    atom: AST
    key: Signature
    terms: Sequence[AST]
    where: Where
    sign: int = 0
    outer_sign: int = 0
    is_pooled: bool = False

    @property
    def part(self) -> str:
        """The part of the program in which it stands."""
        return self.rule.part

    @property
    def parameter(self) -> str:
        """The parameter of its part; empty in `base`."""
        return self.rule.parameter

    @cached_property
    def at(self) -> Location:
        """The place of the atom."""
        return syntax.place_in(self.rule.statement, self.atom.symbol)

    # Its place in the rule.

    @property
    def is_head(self) -> bool:
        """True if the rule derives the atom or leaves it open."""
        return self.where is Where.HEAD

    @property
    def is_inner(self) -> bool:
        """True in a condition or an aggregate."""
        return self.where in (Where.CONDITION, Where.ELEMENT)

    @property
    def is_positive(self) -> bool:
        """True for a positive literal of a body."""
        return self.where is Where.BODY and self.sign == Sign.NoSign

    @property
    def is_negative(self) -> bool:
        """True for a literal of a body, with one `not`."""
        return self.where is Where.BODY and self.sign == Sign.Negation

    @property
    def is_denied(self) -> bool:
        """True behind one `not` of the body, also inside of an aggregate."""
        is_in_body = self.where in (Where.BODY, Where.ELEMENT)
        return is_in_body and self.outer_sign == Sign.Negation

    @property
    def is_timed(self) -> bool:
        """True if the rule is in `step(t)` or `check(t)`, and restricts transitions."""
        return self.rule.is_timed

    # Its times.

    def shift(self, place: int) -> int | None:
        """Return the distance of an argument from the parameter; None if it is not t+k."""
        return self.all_shifts[place]

    @cached_property
    def all_shifts(self) -> list[int | None]:
        """The distance of each argument from the parameter of the part."""
        parameter = self.parameter
        return [distance_to(term, parameter) if parameter else None for term in self.terms]

    @property
    def shifts(self) -> list[int]:
        """The times among its arguments, relative to the parameter of its part."""
        return [shift for shift in self.all_shifts if shift is not None]

    def is_now(self, place: int) -> bool:
        """Return whether an argument is just the parameter of the part."""
        return syntax.is_now(self.terms[place], self.parameter)

    def is_earlier(self, place: int) -> bool:
        """Return whether an argument is the parameter of the part minus a number from 1."""
        return syntax.is_before(self.terms[place], self.parameter)

    def is_just_before(self, place: int) -> bool:
        """Return whether an argument is the parameter of the part minus 1."""
        return syntax.is_just_before(self.terms[place], self.parameter)

    def is_start(self, place: int) -> bool:
        """Return whether an argument is a number that is at most 0."""
        text = str(self.terms[place])
        return text == "0" or (text.startswith("-") and text[1:].isdigit())

    # Its text.

    @property
    def text(self) -> str:
        """The atom as its author wrote it."""
        if OWN in str(self.atom):  # a constant of asplan; the file has the number
            return Wording()(self.atom.symbol, self.rule.statement.location.begin.filename)
        return without_extra_brackets(str(self.atom))

    @property
    def signed_text(self) -> str:
        """The literal as its author wrote it; without the sign if it is inner."""
        sign = "" if self.is_inner else "not " * self.sign
        return f"{sign}{self.text}"

    @cached_property
    def functions(self) -> tuple[Literal, ...]:
        """The functions in its arguments, as if they were atoms."""
        return tuple(map(self._as_literal, syntax.find(ASTType.Function, self.terms)))

    def _as_literal(self, function: AST) -> Literal:
        key = (INSIDE, function.name, len(function.arguments))
        return replace(self, key=key, terms=tuple(function.arguments))


@dataclass(frozen=True, eq=False)
class TemporalRule:
    """A statement of a program: its part, its kind and its literals.

    A rule with a negated head, as in `not p :- q`, is a constraint: it reads the head.
    """

    statement: AST
    part: str = "base"
    parameter: str = ""

    @property
    def at(self) -> Location:
        """The place of the statement."""
        return syntax.location(self.statement)

    @cached_property
    def kind(self) -> Kind:
        """The kind of the statement."""
        statement = self.statement
        if statement.ast_type != ASTType.Rule:
            return _KINDS.get(statement.ast_type, Kind.OTHER)
        if syntax.is_choice(statement):
            return Kind.CHOICE
        if statement.head.ast_type == ASTType.TheoryAtom:
            return Kind.THEORY
        if not _derives(statement):
            return Kind.CONSTRAINT
        return Kind.RULE if statement.body else Kind.FACT

    @property
    def is_rule(self) -> bool:
        """True for facts, rules, choices and constraints."""
        return self.kind in _RULES

    @property
    def is_constraint(self) -> bool:
        """True for an integrity constraint."""
        return self.kind is Kind.CONSTRAINT

    @property
    def is_choice(self) -> bool:
        """True for a rule that leaves its head open: a choice or a disjunction."""
        return self.kind is Kind.CHOICE

    @property
    def restricts_transitions(self) -> bool:
        """True for the kinds of statements that may restrict the transitions of a program."""
        return self.kind in _TRANSITION_KINDS

    @property
    def is_timed(self) -> bool:
        """True if it is in `step(t)` or `check(t)`, and restricts transitions."""
        return self.part in TIMED and self.restricts_transitions

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """All its literals: heads first, then the body, then conditions of the head."""
        return tuple(_literals_of(self))

    @cached_property
    def heads(self) -> tuple[Literal, ...]:
        """The atoms that it derives or leaves open."""
        return tuple(literal for literal in self.literals if literal.is_head)

    @cached_property
    def reads(self) -> tuple[Literal, ...]:
        """The literals that it reads."""
        return tuple(literal for literal in self.literals if not literal.is_head)

    @cached_property
    def positive(self) -> list[Literal]:
        """The positive literals of its body."""
        return [literal for literal in self.reads if literal.is_positive]

    @cached_property
    def positive_keys(self) -> frozenset[Signature]:
        """The predicates of the positive literals of its body."""
        return keys_of(self.positive)

    @cached_property
    def negated_keys(self) -> frozenset[Signature]:
        """The predicates that it reads behind `not`, conditions included."""
        return keys_of(each for each in self.reads if each.outer_sign == Sign.Negation)

    @property
    def has_inner(self) -> bool:
        """True if it reads an atom in a condition or an aggregate."""
        return any(literal.is_inner for literal in self.reads)

    @property
    def demands_goal(self) -> bool:
        """True if its body has `query(t)`."""
        return any(each.key == QUERY and each.is_now(0) for each in self.positive)


def keys_of(literals: Iterable[Literal]) -> frozenset[Signature]:
    """Return the predicates of some literals."""
    return frozenset(literal.key for literal in literals)


def _derives(rule: AST) -> bool:
    """Return whether the head of a rule is an atom without `not`."""
    return syntax.is_literal(rule.head)


def _literals_of(rule: TemporalRule) -> Iterator[Literal]:
    statement = rule.statement
    heads = [] if rule.is_constraint else syntax.heads(statement)
    for atom in heads:
        yield _literal(rule, atom, Where.HEAD)
    for node in getattr(statement, "body", ()):
        where = Where.BODY if syntax.is_literal(node, sign=None) else Where.ELEMENT
        yield from _literals_in(rule, node, where, getattr(node, "sign", 0))
    for node in _conditions(statement):
        yield from _literals_in(rule, node, Where.CONDITION, getattr(node, "sign", 0))


def _conditions(statement: AST) -> Iterator[AST]:
    """Yield the literals that a statement reads outside of its body."""
    if statement.ast_type in (ASTType.Heuristic, ASTType.ProjectAtom):
        yield statement.atom
    elif statement.ast_type == ASTType.Rule and statement.head.ast_type == ASTType.Literal:
        if not _derives(statement):
            yield statement.head
    elif statement.ast_type == ASTType.Rule:
        for element in syntax.find(_CONDITIONAL, [statement.head]):
            yield from element.condition


_CONDITIONAL = (ASTType.ConditionalLiteral, ASTType.TheoryAtomElement)


def _literals_in(
    rule: TemporalRule,
    node: AST,
    where: Where,
    outer_sign: int,
) -> Iterator[Literal]:
    """Yield the literals in a member of a body or of a condition."""
    if node.ast_type == ASTType.SymbolicAtom:
        yield from _members(rule, node, where, Sign.NoSign, outer_sign)
    for literal in syntax.find(ASTType.Literal, [node]):
        if literal.atom.ast_type == ASTType.SymbolicAtom:
            yield from _members(rule, literal.atom, where, literal.sign, outer_sign)


def _members(
    rule: TemporalRule,
    atom: AST,
    where: Where,
    sign: int,
    outer_sign: int,
) -> Iterator[Literal]:
    """Yield a literal for each member of a pool, or for the atom."""
    pool = syntax.atoms(atom)
    for member in pool:
        yield _literal(rule, member, where, sign, outer_sign, len(pool) > 1)


def _literal(
    rule: TemporalRule,
    atom: AST,
    where: Where,
    sign: int = Sign.NoSign,
    outer_sign: int = Sign.NoSign,
    is_pooled: bool = False,
) -> Literal:
    key = syntax.signature(atom)
    return Literal(rule, atom, key, syntax.arguments(atom), where, sign, outer_sign, is_pooled)


@dataclass(frozen=True, eq=False)
class TemporalProgram:
    """The rules of a program, in order."""

    rules: tuple[TemporalRule, ...]

    @classmethod
    def of_sections(cls, sections: Iterable[Section]) -> TemporalProgram:
        """Return the model of a program with some sections."""
        statements = pairs(sections)
        return cls(tuple(TemporalRule(s, each.part, each.parameter) for each, s in statements))

    @cached_property
    def literals(self) -> dict[Signature, list[Literal]]:
        """The literals of each predicate, in order."""
        found: dict[Signature, list[Literal]] = {}
        for rule in self.rules:
            for literal in rule.literals:
                found.setdefault(literal.key, []).append(literal)
        return found

    @cached_property
    def places(self) -> dict[Signature, int]:
        """The argument of each predicate that is its time in most literals of timed parts.

        Predicates without a time are left out.
        """
        places: dict[Signature, int] = {}
        for key, found in self.literals.items():
            place = _time_argument(found)
            if place is not None and key != QUERY:
                places[key] = place
        return places

    def derived_shifts(self, key: Signature, place: int) -> set[int | None]:
        """Return the distances from t at which timed rules derive a predicate."""
        found = self.literals.get(key, ())
        return {each.shift(place) for each in found if each.is_head and each.is_timed}


def _time_argument(literals: Collection[Literal]) -> int | None:
    """Return the argument of a predicate that is its time in most of its literals.

    A head counts twice. Return None if none has the time of a timed part.
    """
    counts: dict[int, int] = {}
    for literal in literals:
        if literal.is_timed:
            for place, shift in enumerate(literal.all_shifts):
                if shift is not None:
                    counts[place] = counts.get(place, 0) + 1 + literal.is_head
    best = max(counts.values(), default=0)
    return min((place for place, count in counts.items() if count == best), default=None)
