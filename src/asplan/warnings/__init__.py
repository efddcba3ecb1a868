"""Warnings about a program: what its author most likely did not mean.

A warning never changes an answer, and a correct program gets none. So each check looks for
something that correct programs do not have; what only may be a slip is passed over.

A check is a function from `Clauses` to warnings. It stands in `_CHECKS`, and its codes in
`CATALOGUE`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from asplan.core.errors import Location
from asplan.core.files import is_there
from asplan.core.warning import InputWarning
from asplan.problem import Problem
from asplan.problem.catalog import shipped_as
from asplan.warnings.actions import find_actions, find_hidden
from asplan.warnings.catalogue import CATALOGUE, read_switches
from asplan.warnings.clauses import Clauses, clauses_of
from asplan.warnings.constants import find_constants
from asplan.warnings.goals import find_goals, find_initial, find_last
from asplan.warnings.names import find_missing, find_undefined, find_unread, find_unshown, find_vain
from asplan.warnings.shapes import find_strange
from asplan.warnings.starts import find_colons, find_late_goals, find_lost_starts
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

_COMMENT = re.compile(r"^(?P<code>[^%\n]*)%+\s*asplan:\s*(?P<words>no-[\w, -]+)", re.MULTILINE)


def find_warnings(
    problem: Problem, switches: Iterable[str] = (), is_wrong: bool = False
) -> tuple[InputWarning, ...]:
    """The warnings of a problem, in the order of their places.

    Encodings that ship with asplan are not looked at, nor what PDDL is translated to. `switches`
    are words such as `no-undefined`. Where something `is_wrong` for sure, all predicates count
    that nothing defines, those that an instance may lack as well.

    Raises `UsageError`: there is no such warning to switch off.
    """
    found = list(problem.warnings)
    is_own = problem.path is None or shipped_as(str(problem.path)) is None
    if problem.encoding is not None and problem.plan_files is None and is_own:
        found += check_program(problem, is_wrong)
    return switched_on(found, switches)


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


def switched_on(
    warnings: Iterable[InputWarning], switches: Iterable[str]
) -> tuple[InputWarning, ...]:
    """The warnings that no switch turns off, nor a comment in their line or in one of its own."""
    off, warnings = read_switches(switches), tuple(warnings)
    comments = {
        file: list(_read_comments(file))
        for file in {warning.at.file for warning in warnings if warning.at is not None}
        if is_there(file)
    }

    def is_on(warning: InputWarning) -> bool:
        at = warning.at
        said = comments.get(at.file, ()) if at is not None else ()
        lines = {line for line, codes in said if warning.code in codes}
        return warning.code not in off and lines.isdisjoint({None, at and at.line})

    return tuple(filter(is_on, warnings))


def _read_comments(file: str) -> Iterator[tuple[int | None, frozenset[str]]]:
    """The codes that comments name, each with its line; None where the comment is all of it."""
    text = Path(file).read_text(encoding="utf-8", errors="replace")
    for match in _COMMENT.finditer(text):
        words = re.split(r"[,\s]+", match["words"])
        codes = frozenset(word.removeprefix("no-") for word in words) & set(CATALOGUE)
        line = text.count("\n", 0, match.start("words")) + 1
        yield (line if match["code"].strip() else None), codes


__all__ = ["CATALOGUE", "check_program", "find_warnings", "read_switches", "switched_on"]
