"""A task in a process of its own, and what the system says that it used."""

from __future__ import annotations

import math
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any, Generic

from asplan.bench.instances import Instance
from asplan.bench.records import Key, Record
from asplan.bench.suite import NO_TRUST, Method, Suite, SuiteLimits, Trust
from asplan.engines.run import Report
from asplan.errors import AsplanError, Bug, InvalidPlan, UsageError
from asplan.forking import holding_locks
from asplan.limits import Limits, Stop
from asplan.planner import Request, answer
from asplan.problem import Inputs
from asplan.process import Answer, Usage, run_isolated
from asplan.result import Outcome, Result


@dataclass(frozen=True)
class Measured(Generic[Answer]):
    """What came of a task, and what it took.

    Attributes
    ----------
    answer
        What the task returned; where a limit stopped it, its last report with the reason.
    error
        What it raised instead, or how its process died.
    cpu
        Seconds of processor time, with those of the processes that it started and waited for;
        None where the system does not account for it.
    wall
        Seconds from its start to its end, the start of its process included.
    memory
        The most that was resident in one process, in MB.
    """

    answer: Answer
    error: AsplanError | Bug | None
    cpu: float | None
    wall: float
    memory: float | None


def measured(
    work: Callable[[Callable[[Answer], None]], Answer],
    limits: Limits,
    begin: Answer,
    heed: Callable[[], None] = lambda: None,
    cpu_seconds: float | None = None,
) -> Measured[Answer]:
    """Do the work in a child process.

    Parameters
    ----------
    work
        Returns its answer, and may report a part of it before.
    limits
        Wall-clock seconds and megabytes.
    begin
        What counts as reported before anything is.
    heed
        Called several times a second; what it raises ends the work.
    cpu_seconds
        Of processor time, for each process; the system counts it in whole seconds.
    """
    used: list[Usage | None] = [None]
    answer, error = begin, None
    start = time.monotonic()
    try:
        answer = run_isolated(
            partial(_within, work, cpu_seconds), limits, lambda _: heed(), begin, None, used.append
        )
    except (AsplanError, Bug) as failure:
        error = failure
    wall, usage = time.monotonic() - start, used[-1]
    if usage is None:
        return Measured(answer, error, None, wall, None)
    return Measured(answer, error, usage.seconds, wall, usage.megabytes)


def _within(
    work: Callable[[Callable[[Answer], None]], Answer],
    cpu_seconds: float | None,
    report: Callable[[Answer], None],
) -> Answer:
    """Let the system end this process after so much processor time."""
    if cpu_seconds is not None:
        try:
            import resource
        except ImportError:  # not on Windows
            raise UsageError(
                "this system has no limits of processor time", hint="set seconds, not cpu_seconds"
            ) from None
        whole = math.ceil(cpu_seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))
    return work(report)


@dataclass(frozen=True)
class Done:
    """What a task returned that knows nothing of reports; None where it was stopped."""

    value: Any = None
    reason: str = ""
    stopped: Stop | None = None


def measured_call(
    task: Callable[[], Any], limits: Limits, cpu_seconds: float | None = None
) -> Measured[Done]:
    """Call a function in a child process; the answer's `value` is what it returned.

    >>> measured_call(lambda: 6 * 7, Limits(seconds=60)).answer.value
    42
    """
    begin = Done(reason="working")
    return measured(lambda report: Done(task()), limits, begin, cpu_seconds=cpu_seconds)


# Trials: a method on an instance, once; in which order they come, and how one is made.


MOMENT = 1.0
"""Seconds for which each method is tried before anything is run."""


