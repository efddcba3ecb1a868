"""The options of the engines `portfolio` and `auto`."""

from __future__ import annotations

from typing import ClassVar

from asplan.core.choices import Mode, Objective
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError, nearest
from asplan.core.limits import Limits
from asplan.engines.asp import PlanningOptions
from asplan.engines.options import ALIKE, Aim, option
from asplan.engines.sat import SOLVERS
from asplan.engines.search import SEARCHES

CHOICES = {"asp": ("frumpy", "jumpy", "tweety", "handy", "crafty", "trendy"), "sat": SOLVERS}
"""The engines that race on a program, each with its solvers, of which `ENGINE:SOLVER` names one.

For `asp` these are configurations of clingo.
"""

PDR = "pdr"

SEARCHING = (*(name for name in SEARCHES if name != "dfs"), PDR)
"""The engines that can race on states: their first plan is a shortest one."""


@dataclass(frozen=True)
class AutoOptions(PlanningOptions):
    """The options of engine `auto`; `usual` lists the methods that it uses by default."""

    usual: ClassVar[str] = "asp,sat"
    optimal: Objective | None = (
        None  # over plans of any length; on the command line only `asp` has it
    )

    @classmethod
    def of_aim(cls, aim: Aim) -> AutoOptions:
        """Return options that ask for any plan, or for the best one by an objective."""
        return cls(first=aim.any_plan or None, optimal=aim.objective)

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` if options contradict each other, or if the mode is `minimize`."""
        super().check(limits)
        if self.mode == Mode.MINIMIZE:
            raise UsageError(
                "--mode minimize does not work with methods that race",
                hint="use --mode incremental or fixed",
            )


@dataclass(frozen=True)
class RaceOptions(AutoOptions):
    """The options of engine `portfolio`."""

    methods: str | None = option(
        "Run these methods side by side.", metavar="asp,sat,asp:jumpy,asp@ENC,bfs,…"
    )

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` if a method is unknown, or cannot run with the other options."""
        super().check(limits)
        check_methods(self.usual if self.methods is None else self.methods)
        searching = self._searching()
        if not searching:
            return
        name = searching[0]
        if self.mode == Mode.FIXED:
            raise UsageError(
                f"--mode fixed does not work with {name}, which finds the horizon itself"
            )
        if limits.min_horizon:
            raise UsageError(
                f"--min-horizon does not work with {name}, which finds the horizon itself"
            )
        if self.models not in (None, 1):
            raise UsageError(f"--models {self.models}: {name} finds only one plan")

    def _searching(self) -> list[str]:
        return [word for word in (self.methods or "").split(",") if word in SEARCHING]

    @property
    def encodings(self) -> tuple[str, ...]:
        """The names of the encodings that suit these options, the best first."""
        return ALIKE if PDR in self._searching() else super().encodings


def check_methods(text: str) -> None:
    """Raise `UsageError` if a method in a list such as `asp:jumpy,bfs` is unknown or repeated."""
    words = text.split(",")
    for word in words:
        _check_method(text, word)
        if words.count(word) > 1:
            raise UsageError(f"--methods {text}: {word} is named twice")


def _check_method(
    text: str,
    word: str,
) -> None:
    program, at, encoding = word.partition("@")
    engine, colon, chosen = program.partition(":")
    if not engine:
        hint = nearest(engine, [*CHOICES, *SEARCHING], noun="engines that can race")
        raise UsageError(f"--methods {text!r}: the name of an engine is missing", hint=hint)
    if engine in SEARCHING and word != engine:
        message = f"--methods {text}: {engine} works on states, without an encoding or a solver"
        raise UsageError(message, hint=f"use {engine} alone")
    if engine not in CHOICES and word not in SEARCHING:
        hint = nearest(engine, [*CHOICES, *SEARCHING], noun="engines that can race")
        raise UsageError(f"--methods {text}: {engine!r} cannot race", hint=hint)
    if at and not encoding:
        raise UsageError(f"--methods {text}: {word} names no encoding")
    if colon and chosen not in CHOICES[engine]:
        hint = nearest(chosen, CHOICES[engine], noun="choices")
        raise UsageError(f"--methods {text}: {engine} has no {chosen!r}", hint=hint)
