"""Warnings: the most likely mistakes in a program, and the switches that turn warnings off.

A warning never changes an answer, and a correct program gets none. So each check looks for
something that correct programs do not have, and ignores everything that may be intended.

A check is a function from the `index` of a program to warnings. `checks` lists them in order, and
`catalogue` lists their codes. `names`, `constants` and `arguments` look for misspellings; `goals`,
`starts`, `actions`, `effects`, `inertia`, `fluents` and `times` for flaws of the planning problem;
`inputs` for a missing instance; `rules` for rules without effect; `endless` for grounding without
end; `shapes` finds the kinds of terms in arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from asplan.catalog import shipped_as
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, InputWarning, Location, UsageError, nearest
from asplan.core.files import is_there, read_text
from asplan.problem import Problem


def find_warnings(
    problem: Problem,
    switches: Iterable[str] = (),
    is_wrong: bool = False,
) -> tuple[InputWarning, ...]:
    """Return the warnings of a problem, in the order of their locations.

    Encodings that ship with asplan are not checked, nor translations of PDDL. `switches` are words
    such as `no-undefined`. If the program is known to be wrong (`is_wrong`), every undefined
    predicate gets a warning, not just likely misspellings.
    """
    warnings = list(problem.warnings)
    is_own = problem.path is None or shipped_as(str(problem.path)) is None
    if problem.encoding is not None and not problem.is_translated and is_own:
        from asplan.warnings.checks import check_program  # few of asplan's own files need it

        warnings += check_program(problem, is_wrong)
    return switched_on(warnings, switches)


def refuse_endless(warnings: Iterable[InputWarning]) -> None:
    """Raise `InputError` at the first `endless` warning: grounding would not terminate."""
    for warning in warnings:
        if warning.code == "endless":
            hint = f"{warning.hint}; -W no-endless grounds it all the same"
            raise InputError(warning.text, at=warning.at, hint=hint)


def read_switches(words: Iterable[str]) -> frozenset[str]:
    """Return the codes that words such as `no-undefined` turn off.

    Raise `UsageError` for other words.
    """
    off: set[str] = set()
    for word in words:
        switches = filter(None, re.split(r"[,\s]+", word))
        off.update(map(_code_of, switches))
    return frozenset(off)


def _code_of(switch: str) -> str:
    """Return the code that a switch like `no-undefined` turns off."""
    from asplan.warnings.catalogue import CATALOGUE

    # Some codes begin with `no-` themselves: `no-goal` alone turns nothing off.
    code = "" if switch in CATALOGUE else switch.removeprefix("no-")
    if code in CATALOGUE:
        return code
    switches = [f"no-{each}" for each in CATALOGUE]
    hint = nearest(f"no-{code or switch}", switches, noun="switches")
    raise UsageError(f"-W {switch} switches no warning off", hint=hint)


def switched_on(
    warnings: Iterable[InputWarning],
    switches: Iterable[str],
) -> tuple[InputWarning, ...]:
    """Return the warnings without those that a switch, or a comment in a file, turns off."""
    off = read_switches(switches)
    comments: dict[str, list[_Comment]] = {}
    remaining: list[InputWarning] = []
    for warning in warnings:
        if warning.code in off:
            continue
        if warning.at is not None:
            file = warning.at.file
            if file not in comments:
                comments[file] = list(_read_comments(file)) if is_there(file) else []
            if any(comment.covers(warning.code, warning.at) for comment in comments[file]):
                continue
        remaining.append(warning)
    return tuple(remaining)


_COMMENT = re.compile(r"^(?P<code>[^%\n]*)%+\s*asplan:\s*(?P<words>no-[\w, -]+)", re.MULTILINE)


@dataclass(frozen=True)
class _Comment:
    """A comment that turns codes off: in its line, or in the whole file if `line` is None."""

    line: int | None
    codes: frozenset[str]

    def covers(
        self,
        code: str,
        at: Location,
    ) -> bool:
        """Return whether the comment turns off the warning `code` at a location in its file."""
        return code in self.codes and self.line in (None, at.line)


def _read_comments(file: str) -> Iterator[_Comment]:
    """Yield the comments of a file that turn warnings off."""
    text = read_text(file)
    for match in _COMMENT.finditer(text):
        words = re.split(r"[,\s]+", match["words"])
        codes = frozenset(word.removeprefix("no-") for word in words)
        line = text.count("\n", 0, match.start("words")) + 1
        yield _Comment(line if match["code"].strip() else None, codes)
