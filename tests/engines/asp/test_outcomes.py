"""The table of outcomes, on programs of a few lines each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import asplan
from asplan import Outcome
from asplan.engines.asp import AspOptions
from asplan.engines.asp.opening import open_solver, prepare
from asplan.engines.run import Run
from asplan.problem import Inputs, load
from conftest import THOROUGH

# A counter that can be raised by one a step; the goal is 3.
COUNTER = """
at(0,0). goal(3).
#program step(t).
{ occurs(up,t) } 1.
at(t,N+1) :- at(t-1,N), occurs(up,t).
at(t,N) :- at(t-1,N), not occurs(up,t).
#program check(t).
#external query(t).
:- query(t), goal(N), not at(t,N).
#show occurs/2.
"""
MONOTONE = "#program base. asplan(monotone).\n"
# It must rise at every step, so it is at 3 only at horizon 3.
RESTLESS = COUNTER.replace("{ occurs(up,t) } 1.", "occurs(up,t).")
# It dies at step 2 whatever the goal.
DEAD_END = COUNTER + "#program step(t). :- t = 2.\n"
# Explicit states: layer t holds the numbers first reached at t, up to 4.
LAYERS = """
new(0,0). goal({goal}).
#program step(t).
new(t,N+1) :- new(t-1,N), N < 4, N < bound.
asplan(exhausted(t)) :- not some(t-1).
asplan(next_bound(bound+2)) :- not some(t-1), bound < 4.
#program check(t).
some(t) :- new(t,N).
#external query(t).
:- query(t), goal(N), not new(t,N).
"""


def solve(tmp_path: Path, text: str, **options: object) -> asplan.Result:
    file = tmp_path / "program.lp"
    file.write_text(text)
    return asplan.solve(file, **options)  # type: ignore[arg-type]


MAY_EXIST = "the program does not say asplan(monotone), so a shorter plan may exist"

TABLE = [
    # program, options, outcome, horizon, lower bound, reason
    (COUNTER, {}, "optimal", 3, 3, "shortest: 2 steps refuted, 3 found"),
    (MONOTONE + COUNTER, {}, "optimal", 3, 3, "shortest: 2 steps refuted, 3 found"),
    (COUNTER, {"min_horizon": 2}, "plan", 3, 0, "horizons 0 to 2 were not refuted"),
    (
        MONOTONE + COUNTER,
        {"min_horizon": 2},
        "optimal",
        3,
        3,
        "shortest: 2 steps refuted, 3 found, relying on asplan(monotone)",
    ),
    (MONOTONE + COUNTER, {"min_horizon": 3}, "plan", 3, 0, "horizons 0 to 2 were not refuted"),
    (COUNTER, {"max_horizon": 2}, "unknown", None, 3, "maximal horizon 2 reached"),
    (COUNTER, {"schedule": "stride:2"}, "plan", 4, 1, "horizons 1 to 3 were not refuted"),
    (
        MONOTONE + COUNTER,
        {"schedule": "stride:2"},
        "optimal",
        3,
        3,
        "shortest: 2 steps refuted, 3 found, relying on asplan(monotone)",
    ),
    (
        RESTLESS,
        {"min_horizon": 4, "max_horizon": 6},
        "unknown",
        None,
        0,
        "maximal horizon 6 reached",
    ),
    (
        DEAD_END,
        {},
        "unsolvable",
        None,
        3,
        "no plan exists: the program has no answer set from step 2 on",
    ),
    (
        DEAD_END,
        {"min_horizon": 2},
        "unknown",
        None,
        0,
        "the program has no answer set from step 2 on, but smaller horizons were not tried",
    ),
    (
        MONOTONE + DEAD_END,
        {"min_horizon": 2},
        "unsolvable",
        None,
        3,
        "no plan exists: the program has no answer set from step 2 on, relying on asplan(monotone)",
    ),
    (
        DEAD_END + "#program base. #external weather.\n",
        {"max_horizon": 4},
        "unknown",
        None,
        5,
        "maximal horizon 4 reached",
    ),
    (
        COUNTER,
        {"mode": "fixed", "horizon": 3},
        "plan",
        3,
        0,
        "found with exactly 3 steps; shorter ones were not looked for",
    ),
    (
        COUNTER,
        {"mode": "fixed", "horizon": 2},
        "unknown",
        None,
        0,
        f"no plan of exactly 2 steps; {MAY_EXIST}",
    ),
    (
        COUNTER,
        {"mode": "minimize", "horizon": 2},
        "unknown",
        None,
        0,
        f"no plan that can be prolonged to 2 steps; {MAY_EXIST}",
    ),
    (
        MONOTONE + COUNTER,
        {"mode": "fixed", "horizon": 2},
        "unknown",
        None,
        3,
        "no plan of at most 2 steps, relying on asplan(monotone)",
    ),
    (
        MONOTONE + DEAD_END,
        {"mode": "fixed", "horizon": 2},
        "unsolvable",
        None,
        3,
        "no plan exists: the program has no answer set from step 2 on, relying on asplan(monotone)",
    ),
    (
        DEAD_END,
        {"mode": "fixed", "horizon": 2},
        "unknown",
        None,
        0,
        f"no plan of exactly 2 steps; {MAY_EXIST}",
    ),
    (
        MONOTONE + COUNTER,
        {"mode": "minimize", "horizon": 5},
        "optimal",
        3,
        3,
        "shortest: 2 steps refuted, 3 found, relying on asplan(monotone)",
    ),
    (
        COUNTER,
        {"mode": "minimize", "horizon": 5},
        "plan",
        3,
        0,
        MAY_EXIST,
    ),
    (
        LAYERS.format(goal=3),
        {"constants": {"bound": 9}},
        "optimal",
        3,
        3,
        "shortest: 2 steps refuted, 3 found",
    ),
    (
        LAYERS.format(goal=7),
        {"constants": {"bound": 9}},
        "unsolvable",
        None,
        7,
        "no plan exists: from step 6 on nothing new can be reached",
    ),
    (
        "#const bound = 2." + LAYERS.format(goal=4),
        {},
        "optimal",
        4,
        4,
        "shortest: 3 steps refuted, 4 found",
    ),
    (
        "#const bound = 2." + LAYERS.format(goal=7),
        {},
        "unsolvable",
        None,
        7,
        "no plan exists: from step 6 on nothing new can be reached",
    ),
]


@pytest.mark.parametrize(
    ("program", "options", "outcome", "horizon", "lower_bound", "reason"), TABLE
)
def test_outcome(
    tmp_path: Path,
    program: str,
    options: dict[str, object],
    outcome: str,
    horizon: int | None,
    lower_bound: int,
    reason: str,
) -> None:
    result = solve(tmp_path, program, **options)
    found = (result.outcome, result.horizon, result.lower_bound, result.reason)
    assert found == (outcome, horizon, lower_bound, reason)


def test_idle_steps_after_the_goal_are_cut_off(tmp_path: Path) -> None:
    # A monotone program may idle anywhere; nine steps are allowed, three are needed.
    text = MONOTONE + COUNTER.replace(":- query(t)", ":- at(t,4). :- query(t)")
    result = solve(tmp_path, text, mode="fixed", horizon=9)
    assert result.outcome == Outcome.PLAN
    assert result.plan is not None
    assert len(result.plan) == result.horizon
    assert result.plan.actions == ("up",) * 3
    assert result.plan.steps[-1] == ("up",)


LATE = """
#const n = 9.
at(0,0).
go(T) :- T = 0..n, not stay(T).
stay(T) :- T = 0..n, not go(T).
at(X+1,T+1) :- go(T), at(X,T), X < 6, T < n.
at(X,T+1) :- at(X,T), stay(T), T = 0..n.
goal :- at(4,T).
:- not goal.
#show go/1.
"""


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("preferred", ["go", "stay"])
def test_actions_after_the_goal_are_cut_off(tmp_path: Path, fresh: bool, preferred: str) -> None:
    # The program allows an action at the last time, where it has no effect.
    wish = f"#heuristic {preferred}(T) : T = 0..n. [1, true]\n"
    file = tmp_path / "late.lp"
    file.write_text(LATE + wish)
    result = asplan.solve(file, fresh=fresh, clingo=("--heuristic=Domain",))
    assert (result.outcome, result.horizon, result.lower_bound) == (Outcome.OPTIMAL, 4, 4)
    assert result.plan is not None
    assert result.plan.steps == (("go",),) * 4
    assert set(result.atoms) == {f"go({t})" for t in range(4)}
    assert asplan.validate(file, plan=asplan.Plan((("go",),) * 5)) == 5


# It says that it is monotone, but whoever stops at once has no second step: the promise is broken.
BROKEN = """
asplan(monotone). at(0,0).
#program step(t).
1 { occurs(stop,t); occurs(walk,t) } 1.
at(t,3) :- at(t-1,0), occurs(stop,t), t = 1.
at(t,N+1) :- at(t-1,N), occurs(walk,t), N < 3.
at(t,3) :- at(t-1,3), occurs(walk,t).
stopped(t) :- occurs(stop,t).
stopped(t) :- stopped(t-1).
:- stopped(t-1).
#program check(t).
:- query(t), not at(t,3).
"""
RELYING = "shortest: 2 steps refuted, 3 found, relying on asplan(monotone)"


@pytest.mark.parametrize("engine", ["asp", "sat"])
@pytest.mark.parametrize(
    ("options", "outcome", "horizon", "reason"),
    [
        ({}, "optimal", 1, "shortest: 0 steps refuted, 1 found"),
        ({"schedule": "stride:1"}, "optimal", 1, "shortest: 0 steps refuted, 1 found"),
        ({"schedule": "stride:3"}, "optimal", 3, RELYING),
        ({"mode": "minimize", "horizon": 3}, "optimal", 3, RELYING),
        ({"min_horizon": 2}, "optimal", 3, RELYING),
        (
            {"mode": "fixed", "horizon": 2},
            "unknown",
            None,
            "no plan of at most 2 steps, relying on asplan(monotone)",
        ),
    ],
)
def test_reasons_name_the_fact_monotone(
    tmp_path: Path,
    engine: str,
    options: dict[str, Any],
    outcome: str,
    horizon: int | None,
    reason: str,
) -> None:
    if engine == "sat" and options.get("mode") == "minimize":
        pytest.skip("clingo minimizes")
    result = solve(tmp_path, BROKEN, engine=engine, **options)
    assert (result.outcome, result.horizon, result.reason) == (outcome, horizon, reason)


def test_a_plan_that_turns_out_shorter_relies_on_the_promise_as_well(tmp_path: Path) -> None:
    rising = COUNTER.replace("{ occurs(up,t) } 1.", "occurs(up,t) :- not at(t-1,7).")
    text = MONOTONE + rising.replace("goal(3)", "goal(7)")
    result = solve(tmp_path, text, schedule="parallel:2")
    assert result.reason == "shortest: 6 steps refuted, 7 found, relying on asplan(monotone)"


WAITING = """
asplan(monotone). age(0,0).
#program step(t).
{ occurs(water,t) }.
:- occurs(water,t).
age(N+1,t) :- age(N,t-1), N < 2.
age(2,t) :- age(2,t-1).
#program check(t).
:- query(t), not age(2,t).
"""


@pytest.mark.parametrize("engine", ["asp", "sat"])
@pytest.mark.parametrize("horizon", [2, 5])
def test_idle_steps_that_reach_the_goal_are_kept(tmp_path: Path, engine: str, horizon: int) -> None:
    result = solve(tmp_path, WAITING, mode="fixed", horizon=horizon, engine=engine)
    assert (result.outcome, result.horizon, result.validated) == (Outcome.PLAN, 2, "replay")
    assert result.plan is not None
    assert result.plan.steps == ((), ())


def test_a_mode_that_the_file_does_not_serve(tmp_path: Path) -> None:
    text = "asplan(modes(incremental)).\n" + COUNTER
    with pytest.raises(asplan.UsageError) as caught:
        solve(tmp_path, text, mode="fixed", horizon=3)
    assert str(caught.value) == (
        "the encoding does not serve the mode fixed\n  it serves incremental"
    )


def test_the_cheapest_plan_at_the_shortest_horizon(tmp_path: Path) -> None:
    choose = COUNTER.replace("{ occurs(up,t) } 1.", "{ occurs(up,t); dear(t) }.")
    text = choose + "#program step(t). :- occurs(up,t), not dear(t), t > 1. #minimize{1,t:dear(t)}."
    result = solve(tmp_path, text)
    assert (result.outcome, result.horizon, result.cost) == (Outcome.OPTIMAL, 3, (2,))


PIGEONS = """
pigeon(1..10). hole(1..9).
#program step(t).
{ in(P,H,t) : hole(H) } = 1 :- pigeon(P).
shared(H,t) :- in(P,H,t), in(Q,H,t), P < Q.
#minimize { 1,H,t : shared(H,t) }.
occurs(settle,t).
#program check(t).
:- query(t), t = 0.
#show occurs/2.
"""


def test_a_cost_that_is_not_proven_is_not_called_the_least(tmp_path: Path) -> None:
    """The refutation that ten pigeons fit takes many conflicts; a plan takes none."""
    result = solve(tmp_path, PIGEONS, clingo=["--solve-limit=200", "--opt-strategy=bb"])
    assert (result.outcome, result.horizon, result.stopped) == (Outcome.OPTIMAL, 1, "time")
    assert result.reason.endswith(
        "shortest: 0 steps refuted, 1 found; cheaper ones were not excluded"
    )


def test_statistics_accumulate(tmp_path: Path) -> None:
    result = solve(tmp_path, COUNTER)
    steps = result.statistics.steps
    assert [s.horizon for s in steps if s.horizon == 3] == [3]
    assert result.statistics.calls == len(steps)
    assert result.statistics.choices == sum(s.choices for s in steps)
    assert result.statistics.rules
    assert result.validated == "replay"


def test_progress_names_the_current_work_and_the_proven_bound(tmp_path: Path) -> None:
    told: list[asplan.Result] = []
    solve(tmp_path, COUNTER, progress=told.append)
    assert [(r.reason, r.lower_bound) for r in told[-4:]] == [
        ("grounding horizon 2", 2),
        ("solving horizon 2", 2),
        ("grounding horizon 3", 3),
        ("solving horizon 3", 3),
    ]


ENUMERATED = [
    ("towers3", {}),
    ("wolf_goat_cabbage", {}),
    ("sussman", {}),
    *([("nine_vertices", {})] if THOROUGH else []),
    ("two_cars", {"encoding": "origin"}),
    ("two_cars", {"encoding": "origin", "mode": "fixed", "horizon": 7}),
    ("twist06", {"encoding": "turns"}),
]


@pytest.mark.parametrize(("name", "options"), ENUMERATED)
def test_preprocessing_loses_no_plan(name: str, options: dict[str, Any]) -> None:
    """asplan turns on clasp's preprocessing, which eliminates variables and clauses."""
    result = asplan.solve(name, models=0, **options)
    plain = asplan.solve(name, models=0, clingo=["--sat-prepro=no"], **options)
    assert set(map(str, result.plans)) == set(map(str, plain.plans))
    assert len(result.plans) == len(plain.plans)


