"""Warnings about a program: what its author most likely did not mean.

A warning never changes an answer, and a correct program gets none. So each check looks for
something that correct programs do not have; what only may be a slip is passed over.

A check is a function from `Clauses` to warnings. It stands in `_CHECKS` of `checks`, and its codes
in `CATALOGUE`.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from asplan.core.errors import InputWarning
from asplan.core.files import is_there
from asplan.problem import Problem
from asplan.problem.catalog import shipped_as
from asplan.warnings.catalogue import CATALOGUE, read_switches

_COMMENT = re.compile(r"^(?P<code>[^%\n]*)%+\s*asplan:\s*(?P<words>no-[\w, -]+)", re.MULTILINE)


def find_warnings(
    problem: Problem, switches: Iterable[str] = (), is_wrong: bool = False
) -> tuple[InputWarning, ...]:
    """The warnings of a problem, in the order of their places; `switches` are as `no-undefined`.

    Encodings that ship with asplan are not looked at, nor what PDDL is translated to. Where
    something `is_wrong` for sure, all predicates count that nothing defines, not just those of
    slips.
    """
    found = list(problem.warnings)
    is_own = problem.path is None or shipped_as(str(problem.path)) is None
    if problem.encoding is not None and problem.plan_files is None and is_own:
        from asplan.warnings.checks import check_program

        found += check_program(problem, is_wrong)
    return switched_on(found, switches)


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


__all__ = ["CATALOGUE", "find_warnings", "read_switches", "switched_on"]
