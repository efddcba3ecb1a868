"""The race: methods on one problem, each in a process of its own, and what they find together.

What one of them refutes is refuted for all. The first that has an answer wins, and the others are
stopped. Where there are fewer cores than methods, these take turns, and the turns become longer.
At the end stand the engines `portfolio` and `auto`: which methods work on a problem.
"""

import mmap
import os
import signal
import struct
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing.connection import wait
from typing import Any

from asplan.core.child import FORKS, hold_signals
from asplan.core.errors import AsplanError, InputError, UsageError
from asplan.core.limits import Stop
from asplan.core.process import GRACE, Worker
from asplan.core.text import amount
from asplan.engines.asp import AspOptions
from asplan.engines.asp.answer import shortest_reason
from asplan.engines.asp.clingo_options import OPTIMIZATION
from asplan.engines.asp.opening import may_choose_configuration, takes_turns
from asplan.engines.portfolio.methods import (
    Method,
    finding,
    is_transition_system,
    parse_methods,
    proving,
    state_search,
)
from asplan.engines.run import Report, Run, Shared
from asplan.result import LEAST, Outcome, Result
from asplan.statespace.invariants import with_invariants

_POLL = 0.05

FIRST_TURN, LONGER = 0.5, 1.5  # seconds, and by how much a round's turns grow
SHORTER = 0.25  # what of a turn those have who do not keep up
TRANSLATING = 1e-5  # seconds that it takes a SAT solver to read a rule, about

NICENESS = 10  # those that join get a tenth of what others get on a busy machine

_NUMBER = struct.Struct("=q")


