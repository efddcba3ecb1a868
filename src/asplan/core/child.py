"""Child processes that do not outlive their parent.

On Linux a child is a plain fork, which takes milliseconds. On other systems, and while another
thread is inside clingo, it is a new process, which imports everything again.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from multiprocessing.connection import Connection, Pipe
from types import ModuleType
from typing import TYPE_CHECKING

from asplan.core.dataclass import dataclass
from asplan.core.limits import wait_for_locks

if TYPE_CHECKING:  # the import takes time, and may fail
    from ctypes import CDLL

FORKS = sys.platform == "linux"  # True if a child is a fork, which shares memory with its parent
_LOOK = 0.2  # seconds between two checks that the parent still runs
_SLACK = 0.5  # seconds by which the system's limit of processor time is imprecise
PR_SET_PDEATHSIG = 1  # from Linux's sys/prctl.h
_HELD = {s for n in ("SIGINT", "SIGTERM", "SIGHUP") if (s := getattr(signal, n, None)) is not None}
# Windows has neither, and no process that ends by them.
KILLED = getattr(signal, "SIGKILL", None)
_OUT_OF_TIME = getattr(signal, "SIGXCPU", None)

ChildWork = Callable[[Connection], int]
"""The work of a child: a function from the pipe for its answer to its exit status."""


@dataclass(frozen=True)
class Usage:
    """The processor time of a process and its children, and the largest peak memory of any."""

    seconds: float
    megabytes: float


def start_child(
    work: ChildWork, cleans_up: bool = False, must_fork: bool = False
) -> tuple[Child, Connection]:
    """Start a child process; return it and the pipe on which it answers.

    The child ends with this process. If `cleans_up` is set, the child may outlive this process, to
    clean up. If `must_fork` is set, the child is always a fork, even on systems that usually spawn
    children, and even while another thread holds a lock.
    """
    receiver, sender = Pipe(duplex=False)
    try:
        with wait_for_locks() as is_alone:
            forks = must_fork or (FORKS and is_alone)
            work = partial(_work, work, None if cleans_up else os.getpid())
            child: Child = Forked(work, receiver, sender) if forks else Spawned(work, sender)
    finally:
        sender.close()
    return child, receiver


class Forked:
    """A child process made by a fork of this process, which may be a `multiprocessing` worker."""

    def __init__(self, work: ChildWork, receiver: Connection, sender: Connection) -> None:
        self._status: int | None = None
        self.usage: Usage | None = None
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()  # or both processes would write the buffer
        with suppress(OSError, ImportError):
            _c_library()  # here, so that not every child imports ctypes
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                receiver.close()
                status = work(sender)
            finally:
                os._exit(status)

    def status(self) -> int | None:
        """Return the exit status, -N after an end by signal N; None while the child runs."""
        if self._status is None:
            self._wait(os.WNOHANG)
        return self._status

    def wait(self) -> int:
        """Wait for the end of the child; return its status."""
        while self._status is None:
            self._wait(0)
        return self._status

    def kill(self) -> None:
        """End the child at once."""
        if self.status() is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()

    def _wait(self, options: int) -> None:
        try:
            ended, status, used = os.wait4(self.pid, options)
        except ChildProcessError:  # other code has waited for it
            self._status = 0
        else:
            if ended:
                self._status = os.waitstatus_to_exitcode(status)
                self.usage = Usage(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


class Spawned:
    """A child in a new process of Python; its processor time and memory are unknown."""

    usage: Usage | None = None

    def __init__(self, work: ChildWork, sender: Connection) -> None:
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=_exit_with, args=(work, sender))
        # Python would run the main script again. It also forbids children of daemonic workers,
        # which might outlive them; these do not.
        current = multiprocessing.current_process()
        config: dict[str, object] = current._config  # type: ignore[attr-defined]
        daemonic = config.get("daemon")
        main = sys.modules["__main__"]
        config["daemon"] = False
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            self._process.start()
        finally:
            config["daemon"] = daemonic
            sys.modules["__main__"] = main
        self.pid = self._process.pid or 0

    def status(self) -> int | None:
        """Return the exit status, -N after an end by signal N; None while the child runs."""
        return self._process.exitcode

    def wait(self) -> int:
        """Wait for the end of the child; return its status."""
        self._process.join()
        return self._process.exitcode or 0

    def kill(self) -> None:
        """End the child at once."""
        self._process.kill()
        self._process.join()


Child = Forked | Spawned


def _exit_with(work: ChildWork, sender: Connection) -> None:
    sys.exit(work(sender))


def _work(work: ChildWork, parent: int | None, sender: Connection) -> int:
    """Do the work of a child process; end this process when the process `parent` ends.

    If `parent` is None, this process may outlive its parent.
    """
    if parent is not None:
        # The thread is slow while Python collects gigabytes of garbage; Linux itself is not.
        set_process_option(PR_SET_PDEATHSIG, signal.SIGKILL)
        threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()
    signal.set_wakeup_fd(-1)  # the event loop is the parent's
    for number in _HELD:
        # The parent decides about interrupts; a terminal sends them to both.
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
def _c_library() -> CDLL:
    """Return the system's C library."""
    import ctypes

    return ctypes.CDLL(None)


def set_process_option(option: int, value: int) -> None:
    """Set an option of Linux's prctl; do nothing on other systems."""
    with suppress(OSError, AttributeError, ImportError):
        _c_library().prctl(option, value, 0, 0, 0)


@contextmanager
def hold_signals() -> Iterator[None]:
    """Delay signals in this block, so that none ends this process while it starts a child."""
    mask = getattr(signal, "pthread_sigmask", None)
    before = mask(signal.SIG_BLOCK, _HELD) if mask else set()
    try:
        yield
    finally:
        if mask:
            mask(signal.SIG_SETMASK, before)


def is_out_of_time(status: int, usage: Usage | None) -> bool:
    """Return True if a process was ended by the system's limit of processor time (`ulimit -t`)."""
    if -status != KILLED or usage is None:
        return -status == _OUT_OF_TIME
    import resource

    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    return most != resource.RLIM_INFINITY and usage.seconds > most - _SLACK
