"""The progress of a search from horizon to horizon, and the claims that it supports."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from asplan.core.text import amount
from asplan.engines.asp.answer import RELYING, Answer, fields_of_result, shortest_reason
from asplan.engines.asp.opening import PlanningRun
from asplan.program.incremental import Program
from asplan.result import Outcome


class Found(NamedTuple):
    """An answer with a plan, and its horizon."""

    horizon: int
    answer: Answer


@dataclass
class Progress:
    """The best answer so far. Every horizon below `run.lower_bound` is refuted.

    Horizons below `exact` were refuted with exactly as many steps grounded, so their refutations do
    not rely on `asplan(monotone)`. No plan has fewer steps than `least_horizon`, as the program
    states. The goal holds at `goal_at`. No plan of `best.horizon` steps has a value of the
    minimized variable below `least_value`.
    """

    run: PlanningRun
    program: Program
    exact: int = 0
    least_horizon: int = 0
    goal_at: int | None = None
    best: Found | None = None
    least_value: int | None = None

    def start_from(self, least_horizon: int) -> None:
        """Set the fewest steps of a plan, as the program states them."""
        self.least_horizon = least_horizon
        self.exact = self.run.lower_bound = max(self.run.lower_bound, least_horizon)

    def raise_bound(self, bound: int) -> None:
        """Note that all horizons below a bound are refuted."""
        self.run.lower_bound = max(self.run.lower_bound, bound)
        self.run.shared.tell(self.run.lower_bound)

    def keep(self, horizon: int, answer: Answer) -> None:
        """Keep a better answer and report it."""
        self.best = Found(horizon, answer)
        self.run.tell(self.run.doing)

    @property
    def is_cut(self) -> bool:
        """True if a limit ended the search for further plans."""
        return self.best is not None and self.best.answer.cut

    @property
    def relies_on_monotone(self) -> bool:
        """True if refutations rely on the fact `asplan(monotone)`."""
        return self.run.lower_bound > self.exact

    @property
    def relying(self) -> str:
        """The end of a claim that rests on refutations."""
        return RELYING if self.relies_on_monotone else ""

    def fields(self) -> dict[str, object]:
        """Return the fields of a result for the best answer so far."""
        if self.best is None:
            return {}
        horizon, answer = self.best
        is_optimal = self.run.lower_bound >= horizon and self._has_least_value(answer)
        cost = answer.cost or None
        return {
            "outcome": Outcome.OPTIMAL if is_optimal else Outcome.PLAN,
            "least_among": horizon if answer.proven and answer.cost else None,
            **fields_of_result(answer, horizon, self.program, cost),
        }

    def _has_least_value(self, answer: Answer) -> bool:
        """Return whether the minimized variable is proven least, if that is wanted."""
        if not self.program.written.minimized or self.run.options.first:
            return True
        return bool(answer.proven and answer.cost)

    def claims(self, state_report: str) -> Iterator[str]:
        """Yield the claims about the best answer; `state_report` is of a search through states."""
        if self.best is None:
            return
        horizon, answer = self.best
        yield self._claim_of_length(horizon, state_report)
        if self.program.written.minimized and answer.cost:
            yield self._claim_of_value(horizon, answer)
        elif self.program.optimizes and not answer.proven:
            yield "cheaper ones were not excluded"
        if not self.program.plans and len(answer.models) > 1:
            yield f"the first of {len(answer.models)} answer sets is shown"

    @property
    def rests_on_least(self) -> bool:
        """True if the plan is shortest because of the fact `asplan(least(N))`."""
        if self.best is None:
            return False
        return self.run.lower_bound >= self.best.horizon == self.least_horizon > 0

    def _claim_of_length(self, horizon: int, state_report: str) -> str:
        if self.rests_on_least:
            return f"shortest: asplan(least({horizon})) rules out fewer steps"
        lower = self.run.lower_bound
        if lower >= horizon:
            claim = shortest_reason(horizon, self.run.problem.horizon) + self.relying
            return f"{claim}; {state_report}" if state_report else claim
        claim = f"horizons {lower} to {horizon - 1} were not refuted"
        if lower == horizon - 1:
            claim = f"horizon {lower} was not refuted"
        return f"{claim}; smaller ones were{self.relying}" if self.relying else claim

    def _claim_of_value(self, horizon: int, answer: Answer) -> str:
        among = "the least"
        if not answer.proven:
            is_open = self.least_value is None
            bound = "smaller ones" if is_open else f"with at least {self.least_value}"
            among = f"{bound} possible"
        variable = self.program.written.minimized
        return f"{variable} {answer.cost[0]}, {among} of {amount(horizon, 'step')}"
