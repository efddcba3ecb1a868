"""The run of an engine on a problem.

An engine is a function from a `Run` to a `Result`. It makes all of its results by `Run.result`, so
all engines use one clock and name limits in the same words.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, TypeAlias, TypeVar

from asplan.core.budget import Budget, Reporter, ignore_report, never
from asplan.core.limits import Limits, Stop
from asplan.engines.options import EngineOptions
from asplan.problem import Problem
from asplan.result import (
    Evidence,
    Outcome,
    Phase,
    Refuter,
    Result,
    Seconds,
    Statistics,
)


class Shared:
    """The lower bound on plan length that parallel runs on one problem share.

    This base class serves a run that is alone: it shares nothing.
    """

    def proven(self) -> int:
        """Return the greatest lower bound that another run has proven; 0 if there is none."""
        return 0

    def raise_to(self, bound: int) -> None:
        """Share the proof of this run that every plan has at least `bound` steps."""


Chosen = TypeVar("Chosen", bound=EngineOptions)

ResultField: TypeAlias = Any  # the fields of a result are of many types


@dataclass
class Run(Generic[Chosen]):
    """A run of an engine on a problem.

    Attributes
    ----------
    report
        A function that receives partial results while the engine works. The `reason` of a partial
        result is the present activity.
    start
        The start by `time.monotonic()`, before the files were read.
    lower_bound
        Every plan is proven to have at least this many steps.
    lower_cost
        Every plan is proven to cost at least this much.
    evidence
        The methods and assumptions of the proofs of these bounds.
    effort
        A function that returns the seconds and the solver's statistics so far.
    activity, phase
        The present activity, in words, and its phase.
    shared
        The lower bound that parallel runs on the problem share.
    is_abandoned
        A function that returns True once nobody waits for the result.
    has_chosen_encoding
        True if the user named the encoding.
    """

    problem: Problem
    options: Chosen
    limits: Limits = Limits()
    report: Reporter[Result] = ignore_report
    start: float = field(default_factory=time.monotonic)
    lower_bound: int = 0
    lower_cost: int = 0
    evidence: Evidence = Evidence((Refuter.SOLVER,))
    effort: Callable[[], tuple[Seconds, Statistics]] = lambda: (Seconds(), Statistics())
    activity: str = "planning"
    phase: Phase = Phase.PREPARING
    shared: Shared = Shared()
    is_abandoned: Callable[[], bool] = never
    has_chosen_encoding: bool = False

    @cached_property
    def budget(self) -> Budget:
        """The time budget: it is spent at the time limit, or once the run is abandoned."""
        return Budget(self.limits.deadline(self.start), self.is_abandoned)

    @property
    def deepest(self) -> float:
        """The maximal horizon; infinity without a limit."""
        return float("inf") if self.limits.max_horizon is None else self.limits.max_horizon

    @property
    def is_reported(self) -> bool:
        """True if partial results are received, so that it is worth making them."""
        return self.report is not ignore_report

    def result(self, **fields: ResultField) -> Result:
        """Return a result with the bounds and the effort so far; further `fields` override them."""
        seconds, statistics = self.effort()
        progress = {
            "lower_bound": self.lower_bound,
            "lower_cost": self.lower_cost,
            "evidence": self.evidence,
            "seconds": seconds,
            "statistics": statistics,
        }
        return Result(**{**progress, **fields})

    def announce(
        self,
        activity: str,
        phase: Phase = Phase.PREPARING,
        **fields: ResultField,
    ) -> None:
        """Begin an activity in a phase, and report it, with further fields, as a partial result.

        The report leaves out the statistics of single steps, which grow with the horizon.
        """
        self.activity = activity
        self.phase = phase
        if self.is_reported:
            partial = self.result(reason=activity, phase=phase, **fields)
            self.report(replace(partial, statistics=replace(partial.statistics, steps=())))

    def out_of_time(
        self,
        activity: str = "",
        **fields: ResultField,
    ) -> Result:
        """Return the result of a run that the time limit has stopped during an activity."""
        reason = self.limits.time_reason(activity)
        return self.result(**{"stopped": Stop.TIME, "reason": reason, **fields})

    def out_of_memory(self, activity: str, **fields: ResultField) -> Result:
        """Return the result of a run that has run out of memory during an activity."""
        reason = f"out of memory while {activity}"
        return self.result(**{"stopped": Stop.MEMORY, "reason": reason, **fields})

    def unsolvable(
        self,
        why: str,
        evidence: Evidence | None = None,
        **fields: ResultField,
    ) -> Result:
        """Return the result of a proof that no plan exists; `why` is the proof in words.

        By default, the result has the evidence of the run.
        """
        reason = f"no plan exists: {why}"
        evidence = replace(evidence or self.evidence, claim=why)
        fields["evidence"] = evidence
        return self.result(outcome=Outcome.UNSOLVABLE, reason=reason, **fields)

    def too_deep(self) -> Result:
        """Return the result of a run that found no plan up to the maximal horizon."""
        reason = f"maximal horizon {self.limits.max_horizon} reached"
        return self.result(stopped=Stop.HORIZON, reason=reason)
