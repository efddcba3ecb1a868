"""Several methods at once on one problem; the first proven answer wins.

Here is what they can be told. `methods` says what can take part, and `race` who does, and lets them
run side by side.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from asplan.core.errors import UsageError, nearest
from asplan.core.limits import Limits
from asplan.core.registry import Later
from asplan.engines.asp import PlanningOptions
from asplan.engines.run import ALIKE, Engine, option
from asplan.engines.sat import SOLVERS
from asplan.engines.search import SEARCHES

CHOICES = {"asp": ("frumpy", "jumpy", "tweety", "handy", "crafty", "trendy"), "sat": SOLVERS}
"""What the engines that race on a program can solve with: clingo's configurations, SAT solvers."""

PDR = "pdr"

SEARCHING = (*(name for name in SEARCHES if name != "dfs"), PDR)
"""The engines that can race on states: those whose first plan is a shortest one."""


@dataclass(frozen=True)
class AutoOptions(PlanningOptions):
    usual: ClassVar[str] = "asp,sat"
    optimal: str | None = None  # of plans of any length; `asp` alone can be asked for it

    def check(self, limits: Limits) -> None:
        super().check(limits)
        if self.mode == "minimize":
            raise UsageError("methods race for a shortest plan in --mode incremental or fixed")


@dataclass(frozen=True)
class RaceOptions(AutoOptions):
    methods: str | None = option(
        "Run these methods side by side.", metavar="asp,sat,asp:jumpy,asp@ENC,bfs,…"
    )

    def check(self, limits: Limits) -> None:
        super().check(limits)
        check_methods(self.usual if self.methods is None else self.methods)
        if not (searching := self._searching()):
            return
        name = searching[0]
        if self.mode == "fixed":
            raise UsageError(f"--mode fixed has a horizon, and {name} looks for the first")
        if limits.min_horizon:
            raise UsageError(f"--min-horizon leaves out horizons, and {name} looks for the first")
        if self.models not in (None, 1):
            raise UsageError(f"--models {self.models}: {name} finds one plan")

    def _searching(self) -> list[str]:
        return [word for word in (self.methods or "").split(",") if word in SEARCHING]

    @property
    def encodings(self) -> tuple[str, ...]:
        return ALIKE if PDR in self._searching() else super().encodings


def check_methods(text: str) -> None:
    """Raise `UsageError` for methods that are not known, or named twice."""
    words = text.split(",")
    for word in words:
        program, at, encoding = word.partition("@")
        engine, colon, chosen = program.partition(":")
        if engine in SEARCHING and word != engine:
            what = f"--methods {text}: {engine} works on states, without an encoding or a solver"
            raise UsageError(what, hint=f"say {engine} alone")
        if engine not in CHOICES and word not in SEARCHING:
            hint = nearest(engine, [*CHOICES, *SEARCHING], noun="engines that can race")
            raise UsageError(f"--methods {text}: {engine!r} cannot race", hint=hint)
        if at and not encoding:
            raise UsageError(f"--methods {text}: {word} names no encoding")
        if colon and chosen not in CHOICES[engine]:
            hint = nearest(chosen, CHOICES[engine], noun="choices")
            raise UsageError(f"--methods {text}: {engine} has no {chosen!r}", hint=hint)
        if words.count(word) > 1:
            raise UsageError(f"--methods {text}: {word} stands there twice")


def _race() -> Any:
    from asplan.engines.portfolio import race

    return race


_ABOUT = "asp, sat and others at once, first wins", "asp; beside it its states, then sat"
RACE = Engine(Later(lambda: _race().race), RaceOptions, False, _ABOUT[0], forks=True)
AUTO = Engine(
    Later(lambda: _race().auto), AutoOptions, False, _ABOUT[1], forks=True, knows_theories=True
)
