"""How many facts intervals make: clingo does not stop before it has them all."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from clingo import SymbolType
from clingo.ast import AST, ASTType, UnaryOperator

from asplan.errors import InputError
from asplan.program.syntax import arguments, atoms, location

MOST = 100_000_000
"""Facts of one statement. clingo takes 150 bytes for each, and asplan grounds them twice."""


def refuse_amounts(statements: Iterable[AST]) -> None:
    """Raise `InputError` at a fact such as `grid(1..40000,1..40000).`, which is too many facts."""
    for statement in statements:
        if statement.ast_type != ASTType.Rule or statement.body:
            continue
        if statement.head.ast_type != ASTType.Literal:
            continue
        for atom in atoms(statement.head):
            if (count := prod(map(_values, arguments(atom)))) > MOST:
                raise InputError(
                    f"{atom} is {count} facts, and one statement may be {MOST}",
                    at=location(statement),
                    mend="name fewer things, or say by a rule of an encoding what there is",
                )


def _values(term: AST) -> int:
    """How many values an argument has, where it is an interval between two numbers; else 1."""
    if term.ast_type != ASTType.Interval:
        return 1
    ends = [_number(end) for end in (term.left, term.right)]
    if ends[0] is None or ends[1] is None:
        return 1
    return max(0, ends[1] - ends[0] + 1)


def _number(term: AST) -> int | None:
    """The number that a term is, with or without a sign."""
    if term.ast_type == ASTType.UnaryOperation and term.operator_type == UnaryOperator.Minus:
        amount = _number(term.argument)
        return None if amount is None else -amount
    if term.ast_type != ASTType.SymbolicTerm or term.symbol.type != SymbolType.Number:
        return None
    number: int = term.symbol.number
    return number
