"""Comparisons of the time with a number, `p(t) :- q(t-1), t > 2`, told by a clock.

A step in which the time is compared is not like the others, unless the time is a part of the state.
All of it need not be: what matters is whether so many steps are over. The clock

    late(0,0).  late(0,t) :- late(0,t-1).  late(1,t) :- late(0,t-1).  late(2,t) :- late(1,t-1). …

says that, and stands still once the largest number is passed: `t > 2` is `late(2,t-1)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from clingo.ast import AST, ASTType, ComparisonOperator, Sign

from asplan.program.aliases import distance_of, number_of
from asplan.program.incremental import HELPER, TIMED, Program
from asplan.program.source import parse_text
from asplan.program.unit import Section

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
