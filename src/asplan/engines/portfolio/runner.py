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
from asplan.engines.scheduling import AT_ONCE, Start
from asplan.result import Phase, Result

TRANSLATING = 1e-5  # seconds that a SAT solver takes to read a rule, about

_NUMBER = struct.Struct("=q")


class SharedBound(Shared):
    """The greatest proven bound, in shared memory; of two concurrent writes one stays."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _NUMBER.size)

    def proven(self) -> int:
        """Return the greatest bound so far."""
        return int(_NUMBER.unpack_from(self._memory)[0])

    def raise_to(self, bound: int) -> None:
        """Raise the bound."""
        if bound > self.proven():
            _NUMBER.pack_into(self._memory, 0, bound)


class Runner(Worker[Result]):
    """A method in a process.

    Parameters
    ----------
    method
        The method.
    start_rule
        Its start.
    steady
        Whether it keeps a core while others take turns.
    nice
        Whether it leaves more of a busy machine to others.
    """

    def __init__(
        self,
        method: Method,
        start_rule: Start = AT_ONCE,
        steady: bool = False,
        nice: bool = False,
    ) -> None:
        super().__init__(Result(reason="waiting"))
        self.method = method
        self.start_rule = start_rule
        self.steady = steady
        self.nice = nice
        self.paused = False

    @property
    def runs(self) -> bool:
        """True if it has started and not ended."""
        return self.started and not self.ended

    def is_due(self, leader: Runner, is_kept_up: bool) -> bool:
        """Return whether the leader has searched long enough for this one to start.

        The search waits longer if a state search keeps up.
        """
        rule = self.start_rule
        if not rule.searched:
            return True
        searched = rule.searched + (rule.while_kept_up if is_kept_up else 0.0)
        patience = TRANSLATING * (leader.last.statistics.rules or 0)
        return leader.searched() > max(searched, patience)

    def searched(self) -> float:
        """Return the seconds of its search so far."""
        is_solving = self.last.phase is Phase.SOLVING
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
