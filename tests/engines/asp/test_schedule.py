"""Schedules: the next horizons follow from the answers so far."""

from __future__ import annotations

import pytest

import asplan
from asplan.engines.asp.schedules import CONFLICTS, parallel, parse_schedule

COUNTER = """
    asplan(monotone). at(0,0).
    #program step(t). { occurs(up,t) }. at(t,X+1) :- at(t-1,X), occurs(up,t), X < 9.
        at(t,X) :- at(t-1,X), not occurs(up,t).
    #program check(t). :- query(t), not at(t,7).
"""


def test_a_refuted_horizon_makes_room_beyond_the_others() -> None:
    schedule = parallel(0, 3)
    assert next(schedule) == (0, CONFLICTS)
    assert [schedule.send(None)[0] for _ in range(2)] == [1, 2]
    # A new round, with more patience; the refutation of 1 is one of 0.
    assert schedule.send(None) == (0, CONFLICTS * 3 // 2)
    assert schedule.send(None)[0] == 1
    assert schedule.send(False)[0] == 2
    assert [schedule.send(None)[0] for _ in range(3)] == [2, 3, 4]
    with pytest.raises(StopIteration):
        schedule.send(True)


def test_distances_grow() -> None:
    schedule = parallel(20, 4)
    first = next(schedule)[0]
    assert [first, *(schedule.send(None)[0] for _ in range(3))] == [20, 26, 33, 42]


BY_BRANCHING = """
    asplan(monotone).
    #program step(t). { occurs(a(1..9),t) }. did(X,t) :- occurs(a(X),t). did(X,t) :- did(X,t-1).
    #minimize { X,t : occurs(a(X),t) }.
    #program check(t). :- query(t), #count { X : did(X,t) } < 6.
"""


def test_a_search_that_is_cut_short_is_no_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asplan.engines.asp.schedules.CONFLICTS", 1)
    result = asplan.solve(text=BY_BRANCHING, schedule="parallel:2", clingo=["--opt-strategy=bb"])
    assert (result.outcome, result.horizon, result.cost) == ("optimal", 1, (21,))
    assert result.reason == "shortest: 0 steps refuted, 1 found"


def test_it_needs_a_monotone_program() -> None:
    with pytest.raises(asplan.UsageError, match=r"programs with the fact asplan\(monotone\)"):
        parse_schedule("parallel:2")(0, False)


@pytest.mark.parametrize("width", [1, 2, 5, 20])
def test_plans_and_claims_are_right(width: int) -> None:
    result = asplan.solve(text=COUNTER, schedule=f"parallel:{width}")
    assert result.plan is not None
    assert result.lower_bound <= 7 <= len(result.plan)
    assert (result.outcome == "optimal") == (result.lower_bound == len(result.plan))


def test_the_first_plan_and_the_limit() -> None:
    assert asplan.solve(text=COUNTER, first=True).plan is not None
    stopped = asplan.solve(text=COUNTER, first=True, max_horizon=5)
    assert (stopped.outcome, stopped.stopped) == ("unknown", "horizon")
    assert stopped.lower_bound <= 6
