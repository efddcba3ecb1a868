"""The checks of a program, in the order in which they look at it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

from asplan.core.errors import InputWarning, Location
from asplan.problem import Problem
from asplan.warnings import actions, goals, names, times
from asplan.warnings.clauses import Clauses, clauses_of
from asplan.warnings.shapes import find_strange

_CHECKS: tuple[Callable[[Clauses], Iterator[InputWarning]], ...] = (
    names.find_undefined,
    names.find_unread,
    names.find_unshown,
    names.find_vain,
    goals.find_goals,
    goals.find_initial,
    times.find_in_base,
    times.find_gaps,
    times.find_late,
    times.find_future,
    times.find_misplaced,
    times.find_unchanged,
    actions.find_actions,
    find_strange,
    goals.find_late_goals,
    goals.find_lost_starts,
    goals.find_colons,
    actions.find_hidden,
)

_FRESH = (*_CHECKS[:4], find_strange, goals.find_colons, goals.find_last)
"""Those of a program without parts."""

_NO_FINAL = "no part final says anything, so no goal is demanded"
_FINAL = "write it as `#program final. :- not goal.`, or give the file that has it"
_NOT_TEMPORAL = (times.find_future, goals.find_late_goals)
"""Those that mistake what a temporal program says of times ahead."""


def check_program(problem: Problem, is_wrong: bool = False) -> list[InputWarning]:
    """What the checks find in the program of a problem, in the order of the places."""
    program = problem.written_program
    clauses = clauses_of(program, problem.is_whole and len(problem.files) == 1)
    found: dict[tuple[str, Location | None], InputWarning] = {}
    checks = _CHECKS if program.horizon is None else _FRESH
    if problem.is_temporal:
        off = (*_NOT_TEMPORAL, *([goals.find_goals] if program.theory else []))
        checks = tuple(check for check in checks if check not in off)
    checks = (*checks, names.find_missing) if is_wrong else checks
    values = {*problem.constants, *([program.horizon.constant] if program.horizon else ())}
    named = (names.find_constants(clauses, values), *(check(clauses) for check in checks))
    for warning in chain.from_iterable(named):
        if problem.is_temporal and warning.code == "no-goal":
            warning = replace(warning, text=_NO_FINAL, hint=_FINAL)
        found.setdefault((warning.code, warning.at), warning)
    return sorted(found.values(), key=lambda warning: (warning.at is None, warning.at))
