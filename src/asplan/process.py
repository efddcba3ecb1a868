"""A process that works for its parent: it starts at once, and does not outlive it.

On Linux it is a plain fork, which takes milliseconds and may be made anywhere: in a thread, beside
a running event loop, and in a process that is itself somebody's worker. Where forking is not safe,
on other systems and while another thread is inside clingo, the child imports everything again.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import Field, dataclass, field, replace
from functools import cache, partial
from multiprocessing.connection import Connection, Pipe
from types import ModuleType
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from asplan.errors import AsplanError, Bug, InputError, bug_of, system_error
from asplan.forking import others_outside
from asplan.limits import Limits, Stop, is_starved, while_doing

FORKS = sys.platform == "linux"
"""Whether a child is a fork, which shares what was mapped before it."""

_PR_SET_PDEATHSIG = 1
"""From Linux's sys/prctl.h."""

_LOOK = 0.2
"""Seconds between two looks at whether the parent still lives."""

_HELD = {s for n in ("SIGINT", "SIGTERM", "SIGHUP") if (s := getattr(signal, n, None)) is not None}

Work = Callable[[Connection], int]
"""Is given the end of a pipe on which to answer, and returns the exit status."""


@dataclass(frozen=True)
class Usage:
    """What a process and those below it have used, as the system accounts it.

    Attributes
    ----------
    seconds
        Of processor time, in the program and in the system.
    megabytes
        The most that was resident in one of the processes, with what a fork shares with its
        parent.
    """

    seconds: float
    megabytes: float


class Child(Protocol):
    """A started process."""

    @property
    def pid(self) -> int | None:
        """Its number."""

    def status(self) -> int | None:
        """Its exit status, below 0 the signal that ended it; None if it runs."""

    def wait(self) -> int:
        """Wait for its end; the exit status."""

    def kill(self) -> None:
        """End it if it runs."""

    @property
    def usage(self) -> Usage | None:
        """What it has used, once it has ended; None where the system does not say."""


def start_child(work: Work) -> tuple[Child, Connection]:
    """Start a child process; it answers on a pipe, of which this is our end."""
    receiver, sender = Pipe(duplex=False)
    try:
        with others_outside() as alone:
            forks = FORKS and alone
            child: Child = _Forked(work, receiver, sender) if forks else _Spawned(work, sender)
    finally:
        sender.close()
    return child, receiver


class _Forked:
    """A fork of this process; `multiprocessing` would refuse one to its own workers."""

    def __init__(self, work: Work, receiver: Connection, sender: Connection) -> None:
        self._status: int | None = None
        self.usage: Usage | None = None
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()  # what is in a buffer now would be written by both
        with suppress(OSError, ImportError):
            _system()  # here, so that many children do not each import it
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                _end_with_parent()
                receiver.close()
                status = _work(work, sender)
            finally:
                os._exit(status)

    def status(self) -> int | None:
        if self._status is None:
            self._wait(os.WNOHANG)
        return self._status

    def wait(self) -> int:
        while self._status is None:
            self._wait(0)
        return self._status

    def kill(self) -> None:
        if self.status() is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()

    def _wait(self, options: int) -> None:
        try:
            ended, status, used = os.wait4(self.pid, options)
        except ChildProcessError:  # somebody else has waited for it
            self._status = 0
        else:
            if ended:
                self._status = os.waitstatus_to_exitcode(status)
                self.usage = Usage(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


class _Spawned:
    """A process that begins from nothing."""

    usage: Usage | None = None

    def __init__(self, work: Work, sender: Connection) -> None:
        self._process = multiprocessing.get_context("spawn").Process(
            target=_exit_with, args=(work, sender)
        )
        with _not_daemonic(), _without_main():
            self._process.start()
        self.pid = self._process.pid

    def status(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int:
        self._process.join()
        return self._process.exitcode or 0

    def kill(self) -> None:
        self._process.kill()
        self._process.join()


def _exit_with(work: Work, sender: Connection) -> None:
    sys.exit(_work(work, sender))


def _work(work: Work, sender: Connection) -> int:
    """Do the work, in the child."""
    signal.set_wakeup_fd(-1)  # an event loop of the parent's is not ours
    for number in _HELD:
        # The parent decides what an interrupt ends; a terminal sends it to both.
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD)
    threading.Thread(target=_leave_with_parent, args=(os.getppid(),), daemon=True).start()
    with open(os.devnull) as nothing:  # noqa: PTH123
        sys.stdin = nothing
        return work(sender)


@cache
def _system() -> Any:
    """What Linux does for C programs."""
    import ctypes

    return ctypes.CDLL(None)


def _end_with_parent() -> None:
    """Let Linux kill this process as soon as its parent has ended, whatever it is doing.

    A thread that looks for it may have to wait while Python's garbage collection goes through
    gigabytes, for one.
    """
    with suppress(OSError, AttributeError):
        _system().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _leave_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


@contextmanager
def signals_held() -> Iterator[None]:
    """Let signals wait until a child is known that has to be ended with us.

    A child that is started meanwhile has its own ways with them before it lets them in.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _not_daemonic() -> Iterator[None]:
    """`multiprocessing` allows its daemonic workers no children, as they might outlive them."""
    config: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    before = config.get("daemon")
    config["daemon"] = False
    try:
        yield
    finally:
        config["daemon"] = before


@contextmanager
def _without_main() -> Iterator[None]:
    """Let the child not run the script again that this program is; it needs nothing from it."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


# The isolated worker that enforces limits.
#
# clingo cannot be interrupted while it grounds. So a command does its work in a child process: it
# reports what is proven so far, and the parent stops it when a limit is reached.


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
            hint="look for a division or a remainder by 0, or of -2147483648 by -1",
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
