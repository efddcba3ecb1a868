"""The time of a rule under names of its own, and compared with numbers, written plainly.

In `p(T) :- q(S), T = t, S = T-1` variables stand for the time: each literal that sets one equal to
the parameter, give or take a number, is left out, and the variable is replaced by what it stands
for. What is computed from it is put together: `T-1+2` becomes `t+1`.

A step in which the time is compared, as in `p(t) :- q(t-1), t > 2`, is not like the others, unless
the time is a part of the state. All of it need not be: what matters is whether so many steps are
over. The clock

    late(0,0).  late(0,t) :- late(0,t-1).  late(1,t) :- late(0,t-1).  late(2,t) :- late(1,t-1). …

says that, and stands still once the largest number is passed: `t > 2` is `late(2,t-1)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from clingo import Number

from asplan.program.incremental import HELPER, Program
from asplan.program.source import parse_text
from asplan.program.syntax import (
    AST,
    ASTType,
    BinaryOperation,
    BinaryOperator,
    ComparisonOperator,
    Sign,
    SymbolicTerm,
    Walker,
    is_now,
    number_of,
    variable_names,
)
from asplan.program.unit import Section

_SIGNS = {BinaryOperator.Plus: 1, BinaryOperator.Minus: -1}


@lru_cache(maxsize=16)
def without_aliases(program: Program) -> Program:
    """The same program with the parameter in the place of each name that a rule gives it."""
    return program.with_timed(_without_aliases)


def _without_aliases(rule: AST, parameter: str) -> AST:
    for place, literal in enumerate(rule.body if rule.ast_type == ASTType.Rule else ()):
        if alias := _alias(literal, parameter):
            body = [*rule.body[:place], *rule.body[place + 1 :]]
            renamed: AST = Renaming(*alias, parameter).visit(rule.update(body=body))
            return _without_aliases(renamed, parameter)  # one may be told by another
    return rule


def _alias(literal: AST, parameter: str) -> tuple[str, AST] | None:
    """The variable that a literal sets equal to a time, and the time."""
    for side, operator, time in _comparisons(literal):
        names, distance = variable_names(side), distance_to(time, parameter)
        less = distance_to(side, names[0]) if len(names) == 1 else None
        equal = operator == _EQ and literal.sign == Sign.NoSign
        if equal and less is not None and distance is not None:
            return names[0], time_of(time, parameter, distance - less)
    return None


_Op = ComparisonOperator
_ORDER = (_Op.LessThan, _Op.LessEqual, _Op.Equal, _Op.NotEqual, _Op.GreaterEqual, _Op.GreaterThan)
_LT, _LE, _EQ, _NE, _GE, _GT = _ORDER
_MIRRORED = dict(zip(_ORDER, (_GT, _GE, _EQ, _NE, _LE, _LT), strict=True))
_DENIED = dict(zip(_ORDER, (_GE, _GT, _NE, _EQ, _LT, _LE), strict=True))


def _comparisons(literal: AST) -> Iterator[tuple[AST, ComparisonOperator, AST]]:
    """What a comparison of two terms says, from the left and from the right."""
    if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.Comparison:
        return
    if literal.sign == Sign.DoubleNegation or len(literal.atom.guards) != 1:
        return
    left, guard = literal.atom.term, literal.atom.guards[0]
    operator = _Op(guard.comparison)
    if literal.sign == Sign.Negation:
        operator = _DENIED[operator]
    yield left, operator, guard.term
    yield guard.term, _MIRRORED[operator], left


class Renaming(Walker):
    """Puts a time in the place of a variable, or of a constant."""

    def __init__(self, name: str, time: AST, parameter: str) -> None:
        self.name, self.time, self.parameter = name, time, parameter

    def visit_Variable(self, variable: AST) -> AST:
        return self.time if variable.name == self.name else variable

    def visit_SymbolicTerm(self, term: AST) -> AST:
        return self.time if str(term) == self.name else term

    def visit_BinaryOperation(self, term: AST) -> AST:
        """The term with the time in it, put together if it is a time as well."""
        new: AST = term.update(**self.visit_children(term))
        distance = distance_to(new, self.parameter)
        return new if distance is None else time_of(new, self.parameter, distance)


def distance_to(term: AST, parameter: str) -> int | None:
    """How far a term is from the parameter, or from a variable; None if that is not told."""
    if is_now(term, parameter):
        return 0
    if term.ast_type != ASTType.BinaryOperation or term.operator_type not in _SIGNS:
        return None
    sign, time, number = _SIGNS[term.operator_type], term.left, number_of(term.right)
    if number is None and sign == 1:  # as in 1+T
        time, number = term.right, number_of(term.left)
    distance = distance_to(time, parameter)
    return None if distance is None or number is None else distance + sign * number


def time_of(term: AST, parameter: str, distance: int) -> AST:
    """The parameter and a number, where a term stands."""
    at, now = term.location, term
    while now.ast_type == ASTType.BinaryOperation:
        now = now.left if distance_to(now.left, parameter) is not None else now.right
    if not distance:
        return now
    operator = BinaryOperator.Plus if distance > 0 else BinaryOperator.Minus
    return BinaryOperation(at, operator, now, SymbolicTerm(at, Number(abs(distance))))


LATE = HELPER + "late"
"""A number and a time: at least so many steps are over then."""

MOST = 100
"""The largest number that the clock counts to."""


@lru_cache(maxsize=16)
def with_clock(program: Program) -> Program:
    """The same program with a clock for all comparisons that one can tell; others stay."""
    clock = _Clock()
    changed = program.with_timed(clock.statement)
    if clock.largest is None:
        return changed if clock.is_read else program
    steps = [f"{LATE}(0,t) :- {LATE}(0,t-1)."]
    steps += (f"{LATE}({k},t) :- {LATE}({k - 1},t-1)." for k in range(1, clock.largest + 1))
    base = Section.of_text("base", "", f"{LATE}(0,0).")
    step = Section.of_text("step", "t", " ".join(steps))
    return replace(program, sections=(*changed.sections, base, step))


@dataclass
class _Clock:
    """Replaces comparisons; `is_read` is that some were, even if they always or never hold."""

    is_read: bool = False
    largest: int | None = None

    def statement(self, rule: AST, parameter: str) -> AST:
        if rule.ast_type != ASTType.Rule:
            return rule
        pairs = [(literal, self._replacement(literal, parameter)) for literal in rule.body]
        if all(new is None for _, new in pairs):
            return rule
        return rule.update(body=[each for old, new in pairs for each in new or [old]])

    def _replacement(self, literal: AST, parameter: str) -> list[AST] | None:
        """What the clock says instead of a literal; None if it is not about the time."""
        for side, operator, other in _comparisons(literal):
            shift, number = distance_to(side, parameter), number_of(other)
            if shift is not None and number is not None and number - shift <= MOST:
                return self._literals(operator, number - shift, parameter)
        return None

    def _literals(
        self, operator: ComparisonOperator, bound: int, parameter: str
    ) -> list[AST] | None:
        """That the time is at least, or less than, some numbers."""
        bounds = {
            _GE: [(True, bound)],
            _GT: [(True, bound + 1)],
            _LT: [(False, bound)],
            _LE: [(False, bound + 1)],
            _EQ: [(True, bound), (False, bound + 1)],
            _NE: [(True, min(bound + 1, 1))] if bound <= 0 else None,
        }[operator]
        if bounds is None:
            return None
        self.is_read, found = True, []
        for is_least, least in bounds:
            if least <= 0:
                text = "#true" if is_least else "#false"
            else:
                self.largest = max(self.largest or 0, least - 1)
                text = f"{'' if is_least else 'not '}{LATE}({least - 1},{parameter}-1)"
            found.append(parse_text(f":- {text}.")[1].body[0])
        return found
