"""The methods of a race in their processes, and the lower bound that these share."""

from __future__ import annotations

import mmap
import os
import signal
import struct
import time
from contextlib import suppress

from asplan.core.choices import Objective
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
    """The greatest lower bound that a process of a race has proven, in shared memory.

    If two processes write at the same time, one of the two proven bounds stays.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _NUMBER.size)

    def proven(self) -> int:
        """Return the greatest lower bound that was proven so far."""
        return int(_NUMBER.unpack_from(self._memory)[0])

    def raise_to(self, bound: int) -> None:
        """Raise the lower bound to `bound` if it is smaller."""
        if bound > self.proven():
            _NUMBER.pack_into(self._memory, 0, bound)


class Runner(Worker[Result]):
    """A method of a race in a process of its own.

    Parameters
    ----------
    method
        The method.
    start_rule
        The time at which it starts.
    steady
        Whether it keeps a core while other methods take turns.
    nice
        Whether it runs with a lower priority.
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
        """True if the method has started and has not ended."""
        return self.started and not self.ended

    def is_due(self, leader: Runner, is_kept_up: bool) -> bool:
        """Return whether this method may start, because the leader has searched long enough.

        The leader is the first method of the race. If `is_kept_up`, a state search keeps up with
        the leader, and this method waits longer.
        """
        rule = self.start_rule
        if not rule.searched:
            return True
        searched = rule.searched + (rule.while_kept_up if is_kept_up else 0.0)
        patience = TRANSLATING * (leader.last.statistics.rules or 0)
        return leader.searched() > max(searched, patience)

    def searched(self) -> float:
        """Return the seconds that the method has searched so far."""
        is_solving = self.last.phase is Phase.SOLVING
        unreported = time.monotonic() - self.received if is_solving else 0.0
        return self.last.seconds.solve + unreported

    def receive(self) -> None:
        """Receive a report; first continue the process, which may be paused while it sends."""
        self.pause(False)
        super().receive()

    def has_answer(self, max_horizon: int | None) -> bool:
        """Return whether the method has ended with a result that decides the race.

        The result of a stopped run decides nothing, unless it refutes all horizons up to
        `max_horizon`, the maximal horizon of the race.
        """
        if not self.ended or self.error is not None:
            return False
        if self.last.stopped == Stop.HORIZON and max_horizon is not None:
            return self.last.lower_bound > max_horizon
        return self.last.stopped is None

    def pause(self, paused: bool) -> None:
        """Pause the process if `paused`, else continue it."""
        self.paused = paused
        with suppress(ProcessLookupError):
            os.kill(self.child.pid, signal.SIGSTOP if paused else signal.SIGCONT)

    def progress(self) -> str:
        """Return the method's progress in words, such as `sat had refuted 7 steps`."""
        name = self.method.name
        if self.error is not None:
            return f"{name} had failed ({in_one_line(self.error)})"
        if self.ended:
            return f"{name} had stopped ({self.last.reason})"
        bound = self.last.lower_bound
        if self.last.optimized in (Objective.ACTIONS, Objective.COST):
            return f"{name} had proven at least {bound or self.last.lower_cost}"
        refuted = amount(bound - 1, "step") if bound else "nothing"
        return f"{name} had refuted {refuted}"


def in_one_line(error: Exception) -> str:
    """Return an error as text: its file and line, if known, and its message, but not its hint."""
    if not isinstance(error, AsplanError):
        return str(error)
    return f"{error.at}: {error.message}" if error.at else error.message
