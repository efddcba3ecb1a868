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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection, Pipe
from types import ModuleType
from typing import Any, Protocol

from asplan.forking import others_outside

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
