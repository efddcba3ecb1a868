"""From two files, or two texts, to a task."""

from __future__ import annotations

import os

from asplan.errors import UsageError
from asplan.files import read_text
from asplan.pddl.language.check import task_of
from asplan.pddl.language.lexer import Group, Source, read_group
from asplan.pddl.language.parse import kind_of, parse_domain, parse_problem
from asplan.pddl.language.task import Task


def read_task(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> Task:
    """The task of a domain file and a problem file, in either order.

    Raises
    ------
    InputError
        A file cannot be read, or what it says makes no sense; see `task_of`.
    UsageError
        Both are domains, or both are problems.
    """
    return task_of_texts(*(Source(os.fspath(path), read_text(path)) for path in (first, second)))


def task_of_texts(first: Source, second: Source) -> Task:
    """The task of a domain and a problem that came as text; raises as `read_task` does."""
    groups: dict[str, Group] = {}
    for source in (first, second):
        group = read_group(source)
        kind = kind_of(group)
        if kind in groups:
            other = "problem" if kind == "domain" else "domain"
            what = f"{groups[kind].source.file} and {source.file} are both a {kind}"
            raise UsageError(what, hint=f"give one domain and one problem; the {other} is missing")
        groups[kind] = group
    return task_of(parse_domain(groups["domain"]), parse_problem(groups["problem"]))
