"""A process that works for its parent: it starts at once, is supervised, and does not outlive it.

clingo cannot be interrupted while it grounds. So a child process works, reports what is proven so
far, and is stopped when a limit is reached. On Linux it is a plain fork, which takes milliseconds
and may be made anywhere; elsewhere, and while another thread is inside clingo, it imports all
again.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import Field, dataclass, replace
from functools import cache, partial
from multiprocessing.connection import Connection, Pipe
from types import ModuleType
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from asplan.core.errors import AsplanError, Bug, InputError, bug_of, system_error
from asplan.core.limits import Limits, Stop, is_starved, others_outside, while_doing

FORKS = sys.platform == "linux"  # whether a child is a fork, which shares what was mapped before it
GRACE = 0.3  # seconds that a worker gets after the deadline to stop by itself and report
_POLL = 0.05  # seconds between two looks at a worker that says nothing
_PAUSE = 0.02  # seconds between two reports of a worker
_LOOK = 0.2  # seconds between two looks at whether the parent still lives
_SLACK = 0.5  # seconds by which the system's own clock of limits may differ from its accounts
_PR_SET_PDEATHSIG = 1  # from Linux's sys/prctl.h
_LINGER = 2.0  # seconds in which programs that a worker has started end after it
_NO_MEMORY = 71  # the exit status of a worker that could not say more
_HELD = {s for n in ("SIGINT", "SIGTERM", "SIGHUP") if (s := getattr(signal, n, None)) is not None}
# Windows has neither, and no process that ends by them.
_KILLED, _OUT_OF_TIME = (getattr(signal, name, None) for name in ("SIGKILL", "SIGXCPU"))

ChildWork = Callable[[Connection], int]
"""Is given the end of a pipe on which to answer, and returns the exit status."""


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


@dataclass(frozen=True)
class Done:
    """What work came to that reports nothing on its way; None where it was stopped."""

    value: Any = None
    reason: str = ""
    stopped: Stop | None = None


@dataclass(frozen=True)
class Usage:
    """What a process and those below it used: processor time, and most memory in one of them."""

    seconds: float
    megabytes: float


def run_isolated(
    work: Callable[[Callable[[Answer], None]], Answer],
    limits: Limits,
    report: Callable[[Answer], None],
    begin: Answer,
    start: float | None = None,
    account: Callable[[Usage | None], None] | None = None,
) -> Answer:
    """Run `work(report)` in a child process and stop it when a limit is reached.

    Returns what `work` returned; where it was stopped, its last report, or `begin`, with the
    reason. The time counts from `start` by `time.monotonic()`, if not from now; `account` is called
    in the end with what the process has used. Raises what `work` did, or `Bug` where there is no
    answer.
    """
    limits.check()
    worker, stations = Worker(begin), deque[str](maxlen=5)
    try:
        worker.start(work)
        began = time.monotonic() if start is None else start
        deadline = None if limits.seconds is None else began + limits.seconds + GRACE
        while True:
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
            report(worker.last)  # be it nothing new: whoever shows the time wants to know
            if deadline is not None and time.monotonic() > deadline:
                if worker.last.stopped == Stop.TIME:
                    return worker.last  # it has said so, and was slow to end
                reason = limits.time_reason(worker.last.reason)
                return replace(worker.last, stopped=Stop.TIME, reason=reason)
            most = limits.megabytes
            if most is not None and _megabytes(worker.child.pid) > most:
                return worker.stopped(Stop.MEMORY, f"memory limit of {most} MB reached")
    except KeyboardInterrupt:
        if not worker.started:
            raise
        return worker.stopped(Stop.INTERRUPT, "interrupted")
    finally:
        worker.stop()
        if worker.started and account is not None:
            account(worker.child.usage)


def run_apart(
    limits: Limits, heed: Callable[[], None], function: Callable[..., Any], *arguments: Any
) -> Done:
    """Call a function in a child process under limits; `heed` is called many times a second."""
    return run_isolated(partial(_done, function, arguments), limits, lambda _: heed(), Done())


def _done(
    function: Callable[..., Any], arguments: tuple[Any, ...], report: Callable[[Done], None]
) -> Done:
    return Done(function(*arguments))


class Worker(Generic[Answer]):
    """A child process at some work: its `last` report, when that came, and how it has ended."""

    child: Child
    receiver: Connection

    def __init__(self, begin: Answer) -> None:
        self.last = begin
        self.started = self.ended = False
        self.scratch: str | None = None  # the folder for temporary files of the child
        self.error: Exception | None = None
        self.received = 0.0

    def start(self, work: Callable[[Callable[[Answer], None]], Answer]) -> None:
        with signals_held():
            with suppress(OSError):  # nothing can be written, which the work may not need
                self.scratch = tempfile.mkdtemp(prefix="asplan-", dir=_temporary_root())
            try:
                self.child, self.receiver = start_child(partial(_work_in, self.scratch, work))
                self.started = True
            finally:
                if not self.started:
                    _remove(self.scratch)

    def receive(self) -> None:
        """Take the next message, or note that the process has ended without one."""
        try:
            if not self.receiver.poll():
                raise EOFError
            kind, payload = self.receiver.recv()
        except (EOFError, ConnectionError):
            self.ended, status = True, self.child.wait()
            try:
                if is_out_of_time(status, self.child.usage):
                    reason = "the limit of processor time was reached"
                    self.last = self.stopped(Stop.TIME, reason)
                else:
                    self.last = self.stopped(Stop.MEMORY, why_dead(status))
            except AsplanError as error:
                self.error = error
            return
        self.ended = kind != "report"
        if kind == "error":
            self.error = payload
        else:
            self.last, self.received = payload, time.monotonic()

    def stopped(self, why: Stop, reason: str) -> Answer:
        """The last report, and why there is none after it."""
        return replace(self.last, stopped=why, reason=while_doing(reason, self.last.reason))

    def stop(self) -> None:
        """End the child, and remove what it has left."""
        if self.started:
            with signals_held():
                self.child.kill()
                self.receiver.close()
                _remove(self.scratch)


def _temporary_root() -> str | None:
    """Return the folder for temporary files; None lets tempfile look for one.

    `tempfile` finds out by writing a file, which a command that writes nothing does not do.
    """
    folder = tempfile.tempdir or os.environ.get("TMPDIR") or "/tmp"
    return str(folder) if os.access(folder, os.W_OK) else None


def _work_in(
    scratch: str | None, work: Callable[[Callable[[Any], None]], Any], sender: Connection
) -> int:
    """Do a worker's work, whose temporary files are in a folder that its parent removes."""
    global _scratch
    if scratch is not None:
        _scratch = tempfile.tempdir = os.environ["TMPDIR"] = scratch
    return answer_on(work, sender)


