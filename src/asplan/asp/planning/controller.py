"""The multi-shot controller: ground step by step, solve, until the goal holds or never can."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from asplan.asp.planning.answer import Answer
from asplan.asp.planning.opening import (
    Opener,
    begin,
    branches,
    open_session,
    rewritten,
    wanted_models,
)
from asplan.asp.planning.plans import distinct, passage, read_plan
from asplan.asp.planning.schedule import loop_limits, parse_schedule
from asplan.asp.planning.session import Session
from asplan.errors import InputError
from asplan.limits import Limits
from asplan.program.contract import Contract, exhausted, next_bound
from asplan.program.incremental import Program, plan
from asplan.result import Outcome, Result, Stop
from asplan.run import Run, unheard

FAST = "parallel:8"
"""The schedule for `--first`."""


def incremental(run: Run[Any], opener: Opener = open_session) -> Result:
    """Find a plan at the least horizon.

    A program that cuts at the constant `bound` is started again with the next bound whenever it
    is exhausted. It may cut only what is on no plan of at most `bound` steps, and then every
    horizon below the next bound is refuted.
    """
    program = rewritten(run)
    deepening = _Deepening(run, program, opener(run, program))
    while True:
        result = deepening.deepen()
        if deepening.next_bound is None:
            return result
        run.lower_bound = deepening.next_bound
        bound, effort = str(deepening.next_bound), deepening.session.effort
        deepening = _Deepening(run, program, opener(run, program, effort, bound=bound))


@dataclass
class _Deepening:
    """One pass over the horizons. Every horizon below `run.lower_bound` is refuted."""

    run: Run[Any]
    program: Program
    session: Session
    grounded: int = 0
    tried: int = -1
    exhausted: bool = False
    next_bound: int | None = None
    found: tuple[int, Answer] | None = None
    goal_at: int | None = None
    contract: Contract = field(init=False)
    limits: Limits = field(init=False)

    def deepen(self) -> Result:
        """Try the horizons of the schedule in turn."""
        self._tell("grounding horizon 0")
        self.contract = begin(self.run, self.session, "incremental")
        make = parse_schedule(self._schedule())
        self.limits = loop_limits(self.session, self.run.limits)
        schedule = make(self.limits.min_horizon, self.contract.monotone)
        attempt = next(schedule)
        while True:
            if stopped := self._reach(attempt.horizon):
                return self._end(stopped)
            horizon = min(attempt.horizon, self.grounded)
            answer = self._try(horizon, attempt.conflicts)
            given_up = answer.satisfiable is None
            if given_up and (attempt.conflicts is None or self.session.overdue()):
                return self._end(Stop.TIME)
            if answer.satisfiable is False and (never := self._never(horizon, answer)):
                return never
            try:
                attempt = schedule.send(answer.satisfiable)
            except StopIteration:
                return self._end(self._read_off())

    def _schedule(self) -> str:
        """The schedule that was asked for, or the one that suits what is wanted."""
        usual = FAST if self.run.options.first and self.contract.monotone else "linear"
        return self.run.options.schedule or usual

    def _reach(self, horizon: int) -> Stop | None:
        """Ground up to a horizon, or to where nothing new can be reached."""
        limit = self.limits.max_horizon
        if limit is not None and horizon > limit:
            return Stop.HORIZON
        while self.grounded < horizon and not self.exhausted:
            t = self.grounded + 1
            if self.tried < t - 1 and not self.contract.monotone:
                self.session.settle()
            self._tell(f"grounding horizon {t}")
            self.session.ground_step(t)
            self.grounded = t
            self.exhausted = self.session.holds(exhausted(t))
            if self.session.overdue():
                return Stop.TIME
        return None

    def _try(self, horizon: int, conflicts: int | None) -> Answer:
        if self.run.refuted_elsewhere(horizon):
            self.session.refute(horizon)
            self._raise_bound(horizon + 1)
            return Answer(False)
        self._tell(f"solving horizon {horizon}")
        self.session.demand(horizon)
        self.tried = horizon
        later = self.program.plan_part or (self.program.optimizes and not self._branches())
        models = 1 if later else wanted_models(self.run)
        is_vain = partial(self.run.refuted_elsewhere, horizon)
        answer = self.session.solve(
            horizon, models, self._branches(), conflicts=conflicts, is_vain=is_vain
        )
        if answer.satisfiable is None and is_vain():
            answer = Answer(False)
        if answer.satisfiable is False:
            self.session.refute(horizon)
            if self.contract.monotone or horizon == self.run.lower_bound:
                self._raise_bound(horizon + 1)
        else:
            self.session.drop(horizon)
        if answer.satisfiable:
            self.goal_at = horizon
            if not self.program.plan_part:
                self.found = horizon, answer
        return answer

    def _branches(self) -> bool:
        """Whether a plan is made cheaper as soon as there is one.

        Branch and bound begins with any plan. Core-guided search begins with bounds of the cost,
        also where there is no plan at all, so it has to wait until there is one.
        """
        options, program = self.run.options, self.program
        return program.optimizes and not program.plan_part and branches(options.clingo)

    def _raise_bound(self, bound: int) -> None:
        """Note that smaller horizons are refuted, as far as nothing was cut off below."""
        if self.program.written.cuts:
            cut_at = next_bound(self.session.said(), None)
            bound = bound if cut_at is None else min(bound, cut_at)
        self.run.lower_bound = max(self.run.lower_bound, bound)
        if self.run.shared:
            self.run.shared.tell(self.run.lower_bound)

    def _read_off(self) -> Stop | None:
        """Solve once more where the goal was found, if a plan or its cost is still to be had.

        The part `plan` is grounded there, and an objective, which plays no part in the search for
        a horizon, is optimized.
        """
        horizon = self.goal_at
        if horizon is None or not (self.program.plan_part or self.program.optimizes):
            return None
        if self.found and self._branches() and self.found[1].proven:
            return None
        doing = "reading the plan off" if self.program.plan_part else "optimizing the cost at"
        self._tell(f"{doing} horizon {horizon}")
        if self.program.plan_part:
            self.session.ground([plan(horizon)])
        self.session.demand(horizon)
        answer = self.session.solve(horizon, wanted_models(self.run), self.program.optimizes)
        if answer.satisfiable is False:
            raise InputError(
                f"the goal holds at {horizon}, but with the part plan({horizon}) there is no "
                "answer set",
                mend="the part may describe plans, but not exclude all of them",
            )
        if answer.models:
            self.found = horizon, answer
        done = answer.proven if self.program.optimizes else answer.satisfiable
        return None if done else Stop.TIME

    def _never(self, horizon: int, answer: Answer) -> Result | None:
        """The result, if the refutation of a horizon refutes all later ones too."""
        if self.exhausted and horizon == self.grounded:
            present = self.session.control.get_const("bound")
            self.next_bound = next_bound(self.session.said(), present)
            if self.next_bound is not None:
                return self._result()
            return self._no_plan(f"from step {horizon} on nothing new can be reached")
        powers_of_two = horizon & (horizon - 1) == 0
        suspicious = self.program.only_query and (answer.empty_core or powers_of_two)
        if suspicious and self.session.inconsistent(horizon):
            return self._no_plan(f"the program has no answer set from step {horizon} on")
        return None

    def _no_plan(self, proof: str) -> Result:
        if self.run.lower_bound > self.grounded:
            return self._result(outcome=Outcome.UNSOLVABLE, reason=f"no plan exists: {proof}")
        return self._result(
            stopped=Stop.HORIZON, reason=f"{proof}, but smaller horizons were not tried"
        )

    def _end(self, stopped: Stop | None) -> Result:
        reason = self._stop_reason(stopped) if stopped else ""
        if self.found:
            reason = "; ".join(filter(None, [reason, self._plan_reason(*self.found)]))
        return self._result(stopped=stopped, reason=reason)

    def _plan_reason(self, horizon: int, answer: Answer) -> str:
        lower = self.run.lower_bound
        found = f"horizons {lower} to {horizon - 1} were not refuted"
        if lower == horizon - 1:
            found = f"horizon {lower} was not refuted"
        if lower >= horizon:
            found = shortest(horizon)
        dear = self.program.optimizes and not answer.proven
        return f"{found}; cheaper ones were not excluded" if dear else found

    def _stop_reason(self, stopped: Stop) -> str:
        if stopped == Stop.TIME:
            return f"{self.limits.time_reason()} at horizon {self.grounded}"
        return f"maximal horizon {self.limits.max_horizon} reached"

    def _result(self, **fields: object) -> Result:
        return self.run.result(**{**self._in_hand(), **fields})

    def _in_hand(self) -> dict[str, object]:
        if self.found is None:
            return {}
        horizon, answer = self.found
        known, cost = self.program.readings, answer.cost or None
        plans = (read_plan(shown, horizon, known, cost) for shown in answer.models)
        return {
            "outcome": Outcome.OPTIMAL if self.run.lower_bound >= horizon else Outcome.PLAN,
            "horizon": horizon,
            "cost": cost,
            "plans": distinct(plans) if self.program.plans else (),
            "atoms": answer.models[0].texts(),
            "trajectory": passage(answer.models[0].symbols, horizon, self.program),
        }

    def _tell(self, doing: str) -> None:
        if self.run.report is not unheard:
            counters = replace(self.session.effort.statistics, steps=())
            self.run.tell(doing, **{**self._in_hand(), "statistics": counters})


def shortest(horizon: int) -> str:
    """In words: a plan of this length is proven shortest."""
    if horizon == 0:
        return "the goal holds at the start"
    return f"shortest: {horizon - 1} steps refuted, {horizon} found"
