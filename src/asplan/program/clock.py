"""Rules that give the time a name of their own, `p(T) :- q(S), T = t, S = T-1`, without it.

The name is a variable that a literal of the body sets equal to the parameter of the part, give or
take a number. It is replaced by what it stands for, everywhere in the rule, and the
literal is left out; what is computed from it is put together: `T-1+2` becomes `t+1`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import add, mul, sub

from clingo import Number, SymbolType

from asplan.program.incremental import HELPER, TIMED, Program
from asplan.program.source import parse_text
from asplan.program.syntax import (
    AST,
    ASTType,
    BinaryOperation,
    BinaryOperator,
    ComparisonOperator,
    Sign,
    SymbolicTerm,
    UnaryOperator,
    Walker,
    is_now,
    variable_names,
)
from asplan.program.unit import Section
from asplan.text import LARGEST

_SIGNS = {BinaryOperator.Plus: 1, BinaryOperator.Minus: -1}
_COMPUTED = {
    BinaryOperator.Plus: add,
    BinaryOperator.Minus: sub,
    BinaryOperator.Multiplication: mul,
}


@lru_cache(maxsize=16)
def without_aliases(program: Program) -> Program:
    """The same program with the parameter in the place of each name that a rule gives it."""
    return replace(program, sections=tuple(_section(section) for section in program.sections))


def _section(section: Section) -> Section:
    if section.part not in TIMED:
        return section
    statements = tuple(_statement(s, section.parameter) for s in section.statements)
    return replace(section, statements=statements)


def _statement(statement: AST, parameter: str) -> AST:
    """The statement without names for the time; one may be told by another."""
    while statement.ast_type == ASTType.Rule:
        aliases = [_alias(literal, parameter) for literal in statement.body]
        place, alias = next(((i, a) for i, a in enumerate(aliases) if a is not None), (0, None))
        if alias is None:
            break
        body = [*statement.body[:place], *statement.body[place + 1 :]]
        statement = _Renaming(*alias, parameter).visit(statement.update(body=body))
    return statement


def _alias(literal: AST, parameter: str) -> tuple[str, AST] | None:
    """The variable that a literal sets equal to a time, and the time."""
    if literal.ast_type != ASTType.Literal or literal.sign != Sign.NoSign:
        return None
    atom = literal.atom
    if atom.ast_type != ASTType.Comparison or len(atom.guards) != 1:
        return None
    guard = atom.guards[0]
    if guard.comparison != ComparisonOperator.Equal:
        return None
    for side, time in ((atom.term, guard.term), (guard.term, atom.term)):
        names, distance = variable_names(side), distance_of(time, parameter)
        less = distance_of(side, names[0]) if len(names) == 1 else None
        if less is not None and distance is not None:
            return names[0], _time(time, parameter, distance - less)
    return None


class _Renaming(Walker):
    """Puts a time in the place of a variable."""

    def __init__(self, name: str, time: AST, parameter: str) -> None:
        self.name, self.time, self.parameter = name, time, parameter

    def visit_Variable(self, variable: AST) -> AST:
        """The time, if it is the variable's."""
        return self.time if variable.name == self.name else variable

    def visit_BinaryOperation(self, term: AST) -> AST:
        """The term with the time in it, put together if it is a time as well."""
        new: AST = term.update(**self.visit_children(term))
        distance = distance_of(new, self.parameter)
        return new if distance is None else _time(new, self.parameter, distance)


def distance_of(term: AST, parameter: str) -> int | None:
    """How far a term is from the parameter, or from a variable; None if that is not told."""
    if is_now(term, parameter):
        return 0
    if term.ast_type != ASTType.BinaryOperation or term.operator_type not in _SIGNS:
        return None
    sign, time, number = _SIGNS[term.operator_type], term.left, number_of(term.right)
    if number is None and sign == 1:  # as in 1+T
        time, number = term.right, number_of(term.left)
    distance = distance_of(time, parameter)
    return None if distance is None or number is None else distance + sign * number


def number_of(term: AST) -> int | None:
    """The number that a term is, if it is one as it stands; `-1` and `2*3` are.

    It is computed here, for clingo's own reader of terms dies of a remainder by 0.
    """
    if term.ast_type == ASTType.UnaryOperation and term.operator_type == UnaryOperator.Minus:
        return _small(0, term.argument, sub)
    if term.ast_type == ASTType.BinaryOperation and term.operator_type in _COMPUTED:
        left = number_of(term.left)
        return None if left is None else _small(left, term.right, _COMPUTED[term.operator_type])
    if term.ast_type != ASTType.SymbolicTerm or term.symbol.type != SymbolType.Number:
        return None
    return int(term.symbol.number)


def _small(left: int, term: AST, compute: Callable[[int, int], int]) -> int | None:
    """What is computed from a number and a term; None where it is beyond clingo's numbers."""
    right = number_of(term)
    found = None if right is None else compute(left, right)
    return found if found is not None and abs(found) <= LARGEST else None


