"""Engines `sat` and `asp` agree on all shipped programs, in all modes."""

from __future__ import annotations

from typing import Any

import pytest

import asplan
from asplan.engines.sat import SOLVERS
from conftest import METRICS, THOROUGH, crossed, plain_encodings

EXAMPLES = [
    "blocks/sussman",
    "gripper/balls_4",
    "hanoi/towers4",
    "jugs/three_and_five",
    "logistics/five_packages",
    "pancakes/seven",
    "recolouring/nine_vertices",
    "river/wolf_goat_cabbage",
    "robots/six_robots",
    "sokoban/shed",
]
"""Instances of domains that have one encoding."""

BOARDS = ["two_cars", "solved", "unsolvable"]
TASKS = ["blocks-1", "castle-1", "crates-1", "gripper-1", "lamps-1", "parcels-1", "blocks_task"]
ESTIMATING = "cheapest"
"""The encoding that finds no plans by itself."""


def encodings(domain: str) -> list[str]:
    return [e.name for e in plain_encodings() if e.domain == domain and e.name != ESTIMATING]


CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in EXAMPLES),
    *(
        (name, {"encoding": encoding, "metric": metric, "max_horizon": 6})
        for n, name in enumerate(BOARDS)
        for m, encoding in enumerate(encodings("rush_hour"))
        if THOROUGH or n == m % len(BOARDS)
        for metric in (METRICS if THOROUGH else [METRICS[m // len(BOARDS) % 2]])
        if metric == "step" or not encoding.endswith("_published")
    ),
    *(("eight10", {"encoding": e}) for e in encodings("sliding_tiles")),
    *(("twist03", {"encoding": e}) for e in encodings("brain_twist")),
    *((name, {"encoding": e}) for name, e in crossed(TASKS, encodings("pddl"))),
]


def both(*given: str, **options: Any) -> tuple[asplan.Result, asplan.Result]:
    """Return the results of engines `sat` and `asp`."""
    by_sat, by_asp = (asplan.solve(*given, **{**options, "engine": e}) for e in ("sat", "asp"))
    return by_sat, by_asp


def said(result: asplan.Result) -> tuple[object, ...]:
    """Return the parts of a result that are the same for every engine."""
    proven = result.outcome, result.stopped, result.horizon, result.lower_bound, result.cost
    return (*proven, result.reason, result.validated)


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_all_that_ships(name: str, options: dict[str, Any]) -> None:
    by_sat, by_asp = both(name, **options)
    assert said(by_sat) == said(by_asp)
    assert by_sat.engine == "sat"


def test_every_encoding_is_among_them() -> None:
    alone = {name.partition("/")[0] for name in EXAMPLES}
    chosen = {str(options.get("encoding")) for _, options in CASES}
    left = [e for e in plain_encodings() if e.domain not in alone and e.name not in chosen]
    assert [entry.name for entry in left] == [ESTIMATING]


# Three ways from start to goal take two steps, and a free external decides whether one is open.
WAYS = """
    #external open. [{external}]
    asplan(monotone). at(s,0). way(s,(a;b;c)). way((a;b),g). way(c,g) :- open.
    #program step(t).
    {{ occurs(go(Y),t) : at(X,t-1), way(X,Y) }} 1.
    at(Y,t) :- occurs(go(Y),t). at(X,t) :- at(X,t-1), not occurs(go(_),t).
    #program check(t).
    :- query(t), not at(g,t).
"""
PLANS = {"true": 3, "free": 3, "false": 2}


@pytest.mark.parametrize("external", PLANS)
def test_all_plans(external: str) -> None:
    by_sat, by_asp = both(text=WAYS.format(external=external), models=0)
    assert said(by_sat) == said(by_asp)
    assert set(by_sat.plans) == set(by_asp.plans)
    assert len(by_sat.plans) == PLANS[external]


# What is shown as a term is an action where it is an atom that holds as well.
SHOWN = {
    "every action": ("#show occurs(A,t) : occurs(A,t).", [("go(a)",), ("go(g)",)]),
    "the last action": ("#show occurs(A,t) : occurs(A,t), at(g,t).", [(), ("go(g)",)]),
    "an atom and a term": (
        "#show occurs/2. #show occurs(A,t) : occurs(A,t).",
        [("go(a)",), ("go(g)",)],
    ),
    "a fact": ("occurs(wait,t). #show occurs(wait,t) : at(s,t-1).", [("wait",), ()]),
    "what may not hold": ("#show occurs(go(Y),t) : way(X,Y), at(X,t-1).", [("go(a)",), ("go(g)",)]),
    "no atom": ("#show occurs(stay,t) : at(s,t-1).", None),
}


@pytest.mark.parametrize("shown", SHOWN)
def test_actions_that_are_shown_under_a_condition(shown: str) -> None:
    show, steps = SHOWN[shown]
    text = WAYS.format(external="false").replace("way(s,(a;b;c))", "way(s,a)")
    by_sat, by_asp = both(text=f"{text}\n#show. #program step(t). {show}")
    assert said(by_sat) == said(by_asp)
    assert by_sat.plans == by_asp.plans
    assert (by_sat.plan and list(by_sat.plan.steps)) == steps


@pytest.mark.parametrize("models", [1, 2, 3, 4])
def test_some_plans(models: int) -> None:
    by_sat, by_asp = both(text=WAYS.format(external="true"), models=models)
    assert len(by_sat.plans) == len(by_asp.plans) == len(set(by_sat.plans)) == min(models, 3)


@pytest.mark.parametrize("name", ["two_cars", "three_and_five", "wolf_goat_cabbage", "sussman"])
def test_all_plans_of_shipped_programs(name: str) -> None:
    by_sat, by_asp = both(name, models=0)
    assert set(by_sat.plans) == set(by_asp.plans) != set()
    assert len(by_sat.plans) == len(by_asp.plans)


OBJECTIVE = """
    #program step(t). #minimize { 2,t : occurs(go(a),t); 1,t : occurs(go(b),t) }.
    #program check(t). :~ query(t), at(s,1). [5@2,t]
"""


@pytest.mark.parametrize("models", [1, 0])
def test_an_objective_counts_at_the_shortest_horizon(models: int) -> None:
    text = WAYS.format(external="false") + OBJECTIVE
    by_sat, by_asp = both(text=text, models=models)
    assert said(by_sat) == said(by_asp)
    assert (by_sat.cost, by_sat.outcome) == ((0, 1), "optimal")
    assert set(map(str, by_sat.plans)) == set(map(str, by_asp.plans)) == {"1. go(b)\n2. go(g)"}


MODES: list[dict[str, Any]] = [
    {"schedule": "linear"},
    {"schedule": "stride:2"},
    {"schedule": "stride:5"},
    {"min_horizon": 2},
    {"min_horizon": 9},
    {"max_horizon": 4},
    {"mode": "fixed", "horizon": 5},
    {"mode": "fixed", "horizon": 6},
    {"mode": "fixed", "horizon": 8, "models": 2},
    {"no_rewrite": True},
]


@pytest.mark.parametrize(
    ("name", "options"), crossed(["two_cars", "three_and_five", "sussman"], MODES), ids=str
)
def test_modes_and_schedules(name: str, options: dict[str, Any]) -> None:
    encoding = "origin" if name == "two_cars" else None
    by_sat, by_asp = both(name, encoding=encoding, **options)
    if options.get("mode") == "fixed":  # then a plan may be of any length, and of any cost
        assert (by_sat.outcome, by_sat.lower_bound) == (by_asp.outcome, by_asp.lower_bound)
        assert (by_sat.reason, by_sat.validated) == (by_asp.reason, by_asp.validated)
    else:
        assert said(by_sat) == said(by_asp)


@pytest.mark.parametrize(
    ("name", "options"),
    crossed(
        ["two_cars", "eight10", "blocks-1", "parcels-1"],
        [{"first": True}, {"schedule": "parallel:3"}],
    ),
    ids=str,
)
def test_any_plan(name: str, options: dict[str, Any]) -> None:
    """Horizons that share the time: where they meet a plan is left to the solver."""
    result, shortest = asplan.solve(name, engine="sat", **options), asplan.solve(name)
    assert result.plan is not None
    assert shortest.horizon is not None
    assert result.lower_bound <= shortest.horizon <= len(result.plan)
    assert result.validated == shortest.validated


# It rises at each step whatever happens, so no horizon follows from another.
RESTLESS = """
    at(0,0).
    #program step(t). occurs(up,t). at(X+1,t) :- at(X,t-1).
    #program check(t). :- query(t), not at({goal},t).
"""
# It has no answer set from step 2 on.
DEAD_END = RESTLESS.format(goal=5) + "#program step(t). :- t = 2."


@pytest.mark.parametrize(
    ("text", "options", "outcome"),
    [
        (RESTLESS.format(goal=3), {}, "optimal"),
        (RESTLESS.format(goal=3), {"min_horizon": 4, "max_horizon": 6}, "unknown"),
        (RESTLESS.format(goal=3), {"schedule": "stride:3"}, "plan"),
        (RESTLESS.format(goal=3), {"mode": "fixed", "horizon": 4}, "unknown"),
        (DEAD_END, {}, "unsolvable"),
        (DEAD_END, {"mode": "fixed", "horizon": 3}, "unknown"),
        (DEAD_END + "#program base. asplan(monotone).", {"mode": "fixed", "horizon": 3},
         "unsolvable"),
    ],
)  # fmt: skip
def test_programs_that_are_not_monotone_or_die(
    text: str, options: dict[str, Any], outcome: str
) -> None:
    by_sat, by_asp = both(text=text, **options)
    assert said(by_sat) == said(by_asp)
    assert by_sat.outcome == outcome


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver(solver: str) -> None:
    result = asplan.solve("two_cars", engine="sat", solver=solver)
    assert (result.outcome, result.horizon) == ("optimal", 6)
