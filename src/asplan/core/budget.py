"""The budget of long work, and the reports of its progress.

Long work calls `Budget.check` several times a second, and a `Reporter` with its progress.

>>> def count_up(budget: Budget, report: Reporter[int]) -> None:
...     for number in range(1_000_000):
...         budget.check()
...         report(number)
>>> try:
...     count_up(Budget(time.monotonic() + 0.01), lambda number: None)
... except OutOfBudget:
...     print("time is up")
time is up
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import TypeVar

Progress = TypeVar("Progress", contravariant=True)

Reporter = Callable[[Progress], None]
"""A function that receives the progress of work, or a partial result."""


def ignore_report(progress: object) -> None:
    """Ignore a report; expensive reports are not even made for this function."""


class OutOfBudget(Exception):
    """The time or the effort that work may take is used up."""


class Abandoned(Exception):
    """Nobody waits for the result of the work any more."""


def never() -> bool:
    """Return False: somebody waits for the result."""
    return False


@dataclass(eq=False)
class Budget:
    """The limits of some work.

    Attributes
    ----------
    deadline
        The end by `time.monotonic()`; infinity without a time limit.
    is_abandoned
        A function that returns True once nobody waits for the result.
    """

    deadline: float = inf
    is_abandoned: Callable[[], bool] = never

    @property
    def remaining(self) -> float:
        """The seconds up to the deadline, negative after it."""
        return self.deadline - time.monotonic()

    def is_spent(self) -> bool:
        """Return True if the work should end."""
        return time.monotonic() >= self.deadline or self.is_abandoned()

    def check(self) -> None:
        """Raise `OutOfBudget` after the deadline, and `Abandoned` if nobody waits."""
        if time.monotonic() > self.deadline:
            raise OutOfBudget
        if self.is_abandoned():
            raise Abandoned

    def within(self, seconds: float) -> Budget:
        """Return a budget that ends after some seconds, or earlier with this one."""
        return replace(self, deadline=min(self.deadline, time.monotonic() + seconds))

    def until(self, is_abandoned: Callable[[], bool]) -> Budget:
        """Return a budget that also ends as soon as a function returns True."""
        return replace(self, is_abandoned=lambda: self.is_abandoned() or is_abandoned())


ENDLESS = Budget()
"""The budget of work without limits."""


@dataclass(eq=False)
class EffortBudget(Budget):
    """A budget that counts effort instead of time, so that the work is the same each time.

    Attributes
    ----------
    most
        The effort after which the work ends.
    price
        The effort of the work between two checks.
    spent
        The effort so far.
    """

    most: float = inf
    price: float = 1.0
    spent: float = 0.0

    def check(self) -> None:
        """Count the work since the last check; raise `OutOfBudget` if it was too much."""
        super().check()
        self.spend(self.price)

    def spend(self, effort: float) -> None:
        """Count some effort; raise `OutOfBudget` if it was too much."""
        self.spent += effort
        if self.spent > self.most:
            raise OutOfBudget


class Pace:
    """The pace of reports: one is due if some seconds have passed since the last."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next = time.monotonic() + seconds

    def is_due(self) -> bool:
        """Return True if a report is due; the caller then makes it."""
        now = time.monotonic()
        if now <= self._next:
            return False
        self._next = now + self._seconds
        return True