@dataclass(frozen=True)
class Trial:
    """A method on an instance, once; `order` numbers an order of the facts, None is as written."""

    instance: Instance
    method: Method
    repetition: int = 0
    order: int | None = None
    trust: Trust = NO_TRUST

    @property
    def key(self) -> Key:
        """What makes it."""
        return self.instance.name, self.method.name, self.repetition

    def words(self) -> Inputs:
        """What the method is given; raises `InputError` for a line that is no instance."""
        line = self.instance.line
        return Inputs(
            files=self.instance.files,
            text=None if line is None else line.facts(),
            encoding=self.method.encoding,
            constants=self.method.constants,
            steps=self.method.steps,
            order=self.order,
            allow_scripts=self.trust.scripts,
            allow_includes=self.trust.includes,
        )


def trials_of(suite: Suite, instances: Sequence[Instance]) -> Iterator[Trial]:
    """All trials of a suite.

    The methods take turns on each instance, and each time another one begins, so that a machine
    that becomes slower does so for all of them alike.
    """
    for repetition in range(suite.repetitions):
        order = None if suite.seed is None else suite.seed + repetition
        for i, instance in enumerate(instances):
            fit = [m for m in suite.methods if not m.on or instance.group in m.on]
            turn = (i + repetition) % len(fit) if fit else 0
            for method in fit[turn:] + fit[:turn]:
                yield Trial(instance, method, repetition, order, suite.trust)


def check_trial(trial: Trial, limits: SuiteLimits) -> None:
    """Try for a moment whether a method suits an instance, in a process of its own.

    What that imported is imported here, too, so that processes that are forked afterwards have it.

    Raises
    ------
    AsplanError
        It does not.
    """
    seconds = min(MOMENT, limits.seconds or MOMENT)
    done = measured(partial(_tried, trial, seconds), Limits(seconds, limits.megabytes), Done())
    if done.error is not None:
        raise done.error
    with holding_locks():
        for name in done.answer.value or ():
            with suppress(ImportError):
                import_module(name)


def _tried(trial: Trial, seconds: float, report: Callable[[Done], None]) -> Done:
    """Answer a trial, and say which modules that has imported."""
    before = set(sys.modules)

    def imported() -> Done:
        return Done(sorted(set(sys.modules) - before))

    _answered(trial, Limits(seconds), lambda result: report(imported()))
    return imported()


def run_trial(trial: Trial, limits: SuiteLimits, heed: Callable[[], None] = lambda: None) -> Record:
    """Make a trial in a process of its own.

    `heed` is called several times a second; what it raises ends the trial.
    """
    work = partial(_answered, trial, limits.limits())
    done = measured(work, limits.limits(), Result(), heed, limits.cpu_seconds)
    return _record(trial, done)


def _answered(trial: Trial, limits: Limits, report: Report) -> Result:
    """Answer in this process, and keep what a record needs."""
    request = Request(trial.words(), trial.method.engine, trial.method.options, limits)
    return replace(answer(request, report), trajectory=None, atoms=())


def _record(trial: Trial, done: Measured[Result]) -> Record:
    result, error = done.answer, done.error
    if error is not None:
        result = Result()
    elif result.plans and result.validated is None:
        reason = f"{result.reason}; the plan was not checked"
        result = replace(result, outcome=Outcome.UNKNOWN, reason=reason)
    counted, plan = result.statistics, result.plan
    return Record(
        instance=trial.instance.name,
        method=trial.method.name,
        repetition=trial.repetition,
        outcome=result.outcome,
        horizon=result.horizon,
        actions=None if plan is None else len(plan.actions),
        lower_bound=result.lower_bound,
        cost=None if result.cost is None else list(result.cost),
        optimized=result.optimized,
        stopped=result.stopped,
        reason=result.reason,
        error="" if error is None else str(error),
        invalid=isinstance(error, InvalidPlan),
        validated=result.validated,
        cpu=done.cpu,
        wall=done.wall,
        memory=done.memory,
        ground=result.seconds.ground,
        solve=result.seconds.solve,
        calls=counted.calls,
        conflicts=counted.conflicts,
        choices=counted.choices,
        expanded=counted.expanded,
        host=platform.node(),
    )
