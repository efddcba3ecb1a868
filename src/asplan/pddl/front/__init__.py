"""The front end for PDDL: a domain and a problem, translated into a finite-domain task.

Two paths lead from the text. `asplan.pddl.language` reads it and says what is wrong with it, and
plans are checked against what it means there. `asplan.pddl.grounding` has clingo ground it, and the
task becomes facts for the encodings in encodings/pddl and a model for search. Neither
knows of the other, so a plan that passes is right by both. All of this is imported where there is
PDDL to be read; this module tells whether there is, and which file is the domain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from asplan.core.errors import InputError, UsageError
from asplan.core.files import STDIN, is_there, read_text, real_path
from asplan.problem.catalog import find_instance, refuse_linked_out
from asplan.problem.inputs import Inputs
from asplan.problem.problem import Problem

SUFFIX = ".pddl"

_COMMENT = re.compile(r";.*")
_DOMAIN = re.compile(r"\s*\(\s*define\s*\(\s*domain\b", re.IGNORECASE)


def load(words: Inputs, needs_model: bool) -> Problem | None:
    """The problem of a PDDL domain and problem; None where no file is PDDL.

    Raises `InputError` where a file makes no sense, or no domain is beside a problem, `UsageError`
    where encoding, constants and files do not go together.
    """
    files = pair(words)
    return None if files is None else _front().load(words, files, needs_model)


def load_source(words: Inputs) -> Problem | None:
    """The problem of a PDDL domain and problem as far as their text tells, without translation.

    None where no file is PDDL. Raises `InputError` and `UsageError` as `load` does.
    """
    files = pair(words)
    return None if files is None else _front().load_source(words, files)


def facts_of_pddl(words: Inputs, notation: str | None = None) -> str | None:
    """The facts of a PDDL domain and problem as text; None where no file is PDDL.

    They are those of `plasp`, or (None) of the vocabulary that the encodings in encodings/pddl
    read. Raises as `load` does, and `UsageError` if the notation is for something else.
    """
    files = pair(words)
    return None if files is None else _front().facts_of_pair(files, notation)


def _front() -> Any:
    from asplan.pddl.front import front

    return front


def pair(words: Inputs) -> tuple[str, str] | None:
    """The two files that words name, in any order; for one alone the domain beside it is found.

    None where no word names a PDDL file. Raises `InputError` if there is no domain beside a
    problem, and `UsageError` if there are other files among them, or too many.
    """
    files = [file for word in words.files if (file := _pddl(word)) is not None]
    if not files:
        return None
    if len(files) < len(words.files) or words.text is not None:
        what = "PDDL and ASP do not go together as files"
        hint = "an encoding of your own for PDDL tasks is given with -e FILE.lp"
        raise UsageError(what, hint=hint)
    if len(files) > 2:
        what = f"{len(files)} PDDL files are given"
        raise UsageError(what, hint="give one domain and one problem")
    if len(files) == 2:
        return files[0], files[1]
    if not is_there(files[0]):
        read_text(files[0])  # says what is wrong with it
    problem, hint = files[0], "give two files: the domain and the problem"
    path = Path(problem)
    names = ["domain", f"{path.stem}-domain", f"domain-{path.stem}", f"domain_{path.stem}"]
    beside = (str(path.parent / f"{name}{SUFFIX}") for name in names)
    if (domain := next(filter(is_there, beside), None)) is None:
        raise InputError(f"{problem}: no domain{SUFFIX} is beside it", hint=hint)
    refuse_linked_out(domain, "if you trust it, name both files: the domain and the problem")
    if real_path(domain) == real_path(problem):
        raise InputError(f"{problem} is given alone, and no problem", hint=hint)
    return problem, domain


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
        found.append(domain)  # which lacks a problem, as whoever loads it says
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
        file = word  # whoever reads it says what is wrong
    return file if file.lower().endswith(SUFFIX) else None
