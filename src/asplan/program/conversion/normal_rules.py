"""Rules in normal form, seen by the times of the atoms that they derive and read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from asplan.core.dataclass import dataclass
from asplan.core.errors import Location
from asplan.program import syntax
from asplan.program.conversion.normal import TimeComparison, TimeVocabulary
from asplan.program.model.program import Literal, TemporalRule, Where
from asplan.program.reading.source import parse_text
from asplan.program.syntax import AST, Signature, Walker
from asplan.program.syntax.terms import MIRRORED, Op, Time, is_name, shift_of

ConstantComparison = tuple[str, Op, int]
"""A comparison of a variable with the constant n plus a number. `T <= n-1` is (T, <=, -1)."""

_TRUE: AST = parse_text(":- #true.")[1].body[0]


@dataclass(frozen=True, eq=False)
class ReadAtom:
    """A literal that a rule reads, with its time.

    Attributes
    ----------
    literal
        The literal.
    time
        Its time; None if that is not a name plus a number.
    limit
        An upper bound of the time; None if unknown. The bound is a number, or a variable plus a
        number. This variable occurs in the body outside of conditions.
    """

    literal: Literal
    time: Time | None
    limit: Time | None

    @property
    def key(self) -> Signature:
        """The predicate of the literal."""
        return self.literal.key

    @property
    def is_positive(self) -> bool:
        """True for a literal of the body, not inside an element, without `not`."""
        return self.literal.is_positive


@dataclass(frozen=True, eq=False)
class NormalRule:
    """A rule in normal form: one variable for each time, and times compared explicitly.

    Attributes
    ----------
    source
        The statement as its author wrote it.
    rule
        The rule in normal form.
    vocabulary
        The names by which the program bounds its times.
    """

    source: AST
    rule: TemporalRule
    vocabulary: TimeVocabulary

    @property
    def at(self) -> Location:
        """The location of the author's statement."""
        return syntax.location(self.source)

    @property
    def node(self) -> AST:
        """The syntax tree of the rule in normal form."""
        return self.rule.statement

    @property
    def keys(self) -> frozenset[Signature]:
        """The predicates of the heads."""
        return self.rule.defined

    @property
    def is_open(self) -> bool:
        """True if the rule is a choice or a disjunction."""
        return self.rule.is_choice

    @cached_property
    def heads(self) -> tuple[tuple[Signature, Time | None], ...]:
        """The predicates of the heads, each with its time.

        The time is None if it is not a name plus a number.
        """
        return tuple((head.key, self._time_of(head)) for head in self.rule.heads)

    @cached_property
    def read(self) -> list[ReadAtom]:
        """The atoms that the rule reads. Only predicates that depend on the constant count."""
        found: list[ReadAtom] = []
        for literal in self.rule.reads:
            if literal.key in self.vocabulary.dynamic:
                time = self._time_of(literal)
                limits = self._conditions[literal.scope].limits if literal.scope else {}
                found.append(ReadAtom(literal, time, _limited(time, limits)))
        return found

    @cached_property
    def comparisons(self) -> list[TimeComparison]:
        """The comparisons of two times that follow from literals of the body."""
        return self._comparisons_in(self.node.body)

    @cached_property
    def compared_with_constant(self) -> list[ConstantComparison]:
        """The comparisons of variables with the constant, with the variable on the left."""
        constant = self.vocabulary.horizon.constant
        found: list[ConstantComparison] = []
        for left, operator, right in self.comparisons:
            if left[0] == constant:
                left, operator, right = right, MIRRORED[operator], left
            if right[0] == constant and is_name(left[0]):
                found.append((left[0], operator, right[1] - left[1]))
        return found

    @cached_property
    def inner(self) -> list[tuple[Time | None, Op, Time]]:
        """The comparisons of times with the constant inside conditions.

        Each is (time, operator, constant plus a number). A variable that occurs only in the
        condition is replaced by an upper bound: a number, or a variable of the rule plus a number.
        If there is no such bound, the time is None.
        """
        constant = self.vocabulary.horizon.constant
        found: list[tuple[Time | None, Op, Time]] = []
        for condition in self._conditions.values():
            found += condition.compared_with(constant)
        return found

    @cached_property
    def has_other_constants(self) -> bool:
        """True if the constant is used elsewhere than in a comparison with a time."""
        return _has_other_constants(self.node, self.vocabulary)

    def _time_of(self, literal: Literal) -> Time | None:
        place = self.vocabulary.horizon.places.get(literal.key)
        return None if place is None else shift_of(literal.terms[place])

    def _comparisons_in(self, nodes: Iterable[AST]) -> list[TimeComparison]:
        found: list[TimeComparison] = []
        for node in nodes:
            found += self.vocabulary.comparisons_of(node)
        return found

    @cached_property
    def _conditions(self) -> dict[int, _Condition]:
        """The conditions of the rule's elements, by the number of the element (its scope)."""
        nodes: dict[int, list[AST]] = {}
        for member in self.rule.members:
            if member.scope and member.where is not Where.HEAD:
                nodes.setdefault(member.scope, []).append(member.node)
        outside = set(syntax.global_variables(self.node.body))
        conditions: dict[int, _Condition] = {}
        for scope, literals in nodes.items():
            own = self._comparisons_in(literals)
            names = set(syntax.variable_names(*literals)) - outside
            compared = [*own, *self.comparisons]
            limits = {name: _limit(name, compared, outside) for name in names}
            conditions[scope] = _Condition(own, limits)
        return conditions


def _has_other_constants(node: AST, vocabulary: TimeVocabulary) -> bool:
    """Return whether a rule uses the horizon's constant outside of comparisons with variables."""

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
    """The conditions of one element of a rule.

    `comparisons` are the comparisons of two times in the conditions. `limits` maps each variable
    that occurs only in the conditions to its upper bound, or to None if it has none. The bound is a
    number, or a variable outside of the conditions plus a number.
    """

    comparisons: Sequence[TimeComparison]
    limits: Mapping[str, Time | None]

    def compared_with(self, constant: str) -> Iterator[tuple[Time | None, Op, Time]]:
        """Yield the comparisons of variables with `constant`, with the constant on the right side.

        A variable that occurs only in the condition is replaced by its upper bound. If it has no
        upper bound, the left side is None.
        """
        for left, operator, right in self.comparisons:
            if is_name(right[0]) and not is_name(left[0]):
                left, operator, right = right, MIRRORED[operator], left
            if right[0] == constant and is_name(left[0]):
                yield _limited(left, self.limits), operator, right


def _limit(
    name: str,
    comparisons: Iterable[TimeComparison],
    outside: Collection[str],
) -> Time | None:
    """Return an upper bound of `name`: a number, or a variable in `outside` plus a number.

    Return None if the comparisons give none.
    """
    for left, operator, right in comparisons:
        if right[0] == name:
            left, operator, right = right, MIRRORED[operator], left
        is_upper = operator in (Op.LessThan, Op.LessEqual, Op.Equal)
        if left[0] == name and is_upper and (right[0] in outside or not right[0]):
            return right[0], right[1] - left[1] - (operator == Op.LessThan)
    return None


def _limited(time: Time | None, limits: Mapping[str, Time | None]) -> Time | None:
    """Return a time with its variable replaced by the upper bound of the variable in `limits`.

    A variable that is not in `limits` stays. Return None if `time` is None or its variable has no
    upper bound.
    """
    if time is None:
        return None
    name, shift = time
    limit = limits.get(name, (name, 0))
    return None if limit is None else (limit[0], limit[1] + shift)