_scratch: str | None = None  # the folder for temporary files of this process, if it is a worker


def remove_scratch() -> None:
    """Remove the temporary files of this worker, whose parent has ended and cannot."""
    if _scratch is not None:
        shutil.rmtree(_scratch, ignore_errors=True)


def _remove(folder: str | None) -> None:
    """Remove a folder of temporary files; programs that write there may take a moment to end."""
    end = time.monotonic() + _LINGER
    while folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder) or time.monotonic() > end:
            return
        time.sleep(_POLL)


def is_out_of_time(status: int, usage: Usage | None) -> bool:
    """Whether a process that ended so had reached the system's limit of processor time."""
    if -status != _KILLED or usage is None:
        return -status == _OUT_OF_TIME
    import resource

    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    return most != resource.RLIM_INFINITY and usage.seconds > most - _SLACK


def why_dead(status: int) -> str:
    """Why a worker that ended without a word lacked memory; raises an error where it did not."""
    if status == _NO_MEMORY or (is_starved() and status != -signal.SIGFPE):
        return "out of memory"
    if -status == _KILLED:
        return "the system killed the worker, most likely for want of memory"
    if status == -signal.SIGFPE:
        hint = "look for a division or a remainder by 0, or of -2147483648 by -1"
        raise InputError("clingo died of a number that does not exist", hint=hint)
    how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    raise Bug(f"the worker ended {how}")


class _Reports:
    """Sends reports, but of those that come fast only the newest: a thread sends what is left."""

    def __init__(self, sender: Connection) -> None:
        self._sender, self._lock = sender, threading.Lock()
        self._waiting: list[bytes] = []
        self._sent = -_PAUSE
        self._wake: threading.Event | None = None

    def __call__(self, partial: Any) -> None:
        with self._lock:
            # At once: the work goes on, and may change what this is of.
            self._waiting = [pickle.dumps(("report", partial))]
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
        self._waiting, self._sent = [], time.monotonic()

    def _follow(self, wake: threading.Event) -> None:
        while True:
            time.sleep(_PAUSE)
            with suppress(OSError):  # the parent is gone, as the work itself will see
                self.close()
            wake.clear()
            wake.wait()


