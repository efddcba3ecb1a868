"""The isolated worker that enforces limits.

clingo cannot be interrupted while it grounds. So a command does its work in a child process: it
reports what is proven so far, and the parent stops it when a limit is reached.
"""

from __future__ import annotations

import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import Field, dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from asplan.bug import Bug, bug_of
from asplan.child import Child, Usage, signals_held, start_child
from asplan.errors import AsplanError, InputError, system_error
from asplan.limits import Limits, is_starved, while_doing
from asplan.result import Stop

GRACE = 0.3
"""Seconds that a worker gets after the deadline to stop by itself and report its statistics."""

_POLL = 0.05
_KILLED, _OUT_OF_TIME = (getattr(signal, name, None) for name in ("SIGKILL", "SIGXCPU"))
"""Windows has neither, and no process that ends by them."""

_NO_MEMORY = 71
"""The exit status of a worker that could not say more."""


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


def run_isolated(
    work: Callable[[Callable[[Answer], None]], Answer],
    limits: Limits,
    report: Callable[[Answer], None],
    begin: Answer,
    start: float | None = None,
    account: Callable[[Usage | None], None] | None = None,
) -> Answer:
    """Run `work(report)` in a child process and stop it when a limit is reached.

    Parameters
    ----------
    start
        The `time.monotonic()` from which the time counts, if not from now.
    account
        Told what the process has used when it has ended, however that came.

    Returns
    -------
    Answer
        What `work` returned; where it was stopped, its last report, with the reason. Before the
        first report that is `begin`.

    Raises
    ------
    AsplanError
        The limits make no sense, or the one that `work` raised.
    Bug
        The child raised something else, or ended without an answer.
    """
    limits.check()
    attendant: _Attendant[Answer] | None = None
    try:
        with signals_held():
            child, receiver = start_child(partial(answer_on, work))
            attendant = _Attendant(child, receiver, limits, report, begin, start)
        return attendant.attend()
    except KeyboardInterrupt:
        if attendant is None:
            raise
        return attendant.stopped(Stop.INTERRUPT, "interrupted")
    except Bug as bug:
        bug.stations = tuple(attendant.stations) if attendant else ()
        raise
    finally:
        if attendant is not None:
            attendant.child.kill()
            attendant.receiver.close()
            if account is not None:
                account(attendant.child.usage)


@dataclass
class _Attendant(Generic[Answer]):
    """Waits for a worker, hears its reports, and keeps its limits."""

    child: Child
    receiver: Connection
    limits: Limits
    report: Callable[[Answer], None]
    last: Answer
    start: float | None = None
    stations: deque[str] = field(default_factory=lambda: deque(maxlen=5))

    def __post_init__(self) -> None:
        self._reach(self.last)

    def attend(self) -> Answer:
        """What the worker returns, or its last report where it was stopped."""
        seconds, megabytes = self.limits.seconds, self.limits.megabytes
        start = time.monotonic() if self.start is None else self.start
        deadline = None if seconds is None else start + seconds + GRACE
        while True:
            if not self.receiver.poll(_POLL):
                if self.child.status() is not None and not self.receiver.poll():
                    return self._dead()
                self.report(self.last)  # nothing new, but whoever shows the time wants to know
            else:
                try:
                    kind, payload = self.receiver.recv()
                except (EOFError, ConnectionError):
                    return self._dead()
                if kind == "error":
                    raise payload
                if kind == "result":
                    return payload  # type: ignore[no-any-return]
                self._hear(payload)
            if deadline is not None and time.monotonic() > deadline:
                if self.last.stopped == Stop.TIME:
                    return self.last  # it has said so, and was slow to end
                reason = self.limits.time_reason(self.last.reason)
                return replace(self.last, stopped=Stop.TIME, reason=reason)
            if megabytes is not None and _megabytes(self.child.pid) > megabytes:
                return self.stopped(Stop.MEMORY, f"memory limit of {megabytes} MB reached")

    def stopped(self, why: Stop, reason: str) -> Answer:
        """The last report, and why there is none after it."""
        return replace(self.last, stopped=why, reason=while_doing(reason, self.last.reason))

    def _hear(self, report: Answer) -> None:
        self.last = report
        self._reach(report)
        self.report(report)

    def _reach(self, report: Answer) -> None:
        if report.reason and report.reason not in self.stations:
            self.stations.append(report.reason)

    def _dead(self) -> Answer:
        status = self.child.wait()
        if -status == _OUT_OF_TIME:
            return self.stopped(Stop.TIME, "the limit of processor time was reached")
        return self.stopped(Stop.MEMORY, why_dead(status))


def why_dead(status: int) -> str:
    """Why a worker that said nothing at its end ended for want of memory, by its exit status.

    Raises
    ------
    AsplanError
        It ended for another reason.
    """
    if status == _NO_MEMORY or (is_starved() and status != -signal.SIGFPE):
        return "out of memory"
    if -status == _KILLED:
        return "the system killed the worker, most likely for want of memory"
    if status == -signal.SIGFPE:
        raise InputError(
            "clingo died of a number that does not exist",
            mend="look for a division or a remainder by 0, or of -2147483648 by -1",
        )
    how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    raise Bug(f"the worker ended {how}")


def answer_on(work: Callable[[Callable[[Any], None]], Any], sender: Connection) -> int:
    """What a worker does: send its reports, and its result or its error; its exit status."""
    try:
        result = work(lambda partial: sender.send(("report", partial)))
        if sys.stdout:
            sys.stdout.flush()
        sender.send(("result", result))
    except MemoryError:
        return _NO_MEMORY  # even that would take memory to say
    except BaseException as error:
        if isinstance(error, ImportError | SystemError) and is_starved():
            return _NO_MEMORY
        try:
            sender.send(("error", _told(error)))
        except Exception as unsaid:  # it cannot be pickled
            sender.send(("error", bug_of(unsaid)))
    return 0


def _told(error: BaseException) -> BaseException:
    """What the parent raises for an exception in the worker."""
    if isinstance(error, AsplanError | BrokenPipeError):
        return error
    return system_error(error) if isinstance(error, OSError) else bug_of(error)


def _megabytes(pid: int | None) -> float:
    """Resident memory of a process and of those that it has started; 0 if it has ended."""
    import psutil

    def resident(process: psutil.Process) -> float:
        try:
            return float(process.memory_info().rss / 2**20)
        except psutil.Error:
            return 0.0

    try:
        worker = psutil.Process(pid)
        return sum(map(resident, [worker, *worker.children(recursive=True)]))
    except psutil.Error:
        return 0.0
