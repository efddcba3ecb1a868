"""Copies of rules at given times, without literals about times that always hold there."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf

from asplan.core.dataclass import dataclass
from asplan.program import syntax
from asplan.program.conversion.normal import TimeComparison, TimeVocabulary
from asplan.program.syntax import AST, ASTType, Sign
from asplan.program.syntax.terms import MIRRORED, Op, Substitution, Time

_ELEMENTS = (ASTType.Aggregate, ASTType.Disjunction)

_AS_LESS = {Op.GreaterEqual: Op.LessThan, Op.GreaterThan: Op.LessEqual, Op.NotEqual: Op.Equal}
"""Operators, each with the operator that is its negation."""


@dataclass(frozen=True)
class Extent:
    """The horizons for which a copy of a rule is written.

    Attributes
    ----------
    last
        The value of the constant in the copy: a number, or the step's parameter plus a number.
    parameter
        The name of the step's parameter.
    least
        The first step for which the copy is written; -inf in `base`, which has no step.
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
    """Return a copy of a statement at some times, without superfluous literals.

    Parameters
    ----------
    node
        The statement.
    times
        The times that replace its variables.
    limits
        Literals to add to its body.
    extent
        The horizons for which the copy is written.
    vocabulary
        The names by which the program bounds its times.

    Returns
    -------
    AST or None
        None if a literal about times never holds, or if a choice has nothing left to choose.
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
    """Return the literals that may be false; return None if one of the literals never holds.

    `extent` has the horizons that count.
    """
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
    """Return whether a literal about times holds at all horizons of an extent.

    Return None for other literals, and for literals that hold at some of the horizons only.
    """
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
    """Return whether a comparison holds for all steps of an extent.

    Return None if it holds for some steps only, or if it compares variables other than the step's
    parameter.
    """
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
    """Return a time in which the constant is replaced by its value in the extent."""
    name, shift = time
    return (extent.last[0], extent.last[1] + shift) if name == constant else time


def _difference_holds(
    least: float,
    operator: Op,
    greatest: float,
) -> bool | None:
    """Return whether `d < 0`, `d <= 0` or `d = 0` holds for all d from `least` to `greatest`.

    Return None if it holds for some of them only. `operator` is the comparison operator.
    """
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
