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

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from clingo import Number

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
    Walker,
    is_literal,
    is_now,
    number_of,
    variable_names,
)
from asplan.program.unit import Section

_SIGNS = {BinaryOperator.Plus: 1, BinaryOperator.Minus: -1}


def _with_rules(program: Program, change: Callable[[AST, str], AST]) -> Program:
    """The program with the rules of its timed parts changed, given each rule and its parameter."""

    def changed(section: Section) -> Section:
        if section.part not in TIMED:
            return section
        statements = tuple(
            change(s, section.parameter) if s.ast_type == ASTType.Rule else s
            for s in section.statements
        )
        return replace(section, statements=statements)

    return replace(program, sections=tuple(map(changed, program.sections)))


@lru_cache(maxsize=16)
def without_aliases(program: Program) -> Program:
    """The same program with the parameter in the place of each name that a rule gives it."""
    return _with_rules(program, _without_aliases)


def _without_aliases(rule: AST, parameter: str) -> AST:
    for place, literal in enumerate(rule.body):
        if alias := _alias(literal, parameter):
            body = [*rule.body[:place], *rule.body[place + 1 :]]
            renamed: AST = _Renaming(*alias, parameter).visit(rule.update(body=body))
            return _without_aliases(renamed, parameter)  # one may be told by another
    return rule


def _alias(literal: AST, parameter: str) -> tuple[str, AST] | None:
    """The variable that a literal sets equal to a time, and the time."""
    if not is_literal(literal, ASTType.Comparison) or len(literal.atom.guards) != 1:
        return None
    left, guard = literal.atom.term, literal.atom.guards[0]
    if guard.comparison != ComparisonOperator.Equal:
        return None
    for side, time in ((left, guard.term), (guard.term, left)):
        names, distance = variable_names(side), _distance(time, parameter)
        less = _distance(side, names[0]) if len(names) == 1 else None
        if less is not None and distance is not None:
            return names[0], _time(time, parameter, distance - less)
    return None


class _Renaming(Walker):
    """Puts a time in the place of a variable."""

    def __init__(self, name: str, time: AST, parameter: str) -> None:
        self.name, self.time, self.parameter = name, time, parameter

    def visit_Variable(self, variable: AST) -> AST:
        return self.time if variable.name == self.name else variable

    def visit_BinaryOperation(self, term: AST) -> AST:
        """The term with the time in it, put together if it is a time as well."""
        new: AST = term.update(**self.visit_children(term))
        distance = _distance(new, self.parameter)
        return new if distance is None else _time(new, self.parameter, distance)


def _distance(term: AST, parameter: str) -> int | None:
    """How far a term is from the parameter, or from a variable; None if that is not told."""
    if is_now(term, parameter):
        return 0
    if term.ast_type != ASTType.BinaryOperation or term.operator_type not in _SIGNS:
        return None
    sign, time, number = _SIGNS[term.operator_type], term.left, number_of(term.right)
    if number is None and sign == 1:  # as in 1+T
        time, number = term.right, number_of(term.left)
    distance = _distance(time, parameter)
    return None if distance is None or number is None else distance + sign * number


def _time(term: AST, parameter: str, distance: int) -> AST:
    """The parameter and a number, where a term stands."""
    at, now = term.location, term
    while now.ast_type == ASTType.BinaryOperation:
        now = now.left if _distance(now.left, parameter) is not None else now.right
    if not distance:
        return now
    operator = BinaryOperator.Plus if distance > 0 else BinaryOperator.Minus
    return BinaryOperation(at, operator, now, SymbolicTerm(at, Number(abs(distance))))


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
    changed = _with_rules(program, clock.rule)
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

    def rule(self, rule: AST, parameter: str) -> AST:
        replaced = [self._told(literal, parameter) for literal in rule.body]
        if all(told is None for told in replaced):
            return rule
        pairs = zip(rule.body, replaced, strict=True)
        return rule.update(body=[each for lit, told in pairs for each in told or [lit]])

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
    left, guard = literal.atom.term, literal.atom.guards[0]
    operator = _Op(guard.comparison)
    for side, other, seen in (
        (left, guard.term, operator),
        (guard.term, left, _MIRRORED[operator]),
    ):
        shift, bound = _distance(side, parameter), number_of(other)
        if shift is not None and bound is not None:
            return (_DENIED[seen] if literal.sign == Sign.Negation else seen), bound - shift
    return None
