"""The race of several methods on one problem, each in a process of its own.

The methods share the horizons that they refute. The first method with an answer wins, and the other
methods are stopped. If there are fewer cores than methods, the methods take turns, which get longer
from round to round.
"""

from __future__ import annotations

import os
import time
from dataclasses import (
    dataclass,
    field,
    replace,
)
from functools import partial
from multiprocessing.connection import wait
from typing import Any

from asplan.core.budget import Reporter
from asplan.core.child import hold_signals
from asplan.core.choices import Objective
from asplan.core.errors import InputError
from asplan.core.limits import Stop
from asplan.core.process import GRACE
from asplan.engines.portfolio.methods import Method
from asplan.engines.portfolio.runner import (
    Runner,
    SharedBound,
    in_one_line,
)
from asplan.engines.run import Run
from asplan.result import (
    LEAST,
    Outcome,
    Refuter,
    Result,
)

_POLL = 0.05

FIRST_TURN = 0.5  # seconds
LONGER = 1.5  # the growth of the turns from one round to the next
SHORTER = 0.25  # the part of a turn for methods that lag behind

NICENESS = 10  # with this priority a process gets about a tenth of the time of others on a core


@dataclass
class Race:
    """A race of methods on the problem of a run.

    Attributes
    ----------
    runners
        The methods in their processes. The first one, the leader, starts at once. At most one is
        steady: it keeps a core while the others take turns.
    bound
        The greatest lower bound that a method has proven.
    """

    run: Run[Any]  # Any: options of `portfolio` or `auto`
    runners: list[Runner]
    bound: SharedBound = field(default_factory=SharedBound)
    _turn: float = FIRST_TURN
    _began: float = field(default_factory=time.monotonic)
    _turned: float = field(default_factory=time.monotonic)
    _first: int = 0

    def winner(self) -> Result:
        """Run the race; return the first answer, or the best result once all runners have ended."""
        try:
            while True:
                self._start_due()
                winner = self._receive()
                if winner is not None:
                    return self._won(winner)
                if not self._running():
                    self._start_due()
                if not self._running() or self._only_plan_is_left():
                    return self._without_winner()
                if self.run.budget.remaining + GRACE < 0:  # the runners have ignored the deadline
                    reason = self.run.limits.time_reason("racing")
                    last = replace(self._best_result(), stopped=Stop.TIME, reason=reason)
                    return self._with_bound(last)
                self._take_turns()
        finally:
            with hold_signals():
                for runner in self.runners:
                    runner.stop()

    def _running(self) -> list[Runner]:
        return [runner for runner in self.runners if runner.runs]

    def _receive(self) -> Runner | None:
        """Wait a moment for reports; return the runner that has an answer, or None."""
        running = self._running()
        wait([runner.receiver for runner in running], _POLL)
        for runner in running:
            if runner.receiver.poll() or runner.child.status() is not None:
                runner.receive()
                if runner.has_answer(self.run.limits.max_horizon):
                    return runner
                self._report()
        return None

    def _only_plan_is_left(self) -> bool:
        """Return whether the time is up, and a runner has ended at the time limit with a plan."""
        if self.run.budget.remaining >= 0:
            return False
        results = (r.last for r in self.runners if r.ended and r.error is None)
        return any(result.plans and result.stopped == Stop.TIME for result in results)

    def _taking_part(self) -> list[Runner]:
        """Return the runners that have started, except optional ones that have failed."""
        started = (runner for runner in self.runners if runner.started)
        return [r for r in started if r.error is None or not r.method.optional]

    def _start_due(self) -> None:
        """Start the runners whose time to start has come."""
        for runner in self.runners:
            if not runner.started and self._is_due(runner):
                runner.start(partial(_solve, self.run, runner.method, self.bound, runner.nice))

    def _is_due(self, runner: Runner) -> bool:
        running = self._running()
        seconds = runner.start_rule.race_seconds(_count_cores())
        if running and time.monotonic() - self._began < seconds:
            return False
        searches = (other for other in running if other.method.optional)
        is_kept_up = any(not self._lags(other) for other in searches)
        return runner.is_due(self.runners[0], is_kept_up)

    def _lags(self, runner: Runner) -> bool:
        """Return whether a runner is optional and has proven less than half of the shared bound."""
        return runner.method.optional and 2 * runner.last.lower_bound < self.bound.proven()

    def _take_turns(self) -> None:
        """If there are more runners than cores, pause some and continue others, in turns."""
        running = self._running()
        cores = _count_cores()
        if cores > 1:
            cores -= sum(runner.steady for runner in running)
            running = [runner for runner in running if not runner.steady]
        if len(running) <= cores:
            for runner in running:
                runner.pause(False)
            return
        self._end_turn(running, cores)
        for place, runner in enumerate(running):
            runner.pause((place - self._first) % len(running) >= cores)

    def _end_turn(
        self,
        running: list[Runner],
        cores: int,
    ) -> None:
        """Give the turn to the next runners if the present turn is over.

        `running` are the runners that take turns on `cores` cores. A turn is shorter if all runners
        in it lag behind.
        """
        now = time.monotonic()
        present = [runner for runner in running if not runner.paused]
        is_short = bool(present) and all(map(self._lags, present))
        turn = SHORTER * self._turn if is_short else self._turn
        if now - self._turned <= turn:
            return
        self._turned = now
        self._first += cores
        if self._first >= len(running):
            self._first = 0
            self._turn *= LONGER

    def _won(self, winner: Runner) -> Result:
        result = self._with_bound(winner.last)
        others = (runner.progress() for runner in self._taking_part() if runner is not winner)
        reason = "; ".join([result.reason, f"{winner.method.name} was first", *others])
        return replace(result, reason=reason, method=winner.method.name)

    def _without_winner(self) -> Result:
        """Return the best result of a race in which no runner has an answer.

        Raise an error if all runners have failed.
        """
        taking_part = self._taking_part()
        failed = [(r.method.name, r.error) for r in taking_part if r.error is not None]
        if len(failed) < len(taking_part):
            return self._with_bound(self._best_result())
        _, first = failed[0]
        if len({str(error) for _, error in failed}) == 1:
            raise first
        reasons = (f"{name}: {in_one_line(error)}" for name, error in failed)
        raise InputError(f"every method has failed: {'; '.join(reasons)}") from first

    def _best(self) -> Runner:
        """Return the runner with the best result, among the runners that have not failed."""
        able = [runner for runner in self.runners if runner.started and runner.error is None]
        return max(able, key=lambda r: (bool(r.last.plans), r.last.lower_bound, r.received))

    def _best_result(self) -> Result:
        """Return the best result; if it has a plan, with the method that found it."""
        best = self._best()
        return replace(best.last, method=best.method.name) if best.last.plans else best.last

    def _with_bound(self, result: Result) -> Result:
        """Return a result with the greatest lower bound that any runner has proven.

        A plan that is no longer than this bound becomes optimal.
        """
        if result.optimized == Objective.COST:
            return self._with_cost_bound(result)
        bound = max(result.lower_bound, self.bound.proven())
        if bound > result.lower_bound:
            result = _proven_by_others(result)
        horizon = result.horizon
        if result.outcome == Outcome.PLAN and horizon is not None and horizon <= bound:
            return replace(
                result,
                outcome=Outcome.OPTIMAL,
                lower_bound=horizon,
                reason=self.run.problem.claims.shortest(horizon),
            )
        return replace(result, lower_bound=bound)

    def _with_cost_bound(self, result: Result) -> Result:
        least = max(runner.last.lower_cost for runner in self.runners)
        if least > result.lower_cost:
            result = _proven_by_others(result)
        result = replace(result, lower_cost=least)
        if result.outcome != Outcome.PLAN or not result.cost or result.cost[0] > least:
            return result
        reason = f"{LEAST[Objective.COST]}: no plan costs less than {least}"
        return replace(result, outcome=Outcome.OPTIMAL, stopped=None, reason=reason)

    def _report(self) -> None:
        self.run.lower_bound = max(self.run.lower_bound, self.bound.proven())
        self.run.lower_cost = max(runner.last.lower_cost for runner in self.runners)
        running = self._running()
        if running:
            doing = " · ".join(f"{r.method.name}: {r.last.reason}" for r in running)
            # A runner that has stopped may have the only plan.
            best = replace(self._best_result(), lower_bound=self.run.lower_bound, stopped=None)
            self.run.report(replace(self._with_bound(best), reason=doing))


def _proven_by_others(result: Result) -> Result:
    """Return the result of a method with the evidence that others have proven its bound."""
    return replace(result, evidence=result.evidence.with_methods(Refuter.METHODS))


def _count_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def _solve(
    run: Run[Any],
    method: Method,
    bound: SharedBound,
    nice: bool,
    report: Reporter[Result],
) -> Result:
    if nice:
        os.nice(NICENESS)
    return method.solve(replace(run, options=method.options, report=report, shared=bound))
