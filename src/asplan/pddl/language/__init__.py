"""PDDL as people write it: read, checked, and executed.

What stands here knows nothing of how a task is translated for a solver, so that it can check the
plans that come back.
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


def read_task(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> TaskText:
    """The task of a domain file and a problem file, in either order.

    Raises `InputError` if a file cannot be read, or if what it says makes no sense (see `task_of`),
    and `UsageError` if both are domains, or both are problems.
    """
    return task_of_sources(*(PddlSource(os.fspath(p), read_text(p)) for p in (first, second)))


def task_of_sources(first: PddlSource, second: PddlSource) -> TaskText:
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
