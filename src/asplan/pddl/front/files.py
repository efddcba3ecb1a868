"""Which of the words that a caller gives are PDDL, and which file is the domain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from asplan.errors import InputError, UsageError
from asplan.files import STDIN, is_there, read_text, real_path
from asplan.problem.catalog import find_instance
from asplan.problem.problem import Inputs

SUFFIX = ".pddl"

_COMMENT = re.compile(r";.*")
_DOMAIN = re.compile(r"\s*\(\s*define\s*\(\s*domain\b", re.IGNORECASE)


@dataclass(frozen=True)
class PddlFiles:
    """Two files that make a task; which of them is the domain only their text tells."""

    first: str
    second: str


def pair(words: Inputs) -> PddlFiles | None:
    """The two files that words name; for one alone the domain beside it is found.

    None where no word names a PDDL file.

    Raises
    ------
    InputError
        There is no domain beside a problem.
    UsageError
        There are other files among them, or too many.
    """
    files = [file for word in words.files if (file := _pddl(word)) is not None]
    if not files:
        return None
    if len(files) < len(words.files) or words.text is not None:
        raise UsageError(
            "PDDL and ASP do not go together as files",
            hint="an encoding of your own for PDDL tasks is given with -e FILE.lp",
        )
    if len(files) > 2:
        raise UsageError(
            f"{len(files)} PDDL files are given", hint="give one domain and one problem"
        )
    if len(files) == 2:
        return PddlFiles(files[0], files[1])
    if not is_there(files[0]):
        read_text(files[0])  # says what is wrong with it
    return PddlFiles(files[0], _domain_beside(files[0]))


def instances_in(words: Sequence[str]) -> list[tuple[str, ...]]:
    """The files of each of several instances; those in PDDL may need two.

    A domain goes with the problems behind it; two files go together in any order.

    >>> instances_in(["sample01", "sample02"])
    [('sample01',), ('sample02',)]
    """
    if len(words) == 2 and all(word.lower().endswith(SUFFIX) for word in words):
        ordered = sorted(words, key=_is_domain, reverse=True)
        return [tuple(ordered)] if _is_domain(ordered[0]) else [(word,) for word in words]
    found: list[tuple[str, ...]] = []
    domain: tuple[str, ...] = ()
    for word in words:
        if _is_domain(word):
            domain = (word,)
        else:
            found.append((*domain, word) if _pddl(word) else (word,))
    if domain and domain[0] == words[-1]:
        found.append(domain)  # which is said to lack a problem
    return found


def _is_domain(word: str) -> bool:
    """Whether a word names a file that looks like a domain."""
    if not word.lower().endswith(SUFFIX) or not is_there(word):
        return False
    return bool(_DOMAIN.match(_COMMENT.sub("", read_text(word))))


def _pddl(word: str) -> str | None:
    """The PDDL file that a word names, which may be a shipped one; None if it names none."""
    if word == STDIN:
        return None
    try:
        file = find_instance(word)
    except InputError:
        return word if word.lower().endswith(SUFFIX) else None  # said when it is read
    return file if file.lower().endswith(SUFFIX) else None


def _domain_beside(problem: str) -> str:
    """The domain beside a problem: `domain.pddl`, or one that carries the problem's name."""
    path = Path(problem)
    names = [f"domain{SUFFIX}", f"{path.stem}-domain{SUFFIX}"]
    names += [f"domain{mark}{path.stem}{SUFFIX}" for mark in "-_"]
    found = [str(path.parent / name) for name in names if is_there(path.parent / name)]
    if not found:
        raise InputError(
            f"{problem}: no {names[0]} is beside it",
            hint="give two files: the domain and the problem",
        )
    if real_path(found[0]) == real_path(problem):
        raise InputError(
            f"{problem} is given alone, and no problem",
            hint="give two files: the domain and the problem",
        )
    return found[0]
