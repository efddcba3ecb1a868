"""Trials of a suite, each measured in a process of its own.

A trial is one method on one instance, once.
"""

import math
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Generic

import msgspec

from asplan.bench.instances import SuiteInstance
from asplan.bench.records import Key, Record
from asplan.bench.suite import (
    NO_TRUST,
    BenchMethod,
    Suite,
    SuiteLimits,
    Trust,
)
from asplan.core.budget import ENDLESS, Budget, Reporter, ignore_report
from asplan.core.child import Usage
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, InvalidPlan, UsageError
from asplan.core.limits import Limits, hold_locks
from asplan.core.process import Answer, Done, Work, run_isolated
from asplan.planner import Request, answer
from asplan.problem import Inputs
from asplan.result import Outcome, Result

MOMENT = 1.0
"""The seconds for which each method is tried before the suite runs."""


@dataclass(frozen=True)
class Measured(Generic[Answer]):
    """The answer of a measured process, or its error, and the resources that it used.

    `wall` is in seconds, including the start of the process. `cpu` is in seconds, including child
    processes that have ended. `memory` is in MB, the most that any one of the processes used. None
    means that the system does not report it.
    """

    answer: Answer
    error: AsplanError | None
    wall: float
    cpu: float | None = None
    memory: float | None = None


def measure(
    work: Work[Answer],
    limits: Limits,
    begin: Answer,
    budget: Budget = ENDLESS,
    cpu_seconds: float | None = None,
) -> Measured[Answer]:
    """Run `work(report)` in a process of its own, and measure it.

    Parameters
    ----------
    work
        Computes an answer, and may report partial answers.
    begin
        The answer to return if a limit stops the work before its first report.
    budget
        A budget of the caller, which applies in addition to the limits.
    cpu_seconds
        The limit of processor time, rounded up to whole seconds.
    """
    usages: list[Usage | None] = []
    final = begin
    error = None
    start = time.monotonic()
    try:
        limited = partial(_limit_cpu_time, work, cpu_seconds)
        final = run_isolated(
            limited,
            limits,
            report=ignore_report,
            begin=begin,
            account=usages.append,
            budget=budget,
        )
    except AsplanError as failure:
        error = failure
    wall = time.monotonic() - start
    usage = usages[-1] if usages else None
    if usage is None:
        return Measured(final, error, wall)
    return Measured(final, error, wall, usage.seconds, usage.megabytes)


def _limit_cpu_time(
    work: Work[Answer],
    cpu_seconds: float | None,
    report: Reporter[Answer],
) -> Answer:
    """Limit the processor time of this process, then do the work."""
    if cpu_seconds is not None:
        try:
            import resource
        except ImportError:  # Windows
            message = "this system has no limits of processor time"
            raise UsageError(message, hint="set seconds, not cpu_seconds") from None
        soft = math.ceil(cpu_seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + 1))
    return work(report)


@dataclass(frozen=True)
class Trial:
    """One run of a method on an instance.

    `order` is the seed for a random order of the instance's facts; None leaves them as written.
    """

    instance: SuiteInstance
    method: BenchMethod
    repetition: int = 0
    order: int | None = None
    trust: Trust = NO_TRUST

    @property
    def key(self) -> Key:
        """The names of instance and method, and the repetition, which identify the trial."""
        return self.instance.name, self.method.name, self.repetition

    def answer(self, limits: Limits, report: Reporter[Result]) -> Result:
        """Solve the instance in this process; return the result without its states and atoms."""
        line = self.instance.line
        inputs = Inputs(
            self.instance.files,
            text=None if line is None else line.facts(),
            encoding=self.method.encoding,
            constants=self.method.constants,
            allow_scripts=self.trust.scripts,
            allow_includes=self.trust.includes,
            steps=self.method.steps,
            order=self.order,
        )
        request = Request(inputs, self.method.engine, self.method.options, limits)
        return replace(answer(request, report), trajectory=None, atoms=())


def trials_of(suite: Suite, instances: Sequence[SuiteInstance]) -> Iterator[Trial]:
    """Yield all trials of a suite.

    The method that comes first changes from instance to instance, so a machine that becomes slower
    affects all methods alike.
    """
    seed = suite.entries.seed
    for repetition in range(suite.entries.repetitions):
        order = None if seed is None else seed + repetition
        for i, instance in enumerate(instances):
            methods = [method for method in suite.methods if method.runs_on(instance.group)]
            for method in _rotate(methods, i + repetition):
                yield Trial(instance, method, repetition, order, suite.trust)


def _rotate(methods: list[BenchMethod], count: int) -> list[BenchMethod]:
    first = count % max(1, len(methods))
    return methods[first:] + methods[:first]


def first_trials(suite: Suite, instances: Sequence[SuiteInstance]) -> Iterator[Trial]:
    """Yield one trial of each method for each folder or database, with its first instance."""
    seen: set[tuple[str, str]] = set()
    for instance in instances:
        origin = instance.origin
        for method in suite.methods:
            if method.runs_on(instance.group) and (origin, method.name) not in seen:
                seen.add((origin, method.name))
                yield Trial(instance, method, 0, suite.entries.seed, suite.trust)


def check_trial(trial: Trial, limits: SuiteLimits) -> None:
    """Run a trial for a moment in another process; raise its error, if any.

    The modules that the trial imports are then imported in this process, so later forks have them.
    """
    seconds = min(MOMENT, limits.seconds or MOMENT)
    work = partial(_report_imports, trial, seconds)
    done = run_isolated(work, Limits(seconds, limits.megabytes), ignore_report, Done())
    with hold_locks():
        for name in done.value or ():
            with suppress(ImportError):
                import_module(name)


def _report_imports(trial: Trial, seconds: float, report: Reporter[Done]) -> Done:
    """Run a trial for at most `seconds`; report and return the names of the modules it imports."""
    before = set(sys.modules)

    def list_imports() -> Done:
        return Done(sorted(set(sys.modules) - before))

    trial.answer(Limits(seconds), lambda _: report(list_imports()))
    return list_imports()


def run_trial(trial: Trial, limits: SuiteLimits, budget: Budget = ENDLESS) -> Record:
    """Run a trial in a process of its own and return its record; see `measure` for `budget`."""
    work = partial(trial.answer, limits.limits())
    measured = measure(work, limits.limits(), Result(), budget, limits.cpu_seconds)
    return _make_record(trial, measured)


def _make_record(trial: Trial, measured: Measured[Result]) -> Record:
    """Return the record of a trial; if the plan was not checked, the outcome becomes unknown."""
    result = measured.answer
    error = measured.error
    if error is not None:
        result = Result()
    elif result.plans and result.validated is None:
        reason = f"{result.reason}; the plan was not checked"
        result = replace(result, outcome=Outcome.UNKNOWN, reason=reason)
    instance, method, repetition = trial.key
    # Fields that a record does not have are dropped by the conversion.
    fields = {
        **vars(result),
        **vars(result.seconds),
        **vars(result.statistics),
        **vars(measured),
        "instance": instance,
        "method": method,
        "repetition": repetition,
        "actions": None if result.plan is None else len(result.plan.actions),
        "error": "" if error is None else str(error),
        "invalid": isinstance(error, InvalidPlan),
        "host": platform.node(),
    }
    return msgspec.convert(fields, Record)
