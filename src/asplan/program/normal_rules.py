"""Rules in normal form, with the times of the atoms that they derive and read."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from asplan.core.errors import Location
from asplan.program import syntax
from asplan.program.normal import FALSE, TimeComparison, TimeVocabulary
from asplan.program.source import parse_text
from asplan.program.syntax import AST, ASTType, Signature, Walker, heads
from asplan.program.terms import MIRRORED, Op, Time, is_name, shift_of

_TRUE: AST = parse_text(":- #true.")[1].body[0]
_AGGREGATES = (ASTType.Aggregate, ASTType.BodyAggregate)


@dataclass(frozen=True)
class ReadAtom:
    """An atom that a rule reads, by its predicate and time.

    It is `is_positive` if it is a literal of the body without a sign. Its time is at most `limit`,
    a time of the rule outside of conditions; None if there is no such limit.
    """

    key: Signature
    time: Time | None
    is_positive: bool
    limit: Time | None


@dataclass(frozen=True, eq=False)
class NormalRule:
    """A statement in normal form.

    Attributes
    ----------
    source
        The statement as its author wrote it.
    node
        The statement in normal form.
    heads
        The predicates that it derives, with their times.
    read
        The atoms that it reads.
    comparisons
        The comparisons of two times in its body.
    inner
        The comparisons in its conditions of a time, or of its limit, with the constant.
    has_other_constants
        Whether the constant is used other than in comparisons with a time.
    """

    source: AST
    node: AST
    heads: tuple[tuple[Signature, Time | None], ...]
    read: tuple[ReadAtom, ...]
    comparisons: tuple[TimeComparison, ...]
    inner: tuple[tuple[Time | None, Op, Time], ...]
    has_other_constants: bool

    @property
    def at(self) -> Location:
        """The place of the statement."""
        return syntax.location(self.source)

    @property
    def keys(self) -> set[Signature]:
        """The predicates that it derives."""
        return {key for key, _ in self.heads}

    @property
    def is_open(self) -> bool:
        """True if it leaves open which heads hold."""
        return syntax.is_choice(self.node)


def normal_rule(
    source: AST,
    node: AST,
    vocabulary: TimeVocabulary,
) -> NormalRule:
    """Return the times of a statement, whose normal form is `node`."""
    body = list(node.body)
    outer = [each for literal in body for each in vocabulary.comparisons_of(literal)]
    read: list[ReadAtom] = []
    for literal in body:
        if syntax.is_literal(literal, sign=None):
            read += _read_atoms([literal], syntax.is_literal(literal), {}, vocabulary)
    inner: list[tuple[Time | None, Op, Time]] = []
    for condition in _conditions_of(node, outer, vocabulary):
        read += _read_atoms(condition.literals, False, condition.limits, vocabulary)
        inner += condition.compared_with(vocabulary.horizon.constant)
    if node.ast_type == ASTType.Heuristic:
        read += _read_atoms([node], False, {}, vocabulary)
    return NormalRule(
        source=source,
        node=node,
        heads=tuple((syntax.signature(atom), _time_in(atom, vocabulary)) for atom in heads(node)),
        read=tuple(read),
        comparisons=tuple(outer),
        inner=tuple(inner),
        has_other_constants=_has_other_constants(node, vocabulary),
    )


def _time_in(atom: AST, vocabulary: TimeVocabulary) -> Time | None:
    """Return the time of an atom; None if it has none, or one that is not a name plus a number."""
    term = syntax.time_of(atom, vocabulary.horizon.places)
    return None if term is None else shift_of(term)


def _read_atoms(
    nodes: Iterable[AST],
    is_positive: bool,
    limits: Mapping[str, Time | None],
    vocabulary: TimeVocabulary,
) -> Iterator[ReadAtom]:
    """Yield the atoms in some nodes whose predicates depend on the constant."""
    for node in nodes:
        for atom in syntax.atoms(node):
            key = syntax.signature(atom)
            if key in vocabulary.dynamic:
                time = _time_in(atom, vocabulary)
                yield ReadAtom(key, time, is_positive, _limited(time, limits))


def _has_other_constants(node: AST, vocabulary: TimeVocabulary) -> bool:
    """Return whether a statement uses the constant other than in comparisons with a variable."""

    def drop_comparison(literal: AST) -> AST:
        found = vocabulary.comparisons_of(literal)
        if any(is_name(left) or is_name(right) for (left, _), _, (right, _) in found):
            return _TRUE
        return literal.update(**walker.visit_children(literal))

    walker = Walker(Literal=drop_comparison)
    return syntax.names_term(walker.visit(node), vocabulary.horizon.constant)


# Conditions, with the limits of their own variables.


@dataclass(frozen=True)
class _Condition:
    """The literals of a condition, their comparisons, and the limits of their own variables."""

    literals: Sequence[AST]
    comparisons: Sequence[TimeComparison]
    limits: Mapping[str, Time | None]

    def compared_with(self, constant: str) -> Iterator[tuple[Time | None, Op, Time]]:
        """Yield its comparisons with the constant, by the limits of the times on the left."""
        for left, operator, right in self.comparisons:
            if is_name(right[0]) and not is_name(left[0]):
                left, operator, right = right, MIRRORED[operator], left
            if right[0] == constant and is_name(left[0]):
                yield _limited(left, self.limits), operator, right


def _conditions_of(
    node: AST,
    outer: Sequence[TimeComparison],
    vocabulary: TimeVocabulary,
) -> Iterator[_Condition]:
    """Yield the conditions of a statement; `outer` has the comparisons of its body."""
    outside = set(syntax.global_variables(node.body))
    for literals in (*_conditions_in_body(node), *_conditions_in_head(node)):
        own = [each for literal in literals for each in vocabulary.comparisons_of(literal)]
        names = set(syntax.variable_names(*literals)) - outside
        limits = {name: _limit(name, [*own, *outer], outside) for name in names}
        yield _Condition(literals, own, limits)


def _conditions_in_body(node: AST) -> Iterator[list[AST]]:
    for literal in node.body:
        if literal.ast_type == ASTType.ConditionalLiteral:
            yield [*literal.condition, literal.literal]
        elif literal.ast_type == ASTType.Literal and literal.atom.ast_type in _AGGREGATES:
            for element in literal.atom.elements:
                own = [element.literal] if literal.atom.ast_type == ASTType.Aggregate else []
                yield [*own, *element.condition]


def _conditions_in_head(node: AST) -> Iterator[list[AST]]:
    head = node.head if node.ast_type == ASTType.Rule else FALSE
    if head.ast_type in (ASTType.Aggregate, ASTType.Disjunction):
        for element in head.elements:
            yield list(element.condition)
    elif head.ast_type == ASTType.HeadAggregate:
        for element in head.elements:
            yield list(element.condition.condition)


def _limit(
    name: str,
    comparisons: Iterable[TimeComparison],
    outside: Collection[str],
) -> Time | None:
    """Return the upper bound of a variable of a condition by an outside time or a number."""
    for left, operator, right in comparisons:
        if right[0] == name:
            left, operator, right = right, MIRRORED[operator], left
        is_upper = operator in (Op.LessThan, Op.LessEqual, Op.Equal)
        if left[0] == name and is_upper and (right[0] in outside or not right[0]):
            return right[0], right[1] - left[1] - (operator == Op.LessThan)
    return None


def _limited(time: Time | None, limits: Mapping[str, Time | None]) -> Time | None:
    """Return the upper bound of a time: its own value, unless its variable has a limit."""
    if time is None:
        return None
    name, shift = time
    limit = limits.get(name, (name, 0))
    return None if limit is None else (limit[0], limit[1] + shift)
