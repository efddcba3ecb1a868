"""Budgets of long work, and reports of its progress.

Long work calls `Budget.check` several times a second, and passes its progress to a `Reporter`.

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
    """Ignore a report; code that gets this function as reporter can skip expensive reports."""


class OutOfBudget(Exception):
    """The exception for work that has used up its time or effort."""


class Abandoned(Exception):
    """The exception for work whose result nobody waits for any more."""


def never() -> bool:
    """Return False; stands for work that is never abandoned."""
    return False


@dataclass(eq=False)
class Budget:
    """The limits of work: a deadline, and an end once nobody waits for the result any more.

    Attributes
    ----------
    deadline
        The time limit by `time.monotonic()`; infinity without one.
    is_abandoned
        A function that returns True once nobody waits for the result.
    """

    deadline: float = inf
    is_abandoned: Callable[[], bool] = never

    @property
    def remaining(self) -> float:
        """The seconds until the deadline, negative after it."""
        return self.deadline - time.monotonic()

    def is_spent(self) -> bool:
        """Return True if the work should end."""
        return time.monotonic() >= self.deadline or self.is_abandoned()

    def check(self) -> None:
        """Raise `OutOfBudget` after the deadline, and `Abandoned` if the work is abandoned."""
        if time.monotonic() > self.deadline:
            raise OutOfBudget
        if self.is_abandoned():
            raise Abandoned

    def within(self, seconds: float) -> Budget:
        """Return a budget that is spent after some seconds, or earlier if this budget is."""
        return replace(self, deadline=min(self.deadline, time.monotonic() + seconds))

    def until(self, is_abandoned: Callable[[], bool]) -> Budget:
        """Return a copy of this budget that is also abandoned once `is_abandoned` returns True."""
        return replace(self, is_abandoned=lambda: self.is_abandoned() or is_abandoned())


ENDLESS = Budget()
"""The budget of work without limits."""


@dataclass(eq=False)
class EffortBudget(Budget):
    """A budget that also limits effort, counted in any unit, so that results do not depend on time.

    Attributes
    ----------
    most
        The effort after which `check` and `spend` raise `OutOfBudget`.
    price
        The effort that each check adds to `spent`, for the work since the check before.
    spent
        The effort so far.
    """

    most: float = inf
    price: float = 1.0
    spent: float = 0.0

    def check(self) -> None:
        """Count `price` as effort; raise `OutOfBudget` if the effort or the time is used up."""
        super().check()
        self.spend(self.price)

    def spend(self, effort: float) -> None:
        """Count an effort; raise `OutOfBudget` if the whole effort now exceeds `most`."""
        self.spent += effort
        if self.spent > self.most:
            raise OutOfBudget


class Pace:
    """The pace of reports: a report is due once some seconds have passed since the last one."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next = time.monotonic() + seconds

    def is_due(self) -> bool:
        """Return True if a report is due; the next one is then due some seconds later."""
        now = time.monotonic()
        if now <= self._next:
            return False
        self._next = now + self._seconds
        return True
