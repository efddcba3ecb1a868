"""The methods of a race, each in a process of its own, and the bound that they share."""

from __future__ import annotations

import mmap
import os
import signal
import struct
import time
from contextlib import suppress

from asplan.core.errors import AsplanError
from asplan.core.limits import Stop
from asplan.core.process import Worker
from asplan.core.text import amount
from asplan.engines.portfolio.methods import Method
from asplan.engines.run import Shared
from asplan.result import Result

_NUMBER = struct.Struct("=q")


class SharedBound(Shared):
    """The greatest proven bound, in shared memory; of two concurrent writes one stays."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _NUMBER.size)

    def proven(self) -> int:
        """Return the greatest bound so far."""
        return int(_NUMBER.unpack_from(self._memory)[0])

    def tell(self, bound: int) -> None:
        """Raise the bound."""
        if bound > self.proven():
            _NUMBER.pack_into(self._memory, 0, bound)


class Runner(Worker[Result]):
    """A method in a process.

    Parameters
    ----------
    method
        The method.
    delay
        Seconds that the first runner searches before this one starts.
    leaves
        Further seconds of delay while a state search keeps up.
    past
        Seconds of the race before this runner starts.
    steady
        Whether it keeps a core while others take turns.
    nice
        Whether it leaves more of a busy machine to others.
    """

    def __init__(
        self,
        method: Method,
        delay: float = 0.0,
        leaves: float = 0.0,
        past: float = 0.0,
        steady: bool = False,
        nice: bool = False,
    ) -> None:
        super().__init__(Result(reason="waiting"))
        self.method = method
        self.delay = delay
        self.leaves = leaves
        self.past = past
        self.steady = steady
        self.nice = nice
        self.paused = False

    @property
    def runs(self) -> bool:
        """True if it has started and not ended."""
        return self.started and not self.ended

    def searched(self) -> float:
        """Return the seconds of its search so far."""
        is_solving = self.last.reason.startswith("solving")
        unreported = time.monotonic() - self.received if is_solving else 0.0
        return self.last.seconds.solve + unreported

    def receive(self) -> None:
        """Receive a report; a paused process may have to finish sending it."""
        self.pause(False)
        super().receive()

    def has_answer(self, max_horizon: int | None) -> bool:
        """Return whether its result cannot get better."""
        if not self.ended or self.error is not None:
            return False
        if self.last.stopped == Stop.HORIZON and max_horizon is not None:
            return self.last.lower_bound > max_horizon
        return self.last.stopped is None

    def pause(self, paused: bool) -> None:
        """Stop or continue the process."""
        self.paused = paused
        with suppress(ProcessLookupError):
            os.kill(self.child.pid, signal.SIGSTOP if paused else signal.SIGCONT)

    def progress(self) -> str:
        """Return the progress as a clause, for the reason of the result."""
        name = self.method.name
        if self.error is not None:
            return f"{name} had failed ({in_one_line(self.error)})"
        if self.ended:
            return f"{name} had stopped ({self.last.reason})"
        bound = self.last.lower_bound
        if self.last.optimized in ("actions", "cost"):
            return f"{name} had proven at least {bound or self.last.lower_cost}"
        refuted = amount(bound - 1, "step") if bound else "nothing"
        return f"{name} had refuted {refuted}"


def in_one_line(error: Exception) -> str:
    """Return the message of an error without its hint."""
    if not isinstance(error, AsplanError):
        return str(error)
    return f"{error.at}: {error.message}" if error.at else error.message
