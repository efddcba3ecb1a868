"""Work in a process of its own, of which nothing outlives the process that wanted it.

Planners start programs, and some put those into sessions of their own, where no signal for their
parent reaches them. So there is a guard between: a process that does little else than wait. On
Linux orphans below it come to it, so that it can end all of them: when the work is done, when a
signal says so, and when its parent has ended, however that came.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import psutil

_LOOK = 0.02
"""Seconds between two looks at the work and at the parent."""

_PR_SET_CHILD_SUBREAPER = 36
"""From Linux's sys/prctl.h."""


class _Told(Exception):
    """A signal says that it is enough."""


class Guard:
    """A guard of some work, started.

    It works in `folder`, which is removed if the parent ends before it.
    """

    def __init__(self, work: Callable[[], None], folder: str) -> None:
        self._parent, self._folder = os.getpid(), folder
        self._ended = False
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()  # what is in a buffer now would be written by all
        self._pid = os.fork()
        if self._pid == 0:
            try:
                self._attend(work)
            finally:
                os._exit(0)

    def ended(self) -> bool:
        """Whether the work is done, and all that it started has ended."""
        if not self._ended:
            self._ended = os.waitpid(self._pid, os.WNOHANG)[0] != 0
        return self._ended

    def end(self) -> None:
        """End the work, and all that it started."""
        if not self.ended():
            os.kill(self._pid, signal.SIGTERM)
            os.waitpid(self._pid, 0)
            self._ended = True

    def _attend(self, work: Callable[[], None]) -> None:
        """What the guard does."""
        _adopt_orphans()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt ends
        with suppress(_Told):
            signal.signal(signal.SIGTERM, _tell)
            os.chdir(self._folder)  # some planners leave files where they are
            worker = _started(work)
            while self._is_wanted() and not os.waitpid(worker, os.WNOHANG)[0]:
                time.sleep(_LOOK)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end_all()
        if not self._is_wanted():
            shutil.rmtree(self._folder, ignore_errors=True)

    def _is_wanted(self) -> bool:
        return os.getppid() == self._parent


def _started(work: Callable[[], None]) -> int:
    """The number of a process that works, and says nothing on standard output."""
    pid = os.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(nothing, 0)
            os.dup2(nothing, 1)
            work()
        finally:
            os._exit(0)
    return pid


def _tell(number: int, frame: object) -> None:
    raise _Told


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_all() -> None:
    """End all processes below this one; those that they leave behind come here, and end too."""
    me = psutil.Process()
    while below := me.children(recursive=True):
        for process in below:
            with suppress(psutil.Error):
                process.kill()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(_LOOK / 2)
