"""A clock in the state, for programs that compare the time with numbers.

A step with a comparison as in `p(t) :- q(t-1), t > 2` differs from the others, unless the state
counts the steps. The clock counts them up to the largest number that is compared, and then stops:

    late(0,0).  late(0,t) :- late(0,t-1).  late(1,t) :- late(0,t-1).  late(2,t) :- late(1,t-1). …

The atom `late(2,t)` holds from time 2 on, so `t > 2` is `late(2,t-1)`.
"""

from functools import lru_cache

from asplan.program.incremental import Program
from asplan.program.reading.source import parse_text
from asplan.program.reading.unit import HELPER, Section
from asplan.program.roles.roles import mirrored_comparisons
from asplan.program.syntax import AST, ASTType, number_of
from asplan.program.syntax.terms import Op, distance_to

LATE = HELPER + "late"  # a number and a time: at least that number of steps are over then
LARGEST_NUMBER = 100  # the largest number that the clock counts to

_HALF_LINES = {
    Op.GreaterEqual: ((True, 0),),
    Op.GreaterThan: ((True, 1),),
    Op.LessThan: ((False, 0),),
    Op.LessEqual: ((False, 1),),
    Op.Equal: ((True, 0), (False, 1)),
}
"""The comparisons of the time with a number k as half-lines.

(True, d) means "from k+d on", and (False, d) means "before k+d".
"""


@lru_cache(maxsize=16)
def with_clock(program: Program) -> Program:
    """Return a program that reads a clock in its state instead of comparing the time with numbers.

    Other comparisons stay. If nothing changes, return the program itself.
    """
    ends = set[int]()
    changed = program.with_timed(lambda rule, parameter: _read_clock(rule, parameter, ends))
    if not ends:
        return program
    largest = max(ends) - 1
    if largest < 0:
        return changed
    rules = [f"{LATE}(0,t) :- {LATE}(0,t-1)."]
    rules += [f"{LATE}({k},t) :- {LATE}({k - 1},t-1)." for k in range(1, largest + 1)]
    base = Section.of_text("base", "", f"{LATE}(0,0).")
    step = Section.of_text("step", "t", " ".join(rules))
    return changed.with_sections(base, step)


def _read_clock(
    rule: AST,
    parameter: str,
    ends: set[int],
) -> AST:
    """Replace the comparisons of the time with numbers in a rule by atoms of the clock.

    Add these numbers to the set `ends`.
    """
    if rule.ast_type != ASTType.Rule:
        return rule
    body: list[AST] = []
    is_changed = False
    for literal in rule.body:
        half_lines = _half_lines_of(literal, parameter)
        if half_lines:
            is_changed = True
            ends.update(end for _, end in half_lines)
            body += [_clock_literal(is_from, end, parameter) for is_from, end in half_lines]
        else:
            body.append(literal)
    return rule.update(body=body) if is_changed else rule


def _half_lines_of(literal: AST, parameter: str) -> list[tuple[bool, int]]:
    """Return the half-lines to which a comparison restricts the time.

    A half-line is (True, end) for all times from `end` on, or (False, end) for all times before
    `end`. Return an empty list for literals that do not compare the time with a number up to
    `LARGEST_NUMBER`.
    """
    for side, operator, other in mirrored_comparisons(literal):
        shift = distance_to(side, parameter)
        number = number_of(other)
        if shift is None or number is None or number - shift > LARGEST_NUMBER:
            continue
        bound = number - shift
        if operator == Op.NotEqual:  # no single half-line, unless no time is smaller
            return [(True, bound + 1)] if bound <= 0 else []
        return [(is_from, bound + more) for is_from, more in _HALF_LINES[operator]]
    return []


def _clock_literal(
    is_from: bool,
    end: int,
    parameter: str,
) -> AST:
    """Return the literal for "the time is at least `end`"; its negation if `is_from` is false."""
    if end <= 0:
        text = "#true" if is_from else "#false"
    else:
        sign = "" if is_from else "not "
        text = f"{sign}{LATE}({end - 1},{parameter}-1)"
    literal: AST = parse_text(f":- {text}.")[1].body[0]
    return literal
