"""In which order literals are safe: each variable bound before somebody needs its value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from clingo.ast import AST, ASTType, BinaryOperator, ComparisonOperator, Sign

from asplan.program.syntax import find, global_variables, variable_names

_LINEAR = (BinaryOperator.Plus, BinaryOperator.Minus)


def in_safe_order(
    literals: Iterable[AST], bound: Iterable[str], everywhere: Iterable[str]
) -> list[AST] | None:
    """Some literals of a body, each as early as what it needs is bound, positive atoms first.

    Parameters
    ----------
    bound
        Variables that have values already.
    everywhere
        The variables that the whole body binds: inside of conditions they are not local.

    Returns
    -------
    list of AST or None
        None if some literal cannot be bound.
    """
    shared = set(everywhere)
    left = sorted(literals, key=lambda literal: not _is_positive(literal))
    known, found = set(bound), list[AST]()
    while left:
        literal = next((one for one in left if _needs(one, known, shared) <= known), None)
        if literal is None:
            return None
        left.remove(literal)
        known |= set(global_variables([literal]))
        found.append(literal)
    return found


def _is_positive(literal: AST) -> bool:
    return bool(
        literal.ast_type == ASTType.Literal
        and literal.sign == Sign.NoSign
        and literal.atom.ast_type == ASTType.SymbolicAtom
    )


def _told_by_nothing(atom: AST) -> set[str]:
    """The variables of an atom that clingo cannot tell from its arguments, as in `p(X+Y)`."""
    hidden = [o for o in find(ASTType.BinaryOperation, [atom]) if not _is_linear(o)]
    hidden += find(ASTType.Interval, [atom])
    several = Counter(v.name for v in find(ASTType.Variable, hidden))
    everywhere = Counter(v.name for v in find(ASTType.Variable, [atom]))
    return {name for name, number in several.items() if everywhere[name] <= number}


def _is_linear(operation: AST) -> bool:
    return operation.operator_type in _LINEAR and len(variable_names(operation)) <= 1


def tells_its_variables(term: AST) -> bool:
    """Whether clingo can tell the variables of a term from its value."""
    several = (ASTType.Interval, ASTType.Pool, ASTType.UnaryOperation)
    return not any(find(kind, [term]) for kind in several) and all(
        map(_is_linear, find(ASTType.BinaryOperation, [term]))
    )


def _needs(literal: AST, bound: set[str], shared: set[str]) -> set[str]:
    """The variables that must be bound before a literal can be looked at."""
    if _is_positive(literal):
        return _told_by_nothing(literal)
    names = {v.name for v in find(ASTType.Variable, [literal]) if v.name != "_"} & shared
    if literal.ast_type != ASTType.Literal or literal.sign != Sign.NoSign:
        return names
    atom = literal.atom
    if atom.ast_type in (ASTType.Aggregate, ASTType.BodyAggregate):
        guard = atom.left_guard
        if guard is not None and guard.comparison == ComparisonOperator.Equal:
            return names - set(variable_names(guard))
    if atom.ast_type == ASTType.Comparison and len(atom.guards) == 1:
        guard = atom.guards[0]
        sides = (atom.term, guard.term), (guard.term, atom.term)
        for side, other in sides if guard.comparison == ComparisonOperator.Equal else ():
            known = set(variable_names(other))
            if known <= bound and tells_its_variables(side):
                return known
    return names
