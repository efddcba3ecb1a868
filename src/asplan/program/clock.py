"""The time of a rule under names of its own, and compared with numbers, written plainly.

In `p(T) :- q(S), T = t, S = T-1` the literals that set variables equal to a time are left out, and
the variables replaced by what they stand for.

A step in which the time is compared, as in `p(t) :- q(t-1), t > 2`, is not like the others, unless
the time is a part of the state. What matters of it is whether so many steps are over: the clock

    late(0,0).  late(0,t) :- late(0,t-1).  late(1,t) :- late(0,t-1).  late(2,t) :- late(1,t-1). …

says that, and stands still once the largest number is passed: `t > 2` is `late(2,t-1)`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from asplan.program.incremental import HELPER, Program
from asplan.program.source import parse_text
from asplan.program.syntax import AST, ASTType, Sign, number_of, variable_names
from asplan.program.terms import MIRRORED, Compared, Op, Putting, Time, comparisons, distance_to
from asplan.program.unit import Section


@lru_cache(maxsize=16)
def without_aliases(program: Program) -> Program:
    """The same program with the parameter in the place of each name that a rule gives it."""
    return program.with_timed(_without_aliases)


def _without_aliases(rule: AST, parameter: str) -> AST:
    for place, literal in enumerate(rule.body if rule.ast_type == ASTType.Rule else ()):
        if alias := _alias(literal, parameter):
            body = [*rule.body[:place], *rule.body[place + 1 :]]
            renamed: AST = Putting(alias).visit(rule.update(body=body))
            return _without_aliases(renamed, parameter)  # one may be told by another
    return rule


def _alias(literal: AST, parameter: str) -> dict[str, Time]:
    """The variable that a literal sets equal to a time, and the time."""
    for side, operator, time in _sides(literal):
        names, distance = variable_names(side), distance_to(time, parameter)
        less = distance_to(side, names[0]) if len(names) == 1 else None
        equal = operator == Op.Equal and literal.sign == Sign.NoSign
        if equal and less is not None and distance is not None:
            return {names[0]: (parameter, distance - less)}
    return {}


def _sides(literal: AST) -> Iterator[Compared]:
    """What a comparison of two terms says, from the left and from the right."""
    if literal.ast_type == ASTType.Literal and literal.atom.ast_type == ASTType.Comparison:
        for left, operator, right in comparisons(literal) if len(literal.atom.guards) == 1 else ():
            yield left, operator, right
            yield right, MIRRORED[operator], left


LATE = HELPER + "late"  # a number and a time: at least so many steps are over then
MOST = 100  # the largest number that the clock counts to


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
    return changed.with_sections(base, step)


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
        for side, operator, other in _sides(literal):
            shift, number = distance_to(side, parameter), number_of(other)
            if shift is not None and number is not None and number - shift <= MOST:
                return self._literals(operator, number - shift, parameter)
        return None

    def _literals(self, operator: Op, bound: int, parameter: str) -> list[AST] | None:
        """That the time is at least, or less than, some numbers."""
        bounds = {
            Op.GreaterEqual: [(True, bound)],
            Op.GreaterThan: [(True, bound + 1)],
            Op.LessThan: [(False, bound)],
            Op.LessEqual: [(False, bound + 1)],
            Op.Equal: [(True, bound), (False, bound + 1)],
            Op.NotEqual: [(True, min(bound + 1, 1))] if bound <= 0 else None,
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
