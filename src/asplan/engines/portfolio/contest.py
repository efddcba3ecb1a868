"""The race: runners on one problem, whoever watches them, and what they have found together."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from typing import Any

from asplan.engines.asp.controller import shortest
from asplan.engines.portfolio.runner import Runner, SharedBound, in_a_line
from asplan.engines.run import Run
from asplan.errors import InputError
from asplan.limits import Stop
from asplan.process import GRACE, signals_held
from asplan.result import Outcome, Result

_POLL = 0.05
FIRST_TURN, LONGER = 0.5, 1.5
"""Seconds of the first turn where there are too few cores, and by how much a round's turns grow."""

SHORTER = 0.25
"""What of a turn those have who do not keep up."""

TRANSLATING = 1e-5
"""Seconds that it takes a SAT solver to hear of a rule, about."""


@dataclass
class Race:
    """The runners of one problem.

    Attributes
    ----------
    run
        What the race is run for.
    runners
        Those that start at once come first. At most one is steady.
    """

    run: Run[Any]
    runners: list[Runner]
    bound: SharedBound = field(default_factory=SharedBound)
    _turn: float = FIRST_TURN
    _began: float = field(default_factory=time.monotonic)
    _turned: float = field(default_factory=time.monotonic)
    _first: int = 0

    def winner(self) -> Result:
        """The first answer; without one, the most that is known when the last runner has ended.

        Raises
        ------
        AsplanError
            All runners have failed.
        """
        try:
            while True:
                self._start_due()
                for runner in self._heard():
                    runner.hear()
                    if runner.has_answer(self.run.limits.max_horizon):
                        return self._won(runner)
                    self._tell()
                if all(runner.ended for runner in self._started()):
                    return self._nobody()
                if self.run.left + GRACE < 0:
                    return self._late()
                self._take_turns()
        finally:
            with signals_held():
                for runner in self.runners:
                    runner.stop()

    def _started(self) -> list[Runner]:
        return [runner for runner in self.runners if runner.child is not None]

    def _spoken_of(self) -> list[Runner]:
        """Those that have started, but for those that had better not."""
        return [r for r in self._started() if r.error is None or not r.method.optional]

    def _heard(self) -> list[Runner]:
        """The runners that have something to say; waits a little for one."""
        running = [runner for runner in self.runners if runner.runs]
        wait([runner.receiver for runner in running if runner.receiver is not None], _POLL)
        return [runner for runner in running if runner.speaks]

    def _start_due(self) -> None:
        """Start the runners whose time has come."""
        leader, past = self.runners[0], time.monotonic() - self._began
        patience = TRANSLATING * (leader.last.statistics.rules or 0)
        for runner in self.runners:
            delay = runner.delay + (runner.leaves if self._is_watched() else 0.0)
            late = not runner.delay or leader.searched() > max(delay, patience)
            if runner.child is None and late and past >= runner.past:
                runner.start(self.run, self.bound)

    def _lags(self, runner: Runner) -> bool:
        """Whether one that need not take part has refuted less than half of what others have."""
        return runner.method.optional and 2 * runner.last.lower_bound < self.bound.told()

    def _is_watched(self) -> bool:
        """Whether a look-out keeps up with the others."""
        return any(r.runs and r.method.optional and not self._lags(r) for r in self.runners)

    def _take_turns(self) -> None:
        """Where there are more runners than cores, let others run once their turn has come."""
        running = [runner for runner in self.runners if runner.runs]
        cores = len(os.sched_getaffinity(0))
        if cores > 1:
            cores -= sum(runner.steady for runner in running)
            running = [runner for runner in running if not runner.steady]
        if len(running) <= cores:
            for runner in running:
                runner.pause(False)
            return
        now, present = time.monotonic(), [r for r in running if not r.paused]
        shorter = SHORTER if present and all(map(self._lags, present)) else 1.0
        if now - self._turned > shorter * self._turn:
            self._first, self._turned = self._first + cores, now
            if self._first >= len(running):
                self._first, self._turn = 0, self._turn * LONGER
        for place, runner in enumerate(running):
            runner.pause((place - self._first) % len(running) >= cores)

    def _won(self, winner: Runner) -> Result:
        """The answer of a runner, and how far the others had come."""
        result = self._known(winner.last)
        others = (f"{r.method.name} {r.told()}" for r in self._spoken_of() if r is not winner)
        reason = "; ".join([result.reason, f"{winner.method.name} was first", *others])
        return replace(result, reason=reason)

    def _nobody(self) -> Result:
        """The most that is known, where no runner has an answer."""
        taking_part = self._spoken_of()
        failed = [(r.method.name, r.error) for r in taking_part if r.error is not None]
        if len(failed) < len(taking_part):
            return self._known(self._best().last)
        first = failed[0][1]
        if len({str(error) for _, error in failed}) == 1:
            raise first
        reasons = (f"{name}: {in_a_line(error)}" for name, error in failed)
        raise InputError(f"every method has failed: {'; '.join(reasons)}") from first

    def _late(self) -> Result:
        """The most that is known, where the time is up and runners do not notice it."""
        last = self._best().last
        reason = self.run.limits.time_reason("racing")
        return self._known(replace(last, stopped=Stop.TIME, reason=reason))

    def _best(self) -> Runner:
        """The runner that knows the most of those that have not failed."""
        able = [runner for runner in self._started() if runner.error is None]
        return max(able, key=lambda r: (bool(r.last.plans), r.last.lower_bound, r.heard))

    def _known(self, result: Result) -> Result:
        """A result with the bound that all have proven together."""
        bound = max(result.lower_bound, self.bound.told())
        if (
            result.outcome == Outcome.PLAN
            and result.horizon is not None
            and result.horizon <= bound
        ):
            return replace(
                result,
                outcome=Outcome.OPTIMAL,
                lower_bound=result.horizon,
                reason=shortest(result.horizon),
            )
        return replace(result, lower_bound=bound)

    def _tell(self) -> None:
        """Report how far the runners have come."""
        self.run.lower_bound = max(self.run.lower_bound, self.bound.told())
        running = [r for r in self.runners if r.runs]
        if running:
            best = max(running, key=lambda r: (bool(r.last.plans), r.heard))
            doing = " · ".join(f"{r.method.name}: {r.last.reason}" for r in running)
            self.run.report(replace(best.last, lower_bound=self.run.lower_bound, reason=doing))
