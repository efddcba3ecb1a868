"""Trials: a method on an instance, once; in which order they come, and how one is measured."""

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
from typing import Generic

import msgspec

from asplan.bench.instances import Instance
from asplan.bench.records import Key, Record
from asplan.bench.suite import NO_TRUST, Method, Suite, SuiteLimits, Trust
from asplan.core.errors import AsplanError, InvalidPlan, UsageError
from asplan.core.forking import holding_locks
from asplan.core.limits import Limits
from asplan.core.process import Answer, Done, Usage, run_isolated
from asplan.engines.run import Report, ignore_report
from asplan.planner import Request, answer
from asplan.problem import Inputs
from asplan.result import Outcome, Result

MOMENT = 1.0  # seconds for which each method is tried before anything is run


@dataclass(frozen=True)
class Measured(Generic[Answer]):
    """What came of work in a process of its own, and what it took.

    `answer` is what it returned; where a limit stopped it, its last report with the reason. `error`
    is what it raised instead, or how its process died. `wall` has the start of the process in it;
    `cpu`, in seconds, has the processes that it started and waited for; `memory` is the most that
    was resident in one of them, in MB. Where the system does not account for them, they are None.
    """

    answer: Answer
    error: AsplanError | None
    wall: float
    cpu: float | None = None
    memory: float | None = None


def measure(
    work: Callable[[Callable[[Answer], None]], Answer],
    limits: Limits,
    begin: Answer,
    heed: Callable[[], None] = lambda: None,
    cpu_seconds: float | None = None,
) -> Measured[Answer]:
    """Do work that may report a part; `heed` is called at times, and what it raises ends it."""
    usages: list[Usage | None] = [None]
    outcome, error, start = begin, None, time.monotonic()
    try:
        within = partial(_work_within, work, cpu_seconds)
        outcome = run_isolated(within, limits, lambda _: heed(), begin, None, usages.append)
    except AsplanError as failure:
        error = failure
    wall, usage = time.monotonic() - start, usages[-1]
    return Measured(outcome, error, wall, *((usage.seconds, usage.megabytes) if usage else ()))


def _work_within(
    work: Callable[[Callable[[Answer], None]], Answer],
    cpu_seconds: float | None,
    report: Callable[[Answer], None],
) -> Answer:
    if cpu_seconds is not None:
        try:
            import resource
        except ImportError:  # not on Windows
            what = "this system has no limits of processor time"
            raise UsageError(what, hint="set seconds, not cpu_seconds") from None
        whole = math.ceil(cpu_seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))
    return work(report)


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
        return self.instance.name, self.method.name, self.repetition

    def answer(self, limits: Limits, report: Report) -> Result:
        """Answer in this process, and keep what a record needs."""
        line = self.instance.line
        inputs = Inputs(
            files=self.instance.files,
            text=None if line is None else line.facts(),
            encoding=self.method.encoding,
            constants=self.method.constants,
            steps=self.method.steps,
            order=self.order,
            allow_scripts=self.trust.scripts,
            allow_includes=self.trust.includes,
        )
        request = Request(inputs, self.method.engine, self.method.options, limits)
        return replace(answer(request, report), trajectory=None, atoms=())


def trials_of(suite: Suite, instances: Sequence[Instance]) -> Iterator[Trial]:
    """All trials of a suite; methods take turns, so that a machine that slows does so for all."""
    for repetition in range(suite.written.repetitions):
        order = None if suite.written.seed is None else suite.written.seed + repetition
        for i, instance in enumerate(instances):
            fit = [method for method in suite.methods if method.serves(instance.group)]
            turn = (i + repetition) % len(fit) if fit else 0
            for method in fit[turn:] + fit[:turn]:
                yield Trial(instance, method, repetition, order, suite.trust)


def check_trial(trial: Trial, limits: SuiteLimits) -> None:
    """Try for a moment whether a method suits an instance, and import here what that imported."""
    seconds = min(MOMENT, limits.seconds or MOMENT)
    work = partial(_import_for, trial, seconds)
    done = run_isolated(work, Limits(seconds, limits.megabytes), ignore_report, Done())
    with holding_locks():
        for name in done.value or ():
            with suppress(ImportError):
                import_module(name)


def _import_for(trial: Trial, seconds: float, report: Callable[[Done], None]) -> Done:
    """Begin a trial; what comes back are the names of the modules that it imported."""
    before = set(sys.modules)
    imported: Callable[[], Done] = lambda: Done(sorted(set(sys.modules) - before))  # noqa: E731
    trial.answer(Limits(seconds), lambda result: report(imported()))
    return imported()


def run_trial(trial: Trial, limits: SuiteLimits, heed: Callable[[], None] = lambda: None) -> Record:
    """Make a trial in a process of its own; what `heed` raises, called at times, ends it."""
    work = partial(trial.answer, limits.limits())
    done = measure(work, limits.limits(), Result(), heed, limits.cpu_seconds)
    result, error = done.answer, done.error
    if error is not None:
        result = Result()
    elif result.plans and result.validated is None:
        reason = f"{result.reason}; the plan was not checked"
        result = replace(result, outcome=Outcome.UNKNOWN, reason=reason)
    instance, method, repetition = trial.key
    values = {
        **vars(result),
        **vars(result.seconds),
        **vars(result.statistics),
        **vars(done),
        "instance": instance,
        "method": method,
        "repetition": repetition,
        "actions": None if result.plan is None else len(result.plan.actions),
        "error": "" if error is None else str(error),
        "invalid": isinstance(error, InvalidPlan),
        "host": platform.node(),
    }
    return msgspec.convert(values, Record)
