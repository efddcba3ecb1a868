"""The PDDL language: a parser, a checker, and a referee that executes plans.

This folder imports nothing that translates tasks for a solver. So it can check the resulting plans
independently.
"""

from __future__ import annotations

import os

from asplan.core.errors import UsageError
from asplan.core.files import read_text
from asplan.pddl.language.check import task_of
from asplan.pddl.language.lexer import Group, PddlSource, read_group
from asplan.pddl.language.parse import kind_of, parse_domain, parse_problem
from asplan.pddl.language.syntax import TaskText

__all__ = ["PddlSource", "TaskText", "read_task", "task_of_sources"]


def read_task(
    first: str | os.PathLike[str],
    second: str | os.PathLike[str],
) -> TaskText:
    """Return the task that a domain file and a problem file define; they may come in either order.

    Raises
    ------
    InputError
        If a file cannot be read or its PDDL is wrong (see `task_of`).
    UsageError
        If both files are domains, or both are problems.
    """
    sources = (PddlSource(os.fspath(path), read_text(path)) for path in (first, second))
    return task_of_sources(*sources)


def task_of_sources(
    first: PddlSource,
    second: PddlSource,
) -> TaskText:
    """Return the task that two texts define; they may come in either order.

    Raises the same errors as `read_task`.
    """
    groups: dict[str, Group] = {}
    for source in (first, second):
        group = read_group(source)
        kind = kind_of(group)
        if kind in groups:
            missing = "problem" if kind == "domain" else "domain"
            files = f"{groups[kind].source.file} and {source.file}"
            hint = f"give one domain and one problem; the {missing} is missing"
            raise UsageError(f"{files} are both a {kind}", hint=hint)
        groups[kind] = group
    domain = parse_domain(groups["domain"])
    problem = parse_problem(groups["problem"])
    return task_of(domain, problem)
