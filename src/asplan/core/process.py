"""Work in a child process under limits, with reports of its progress.

Grounding in clingo cannot be interrupted. So a child process works and reports the proven bounds,
and its parent ends it when a limit is reached.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import Field, replace
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from asplan.core.budget import ENDLESS, Budget, Reporter, ignore_report
from asplan.core.child import KILLED, Child, Usage, hold_signals, is_out_of_time, start_child
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, Bug, InputError, bug_of, system_error
from asplan.core.limits import Limits, Stop, has_memory_limit, with_activity

GRACE = 0.3  # seconds after the deadline in which a worker may stop and report by itself
_POLL = 0.05  # seconds between two checks of a worker without news
_PAUSE = 0.02  # seconds between two reports of a worker
_LINGER = 2.0  # seconds for which programs of a worker may still write temporary files after it
_NO_MEMORY = 71  # the exit status of a worker that lacks the memory for a message


class Partial(Protocol):
    """A report or an answer of a worker: any frozen dataclass with these two properties."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]  # fields of any type

    @property
    def reason(self) -> str:
        """The present activity in words, or the reason why the work has ended."""

    @property
    def stopped(self) -> Stop | None:
        """The limit that ended the work; None without one."""


Answer = TypeVar("Answer", bound=Partial)
Work = Callable[[Reporter[Answer]], Answer]
"""A function that gets a function for reports, works, and returns the answer."""


@dataclass(frozen=True)
class Done:
    """The answer of work without reports: its `value`, or None if a limit stopped it."""

    value: Any = None  # work has results of all kinds
    reason: str = ""
    stopped: Stop | None = None


def run_isolated(
    work: Work[Answer],
    limits: Limits,
    report: Reporter[Answer],
    begin: Answer,
    start: float | None = None,
    account: Callable[[Usage | None], None] | None = None,
    budget: Budget = ENDLESS,
) -> Answer:
    """Run `work(report)` in a child process and stop it when a limit is reached.

    Parameters
    ----------
    work
        The function to run in the child.
    limits
        Its limits; the time counts from `start`.
    report
        A function to call with the last report, several times a second.
    begin
        The answer if the work is stopped before its first report.
    start
        The start by `time.monotonic()`; by default now.
    account
        A function to call at the end with the child's processor time and memory, or None.
    budget
        The budget of the caller, which is checked several times a second. If it raises an
        exception, the child is ended.

    Returns
    -------
    The answer of `work`. If it was stopped, its last report, or `begin`, with the reason.

    Raises
    ------
    Bug
        If the child has died without an answer. Errors of `work` are raised, too.
    """
    limits.check()
    worker = Worker(begin)
    try:
        worker.start(work)
        deadline = limits.deadline(time.monotonic() if start is None else start) + GRACE
        return _attend(worker, limits, report, deadline, budget)
    except KeyboardInterrupt:
        if not worker.started:
            raise
        return worker.last_with(Stop.INTERRUPT, "interrupted")
    finally:
        worker.stop()
        if worker.started and account is not None:
            account(worker.child.usage)


def _attend(
    worker: Worker[Answer],
    limits: Limits,
    report: Reporter[Answer],
    deadline: float,
    budget: Budget,
) -> Answer:
    """Pass the reports of a worker on until it ends or a limit is reached; return its answer."""
    stations = deque[str](maxlen=5)
    while True:
        budget.check()
        if worker.last.reason and worker.last.reason not in stations:
            stations.append(worker.last.reason)
        if worker.receiver.poll(_POLL) or worker.child.status() is not None:
            worker.receive()
        if isinstance(worker.error, Bug):
            worker.error.stations = tuple(stations)
        if worker.error is not None:
            raise worker.error
        if worker.ended:
            return worker.last
        report(worker.last)  # even if there is no new report, so that displays update the time
        limited = apply_limits(worker, limits, deadline)
        if limited is not None:
            return limited


def apply_limits(worker: Worker[Answer], limits: Limits, deadline: float) -> Answer | None:
    """Return the last report of a worker, with the limit that the worker has reached.

    Return None if it has reached none.
    """
    if time.monotonic() > deadline:
        if worker.last.stopped == Stop.TIME:
            return worker.last  # the worker has noticed the limit, and ends slowly
        reason = limits.time_reason(worker.last.reason)
        return replace(worker.last, stopped=Stop.TIME, reason=reason)
    most = limits.megabytes
    if most is not None and _megabytes(worker.child.pid) > most:
        return worker.last_with(Stop.MEMORY, f"memory limit of {most} MB reached")
    return None


def run_apart(
    limits: Limits, budget: Budget, function: Callable[..., object], *arguments: object
) -> Done:
    """Call a function in a child process, under limits and the budget of the caller."""
    work = partial(_call, function, arguments)
    return run_isolated(work, limits, ignore_report, Done(), budget=budget)


def _call(
    function: Callable[..., object], arguments: tuple[object, ...], report: Reporter[Done]
) -> Done:
    return Done(function(*arguments))


