"""The progress of a search from horizon to horizon, and the claims of a result that rest on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from asplan.core.dataclass import dataclass
from asplan.engines.asp.answer import RELYING, Answer, fields_of_result
from asplan.engines.asp.opening import PlanningRun
from asplan.engines.run import ResultField
from asplan.program.incremental import Program
from asplan.result import Evidence, Outcome, Phase, Refuter, Reliance, Result


class FoundPlan(NamedTuple):
    """An answer with a plan, and the horizon at which it was found."""

    horizon: int
    answer: Answer


@dataclass(frozen=True)
class Progress:
    """The refuted horizons and the best plan, after the answers so far.

    Attributes
    ----------
    refuted
        Every horizon below this number is refuted: a lower bound on the length of plans.
    exact
        Every horizon below this number was refuted with exactly its own steps grounded, so that the
        refutation does not rely on the fact `asplan(monotone)`.
    least_horizon
        N of the program's fact `asplan(least(N))`: no plan has fewer steps; 0 without it.
    goal_at
        A horizon at which the goal was found to hold; None before that.
    best
        The best answer with a plan, and its horizon; None before the first plan.
    by
        The methods that have refuted horizons.
    least_value
        A proven lower bound on the variable in `asplan(minimize(Variable))`, among the plans of the
        best horizon.
    """

    refuted: int = 0
    exact: int = 0
    least_horizon: int = 0
    goal_at: int | None = None
    best: FoundPlan | None = None
    by: tuple[Refuter, ...] = ()
    least_value: int | None = None

    def start_from(self, least_horizon: int) -> Progress:
        """Return the progress at the start of a program that states its least horizon."""
        refuted = max(self.refuted, least_horizon)
        return replace(self, refuted=refuted, exact=refuted, least_horizon=least_horizon)

    def refute_below(self, bound: int, by: Refuter = Refuter.SOLVER) -> Progress:
        """Return the progress after the method `by` has refuted all horizons below `bound`."""
        if bound <= self.refuted:
            return self
        methods = tuple(dict.fromkeys([*self.by, by]))
        return replace(self, refuted=bound, by=methods)

    def find_goal(self, horizon: int) -> Progress:
        """Return the progress after an answer set in which the goal holds at a horizon."""
        return replace(self, goal_at=horizon)

    def find_plan(self, horizon: int, answer: Answer) -> Progress:
        """Return the progress after a better answer with a plan."""
        return replace(self, best=FoundPlan(horizon, answer))

    @property
    def is_cut(self) -> bool:
        """True if a limit ended the search for further plans."""
        return self.best is not None and self.best.answer.cut

    @property
    def relies_on_monotone(self) -> bool:
        """True if refutations rely on the fact `asplan(monotone)`."""
        return self.refuted > self.exact

    @property
    def evidence(self) -> Evidence:
        """The methods that have refuted horizons, and the facts on which the refutations rely."""
        relies = [Reliance.LEAST] if self.least_horizon else []
        if self.rests_on_least or not self.by:
            return Evidence((Refuter.PROGRAM,), tuple(relies))
        if self.relies_on_monotone:
            relies.append(Reliance.MONOTONE)
        return Evidence(self.by, tuple(relies))

    @property
    def relying(self) -> str:
        """The words that a claim adds if it relies on the fact `asplan(monotone)`; else empty."""
        return RELYING if self.relies_on_monotone else ""

    @property
    def rests_on_least(self) -> bool:
        """True if the plan is shortest because it has N steps and `asplan(least(N))` is a fact."""
        if self.best is None:
            return False
        return self.refuted >= self.best.horizon == self.least_horizon > 0


@dataclass
class Account:
    """The run of a search, its program and its progress; it makes the reports and the results.

    `progress` is replaced after each answer, and `run` if asplan starts clingo again with another
    option.
    """

    run: PlanningRun
    program: Program
    progress: Progress = Progress()

    def raise_bound(self, bound: int, by: Refuter) -> None:
        """Record that all horizons below a bound are refuted, and share it with parallel runs."""
        self.progress = self.progress.refute_below(bound, by)
        self.run.shared.raise_to(self.progress.refuted)

    def keep(self, horizon: int, answer: Answer) -> None:
        """Record a better answer with a plan at a horizon, and report it."""
        self.progress = self.progress.find_plan(horizon, answer)
        self.announce(self.run.activity, self.run.phase)

    def announce(self, activity: str, phase: Phase = Phase.PREPARING) -> None:
        """Begin an activity in a phase, and report it together with the progress."""
        fields = self.fields() if self.run.is_reported else {}
        self.run.announce(activity, phase, **fields)

    def result(self, **fields: ResultField) -> Result:
        """Return a result with the progress so far; `fields` override it."""
        return self.run.result(**{**self.fields(), **fields})

    def fields(self) -> dict[str, ResultField]:
        """Return the fields of a result for the progress so far."""
        progress = self.progress
        bound = {"lower_bound": progress.refuted, "evidence": progress.evidence}
        if progress.best is None:
            return bound
        horizon, answer = progress.best
        is_optimal = progress.refuted >= horizon and self._has_least_value(answer)
        cost = answer.cost or None
        return {
            **bound,
            "outcome": Outcome.OPTIMAL if is_optimal else Outcome.PLAN,
            "least_among": horizon if answer.proven and answer.cost else None,
            **fields_of_result(answer, horizon, self.program, cost),
        }

    def _has_least_value(self, answer: Answer) -> bool:
        """Return whether the answer has the least value of `asplan(minimize(Variable))`.

        Return True also if the program has no such fact, or the user wants any plan.
        """
        if not self.program.written.minimized or self.run.options.first:
            return True
        return bool(answer.proven and answer.cost)

    def claims(self, state_report: str) -> Iterator[str]:
        """Yield the claims of the result about its plan: shortest, cheapest, or not proven so.

        `state_report` is the report of a state search whose refutations were used, or empty.
        """
        if self.progress.best is None:
            return
        horizon, answer = self.progress.best
        yield self._claim_of_length(horizon, state_report)
        if self.program.written.minimized and answer.cost:
            yield self._claim_of_value(horizon, answer)
        elif self.program.optimizes and not answer.proven:
            yield "cheaper ones were not excluded"
        if not self.program.plans and len(answer.models) > 1:
            yield f"the first of {len(answer.models)} answer sets is shown"

    def _claim_of_length(self, horizon: int, state_report: str) -> str:
        progress = self.progress
        if progress.rests_on_least:
            return f"shortest: asplan(least({horizon})) rules out fewer steps"
        lower = progress.refuted
        if lower >= horizon:
            claim = self.run.problem.claims.shortest(horizon) + progress.relying
            return f"{claim}; {state_report}" if state_report else claim
        claim = f"horizons {lower} to {horizon - 1} were not refuted"
        if lower == horizon - 1:
            claim = f"horizon {lower} was not refuted"
        return f"{claim}; smaller ones were{progress.relying}" if progress.relying else claim

    def _claim_of_value(self, horizon: int, answer: Answer) -> str:
        return self.run.problem.claims.value(
            str(self.program.written.minimized),
            answer.cost[0],
            horizon,
            is_least=answer.proven,
            bound=self.progress.least_value,
        )
