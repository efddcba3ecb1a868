"""What an engine is given: files, problem, options and limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from asplan.domains.base import Domain, Problem
from asplan.facts import Facts
from asplan.limits import Limits
from asplan.result import Result

Report = Callable[[Result], None]
"""Receives what is proven so far; `reason` says what is being done."""


def unheard(partial: object) -> None:
    """A report that nobody reads, so that none need be written."""


@dataclass(frozen=True)
class Options:
    """How an engine works. None means: the engine's default. Each engine knows some of them."""

    mode: str | None = None
    horizon: int | None = None
    schedule: str | None = None
    threads: int | None = None
    models: int | None = None
    clingo: tuple[str, ...] = ()
    no_rewrite: bool | None = None
    allow_scripts: bool | None = None
    heuristic: str | None = None
    tie_breaking: str | None = None
    move_limit: int | None = None

    def given(self) -> set[str]:
        """The names of the options that were set."""
        return {name for name, value in vars(self).items() if value not in (None, ())}


@dataclass(frozen=True)
class Task:
    """One problem for one engine.

    `files` is the whole ASP program, `facts` its instance with the place of each fact; `domain`
    and `problem` are the model of the same instance in Python, where there is one.
    """

    files: tuple[str, ...]
    facts: Facts | None = None
    domain: Domain | None = None
    problem: Problem[Any, Any] | None = None
    constants: Mapping[str, str] = field(default_factory=dict)
    options: Options = Options()
    limits: Limits = Limits()