class SharedBound(Shared):
    """The greatest bound that is proven, shared; two that write at once leave a proven one."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _NUMBER.size)

    def proven(self) -> int:
        return int(_NUMBER.unpack_from(self._memory)[0])

    def tell(self, bound: int) -> None:
        if bound > self.proven():
            _NUMBER.pack_into(self._memory, 0, bound)


class Runner(Worker[Result]):
    """A method, and its process.

    It starts when the first runner has searched for `delay` seconds, and for `leaves` more while a
    state search keeps up; and not before `past` seconds have gone by. One that is `steady` keeps a
    core while others take turns; one that is `nice` leaves more of a busy machine to others.
    """

    def __init__(
        self,
        method: Method,
        delay: float = 0.0,
        leaves: float = 0.0,
        past: float = 0.0,
        steady: bool = False,
        nice: bool = False,
    ) -> None:
        super().__init__(Result(reason="waiting"))
        self.method, self.delay, self.leaves = method, delay, leaves
        self.past, self.steady, self.nice, self.paused = past, steady, nice, False

    @property
    def runs(self) -> bool:
        return self.started and not self.ended

    def searched(self) -> float:
        """The seconds that it has searched so far."""
        present = (
            time.monotonic() - self.received if self.last.reason.startswith("solving") else 0.0
        )
        return self.last.seconds.solve + present

    def receive(self) -> None:
        self.pause(False)  # it may be in the middle of what it sends
        super().receive()

    def has_answer(self, max_horizon: int | None) -> bool:
        """Whether there is no more to find out than it has."""
        if not self.ended or self.error is not None:
            return False
        if self.last.stopped == Stop.HORIZON and max_horizon is not None:
            return self.last.lower_bound > max_horizon
        return self.last.stopped is None

    def pause(self, paused: bool) -> None:
        self.paused = paused
        with suppress(ProcessLookupError):
            os.kill(self.child.pid, signal.SIGSTOP if paused else signal.SIGCONT)

    def progress(self) -> str:
        name = self.method.name
        if self.error is not None:
            return f"{name} had failed ({_in_a_line(self.error)})"
        if self.ended:
            return f"{name} had stopped ({self.last.reason})"
        bound = self.last.lower_bound
        if self.last.optimized in ("actions", "cost"):
            return f"{name} had proven at least {bound or self.last.lower_cost}"
        return f"{name} had refuted {amount(bound - 1, 'step') if bound else 'nothing'}"


@dataclass
class Race:
    """The runners of one problem; who starts at once comes first, and at most one is steady."""

    run: Run[Any]
    runners: list[Runner]
    bound: SharedBound = field(default_factory=SharedBound)
    _turn: float = FIRST_TURN
    _began: float = field(default_factory=time.monotonic)
    _turned: float = field(default_factory=time.monotonic)
    _first: int = 0

    def winner(self) -> Result:
        """The first answer; without one, the most that is known when the last runner has ended."""
        try:
            while True:
                self._start_due()
                running = [runner for runner in self.runners if runner.runs]
                wait([runner.receiver for runner in running], _POLL)
                for runner in running:
                    if runner.receiver.poll() or runner.child.status() is not None:
                        runner.receive()
                        if runner.has_answer(self.run.limits.max_horizon):
                            return self._won(runner)
                        self._report()
                if not any(runner.runs for runner in self.runners):
                    self._start_due()
                if not any(runner.runs for runner in self.runners):
                    return self._nobody()
                stopped = (r.last for r in self.runners if r.ended and r.error is None)
                if self.run.left < 0 and any(r.plans and r.stopped == Stop.TIME for r in stopped):
                    return self._nobody()  # no more comes of the others
                if self.run.left + GRACE < 0:  # and runners do not notice it
                    reason = self.run.limits.time_reason("racing")
                    last = replace(self._best().last, stopped=Stop.TIME, reason=reason)
                    return self._with_bound(last)
                self._take_turns()
        finally:
            with hold_signals():
                for runner in self.runners:
                    runner.stop()

    def _taking_part(self) -> list[Runner]:
        """Those that have started, without the optional ones that cannot do it."""
        started = (runner for runner in self.runners if runner.started)
        return [r for r in started if r.error is None or not r.method.optional]

    def _start_due(self) -> None:
        """Start the runners whose time has come."""
        leader, past = self.runners[0], time.monotonic() - self._began
        patience = TRANSLATING * (leader.last.statistics.rules or 0)
        for runner in self.runners:
            searched = (r for r in self.runners if r.runs and r.method.optional)
            keeps_up = any(not self._lags(other) for other in searched)
            delay = runner.delay + (runner.leaves if keeps_up else 0.0)
            late = not runner.delay or leader.searched() > max(delay, patience)
            is_time = past >= runner.past or not any(other.runs for other in self.runners)
            if not runner.started and late and is_time:
                runner.start(partial(_solve, self.run, runner.method, self.bound, runner.nice))

    def _lags(self, runner: Runner) -> bool:
        """Whether one that need not take part has refuted less than half of what others have."""
        return runner.method.optional and 2 * runner.last.lower_bound < self.bound.proven()

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
        result = self._with_bound(winner.last)
        others = (runner.progress() for runner in self._taking_part() if runner is not winner)
        reason = "; ".join([result.reason, f"{winner.method.name} was first", *others])
        return replace(result, reason=reason)

    def _nobody(self) -> Result:
        """The most that is known, where no runner has an answer."""
        taking_part = self._taking_part()
        failed = [(r.method.name, r.error) for r in taking_part if r.error is not None]
        if len(failed) < len(taking_part):
            return self._with_bound(self._best().last)
        first = failed[0][1]
        if len({str(error) for _, error in failed}) == 1:
            raise first
        reasons = (f"{name}: {_in_a_line(error)}" for name, error in failed)
        raise InputError(f"every method has failed: {'; '.join(reasons)}") from first

    def _best(self) -> Runner:
        """The runner that knows the most of those that have not failed."""
        able = [runner for runner in self.runners if runner.started and runner.error is None]
        return max(able, key=lambda r: (bool(r.last.plans), r.last.lower_bound, r.received))

    def _with_bound(self, result: Result) -> Result:
        """A result with the bound that all have proven together."""
        bound, horizon = max(result.lower_bound, self.bound.proven()), result.horizon
        if result.optimized == "cost":
            # The cost that any of them has proven to be least.
            least = max(runner.last.lower_cost for runner in self.runners)
            result = replace(result, lower_cost=least)
            if result.outcome != Outcome.PLAN or not result.cost or result.cost[0] > least:
                return result
            reason = f"{LEAST['cost']}: no plan costs less than {least}"
            return replace(result, outcome=Outcome.OPTIMAL, stopped=None, reason=reason)
        if result.outcome == Outcome.PLAN and horizon is not None and horizon <= bound:
            return replace(
                result,
                outcome=Outcome.OPTIMAL,
                lower_bound=horizon,
                reason=shortest_reason(horizon, self.run.problem.horizon),
            )
        return replace(result, lower_bound=bound)

    def _report(self) -> None:
        self.run.lower_bound = max(self.run.lower_bound, self.bound.proven())
        self.run.lower_cost = max(runner.last.lower_cost for runner in self.runners)
        running = [runner for runner in self.runners if runner.runs]
        if running:
            doing = " · ".join(f"{r.method.name}: {r.last.reason}" for r in running)
            # One that has stopped may have the only plan.
            known = replace(self._best().last, lower_bound=self.run.lower_bound, stopped=None)
            known = self._with_bound(known)
            self.run.report(replace(known, reason=doing))


def _solve(run: Run[Any], method: Method, bound: SharedBound, nice: bool, report: Report) -> Result:
    if nice:
        os.nice(NICENESS)
    return method.solve(replace(run, options=method.options, report=report, shared=bound))


def _in_a_line(error: Exception) -> str:
    if not isinstance(error, AsplanError):
        return str(error)
    return f"{error.at}: {error.message}" if error.at else error.message


SECOND = 0.5  # seconds that clingo searches before another configuration of it joins in `auto`

LATER = 1.0  # seconds before a SAT solver joins: most of them may be grounding

JUMPY = "asp:jumpy"  # differs most from the default: often one is several times as fast

LEFT = 3.0  # seconds of clingo's search more that are left to a state search that keeps up with it
HEAD_START = 2.0  # seconds before clingo joins a search for any plan, which mostly has one by then

LEAD = 3.0  # seconds before clingo joins A*, which mostly has the least cost by then

SOON, LATE = 0.15, 5.0  # seconds before a state search joins: with a core, in turns


def race(run: Run[Any]) -> Result:
    if not FORKS:
        what = "methods race in processes that start as forks, which this system has not"
        raise UsageError(what, hint="say --engine asp or --engine sat")
    methods = parse_methods(run.options.methods or run.options.usual, run.options)
    for method in methods:
        method.check(run.problem)
    return Race(run, [Runner(method) for method in methods]).winner()


def auto(run: Run[Any]) -> Result:
    """Start clingo, then a state search, and another solver when clingo has searched a while."""
    runners = auto_runners(run)
    if len(runners) == 1:
        clingo = runners[0].method
        return clingo.solve(replace(run, options=clingo.options))
    return Race(run, runners).winner()


def auto_runners(run: Run[Any]) -> list[Runner]:
    """Who takes part in `auto`, clingo first, which keeps a core; the others take turns."""
    clingo, solver = parse_methods(run.options.usual, run.options)
    program, options = run.problem.program, clingo.options
    assert isinstance(options, AspOptions)
    runners = [Runner(clingo, steady=True)]
    if not FORKS:
        return runners
    if (best_first := proving(run)) is not None:
        wanted = replace(options, optimal=run.options.optimal)
        bounding = Runner(replace(clingo, options=wanted), past=LEAD)
        return [Runner(best_first, steady=True), bounding]
    if (any_plan := finding(run)) is not None:
        return [Runner(any_plan), Runner(clingo, steady=True, past=HEAD_START)]
    if (searching := state_search(run)) is not None:
        past = SOON if len(os.sched_getaffinity(0)) > 1 else LATE
        runners.append(Runner(searching, past=past, nice=True))
    if program.theory:
        return runners
    if takes_turns(replace(run, options=options), program):
        # The first one begins with branch and bound, and gives most turns to it.
        guided = replace(options, clingo=(OPTIMIZATION, *options.clingo))
        joining = replace(clingo, name=f"{clingo.name} {OPTIMIZATION}", options=guided)
        runners.append(Runner(joining, delay=SECOND, nice=True))
    if not (program.plan_part or program.optimizes):
        as_is = options.no_rewrite or options.invariants
        if not as_is and is_transition_system(program):
            another = partial(_solve_otherwise, clingo, solver)
            solver = replace(solver, name="another solver", solve=another)
        if may_choose_configuration(replace(run, options=options), program):
            runners.append(Runner(parse_methods(JUMPY, run.options)[0], delay=SECOND, nice=True))
        runners.append(Runner(solver, delay=LATER, leaves=LEFT, nice=True))
    return runners


def _solve_otherwise(clingo: Method, solver: Method, run: Run[Any]) -> Result:
    """Solve by clingo with invariants, where some are found; else by the SAT solver."""
    program = run.problem.program
    try:
        found = with_invariants(program, run.problem.given) is not program
    except InputError:  # its rules are a transition system's, and still it counts
        found = False
    if not found:
        return solver.solve(run)
    options = clingo.options
    assert isinstance(options, AspOptions)
    return clingo.solve(replace(run, options=replace(options, invariants=True)))
