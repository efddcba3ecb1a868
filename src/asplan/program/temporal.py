"""Rules of a program without parts, with the time of each of their atoms.

A time is a name plus a number: `T+1` is `("T", 1)`, `n` is `("n", 0)`, and `3` is `("", 3)`. An
element of a choice, an aggregate or a conditional literal is a scope of its own: its condition
binds variables for this element alone.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from asplan.program import syntax
from asplan.program.clauses import Clause
from asplan.program.sorts import Sort, Sorts
from asplan.program.syntax import AST, ASTType, Sign, Signature
from asplan.program.terms import ABOVE, MIRRORED, Op, Time, comparisons, is_name, shift_of


class Kind(Enum):
    """The effect of a rule: it derives its head, leaves it open, or excludes answers."""

    DERIVES = "derives"
    OPENS = "opens"
    EXCLUDES = "excludes"


@dataclass(frozen=True)
class TimedAtom:
    """An atom of a rule: its predicate, its time and its sign.

    `has_time` is False for a predicate without a time argument. `time` is None if there is no time
    or if it is not a name plus a number, as with `_`. If it is an interval, `time` is its upper end
    and `low` its lower end; else both are the same. An atom below an aggregate `is_counted`: it may
    be wanted true or false.
    """

    key: Signature
    has_time: bool
    time: Time | None
    low: Time | None
    is_negative: bool = False
    is_counted: bool = False


@dataclass(frozen=True)
class Bound:
    """A comparison `low <= high` of two times; `<` is written with `high` less by one."""

    low: Time
    high: Time


@dataclass(frozen=True)
class Scope:
    """The heads, the body atoms and the bounds on times of a rule or of one of its elements."""

    heads: tuple[TimedAtom, ...]
    body: tuple[TimedAtom, ...]
    bounds: tuple[Bound, ...]

    def names(self) -> set[str]:
        """Return the time variables that a positive atom or an interval of this scope binds."""
        positive = (atom for atom in self.body if not atom.is_negative)
        bound_by_atoms = {atom.time[0] for atom in positive if atom.time is not None}
        bound_from_below = {bound.high[0] for bound in self.bounds if is_variable(bound.high)}
        bound_from_above = {bound.low[0] for bound in self.bounds}
        return bound_by_atoms | (bound_from_below & bound_from_above)


@dataclass(frozen=True, eq=False)
class TemporalRule:
    """A rule with its own scope and those of its elements."""

    statement: AST
    kind: Kind
    own: Scope
    elements: tuple[Scope, ...]

    def scopes(self) -> Iterator[Scope]:
        """Yield the scope of the rule and those of its elements."""
        yield self.own
        yield from self.elements

    @cached_property
    def heads(self) -> list[TimedAtom]:
        """All atoms that the rule derives or leaves open."""
        return [atom for scope in self.scopes() for atom in scope.heads]

    @cached_property
    def body(self) -> list[TimedAtom]:
        """All atoms that the rule reads, in its body or below a condition."""
        return [atom for scope in self.scopes() for atom in scope.body]


def temporal_rules(sorts: Sorts, sort: Sort) -> list[TemporalRule]:
    """Return the rules, choices, constraints and externals of a program in which `sort` is time."""
    reader = _Reader(sort.place_of())
    rules = [reader.read(clause) for clause in sorts.clauses]
    return [rule for rule in rules if rule is not None]


@dataclass(frozen=True)
class _Reader:
    """The translation of statements, given the time argument of each predicate."""

    places: Mapping[Signature, int]

    def read(self, clause: Clause) -> TemporalRule | None:
        statement = clause.statement
        if statement.ast_type not in (ASTType.Rule, ASTType.External):
            return None
        kind = Kind.DERIVES if clause.defined else Kind.EXCLUDES
        if clause.is_open:
            kind = Kind.OPENS
        literals, elements = _parts(statement)
        own_heads: list[AST] = []
        scopes: list[Scope] = []
        if statement.ast_type == ASTType.External or statement.head.ast_type == ASTType.Literal:
            own_heads = syntax.heads(statement)
        else:
            scopes = [self._head_scope(element, clause) for element in _head_elements(statement)]
        own = Scope(
            heads=tuple(self._atom(atom, clause) for atom in own_heads),
            body=tuple(self._atoms(literals, clause)),
            bounds=tuple(_bounds(literals, clause)),
        )
        scopes += [self._element_scope(nodes, clause) for nodes in elements]
        return TemporalRule(statement, kind, own, tuple(scopes))

    def _head_scope(self, element: AST, clause: Clause) -> Scope:
        is_element = element.ast_type == ASTType.HeadAggregateElement
        conditional = element.condition if is_element else element
        return Scope(
            heads=tuple(self._atom(atom, clause) for atom in syntax.atoms(conditional.literal)),
            body=tuple(self._atoms(conditional.condition, clause)),
            bounds=tuple(_bounds(conditional.condition, clause)),
        )

    def _element_scope(self, nodes: Collection[AST], clause: Clause) -> Scope:
        body = tuple(self._atoms(nodes, clause, is_counted=True))
        return Scope(heads=(), body=body, bounds=tuple(_bounds(nodes, clause)))

    def _atoms(
        self, literals: Iterable[AST], clause: Clause, is_counted: bool = False
    ) -> Iterator[TimedAtom]:
        for literal in literals:
            if syntax.is_literal(literal, sign=None):
                is_negative = literal.sign == Sign.Negation
                for atom in syntax.atoms(literal):
                    yield self._atom(atom, clause, is_negative, is_counted)

    def _atom(
        self, atom: AST, clause: Clause, is_negative: bool = False, is_counted: bool = False
    ) -> TimedAtom:
        key = syntax.signature(atom)
        place = self.places.get(key)
        if place is None:
            return TimedAtom(key, False, None, None, is_negative, is_counted)
        term = syntax.arguments(atom)[place]
        time = _rooted(_high_end(term), clause)
        low = _rooted(_low_end(term), clause)
        return TimedAtom(key, True, time, low, is_negative, is_counted)


_WITH_ELEMENTS = (ASTType.Aggregate, ASTType.BodyAggregate, ASTType.TheoryAtom)


def _parts(statement: AST) -> tuple[list[AST], list[list[AST]]]:
    """Return the plain body literals, and the literals of each element of the body."""
    plain: list[AST] = []
    elements: list[list[AST]] = []
    for literal in statement.body:
        if literal.ast_type == ASTType.ConditionalLiteral:
            elements.append([literal.literal, *literal.condition])
        elif literal.atom.ast_type in _WITH_ELEMENTS:
            elements += [_element_literals(element) for element in literal.atom.elements]
        else:
            plain.append(literal)
    return plain, elements


def _element_literals(element: AST) -> list[AST]:
    """Return the literals of an element of a set, an aggregate or a theory atom."""
    if element.ast_type == ASTType.ConditionalLiteral:
        return [element.literal, *element.condition]
    return list(element.condition)


def _head_elements(statement: AST) -> list[AST]:
    return [] if statement.head.ast_type == ASTType.TheoryAtom else list(statement.head.elements)


def _high_end(term: AST) -> Time | None:
    """Return the time that a term is, or the upper end of an interval."""
    return shift_of(term.right if term.ast_type == ASTType.Interval else term)


def _low_end(term: AST) -> Time | None:
    """Return the time that a term is, or the lower end of an interval."""
    return shift_of(term.left if term.ast_type == ASTType.Interval else term)


def _rooted(time: Time | None, clause: Clause) -> Time | None:
    """Return a time with an alias such as `S` in `S = T+1` replaced by the name behind it."""
    if time is None:
        return None
    name, by = clause.aliases.get(time[0], (time[0], 0))
    return name, time[1] + by


def _bounds(literals: Iterable[AST], clause: Clause) -> Iterator[Bound]:
    """Yield the bounds on times that the comparisons of the literals state.

    An interval is bounded by its ends: `T = a..b` states `a <= T` and `T <= b`.
    """
    for left, operator, right in (c for each in literals for c in comparisons(each)):
        if operator in ABOVE:
            left, right = right, left
            operator = MIRRORED[operator]
        if operator in (Op.LessThan, Op.LessEqual, Op.Equal):
            yield from _bound(left, right, clause, is_strict=operator == Op.LessThan)
        if operator == Op.Equal:
            yield from _bound(right, left, clause)


def _bound(low: AST, high: AST, clause: Clause, is_strict: bool = False) -> Iterator[Bound]:
    """Yield the bound `low <= high`, or `low < high` if strict, if both terms are times."""
    low_end = _rooted(_low_end(low), clause)
    high_end = _rooted(_high_end(high), clause)
    if low_end is not None and high_end is not None:
        yield Bound(low_end, (high_end[0], high_end[1] - is_strict))


def is_variable(time: Time | None) -> bool:
    """Return whether a time is a variable plus a number."""
    return time is not None and is_name(time[0])