def answer_on(work: Callable[[Callable[[Any], None]], Any], sender: Connection) -> int:
    """Do a worker's work: send its reports, and its result or its error; its exit status."""
    reports = _Reports(sender)
    try:
        result = work(reports)
        if sys.stdout:
            sys.stdout.flush()
        reports.close()
        sender.send(("result", result))
    except MemoryError:
        return _NO_MEMORY  # even that would take memory to say
    except BaseException as error:
        if isinstance(error, ImportError | SystemError) and is_starved():
            return _NO_MEMORY
        raised: BaseException = error
        if not isinstance(error, AsplanError | BrokenPipeError):
            raised = system_error(error) if isinstance(error, OSError) else bug_of(error)
        reports.close()
        try:
            sender.send(("error", raised))
        except Exception as unsaid:  # it cannot be pickled
            sender.send(("error", bug_of(unsaid)))
    return 0


def _megabytes(pid: int | None) -> float:
    """Resident memory of a process and of those that it has started; 0 if it has ended."""
    import psutil

    resident = 0.0
    with suppress(psutil.Error):
        worker = psutil.Process(pid)
        for process in [worker, *worker.children(recursive=True)]:
            with suppress(psutil.Error):
                resident += process.memory_info().rss / 2**20
    return resident


def start_child(
    work: ChildWork, cleans_up: bool = False, must_fork: bool = False
) -> tuple[Child, Connection]:
    """Start a child, which answers on a pipe; one that `cleans_up` looks itself whether we live."""
    receiver, sender = Pipe(duplex=False)
    try:
        with others_outside() as alone:
            forks = must_fork or (FORKS and alone)
            work = partial(_work, work, None if cleans_up else os.getpid())
            child: Child = Forked(work, receiver, sender) if forks else Spawned(work, sender)
    finally:
        sender.close()
    return child, receiver


class Forked:
    """A fork of this process, which `multiprocessing` would refuse to its own workers."""

    def __init__(self, work: ChildWork, receiver: Connection, sender: Connection) -> None:
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
                receiver.close()
                status = work(sender)
            finally:
                os._exit(status)

    def status(self) -> int | None:
        """Its exit status, below 0 the signal that ended it; None if it runs."""
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


class Spawned:
    """The same as a process that begins from nothing; the system does not account for it."""

    usage: Usage | None = None

    def __init__(self, work: ChildWork, sender: Connection) -> None:
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=_exit_with, args=(work, sender))
        # Python would run the script again that this program is, and allows daemonic workers no
        # children, as they might outlive them; ours do not.
        config: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
        daemonic, main = config.get("daemon"), sys.modules["__main__"]
        config["daemon"], sys.modules["__main__"] = False, ModuleType("__main__")
        try:
            self._process.start()
        finally:
            config["daemon"], sys.modules["__main__"] = daemonic, main
        self.pid = self._process.pid or 0

    def status(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int:
        self._process.join()
        return self._process.exitcode or 0

    def kill(self) -> None:
        self._process.kill()
        self._process.join()


Child = Forked | Spawned


def _exit_with(work: ChildWork, sender: Connection) -> None:
    sys.exit(work(sender))


def _work(work: ChildWork, parent: int | None, sender: Connection) -> int:
    """Do the work, in the child, and end with the parent."""
    if parent is not None:
        # A thread that looks for the parent may have to wait while Python's garbage collection
        # goes through gigabytes, for one; Linux does not.
        set_process_option(_PR_SET_PDEATHSIG, signal.SIGKILL)
        threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()
    signal.set_wakeup_fd(-1)  # an event loop of the parent's is not ours
    for number in _HELD:
        # The parent decides what an interrupt ends; a terminal sends it to both.
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD)
    with open(os.devnull) as nothing:  # noqa: PTH123
        sys.stdin = nothing
        return work(sender)


def _leave_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


@cache
def _system() -> Any:
    """What the system does for C programs."""
    import ctypes

    return ctypes.CDLL(None)


def set_process_option(option: int, value: int) -> None:
    """Set one of those that Linux's prctl has; nothing happens on other systems."""
    with suppress(OSError, AttributeError, ImportError):
        _system().prctl(option, value, 0, 0, 0)


@contextmanager
def signals_held() -> Iterator[None]:
    """Let signals wait until a child is known that has to be ended with us."""
    mask = getattr(signal, "pthread_sigmask", None)
    before = mask(signal.SIG_BLOCK, _HELD) if mask else set()
    try:
        yield
    finally:
        if mask:
            mask(signal.SIG_SETMASK, before)
