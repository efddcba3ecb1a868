"""State search beside methods over horizons: its proofs, plans and shared bounds."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from threading import Timer
from typing import Any

import pytest

import asplan
from asplan.core.errors import Stopped
from asplan.core.limits import Limits, Stop
from asplan.core.plan import Plan
from asplan.engines.asp import AspOptions
from asplan.engines.asp.controller import solve as asp
from asplan.engines.options import EngineOptions
from asplan.engines.portfolio import state_search as searching
from asplan.engines.portfolio.methods import Method
from asplan.engines.portfolio.options import AutoOptions
from asplan.engines.portfolio.race import Race
from asplan.engines.portfolio.runner import Runner, SharedBound
from asplan.engines.portfolio.state_search import state_search
from asplan.engines.run import Run
from asplan.problem import Inputs, load
from asplan.result import Outcome, Result

RING = """
#program base.
at(0,0).
#program step(t).
{ occurs(go,t) }.
at(t,(X+2) \\ 8) :- at(t-1,X), occurs(go,t).
at(t,X) :- at(t-1,X), not occurs(go,t).
#program check(t).
:- query(t), not at(t,6).
"""
"""Places in a ring, of which every other one is visited."""

HARD_AT_ONE = """
#program check(t).
{ in(P,H,t) : H = 1..13 } 1 :- P = 1..14, t = 1.
:- in(P,H,t), in(Q,H,t), P < Q.
:- query(t), t < 1.
:- query(t), P = 1..14, t = 1, not in(P,_,t).
"""
"""Pigeons, more than holes, at time 1 alone; later nothing is asked."""


BROKEN = "#program step(t). :- at(t-1,4), occurs(go,t)."
"""Nothing goes on from place 4."""


def run_of(text: str = "", *files: str, limits: Limits | None = None, **options: Any) -> Run[Any]:
    """A run of auto; the words after the text are files, and `encoding` is among the options."""
    words = Inputs(files, text or None, encoding=options.pop("encoding", None))
    return Run(load(words), AutoOptions(**options), limits or Limits())


def searched(run: Run[Any]) -> Result:
    method = state_search(run)
    assert method is not None
    return method.solve(run)


def for_ever(run: Run[Any]) -> Result:
    time.sleep(60)
    return Result()


def beside(run: Run[Any]) -> Result:
    """The result of a race between the state search and a method that never ends."""
    method = state_search(run)
    assert method is not None
    endless = Method("endless", for_ever, EngineOptions())
    return Race(run, [Runner(endless), Runner(method)]).winner()


def test_the_plan_of_one_that_has_stopped_is_not_lost_while_another_goes_on() -> None:
    """Near the end of the time that may be a clingo which has not even begun."""
    plan = Result(
        outcome=Outcome.PLAN,
        horizon=1,
        plans=(Plan((("go",),)),),
        stopped=Stop.TIME,
        reason="the time is up",
    )
    told = list[Result]()
    run = replace(run_of(RING, limits=Limits(0.5)), report=told.append)
    finder = Method("finder", lambda run: plan, EngineOptions())
    endless = Method("endless", for_ever, EngineOptions())
    found = Race(run, [Runner(finder), Runner(endless)]).winner()
    assert (found.plans, found.reason, found.stopped) == (plan.plans, plan.reason, Stop.TIME)
    assert found.method == "finder"
    assert (told[-1].plans, told[-1].stopped) == (plan.plans, None)


def test_auto_proves_that_there_is_no_plan() -> None:
    result = asplan.solve(text=RING + BROKEN, engine="auto", time_limit=60)
    assert (result.outcome, result.method) == ("unsolvable", "state search")
    assert re.fullmatch(
        r"no plan exists: none of the 3 reachable states is a goal; state search was first; "
        r"asp had refuted (\d+ steps|nothing)(; [\w: ]+ had refuted (\d+ steps|nothing))*",
        result.reason,
    )


def test_a_shortest_plan_wins() -> None:
    result = beside(run_of(RING))
    assert (result.outcome, result.horizon, result.lower_bound) == ("optimal", 3, 3)
    assert result.plan is not None
    assert list(result.plan) == [("go",)] * 3
    assert result.reason == (
        "shortest: no goal within 2 steps; state search was first; endless had refuted nothing"
    )


def test_atoms_are_those_that_the_program_shows() -> None:
    text = RING + "#show at/2. #show occurs/2."
    found = asplan.solve(text=text, engine="bfs")
    assert set(found.atoms) == set(asplan.solve(text=text, engine="asp").atoms)


@pytest.mark.parametrize(
    ("text", "options", "limits"),
    [
        pytest.param(RING, {"models": 2}, Limits(), id="all plans are asked for"),
        pytest.param(RING, {}, Limits(min_horizon=2), id="short plans are not"),
        pytest.param(RING + "#const imin=5.", {}, Limits(), id="the program begins later"),
        pytest.param(RING + "#minimize { 1,t : occurs(go,t) }.", {}, Limits(), id="cheap ones are"),
    ],
)
def test_the_state_search_only_bounds_if_its_plan_is_no_answer(
    text: str, options: dict[str, Any], limits: Limits
) -> None:
    """It gives the length of plans, and still proves that there is none."""
    bound = SharedBound()
    run = replace(run_of(text, limits=limits, **options), shared=bound)
    with pytest.raises(Stopped, match="there is a plan"):
        searched(run)
    assert bound.proven() == 3
    assert searched(run_of(text + BROKEN, limits=limits, **options)).outcome == "unsolvable"


@pytest.mark.parametrize("name", ["go(t)", "go(t,1)"])
def test_clingo_finds_hidden_actions_along_the_path(name: str) -> None:
    """The plan has all shown atoms of a longer program, not only its states."""
    text = (RING + "seen(t) :- at(t,4). #show at/2. #show seen/1.").replace("occurs(go,t)", name)
    result = beside(run_of(text))
    assert (result.outcome, result.horizon, result.lower_bound) == ("optimal", 3, 3)
    assert set(result.atoms) == {"at(0,0)", "at(1,2)", "at(2,4)", "at(3,6)", "seen(2)"}
    assert result.reason == (
        "shortest: 2 steps refuted, 3 found; state search was first; endless had refuted nothing"
    )
    bound = SharedBound()
    searched(replace(run_of(text), shared=bound))
    assert bound.proven() == 3
    assert searched(run_of(text + BROKEN.replace("occurs(go,t)", name))).outcome == "unsolvable"


def test_runs_without_a_state_search() -> None:
    assert state_search(run_of(RING, mode="fixed", horizon=3)) is None
    assert state_search(run_of(HARD_AT_ONE.replace("t < 1", "t \\ 3 = 0"))) is None
    assert state_search(run_of("", "two_cars", encoding="order")) is not None


@pytest.mark.parametrize(
    ("instance", "encoding"),
    [("two_cars", "origin"), ("two_cars", "frontier"), ("eight10", "moves"), ("twist02", "turns")],
)
def test_horizons_are_those_of_the_encoding(instance: str, encoding: str) -> None:
    asked = asplan.solve(instance, encoding=encoding)
    found = searched(run_of("", instance, encoding=encoding))
    assert (found.outcome, found.horizon) == ("optimal", asked.horizon)


def test_of_parallel_steps_only_that_there_is_no_plan() -> None:
    with pytest.raises(Stopped, match="there is a plan"):
        searched(run_of("", "crates-1"))


def test_too_many_states_are_left_to_pdr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "MOST_STATES", 2)
    monkeypatch.setattr("asplan.engines.search.search._REPORT_EVERY", 0.0)
    found = searched(run_of(RING + BROKEN))
    assert (found.outcome, "sets of literals" in found.reason) == ("unsolvable", True)
    with pytest.raises(Stopped, match="there are too many states"):
        searched(run_of("", "two_cars", encoding="frontier"))


LIGHTS = """
#program base.
lamp(1..40). on(0,41).
#program step(t).
{ occurs(press(L),t) : lamp(L) }.
on(t,L) :- lamp(L), occurs(press(L),t), not on(t-1,L).
on(t,L) :- lamp(L), not occurs(press(L),t), on(t-1,L).
on(t,41) :- on(t-1,41), not occurs(press(3),t).
#program check(t).
:- query(t), not on(t,3).
:- query(t), not on(t,41).
"""
"""Any lamps may be switched in one step; what the third one needs, it takes away."""


def test_a_state_may_have_too_many_successors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "PATIENCE", 0.1)
    found = searched(run_of(LIGHTS))
    assert (found.outcome, "sets of literals" in found.reason) == ("unsolvable", True)
    result = asplan.solve(text=LIGHTS, engine="bfs", time_limit=1)
    assert (result.outcome, result.stopped) == ("unknown", "time")


def test_a_limit_of_memory_makes_it_modest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "A_MEGABYTE", 2)
    monkeypatch.setattr("asplan.engines.search.search._REPORT_EVERY", 0.0)
    text = RING + BROKEN
    assert "sets of literals" in searched(run_of(text, limits=Limits(megabytes=1))).reason
    assert "reachable states" in searched(run_of(text, limits=Limits(megabytes=100))).reason


def test_an_impossible_state_search_is_not_reported() -> None:
    text = "#program base. n(0,0). #program step(t). { occurs(up,t) }. n(t,X+1) :- n(t-1,X). "
    text += "#program check(t). :- query(t), not n(t,3)."
    run = run_of(text)
    method = state_search(run)
    assert method is not None
    with pytest.raises(asplan.InputError, match="counts without end"):
        method.solve(run)
    failed = SharedBound()
    run.report = lambda partial: failed.raise_to("state search" not in partial.reason)

    def later(run: Run[Any]) -> Result:
        while not failed.proven():
            time.sleep(0.02)
        return asp(run)

    racing = Method("asp", later, AspOptions()), method
    found = Race(run, [Runner(one) for one in racing]).winner()
    assert found.outcome == "optimal"
    assert found.reason == "shortest: 2 steps refuted, 3 found; asp was first"


def test_a_search_that_has_become_vain_is_left() -> None:
    bound = SharedBound()
    run = replace(run_of(HARD_AT_ONE), options=AspOptions(), shared=bound)
    timer = Timer(0.5, lambda: bound.raise_to(2))
    timer.start()
    result = asp(run)
    timer.join()
    assert (result.horizon, result.lower_bound) == (2, 2)
