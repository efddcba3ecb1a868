"""Tests of budgets and of the pace of reports."""

import time
from math import inf

import pytest

from asplan.core.budget import (
    ENDLESS,
    Abandoned,
    Budget,
    EffortBudget,
    OutOfBudget,
    Pace,
)


def test_a_budget_without_limits_is_never_spent() -> None:
    ENDLESS.check()
    assert not ENDLESS.is_spent()
    assert ENDLESS.remaining == inf


def test_a_deadline_ends_the_work() -> None:
    spent = Budget(time.monotonic() - 1)
    assert spent.is_spent()
    assert spent.remaining < 0
    with pytest.raises(OutOfBudget):
        spent.check()


def test_a_part_of_a_budget_never_ends_later() -> None:
    whole = Budget(time.monotonic() + 100)
    assert whole.within(1000).deadline == whole.deadline
    assert whole.within(1).deadline < whole.deadline
    assert ENDLESS.within(inf).deadline == inf


def test_work_that_nobody_waits_for_is_abandoned() -> None:
    waiting = [True, True]
    first = ENDLESS.until(lambda: not waiting[0])
    both = first.until(lambda: not waiting[1])
    both.check()
    waiting[0] = False
    for budget in (first, both):
        with pytest.raises(Abandoned):
            budget.check()
    waiting[:] = [True, False]
    first.check()
    assert both.is_spent()


def test_effort_is_counted_check_by_check() -> None:
    budget = EffortBudget(most=3, price=1)
    for _ in range(3):
        budget.check()
    with pytest.raises(OutOfBudget):
        budget.check()
    assert budget.spent == 4
    budget.most = 10
    budget.spend(6)
    with pytest.raises(OutOfBudget):
        budget.spend(1)


def test_reports_have_a_pace() -> None:
    assert not Pace(1000).is_due()
    eager = Pace(0)
    time.sleep(0.001)
    assert eager.is_due()
