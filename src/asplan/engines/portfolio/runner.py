"""A lower bound that processes share: what one has refuted, the others need not try."""

from __future__ import annotations

import mmap
import os
import signal
import struct
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from asplan.engines.portfolio.methods import Method
from asplan.engines.run import Report, Run
from asplan.errors import AsplanError
from asplan.limits import Stop, while_doing
from asplan.process import Child, answer_on, signals_held, start_child, why_dead
from asplan.result import Result

_NUMBER = struct.Struct("=q")


class SharedBound:
    """The greatest bound that any process has told, in memory that a forked child shares.

    Two that write at once may leave the smaller bound, which is proven as well.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _NUMBER.size)

    def told(self) -> int:
        """Every horizon below it is refuted."""
        return int(_NUMBER.unpack_from(self._memory)[0])

    def tell(self, bound: int) -> None:
        """Tell the others of a bound."""
        if bound > self.told():
            _NUMBER.pack_into(self._memory, 0, bound)


# A runner: a method at work in a process of its own.


@dataclass
class Runner:
    """A method, and how far it has come.

    Attributes
    ----------
    delay
        Seconds that the first runner searches before this one starts.
    leaves
        Seconds of the same more while a look-out keeps up, to which it leaves the core.
    past
        Seconds that go by before this one starts.
    steady
        Whether it keeps a core while others take turns, if there is more than one.
    last
        What it has told last, and `heard` when.
    ended
        Whether it has said all that it can say.
    paused
        Whether its process is halted.
    error
        Why it has failed.
    """

    method: Method
    delay: float = 0.0
    leaves: float = 0.0
    past: float = 0.0
    steady: bool = False
    child: Child | None = None
    receiver: Connection | None = None
    last: Result = Result(reason="waiting")
    heard: float = 0.0
    ended: bool = False
    paused: bool = False
    error: Exception | None = None

    @property
    def runs(self) -> bool:
        """Whether it has started and not ended."""
        return self.child is not None and not self.ended

    def searched(self) -> float:
        """The seconds that it has searched so far."""
        present = time.monotonic() - self.heard if self.last.reason.startswith("solving") else 0.0
        return self.last.seconds.solve + present

    def start(self, run: Run[Any], bound: SharedBound) -> None:
        """Start its process."""
        with signals_held():
            work = partial(_work, run, self.method, bound)
            self.child, self.receiver = start_child(partial(answer_on, work))

    @property
    def speaks(self) -> bool:
        """Whether there is something to hear, be it that its process has ended."""
        assert self.receiver is not None
        assert self.child is not None
        return self.receiver.poll() or self.child.status() is not None

    def hear(self) -> None:
        """Take what it has sent."""
        assert self.receiver is not None
        self.pause(False)  # it may be in the middle of what it sends
        try:
            if not self.receiver.poll():
                raise EOFError
            kind, payload = self.receiver.recv()
        except (EOFError, ConnectionError):
            self._die()
            return
        self.ended = kind != "report"
        if kind == "error":
            self.error = payload
        else:
            self.last, self.heard = payload, time.monotonic()

    def _die(self) -> None:
        """Note that its process has ended without a word."""
        assert self.child is not None
        self.ended = True
        try:
            why = while_doing(why_dead(self.child.wait()), self.last.reason)
            self.last = replace(self.last, stopped=Stop.MEMORY, reason=why)
        except AsplanError as error:
            self.error = error

    def has_answer(self, max_horizon: int | None) -> bool:
        """Whether there is no more to find out than it has."""
        if not self.ended or self.error is not None:
            return False
        if self.last.stopped == Stop.HORIZON and max_horizon is not None:
            return self.last.lower_bound > max_horizon
        return self.last.stopped is None

    def pause(self, paused: bool) -> None:
        """Halt its process, or let it go on."""
        assert self.child is not None
        self.paused = paused
        with suppress(ProcessLookupError):
            os.kill(self.child.pid or 0, signal.SIGSTOP if paused else signal.SIGCONT)

    def stop(self) -> None:
        """End its process."""
        if self.child is not None and self.receiver is not None:
            self.child.kill()
            self.receiver.close()

    def told(self) -> str:
        """How far it has come, after its name."""
        if self.error is not None:
            return f"had failed ({in_a_line(self.error)})"
        if self.ended:
            return f"had stopped ({self.last.reason})"
        if self.last.lower_bound:
            return f"had refuted {self.last.lower_bound - 1} steps"
        return "had refuted nothing"


def _work(run: Run[Any], method: Method, bound: SharedBound, report: Report) -> Result:
    """What a runner does in its process."""
    return method.solve(replace(run, options=method.options, report=report, shared=bound))


def in_a_line(error: Exception) -> str:
    """An error in a line."""
    if not isinstance(error, AsplanError):
        return str(error)
    return f"{error.at}: {error.message}" if error.at else error.message