def _time(term: AST, parameter: str, distance: int) -> AST:
    """The parameter and a number, where a term stands."""
    at = term.location
    now = term
    while now.ast_type == ASTType.BinaryOperation:
        now = now.left if distance_of(now.left, parameter) is not None else now.right
    if not distance:
        return now
    operator = BinaryOperator.Plus if distance > 0 else BinaryOperator.Minus
    return BinaryOperation(at, operator, now, SymbolicTerm(at, Number(abs(distance))))


# Comparisons of the time with a number, `p(t) :- q(t-1), t > 2`, told by a clock.
#
# A step in which the time is compared is not like the others, unless the time is a part of the state.
# All of it need not be: what matters is whether so many steps are over. The clock
#
#     late(0,0).  late(0,t) :- late(0,t-1).  late(1,t) :- late(0,t-1).  late(2,t) :- late(1,t-1). …
#
# says that, and stands still once the largest number is passed: `t > 2` is `late(2,t-1)`.


LATE = HELPER + "late"
"""A number and a time: at least so many steps are over then."""

MOST = 100
"""The largest number that the clock counts to."""

_Op = ComparisonOperator
_MIRRORED = {
    _Op.LessThan: _Op.GreaterThan,
    _Op.GreaterThan: _Op.LessThan,
    _Op.LessEqual: _Op.GreaterEqual,
    _Op.GreaterEqual: _Op.LessEqual,
    _Op.Equal: _Op.Equal,
    _Op.NotEqual: _Op.NotEqual,
}
_DENIED = {
    _Op.LessThan: _Op.GreaterEqual,
    _Op.GreaterThan: _Op.LessEqual,
    _Op.LessEqual: _Op.GreaterThan,
    _Op.GreaterEqual: _Op.LessThan,
    _Op.Equal: _Op.NotEqual,
    _Op.NotEqual: _Op.Equal,
}


@lru_cache(maxsize=16)
def with_clock(program: Program) -> Program:
    """The same program with a clock for all comparisons that one can tell; others stay."""
    clock = _Clock()
    sections = tuple(clock.section(section) for section in program.sections)
    if clock.largest is None:
        return replace(program, sections=sections) if clock.is_read else program
    steps = [f"{LATE}(0,t) :- {LATE}(0,t-1)."]
    steps += (f"{LATE}({k},t) :- {LATE}({k - 1},t-1)." for k in range(1, clock.largest + 1))
    base = Section("base", "", parse_text(f"{LATE}(0,0).")[1:])
    step = Section("step", "t", parse_text(" ".join(steps))[1:])
    return replace(program, sections=(*sections, base, step))


@dataclass
class _Clock:
    """Replaces comparisons.

    Attributes
    ----------
    is_read
        Whether some were; which always hold, or never, need no clock.
    largest
        The largest number that was asked for.
    """

    is_read: bool = False
    largest: int | None = None

    def section(self, section: Section) -> Section:
        """A part with its comparisons replaced."""
        if section.part not in TIMED:
            return section
        statements = tuple(self._statement(s, section.parameter) for s in section.statements)
        return replace(section, statements=statements)

    def _statement(self, statement: AST, parameter: str) -> AST:
        if statement.ast_type != ASTType.Rule:
            return statement
        body, changed = list[AST](), False
        for literal in statement.body:
            told = self._told(literal, parameter)
            changed |= told is not None
            body += [literal] if told is None else told
        return statement.update(body=body) if changed else statement

    def _told(self, literal: AST, parameter: str) -> list[AST] | None:
        """What the clock says instead of a literal; None if it is not about the time."""
        found = _compared(literal, parameter)
        if found is None or found[1] > MOST:
            return None
        operator, bound = found
        bounds = {
            _Op.GreaterEqual: [(True, bound)],
            _Op.GreaterThan: [(True, bound + 1)],
            _Op.LessThan: [(False, bound)],
            _Op.LessEqual: [(False, bound + 1)],
            _Op.Equal: [(True, bound), (False, bound + 1)],
            _Op.NotEqual: [(True, min(bound + 1, 1))] if bound <= 0 else None,
        }[operator]
        return None if bounds is None else list(self._literals(bounds, parameter))

    def _literals(self, bounds: list[tuple[bool, int]], parameter: str) -> Iterator[AST]:
        """That the time is at least, or less than, some numbers."""
        self.is_read = True
        for is_least, bound in bounds:
            if bound <= 0:
                text = "#true" if is_least else "#false"
            else:
                self.largest = max(self.largest or 0, bound - 1)
                text = f"{'' if is_least else 'not '}{LATE}({bound - 1},{parameter}-1)"
            yield parse_text(f":- {text}.")[1].body[0]


def _compared(literal: AST, parameter: str) -> tuple[ComparisonOperator, int] | None:
    """How a literal compares the time with a number, if it does."""
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.Comparison:
        return None
    if literal.sign == Sign.DoubleNegation or len(literal.atom.guards) != 1:
        return None
    guard = literal.atom.guards[0]
    operator = ComparisonOperator(guard.comparison)
    for side, other, way in (
        (literal.atom.term, guard.term, operator),
        (guard.term, literal.atom.term, _MIRRORED[operator]),
    ):
        shift, bound = distance_of(side, parameter), number_of(other)
        if shift is not None and bound is not None:
            return (_DENIED[way] if literal.sign == Sign.Negation else way), bound - shift
    return None
