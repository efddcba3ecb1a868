"""The front end for PDDL: it makes a problem of a domain file and a problem file.

Two independent paths start from the text. `asplan.pddl.language` checks the text, and checks plans
against it. `asplan.pddl.grounding` translates the text into a finite-domain task, which becomes
facts for the encodings in encodings/pddl and a model for search. Neither path uses the other. So if
a plan passes the check, both agree on it. This module recognises PDDL files; it imports the rest
only if there are some.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from asplan.catalog import find_instance, refuse_linked_out
from asplan.core.errors import InputError, UsageError
from asplan.core.files import STDIN, is_there, read_text, real_path
from asplan.problem.inputs import Inputs
from asplan.problem.kinds import TranslatedTask
from asplan.problem.problem import Problem

SUFFIX = ".pddl"

_COMMENT = re.compile(r";.*")
_DOMAIN = re.compile(r"\s*\(\s*define\s*\(\s*domain\b", re.IGNORECASE)


def load(
    inputs: Inputs,
    needs_model: bool,
) -> Problem | None:
    """Return the problem that PDDL files define; None if no file is PDDL.

    If `needs_model` is set, the problem has a model for search instead of an encoding.

    Raises
    ------
    InputError
        If the PDDL is wrong, or there is no domain in the folder of a problem.
    UsageError
        If the encoding, the constants and the files do not fit each other.
    """
    files = pair(inputs)
    if files is None:
        return None
    from asplan.pddl.front.loading import load_pair

    return load_pair(inputs, files, needs_model)


def load_source(inputs: Inputs) -> TranslatedTask | None:
    """Return the problem that PDDL files define, without translation; None if no file is PDDL.

    The problem can check plans, but cannot be solved. Raises the same errors as `load`.
    """
    files = pair(inputs)
    if files is None:
        return None
    from asplan.pddl.front.source import load_source_pair

    return load_source_pair(inputs, files)


def facts_of_pddl(
    inputs: Inputs,
    notation: str | None = None,
) -> str | None:
    """Return the facts of a task in PDDL files as text; None if no file is PDDL.

    If `notation` is `plasp`, the facts are in the format of plasp. If it is None, they are in the
    vocabulary of the encodings in encodings/pddl. Raises `UsageError` at another notation, and the
    same errors as `load`.
    """
    files = pair(inputs)
    if files is None:
        return None
    from asplan.pddl.front.converting import facts_of_pair

    return facts_of_pair(files, notation)


def pair(inputs: Inputs) -> tuple[str, str] | None:
    """Return the names of the two PDDL files: a domain and a problem, in any order.

    Return None if no file is PDDL. If the user gives only a problem, find the domain in its folder.

    Raises
    ------
    InputError
        If there is no domain in the folder of a problem.
    UsageError
        If there are also other files, or more than two PDDL files.
    """
    named = (_pddl_file(word) for word in inputs.files)
    files = [file for file in named if file is not None]
    if not files:
        return None
    if len(files) < len(inputs.files) or inputs.text is not None:
        message = "the files must be all PDDL or all ASP, but both are given"
        hint = "if the ASP file is your encoding for PDDL tasks, pass it with -e FILE.lp"
        raise UsageError(message, hint=hint)
    if len(files) > 2:
        message = f"{len(files)} PDDL files are given"
        raise UsageError(message, hint="give one domain and one problem")
    if len(files) == 2:
        return files[0], files[1]
    (problem,) = files
    return problem, _domain_beside(problem)


def _domain_beside(problem: str) -> str:
    """Return the domain file in the folder of a problem; raise `InputError` if there is none."""
    if not is_there(problem):
        read_text(problem)  # raises the error
    hint = "give two files: the domain and the problem"
    path = Path(problem)
    names = ["domain", f"{path.stem}-domain", f"domain-{path.stem}", f"domain_{path.stem}"]
    candidates = (str(path.parent / f"{name}{SUFFIX}") for name in names)
    domain = next(filter(is_there, candidates), None)
    if domain is None:
        raise InputError(f"{problem}: there is no domain{SUFFIX} beside it", hint=hint)
    refuse_linked_out(domain, "if you trust it, name both files: the domain and the problem")
    if real_path(domain) == real_path(problem):
        raise InputError(f"{problem} is a domain without a problem", hint=hint)
    return domain


def instances_in(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Group file names into instances, and return the files of each instance.

    An instance in PDDL has a domain file and a problem file, or only a problem file. A domain file
    belongs to all problem files after it. If there are just two PDDL files and one of them is a
    domain, these files form an instance in any order.

    >>> instances_in(["sample01", "sample02"])
    [('sample01',), ('sample02',)]
    """
    if len(words) == 2 and all(word.lower().endswith(SUFFIX) for word in words):
        return _instances_in_two(words)
    instances: list[tuple[str, ...]] = []
    domain: tuple[str, ...] = ()
    for word in words:
        if _is_domain(word):
            domain = (word,)
        else:
            instances.append((*domain, word) if _pddl_file(word) else (word,))
    if domain and domain[0] == words[-1]:
        instances.append(domain)  # loading it raises the error of the missing problem
    return instances


def _instances_in_two(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Return one instance if one of the two PDDL files is a domain, else two instances."""
    ordered = sorted(words, key=_is_domain, reverse=True)
    if _is_domain(ordered[0]):
        return [tuple(ordered)]
    return [(word,) for word in words]


def _is_domain(word: str) -> bool:
    """Return whether a word names a file whose contents begin like a PDDL domain."""
    if not word.lower().endswith(SUFFIX) or not is_there(word):
        return False
    return bool(_DOMAIN.match(_COMMENT.sub("", read_text(word))))


def _pddl_file(word: str) -> str | None:
    """Return the PDDL file that a word names; None if the word names no PDDL file.

    A word may be a path, or the name of an instance that is shipped with asplan.
    """
    if word == STDIN:
        return None
    try:
        file = find_instance(word)
    except InputError:
        file = word  # reading it raises the error
    return file if file.lower().endswith(SUFFIX) else None
