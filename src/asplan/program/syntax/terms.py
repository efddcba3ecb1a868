"""Terms of the form name plus number, such as times, and comparisons of them.

A substitution adds numbers up: `T-1+2` becomes `T+1`.
"""

from collections.abc import Iterator, Mapping

from asplan.clingo import Function, Number, SymbolType
from asplan.program import syntax
from asplan.program.syntax import (
    AST,
    ASTType,
    BinaryOperation,
    BinaryOperator,
    Sign,
    SymbolicTerm,
    UnaryOperator,
    Variable,
    Walker,
)

Time = tuple[str, int]
"""A time: a variable or constant, and the number added to it. A plain number has the name ""."""

OWN = "asplan__horizon"
"""The constant that asplan puts in place of a last time given as a number or by a fact."""

Op = syntax.ComparisonOperator

Compared = tuple[AST, Op, AST]
"""A comparison: left term, operator, right term."""

_SIGNS = {BinaryOperator.Plus: 1, BinaryOperator.Minus: -1}

BELOW = (Op.LessThan, Op.LessEqual)
ABOVE = (Op.GreaterEqual, Op.GreaterThan)

MIRRORED = {
    Op.LessThan: Op.GreaterThan,
    Op.LessEqual: Op.GreaterEqual,
    Op.Equal: Op.Equal,
    Op.NotEqual: Op.NotEqual,
    Op.GreaterEqual: Op.LessEqual,
    Op.GreaterThan: Op.LessThan,
}
"""Maps an operator to that of the same comparison with exchanged sides: `a < b` is `b > a`."""

NEGATED = {
    Op.LessThan: Op.GreaterEqual,
    Op.LessEqual: Op.GreaterThan,
    Op.Equal: Op.NotEqual,
    Op.NotEqual: Op.Equal,
    Op.GreaterEqual: Op.LessThan,
    Op.GreaterThan: Op.LessEqual,
}
"""Maps an operator to its negation: `not a < b` is `a >= b`."""


def is_name(name: str) -> bool:
    """Return whether a name in a term is a variable's: it begins with a capital or `_`."""
    return name[:1].isupper() or name[:1] == "_"


def shift_of(term: AST) -> Time | None:
    """Return a term as a name plus a number; None for a term of another form.

    T+1 gives ("T", 1), and 3 gives ("", 3).
    """
    number = syntax.number_of(term)
    if number is not None:
        return "", number
    if term.ast_type == ASTType.BinaryOperation:
        return _sum_of(term)
    if _is_symbol(term):
        return str(term), 0
    return None


def _is_symbol(term: AST) -> bool:
    """Return whether a term is a variable with a name, or a constant."""
    match term.ast_type:
        case ASTType.Variable:
            return bool(term.name != "_")
        case ASTType.SymbolicTerm:
            return bool(term.symbol.type == SymbolType.Function)
        case ASTType.Function:
            return not term.arguments and not term.external
    return False


def _sum_of(operation: AST) -> Time | None:
    """Return a sum or a difference as a name plus a number; None if it has another form."""
    sign = _SIGNS.get(operation.operator_type)
    if sign is None:
        return None
    left = shift_of(operation.left)
    right = shift_of(operation.right)
    if left is None or right is None:
        return None
    if not right[0]:
        return left[0], left[1] + sign * right[1]
    if not left[0] and sign == 1:
        return right[0], left[1] + right[1]
    return None


def distance_to(term: AST, name: str) -> int | None:
    """Return k if a term is `name`+k; None if it has another form."""
    if str(term) == name:
        return 0
    if term.ast_type != ASTType.BinaryOperation:
        return None
    shift = shift_of(term)
    return shift[1] if shift is not None and shift[0] == name else None


def term_of(at: AST, time: Time) -> AST:
    """Return a time as a term, such as T+1 for ("T", 1), with the location of the node `at`."""
    name, shift = time
    place = at.location
    if not name:
        return SymbolicTerm(place, Number(shift))
    term = Variable(place, name) if is_name(name) else SymbolicTerm(place, Function(name))
    if not shift:
        return term
    operator = BinaryOperator.Plus if shift > 0 else BinaryOperator.Minus
    return BinaryOperation(place, operator, term, SymbolicTerm(place, Number(abs(shift))))


class Substitution(Walker):
    """Replaces variables and constants by times, and adds up numbers: `T-1+2` becomes `T+1`."""

    def __init__(self, times: Mapping[str, Time]) -> None:
        self.times = times

    def visit_Variable(self, term: AST) -> AST:
        """Return the time that replaces a variable, else the variable itself."""
        time = self.times.get(term.name)
        return term if time is None else term_of(term, time)

    def visit_SymbolicTerm(self, term: AST) -> AST:
        """Return the time that replaces a constant such as `n` or `t`, else the constant itself."""
        time = self.times.get(str(term))
        return term if time is None else term_of(term, time)

    def visit_BinaryOperation(self, term: AST) -> AST:
        """Replace the names in an operation, and add up a sum with numbers."""
        changed = self.visit_children(term)
        if not changed:
            return term
        new: AST = term.update(**changed)
        time = shift_of(new)
        return new if time is None else term_of(term, time)

    def visit_UnaryOperation(self, term: AST) -> AST:
        """Replace the names in an operation; turn `-k` with a number k into one number."""
        if term.operator_type == UnaryOperator.Minus:
            return self.visit_BinaryOperation(term)
        return term.update(**self.visit_children(term))


def comparison(at: AST, left: Time, operator: Op, right: Time) -> AST:
    """Return a literal that compares two times, with the location of the node `at`."""
    return syntax.compared(at, term_of(at, left), term_of(at, right), operator)


def comparisons(statement: AST) -> Iterator[Compared]:
    """Yield the comparisons of two terms in a statement.

    A chain `1 <= T < n` gives two. A negated comparison gives the opposite operator; a negated
    chain, which is a disjunction, gives nothing.
    """
    for literal in syntax.find(ASTType.Literal, [statement]):
        if literal.atom.ast_type == ASTType.Comparison:
            yield from _links_of(literal)


def _links_of(literal: AST) -> Iterator[Compared]:
    guards = literal.atom.guards
    is_negated = literal.sign == Sign.Negation
    if literal.sign != Sign.NoSign and not (is_negated and len(guards) == 1):
        return
    left = literal.atom.term
    for guard in guards:
        operator = Op(guard.comparison)
        yield left, NEGATED[operator] if is_negated else operator, guard.term
        left = guard.term
