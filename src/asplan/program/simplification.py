"""Copies of rules at some times, without the literals that hold there anyway."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from asplan.program import syntax
from asplan.program.normal import TimeComparison, TimeVocabulary
from asplan.program.syntax import AST, ASTType, Sign
from asplan.program.terms import MIRRORED, Op, Substitution, Time

_ELEMENTS = (ASTType.Aggregate, ASTType.Disjunction)

_AS_LESS = {Op.GreaterEqual: Op.LessThan, Op.GreaterThan: Op.LessEqual, Op.NotEqual: Op.Equal}
"""Comparisons that are the negations of others."""


@dataclass(frozen=True)
class Extent:
    """The horizons for which a copy of a rule is written.

    The constant has the value `last` there. Of the steps, named `parameter`, the copy is for all
    from `least` on.
    """

    last: Time
    parameter: str
    least: float


def simplified(
    node: AST,
    times: Mapping[str, Time],
    limits: Sequence[AST],
    extent: Extent,
    vocabulary: TimeVocabulary,
) -> AST | None:
    """Return a copy of a statement at some `times`, with `limits` added to its body.

    Literals about times alone are left out if they hold. Return None if one never holds, or if
    nothing is left to choose.
    """
    constant = {vocabulary.horizon.constant: extent.last}
    copy: AST = Substitution({**times, **constant}).visit(node)
    body = _without_true(copy.body, extent, vocabulary)
    if body is None:
        return None
    copy = copy.update(body=[*body, *limits])
    if copy.ast_type != ASTType.Rule or copy.head.ast_type not in _ELEMENTS:
        return copy
    head = copy.head
    elements = []
    for element in head.elements:
        condition = _without_true(element.condition, extent, vocabulary)
        if condition is not None:
            elements.append(element.update(condition=condition))
    if elements:
        return copy.update(head=head.update(elements=elements))
    is_free = head.ast_type == ASTType.Aggregate and not (head.left_guard or head.right_guard)
    return None if is_free else copy


def _without_true(
    literals: Iterable[AST],
    extent: Extent,
    vocabulary: TimeVocabulary,
) -> list[AST] | None:
    """Return the literals that do not always hold; None if one never holds."""
    left = []
    for literal in literals:
        holds = _holds(literal, extent, vocabulary)
        if holds is False:
            return None
        if holds is None:
            left.append(literal)
    return left


def _holds(
    literal: AST,
    extent: Extent,
    vocabulary: TimeVocabulary,
) -> bool | None:
    """Return whether a literal about times alone holds; None if that differs between horizons."""
    is_denied = syntax.is_literal(literal, sign=Sign.Negation)
    positive = literal.update(sign=Sign.NoSign) if is_denied else literal
    values = {
        _comparison_holds(each, extent, vocabulary.horizon.constant)
        for each in vocabulary.comparisons_of(positive)
    }
    if False in values:
        return is_denied
    if not values or None in values:
        return None
    return not is_denied


def _comparison_holds(
    comparison: TimeComparison,
    extent: Extent,
    constant: str,
) -> bool | None:
    """Return whether a comparison holds for all steps of an extent; None if for some."""
    left, operator, right = comparison
    left = _value_of(left, extent, constant)
    right = _value_of(right, extent, constant)
    if left[0] != right[0] and right[0] == extent.parameter and not left[0]:
        left, operator, right = right, MIRRORED[operator], left
    least = greatest = float(left[1] - right[1])
    if left[0] != right[0]:
        if left[0] != extent.parameter or right[0]:
            return None
        least += extent.least
        greatest = inf
    if operator in _AS_LESS:
        holds = _difference_holds(least, _AS_LESS[operator], greatest)
        return None if holds is None else not holds
    return _difference_holds(least, operator, greatest)


def _value_of(
    time: Time,
    extent: Extent,
    constant: str,
) -> Time:
    """Return a time with the value of the constant in its place."""
    name, shift = time
    return (extent.last[0], extent.last[1] + shift) if name == constant else time


def _difference_holds(
    least: float,
    operator: Op,
    greatest: float,
) -> bool | None:
    """Return whether `<`, `<=` or `=` holds between all differences of an interval and 0."""
    if operator == Op.Equal:
        is_true = least == greatest == 0
        is_false = least > 0 or greatest < 0
    elif operator == Op.LessThan:
        is_true = greatest < 0
        is_false = least >= 0
    else:
        is_true = greatest <= 0
        is_false = least > 0
    return is_true if is_true or is_false else None
