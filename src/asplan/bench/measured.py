"""A task in a process of its own, and what the system says that it used."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic

from asplan.bug import Bug
from asplan.child import Usage
from asplan.errors import AsplanError, UsageError
from asplan.limits import Limits
from asplan.result import Stop
from asplan.worker import Answer, run_isolated


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
                "this system has no limits of processor time", mend="set seconds, not cpu_seconds"
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
