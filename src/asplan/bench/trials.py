"""Trials: a method on an instance, once; in which order they come, and how one is made."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module

from asplan.bench.instances import Instance
from asplan.bench.measured import Done, Measured, measured
from asplan.bench.records import Key, Record
from asplan.bench.suite import NO_TRUST, Method, Suite, SuiteLimits, Trust
from asplan.errors import InvalidPlan
from asplan.forking import holding_locks
from asplan.limits import Limits
from asplan.loading import Words
from asplan.planner import Request, answer
from asplan.result import Outcome, Result
from asplan.run import Report

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

    def words(self) -> Words:
        """What the method is given; raises `InputError` for a line that is no instance."""
        line = self.instance.line
        return Words(
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
