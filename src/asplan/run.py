"""One run of an engine: its problem, its options, the clock, the limits and the reports.

An engine is a function from a `Run` to a `Result`. Whatever it claims on the way and at the end is
written by `Run.result`, so all engines keep one clock and stop for the same reasons.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from asplan.limits import Limits
from asplan.loading import Problem
from asplan.options import EngineOptions
from asplan.result import Result, Seconds, Statistics, Stop

Report = Callable[[Result], None]
"""Receives what is proven so far; `reason` says what is being done."""


class Shared(Protocol):
    """A lower bound that several runs on one problem share."""

    def told(self) -> int:
        """Every horizon below it is refuted."""

    def tell(self, bound: int) -> None:
        """Tell the others of a bound."""


Chosen = TypeVar("Chosen", bound=EngineOptions)


def unheard(partial: object) -> None:
    """A report that nobody reads, so that none need be written."""


@dataclass
class Run(Generic[Chosen]):
    """An engine at work.

    Attributes
    ----------
    start
        When the work began, by `time.monotonic()`; reading the files counts.
    lower_bound
        Every horizon below it is refuted. The engine raises it.
    lower_cost
        Every plan costs at least so much. The engine raises it, if it minimizes costs.
    effort
        The seconds and the statistics so far; the engine says how they are found.
    doing
        What was told last.
    shared
        What others prove who work on the same problem, horizon by horizon.
    """

    problem: Problem
    options: Chosen
    limits: Limits = Limits()
    report: Report = unheard
    start: float = field(default_factory=time.monotonic)
    lower_bound: int = 0
    lower_cost: int = 0
    effort: Callable[[], tuple[Seconds, Statistics]] = lambda: (Seconds(), Statistics())
    doing: str = "planning"
    shared: Shared | None = None

    def refuted_elsewhere(self, horizon: int) -> bool:
        """Whether somebody else has refuted a horizon."""
        return self.shared is not None and horizon < self.shared.told()

    @property
    def deadline(self) -> float | None:
        """The `time.monotonic()` at which to stop."""
        return None if self.limits.seconds is None else self.start + self.limits.seconds

    @property
    def left(self) -> float:
        """The seconds that are left; infinity without a time limit."""
        return float("inf") if self.deadline is None else self.deadline - time.monotonic()

    @property
    def deepest(self) -> float:
        """The most steps that a plan may have."""
        return float("inf") if self.limits.max_horizon is None else self.limits.max_horizon

    def result(self, **fields: Any) -> Result:
        """A result with what was proven and spent so far."""
        seconds, statistics = self.effort()
        known = {
            "lower_bound": self.lower_bound,
            "lower_cost": self.lower_cost,
            "seconds": seconds,
            "statistics": statistics,
        }
        return Result(**{**known, **fields})

    def tell(self, doing: str, **fields: Any) -> None:
        """Report what is proven so far, if anybody listens."""
        self.doing = doing
        if self.report is not unheard:
            self.report(self.result(reason=doing, **fields))

    def out_of_time(self, doing: str = "", **fields: Any) -> Result:
        """The result where the time ran out."""
        reason = self.limits.time_reason(doing)
        return self.result(**{"stopped": Stop.TIME, "reason": reason, **fields})

    def out_of_memory(self, doing: str) -> Result:
        """The result where the memory ran out."""
        return self.result(stopped=Stop.MEMORY, reason=f"out of memory while {doing}")

    def too_deep(self) -> Result:
        """The result where there is no plan of at most as many steps as the maximal horizon."""
        reason = f"maximal horizon {self.limits.max_horizon} reached"
        return self.result(stopped=Stop.HORIZON, reason=reason)
