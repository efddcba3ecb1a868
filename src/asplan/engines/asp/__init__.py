"""The engine `asp`: plans by multi-shot clingo.

This module has the options of the engine, which other engines on ASP programs share. `controller`
has the main loop, which grounds and solves horizon after horizon. `solver` is a clingo control
with a budget. `modes` grounds a fixed number of steps and solves once. `bounding` finds a plan of
the least cost at any horizon. `answer` reads plans from models, and `replay` checks a plan in a
fresh clingo.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from asplan.core.choices import LAYERS, Mode, Objective
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.limits import Limits
from asplan.core.registry import Later
from asplan.engines import Engine
from asplan.engines.options import (
    ALIKE,
    Aim,
    EngineOptions,
    goal_option,
    optimal_option,
    option,
)

if TYPE_CHECKING:
    from asplan.result import Result

ONE_SHOT_MODES = (Mode.FIXED, Mode.MINIMIZE)


@dataclass(frozen=True)
class PlanningOptions(EngineOptions):
    """Options of engines that plan with an incremental program; None means asplan's default."""

    mode: Mode | None = option("Try horizons in this mode.", kind=Mode, choices=tuple(Mode))
    horizon: int | None = option("Plan for this many steps in --mode fixed or minimize.", kind=int)
    schedule: str | None = option("Try these horizons.", metavar="linear|stride:K|parallel:B")
    first: bool | None = goal_option("Find any plan fast; shorter ones may exist.", kind=bool)
    models: int | None = goal_option("Find this many plans; 0 finds all.", kind=int)
    no_rewrite: bool | None = option("Ground the program as written.", kind=bool)
    invariants: bool | None = option("Find invariants and add them to the program.", kind=bool)
    clingo: tuple[str, ...] = option("Options for clingo.", (), words=True)
    by_clingo: ClassVar[bool] = False  # True if clingo's own solver searches

    @property
    def aim(self) -> Aim:
        """The kind and number of plans that the options ask for."""
        any_plan = bool(self.first)
        return Aim(None, any_plan, self.models, self.mode, bool(self.invariants))

    def for_any_plan(self) -> PlanningOptions:
        """Return the options for finding any plan fast."""
        return replace(self, first=True)

    @property
    def encodings(self) -> tuple[str, ...]:
        """The names of the encodings that suit these options, the best first."""
        return ALIKE if self.invariants else (LAYERS,)

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` if options contradict each other or the limits."""
        if self.mode not in ONE_SHOT_MODES:
            if self.horizon is not None:
                raise UsageError(
                    "--horizon belongs to --mode fixed or minimize",
                    hint="for incremental planning use --max-horizon N",
                )
            return
        if self.horizon is None:
            raise UsageError(f"--mode {self.mode} needs --horizon N")
        for option_name, value in (("schedule", self.schedule), ("first", self.first)):
            if value:
                raise UsageError(f"--mode {self.mode} solves once, so it has no --{option_name}")
        if _has_horizons(limits):
            raise UsageError(
                f"--mode {self.mode} has --horizon, not --min-horizon or --max-horizon"
            )


def _has_horizons(limits: Limits) -> bool:
    return bool(limits.min_horizon) or limits.max_horizon is not None


@dataclass(frozen=True)
class AspOptions(PlanningOptions):
    """Options of the engine `asp`."""

    optimal: Objective | None = optimal_option()
    threads: int | None = option("Solve with this many threads.", kind=int, least=1)
    no_states: bool | None = option(
        "Run clingo alone, without a search through the states.", kind=bool
    )
    by_clingo: ClassVar[bool] = True

    @property
    def aim(self) -> Aim:
        """The kind and number of plans that the options ask for."""
        return super().aim._replace(objective=self.optimal)

    @property
    def encodings(self) -> tuple[str, ...]:
        """The names of the encodings that suit these options, the best first."""
        if self.optimal:
            return ("cheapest", f"least_{self.optimal}", LAYERS)
        return ("rolled", *super().encodings) if self.first else super().encodings

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` if options contradict each other or the limits."""
        super().check(limits)
        if not self.optimal:
            return
        if self.mode in ONE_SHOT_MODES:
            raise UsageError(f"--mode {self.mode} solves once, so it has no --optimal")
        if self.first or self.schedule or self.models not in (None, 1):
            raise UsageError(
                "--optimal cannot be combined with --first, --schedule or --models: it looks for "
                "one plan"
            )
        if _has_horizons(limits):
            raise UsageError(
                "--optimal cannot be combined with --min-horizon or --max-horizon: it compares "
                "plans of any length"
            )


def _solve() -> Callable[..., Result]:
    from asplan.engines.asp.controller import solve

    return solve


ENGINE = Engine(
    Later(_solve),
    AspOptions,
    False,
    "multi-shot clingo on an encoding",
    knows_theories=True,
    grounds_anew=True,
)