class Worker(Generic[Answer]):
    """A child process at work.

    `last` is its last report, `received` the time of that report by `time.monotonic()`, and `error`
    the error that ended the work, or None.
    """

    child: Child
    receiver: Connection

    def __init__(self, begin: Answer) -> None:
        self.last = begin
        self.started = False
        self.ended = False
        self.scratch: str | None = None  # the folder for temporary files of the child
        self.error: Exception | None = None
        self.received = 0.0

    def start(self, work: Work[Answer]) -> None:
        """Start the child process, with a new folder for its temporary files."""
        with hold_signals():
            with suppress(OSError):  # the work may do without temporary files
                self.scratch = tempfile.mkdtemp(prefix="asplan-", dir=_temporary_root())
            try:
                self.child, self.receiver = start_child(partial(_work_in, self.scratch, work))
                self.started = True
            finally:
                if not self.started:
                    _remove(self.scratch)

    def receive(self) -> None:
        """Receive the child's next message: a report, its answer or its error; or note its end."""
        try:
            if not self.receiver.poll():
                raise EOFError
            kind, payload = self.receiver.recv()
        except (EOFError, ConnectionError):
            self._note_death()
            return
        self.ended = kind != "report"
        if kind == "error":
            self.error = payload
        else:
            self.last = payload
            self.received = time.monotonic()

    def _note_death(self) -> None:
        """Record that the child has ended without a message: because of a limit, or an error."""
        self.ended = True
        status = self.child.wait()
        if is_out_of_time(status, self.child.usage):
            self.last = self.last_with(Stop.TIME, "the limit of processor time was reached")
            return
        try:
            self.last = self.last_with(Stop.MEMORY, death_reason(status))
        except AsplanError as error:
            self.error = error

    def last_with(self, stop: Stop, reason: str) -> Answer:
        """Return the last report, with the limit that has ended the work and the reason."""
        return replace(self.last, stopped=stop, reason=with_activity(reason, self.last.reason))

    def stop(self) -> None:
        """End the child, and remove its temporary files."""
        if self.started:
            with hold_signals():
                self.child.kill()
                self.receiver.close()
                _remove(self.scratch)


def _temporary_root() -> str | None:
    """Return the folder for temporary files; None if the usual folder is not writable.

    `tempfile` would write a test file to find a folder, which a command without output must not do.
    """
    folder = tempfile.tempdir or os.environ.get("TMPDIR") or "/tmp"
    return str(folder) if os.access(folder, os.W_OK) else None


def _work_in(scratch: str | None, work: Work[Answer], sender: Connection) -> int:
    """Do a worker's work in the child; `scratch` is the folder for its temporary files."""
    global _scratch
    if scratch is not None:
        _scratch = scratch
        tempfile.tempdir = scratch
        os.environ["TMPDIR"] = scratch
    return answer_on(work, sender)


_scratch: str | None = None  # the folder for temporary files of this process, if it is a worker


def remove_scratch() -> None:
    """Remove the temporary files of this worker; only needed if its parent has ended."""
    if _scratch is not None:
        shutil.rmtree(_scratch, ignore_errors=True)


def _remove(folder: str | None) -> None:
    """Remove a folder of temporary files; retry for a while, as programs may still write there."""
    end = time.monotonic() + _LINGER
    while folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder) or time.monotonic() > end:
            return
        time.sleep(_POLL)


def death_reason(status: int) -> str:
    """Return the reason why a worker died without a message, if the reason is a lack of memory.

    Raise an error for any other reason.
    """
    if status == _NO_MEMORY or (has_memory_limit() and status != -signal.SIGFPE):
        return "out of memory"
    if -status == KILLED:
        return "the system killed the worker, most likely for want of memory"
    if status == -signal.SIGFPE:
        hint = "look for a division or a remainder by 0, or of -2147483648 by -1"
        raise InputError("clingo crashed on a number that does not exist", hint=hint)
    how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    raise Bug(f"the worker ended {how}")


class _Reports:
    """A sender of reports; if many are made within a short time, it sends only the newest."""

    def __init__(self, sender: Connection) -> None:
        self._sender = sender
        self._lock = threading.Lock()
        self._waiting: list[bytes] = []
        self._sent = -_PAUSE
        self._wake: threading.Event | None = None

    def __call__(self, report: Partial) -> None:
        with self._lock:
            # Pickle now: the work goes on, and may change the objects of the report.
            self._waiting = [pickle.dumps(("report", report))]
            if time.monotonic() >= self._sent + _PAUSE:
                self._send()
            elif self._wake is None:
                self._wake = threading.Event()
                threading.Thread(target=self._follow, args=(self._wake,), daemon=True).start()
            else:
                self._wake.set()

    def close(self) -> None:
        with self._lock:
            self._send()

    def _send(self) -> None:
        for report in self._waiting:
            self._sender.send_bytes(report)
        self._waiting = []
        self._sent = time.monotonic()

    def _follow(self, wake: threading.Event) -> None:
        while True:
            time.sleep(_PAUSE)
            with suppress(OSError):  # the parent has ended, as the work itself will notice
                self.close()
            wake.clear()
            wake.wait()


def answer_on(work: Work[Answer], sender: Connection) -> int:
    """Do a worker's work; send reports, then the answer or the error; return the exit status."""
    reports = _Reports(sender)
    try:
        result = work(reports)
        if sys.stdout:
            sys.stdout.flush()
        reports.close()
        sender.send(("result", result))
    except MemoryError:
        return _NO_MEMORY  # a message would take memory
    except BaseException as error:
        if isinstance(error, ImportError | SystemError) and has_memory_limit():
            return _NO_MEMORY
        reports.close()
        try:
            sender.send(("error", _expected(error)))
        except Exception as failure:  # the error cannot be pickled
            sender.send(("error", bug_of(failure)))
    return 0


def _expected(error: BaseException) -> BaseException:
    """Return an error in a form for the parent: `AsplanError`, `Bug` or `BrokenPipeError`."""
    if isinstance(error, AsplanError | BrokenPipeError):
        return error
    return system_error(error) if isinstance(error, OSError) else bug_of(error)


def _megabytes(pid: int | None) -> float:
    """Return the resident memory of a process and its descendants in MB; 0 if it has ended."""
    import psutil

    resident = 0.0
    with suppress(psutil.Error):
        worker = psutil.Process(pid)
        for process in [worker, *worker.children(recursive=True)]:
            with suppress(psutil.Error):
                resident += process.memory_info().rss / 2**20
    return resident
