"""From a program to an answer with clingo.

Here are its options, and those that it shares with others. `controller` grounds and solves horizon
by horizon, `modes` in a single call, or looks for the cheapest plan of all. `opening` gives its
options to a `session`, which is clingo with a clock; `answer` reads plans from what it finds.
`replay` checks a plan in a fresh clingo.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from asplan.core.errors import UsageError
from asplan.core.limits import Limits
from asplan.core.registry import Later
from asplan.engines.run import ALIKE, Engine, EngineOptions, goal_option, optimal_option, option
from asplan.problem.inputs import LAYERS
from asplan.program.contract import MODES
from asplan.result import Result


@dataclass(frozen=True)
class PlanningOptions(EngineOptions):
    """How an incremental program is driven; None means asplan's default."""

    mode: str | None = option("Try horizons in this mode.", choices=MODES)
    horizon: int | None = option("Plan for so many steps in --mode fixed or minimize.", kind=int)
    schedule: str | None = option("Try these horizons.", metavar="linear|stride:K|parallel:B")
    first: bool | None = goal_option("Find any plan fast; shorter ones may exist.", kind=bool)
    models: int | None = goal_option("Find this many plans; 0 finds all.", kind=int)
    no_rewrite: bool | None = option("Ground the program as written.", kind=bool)
    invariants: bool | None = option("Add what is seen to be true of every state.", kind=bool)
    clingo: tuple[str, ...] = option("Words for clingo.", (), words=True)
    by_clingo: ClassVar[bool] = False  # whether clingo's own solver searches

    @property
    def encodings(self) -> tuple[str, ...]:
        return ALIKE if self.invariants else (LAYERS,)

    def check(self, limits: Limits) -> None:
        one_shot = self.mode in ("fixed", "minimize")
        if one_shot and self.horizon is None:
            raise UsageError(f"--mode {self.mode} needs --horizon N")
        if self.horizon is not None and not one_shot:
            hint = "for incremental planning say --max-horizon N"
            raise UsageError("--horizon belongs to --mode fixed or minimize", hint=hint)
        if one_shot and self.schedule:
            raise UsageError(f"--mode {self.mode} solves once, so it has no --schedule")
        if one_shot and self.first:
            raise UsageError(f"--mode {self.mode} solves once, so it has no --first")
        if one_shot and (limits.min_horizon or limits.max_horizon is not None):
            what = f"--mode {self.mode} has --horizon, not --min-horizon or --max-horizon"
            raise UsageError(what)


@dataclass(frozen=True)
class AspOptions(PlanningOptions):
    optimal: str | None = optimal_option()
    threads: int | None = option("Solve with this many threads.", kind=int, least=1)
    no_states: bool | None = option("Never search through the states beside clingo.", kind=bool)
    by_clingo: ClassVar[bool] = True

    @property
    def encodings(self) -> tuple[str, ...]:
        if self.optimal:
            return ("cheapest", f"least_{self.optimal}", LAYERS)
        return ("rolled", *super().encodings) if self.first else super().encodings

    def check(self, limits: Limits) -> None:
        super().check(limits)
        if self.optimal and self.mode in ("fixed", "minimize"):
            raise UsageError(f"--mode {self.mode} solves once, so it has no --optimal")
        if self.optimal and (self.first or self.schedule or self.models not in (None, 1)):
            raise UsageError(
                "--optimal looks for one plan by horizons in turn, so it goes with neither --first "
                "nor --schedule nor --models"
            )
        if self.optimal and (limits.min_horizon or limits.max_horizon is not None):
            raise UsageError(
                "--optimal is about plans of any length, so it has neither --min-horizon nor "
                "--max-horizon"
            )


def _solve() -> Callable[..., Result]:
    from asplan.engines.asp.controller import solve

    return solve


ENGINE = Engine(
    Later(_solve), AspOptions, False, "multi-shot clingo on an encoding", knows_theories=True
)
