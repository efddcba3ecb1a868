"""The isolated worker that enforces limits.

clingo cannot be interrupted while it grounds. So a command does its work in a child process: it
reports what is proven so far, and the parent stops it when a limit is reached.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import Field, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, ClassVar, Protocol, TypeVar

from asplan.errors import AsplanError
from asplan.limits import Limits, while_doing
from asplan.result import Stop

GRACE = 0.3
"""Seconds that a worker gets after the deadline to stop by itself and report its statistics."""

_POLL = 0.05


class Partial(Protocol):
    """What a worker reports and returns: a frozen dataclass that can say why it ended early."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def reason(self) -> str:
        """What is being done, or why the work ended."""

    @property
    def stopped(self) -> Stop | None:
        """The limit that ended the work."""


Answer = TypeVar("Answer", bound=Partial)


class WorkerDied(AsplanError):
    """The worker process ended without an answer."""

    exit_status = 1


def run_isolated(
    work: Callable[[Callable[[Answer], None]], Answer],
    limits: Limits,
    report: Callable[[Answer], None],
    start: Answer,
) -> Answer:
    """Run `work(report)` in a child process and stop it when a limit is reached.

    Returns
    -------
    Answer
        What `work` returned; where it was stopped, its last report, with the reason. Before the
        first report that is `start`.

    Raises
    ------
    AsplanError
        The limits make no sense, or the one that `work` raised.
    WorkerDied
        The child ended without an answer.
    """
    limits.check()
    # A forked child starts at once; where fork is not safe, the child imports everything again.
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(work, sender), daemon=True)
    child.start()
    sender.close()
    last = start

    def remember(result: Answer) -> None:
        nonlocal last
        last = result
        report(result)

    try:
        return _attend(child, receiver, limits, remember, lambda: last)
    except KeyboardInterrupt:
        reason = while_doing("interrupted", last.reason)
        return replace(last, stopped=Stop.INTERRUPT, reason=reason)
    finally:
        child.kill()
        child.join()


def _attend(
    child: BaseProcess,
    receiver: Connection,
    limits: Limits,
    remember: Callable[[Answer], None],
    last: Callable[[], Answer],
) -> Answer:
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds + GRACE
    while True:
        if not receiver.poll(_POLL):
            remember(last())  # nothing new, but whoever shows the time wants to know
        else:
            try:
                kind, payload = receiver.recv()
            except EOFError:
                return _dead(child, limits, last())
            if kind == "report":
                remember(payload)
            elif kind == "error":
                raise payload
            elif kind == "crash":
                raise WorkerDied(f"unexpected error in the worker\n{payload}")
            else:
                return payload  # type: ignore[no-any-return]
        if deadline is not None and time.monotonic() > deadline:
            return replace(last(), stopped=Stop.TIME, reason=limits.time_reason(last().reason))
        if limits.megabytes is not None and _megabytes(child.pid) > limits.megabytes:
            reason = while_doing(f"memory limit of {limits.megabytes} MB reached", last().reason)
            return replace(last(), stopped=Stop.MEMORY, reason=reason)


def _dead(child: BaseProcess, limits: Limits, last: Answer) -> Answer:
    child.join()
    if child.exitcode == -signal.SIGKILL:
        reason = while_doing(
            "the system killed the worker, most likely for want of memory", last.reason
        )
        return replace(last, stopped=Stop.MEMORY, reason=reason)
    raise WorkerDied(f"the worker ended with status {child.exitcode}")


def _child(work: Callable[[Callable[[Any], None]], Any], sender: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, args=(os.getppid(),), daemon=True).start()
    try:
        result = work(lambda partial: sender.send(("report", partial)))
        sender.send(("result", result))
    except AsplanError as error:
        sender.send(("error", error))
    except BaseException:
        sender.send(("crash", traceback.format_exc()))


def _leave_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _megabytes(pid: int | None) -> float:
    """Resident memory of a process; 0 if it has ended."""
    import psutil

    try:
        return float(psutil.Process(pid).memory_info().rss / 2**20)
    except psutil.Error:
        return 0.0