def test_preprocessing_forgets_nothing_that_later_steps_need() -> None:
    """clasp's default for --trans-ext finds no plan of fewer than 25 steps."""
    result = asplan.solve("walls", encoding="independent_blocks")
    assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, 23)


# words for clingo, and what is on: preprocessing, and the translation of constraints
SETTINGS = [
    ((), "2,size=10", "no"),
    (("--heuristic=Vsids",), "2,size=10", "no"),
    (("--sat-prepro=no",), "no", "dynamic"),
    (("--sat-p=1",), "1,size=4000", "no"),
    (("--configuration=frumpy",), "no", "no"),
    (("--configuration=crafty",), "2,iter=10,occ=25,time=240,size=4000", "no"),
    (("--trans-ext=all", "--no-sat-prepro"), "no", "all"),
]


@pytest.mark.parametrize(("words", "preprocessing", "translation"), SETTINGS)
def test_words_for_clingo_win(words: tuple[str, ...], preprocessing: str, translation: str) -> None:
    run = Run(load(Inputs(("towers3",))), AspOptions(clingo=words))
    solver = open_solver(run, prepare(run))
    assert str(solver.control.configuration.sat_prepro) == preprocessing
    assert str(solver.control.configuration.asp.trans_ext) == translation


@pytest.mark.parametrize(
    ("words", "preprocessing", "translation"),
    [((), "no", "dynamic"), (("--sat-prepro=2",), "2,size=4000", "no")],
)
def test_a_plan_wanted_soon_is_not_lost(
    words: tuple[str, ...], preprocessing: str, translation: str
) -> None:
    run = Run(load(Inputs(("towers3",))), AspOptions(first=True, clingo=words))
    solver = open_solver(run, prepare(run))
    assert str(solver.control.configuration.sat_prepro) == preprocessing
    assert str(solver.control.configuration.asp.trans_ext) == translation


def test_words_for_clingo_that_would_lose_plans() -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve("towers3", clingo=["--trans=all"])
    assert str(caught.value) == (
        "--trans-ext: clasp loses plans if it translates constraints, preprocesses clauses and "
        "solves several times\n  add --sat-prepro=no"
    )
