"""Terms that are a name plus a number, as times are, and comparisons of them.

What is computed from such a term is put together: `T-1+2` is `T+1`.
"""

from collections.abc import Iterator, Mapping

from clingo import Function, Number, SymbolType

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

Time = tuple[str, int]  # a variable or a constant, and what is added; a number has no name

OWN = "asplan__horizon"  # the constant that stands for a last time that is a number, or a fact

Op = syntax.ComparisonOperator
Compared = tuple[AST, Op, AST]

_SIGNS = {BinaryOperator.Plus: 1, BinaryOperator.Minus: -1}
_ORDER = (Op.LessThan, Op.LessEqual, Op.Equal, Op.NotEqual, Op.GreaterEqual, Op.GreaterThan)
BELOW, ABOVE = _ORDER[:2], _ORDER[4:]
_LT, _LE, _EQ, _NE, _GE, _GT = _ORDER
MIRRORED = dict(zip(_ORDER, (_GT, _GE, _EQ, _NE, _LE, _LT), strict=True))
"""What a comparison says from the right to the left."""

NEGATED = dict(zip(_ORDER, (_GE, _GT, _NE, _EQ, _LT, _LE), strict=True))
"""What a comparison says if it is denied."""


def is_name(name: str) -> bool:
    """Whether a name is that of a variable."""
    return name[:1].isupper() or name[:1] == "_"


def shift_of(term: AST) -> Time | None:
    """The name and the number that are added in a term; None if it is anything else."""
    if (number := syntax.number_of(term)) is not None:
        return "", number
    if term.ast_type == ASTType.Variable and term.name != "_":
        return term.name, 0
    if term.ast_type == ASTType.SymbolicTerm and term.symbol.type == SymbolType.Function:
        return str(term), 0
    if term.ast_type == ASTType.Function and not term.arguments and not term.external:
        return str(term), 0
    if term.ast_type == ASTType.BinaryOperation and term.operator_type in _SIGNS:
        sign, left, right = _SIGNS[term.operator_type], shift_of(term.left), shift_of(term.right)
        if left and right and not right[0]:
            return left[0], left[1] + sign * right[1]
        if left and right and not left[0] and sign == 1:
            return right[0], left[1] + right[1]
    return None


def distance_to(term: AST, name: str) -> int | None:
    """How far a term is from a parameter, or from a variable; None if that is not told."""
    if str(term) == name:
        return 0
    if term.ast_type != ASTType.BinaryOperation or (found := shift_of(term)) is None:
        return None
    return found[1] if found[0] == name else None


def term_of(at: AST, time: Time) -> AST:
    """A time as a term, where another node stands."""
    (name, shift), place = time, at.location
    if not name:
        return SymbolicTerm(place, Number(shift))
    term = Variable(place, name) if is_name(name) else SymbolicTerm(place, Function(name))
    if not shift:
        return term
    operator = BinaryOperator.Plus if shift > 0 else BinaryOperator.Minus
    return BinaryOperation(place, operator, term, SymbolicTerm(place, Number(abs(shift))))


class Substitution(Walker):
    """Puts times in the place of variables and constants, and adds up what is computed of them."""

    def __init__(self, times: Mapping[str, Time]) -> None:
        self.times = times

    def visit_Variable(self, term: AST) -> AST:
        return term_of(term, self.times[term.name]) if term.name in self.times else term

    def visit_SymbolicTerm(self, term: AST) -> AST:
        return term_of(term, self.times[name]) if (name := str(term)) in self.times else term

    def visit_BinaryOperation(self, term: AST) -> AST:
        changed = self.visit_children(term)
        new: AST = term.update(**changed) if changed else term
        time = shift_of(new)
        return new if not changed or time is None else term_of(term, time)

    def visit_UnaryOperation(self, term: AST) -> AST:
        is_minus = term.operator_type == UnaryOperator.Minus
        return self.visit_BinaryOperation(term) if is_minus else term.update(
            **self.visit_children(term))  # fmt: skip


def comparison(at: AST, left: Time, operator: Op, right: Time) -> AST:
    """A literal that compares two times, where a statement stands."""
    return syntax.compared(at, term_of(at, left), term_of(at, right), operator)


def comparisons(statement: AST) -> Iterator[Compared]:
    """What the comparisons of a statement say of two terms each."""
    for literal in syntax.find(ASTType.Literal, [statement]):
        if literal.atom.ast_type == ASTType.Comparison:
            left = literal.atom.term
            for guard in literal.atom.guards:
                operator = Op(guard.comparison)
                if literal.sign == Sign.NoSign:
                    yield left, operator, guard.term
                elif literal.sign == Sign.Negation and len(literal.atom.guards) == 1:
                    yield left, NEGATED[operator], guard.term
                left = guard.term
