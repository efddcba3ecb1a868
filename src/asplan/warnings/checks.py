"""The checks of a program, in the order in which they look at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

from asplan.core.errors import InputWarning, Location
from asplan.problem import Problem
from asplan.warnings.actions import find_actions, find_hidden
from asplan.warnings.clauses import Clauses, clauses_of
from asplan.warnings.goals import (
    find_colons,
    find_goals,
    find_initial,
    find_last,
    find_late_goals,
    find_lost_starts,
)
from asplan.warnings.names import (
    find_constants,
    find_missing,
    find_undefined,
    find_unread,
    find_unshown,
    find_vain,
)
from asplan.warnings.shapes import find_strange
from asplan.warnings.times import (
    find_future,
    find_gaps,
    find_in_base,
    find_late,
    find_misplaced,
    find_unchanged,
)

_CHECKS: tuple[Callable[[Clauses], Iterator[InputWarning]], ...] = (
    find_undefined,
    find_unread,
    find_unshown,
    find_vain,
    find_goals,
    find_initial,
    find_in_base,
    find_gaps,
    find_late,
    find_future,
    find_misplaced,
    find_unchanged,
    find_actions,
    find_strange,
    find_late_goals,
    find_lost_starts,
    find_colons,
    find_hidden,
)

_FRESH = (
    find_undefined,
    find_unread,
    find_unshown,
    find_vain,
    find_strange,
    find_colons,
    find_last,
)
"""Those of a program without parts."""

_NO_FINAL = "no part final says anything, so no goal is demanded"
_FINAL = "write it as `#program final. :- not goal.`, or give the file that has it"
_NOT_TEMPORAL = (find_future, find_late_goals)
"""Those that mistake what a temporal program says of times ahead."""


def check_program(problem: Problem, is_wrong: bool = False) -> list[InputWarning]:
    """What the checks find in the program of a problem, in the order of the places."""
    program = problem.written_program
    clauses = clauses_of(program, problem.is_whole and len(problem.files) == 1)
    found: dict[tuple[str, Location | None], InputWarning] = {}
    checks = _CHECKS if program.horizon is None else _FRESH
    if problem.is_temporal:
        off = (*_NOT_TEMPORAL, *([find_goals] if program.theory else []))
        checks = tuple(check for check in checks if check not in off)
    checks = (*checks, find_missing) if is_wrong else checks
    horizon = program.horizon
    values = {*problem.constants, *([horizon.constant] if horizon else ())}
    named = (find_constants(clauses, values), *(check(clauses) for check in checks))
    for warning in chain.from_iterable(named):
        if problem.is_temporal and warning.code == "no-goal":
            warning = replace(warning, text=_NO_FINAL, hint=_FINAL)
        found.setdefault((warning.code, warning.at), warning)
    return sorted(found.values(), key=lambda warning: (warning.at is None, warning.at))
