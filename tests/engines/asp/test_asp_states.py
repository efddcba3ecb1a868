"""The search through states beside clingo's: the same answers, an end, and the same plans."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from incmode import Refused, loop
from random_programs import leave_steps_alike, random_program

import asplan
from asplan.engines.asp import beside, state_search
from asplan.engines.scheduling import AT_ONCE
from conftest import THOROUGH

RANDOM, CHUNK = 2000 if THOROUGH else 80, 40
LAST = 5

COUNTER = """
n(0,0).
#program step(t).
{ occurs(up,t) }.
n(N+1,t) :- n(N,t-1), occurs(up,t), N < 6.
n(N,t) :- n(N,t-1), not occurs(up,t).
n(6,t) :- n(6,t-1), occurs(up,t).
#program check(t).
#external query(t).
"""
NEVER = COUNTER.replace("n(0,0).", "n(0,0). n(6,0).") + ":- query(t), n(N,t), N > 0."
SIX = COUNTER + ":- query(t), not n(6,t)."


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """The states are looked at from the start, and for as long as it takes."""
    rows = [replace(row, start=AT_ONCE) for row in beside.BESIDE]
    monkeypatch.setattr(beside, "BESIDE", rows)
    monkeypatch.setattr(state_search, "SHARE", 1e-6)
    monkeypatch.setattr(state_search, "MOST", 1e-6)


def test_a_program_without_a_plan_comes_to_an_end() -> None:
    found = asplan.solve(text=NEVER)
    assert found.outcome == "unsolvable"
    assert found.reason == "no plan exists: none of the 7 reachable states is a goal"


def test_shipped_boards_come_to_an_end() -> None:
    found = asplan.solve("rush_hour/unsolvable", encoding="origin")
    assert found.outcome == "unsolvable"
    assert found.reason == "no plan exists: none of the 9261 reachable states is a goal"
    assert found.engine_text == "asp, answered by state search"
    assert found.statistics.expanded == 9261


@pytest.mark.usefixtures("eager")
def test_reports_about_a_plan() -> None:
    found = asplan.solve(text=SIX)
    assert (found.outcome, found.horizon, found.validated) == ("optimal", 6, "replay")
    assert found.reason == (
        "shortest: 5 steps refuted, 6 found; a search through 6 states found no goal within 5 steps"
    )
    assert found.plan is not None
    assert [len(step) for step in found.plan] == [1] * 6


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    ("text", "options"),
    [
        (SIX, {"no_states": True}),
        (SIX, {"clingo": ["--configuration=trendy"]}),
        (SIX, {"schedule": "stride:2"}),
        (SIX, {"first": True}),
        (SIX, {"engine": "sat"}),
        (SIX, {"engine": "portfolio", "methods": "asp"}),
        (SIX, {"constants": {"imin": "1"}}),
        (SIX + "#program plan(t).", {}),
        (SIX.replace("n(N,t-1), not", "n(N,t-1), n(0,0), not"), {}),  # no transition system
    ],
)
def test_options_that_leave_all_to_clingo(text: str, options: dict[str, object]) -> None:
    found = asplan.solve(text=text, **options)
    assert found.horizon == 6
    assert found.statistics.expanded is None
    assert "states" not in found.reason


@pytest.mark.usefixtures("eager")
def test_all_plans_and_the_best_one_are_clingos() -> None:
    text = SIX.replace("{ occurs(up,t) }.", "{ occurs((up;down),t) }.")
    some = asplan.solve(text=text, models=0)
    assert (len(some.plans), some.statistics.expanded) == (64, 6)
    best = asplan.solve(text=text + "#minimize { 1,t : occurs(down,t) }.")
    assert best.statistics.expanded == 6
    assert best.cost == (0,)


@pytest.mark.usefixtures("eager")
def test_too_many_states_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_search, "MOST_STATES", 3)
    found = asplan.solve(text=SIX)
    assert (found.outcome, found.horizon, found.statistics.expanded) == ("optimal", 6, 3)
    assert asplan.solve(text=NEVER, max_horizon=9).outcome == "unknown"


@pytest.mark.usefixtures("eager")
def test_many_ways_to_begin_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_search, "MOST", 1e-3)
    text = "{ p(0,1..60) }. #program step(t). { occurs(a,t) }. p(t,X) :- p(t-1,X). "
    text += "#program check(t). #external query(t). :- query(t), t < 4. :- query(t), not p(t,9)."
    assert asplan.solve(text=text, time_limit=60).horizon == 4


@pytest.mark.usefixtures("eager")
def test_the_time_limit_holds_while_states_are_seen() -> None:
    text = "n(0..40,0). #program step(t). { occurs(flip(0..40),t) }. "
    text += "n(N,t) :- n(N,t-1), not occurs(flip(N),t). n(N,t) :- occurs(flip(N),t), not n(N,t-1). "
    text += "#program check(t). #external query(t). :- query(t), n(N,t), N < 40. m(t,X) :- X = "
    text += "#count { N : n(N,t) }. :- query(t), not m(t,40), not m(t,39)."
    found = asplan.solve(text=text + " :- query(t), t < 999999.", time_limit=1)
    assert (found.outcome, found.stopped) == ("unknown", "time")


@pytest.mark.parametrize("start", range(0, RANDOM, CHUNK))
@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("alike", [True, False])
def test_random_programs(start: int, alike: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The horizon is that of clingo's own loop, and plans go through."""
    if alike:
        leave_steps_alike(monkeypatch)
    looked = 0
    for seed in range(start, start + CHUNK):
        text = random_program(Random(seed))
        try:
            horizons = loop(text, LAST)
        except Refused:
            continue
        found = asplan.solve(text=text, max_horizon=LAST, time_limit=60)
        looked += found.statistics.expanded is not None
        if horizons[-1].satisfiable:
            at = len(horizons) - 1
            assert (found.outcome, found.horizon) == ("optimal", at), f"{seed}\n{text}"
        elif found.outcome == "unsolvable":
            assert not loop(text, LAST + 4)[-1].satisfiable, f"{seed}\n{text}"
        else:
            assert (found.outcome, found.lower_bound) == ("unknown", LAST + 1), f"{seed}\n{text}"
    # Of the others few can be searched, and of some forty of the many none.
    assert looked > CHUNK // 8 if alike else looked or THOROUGH


WALK = """
#program base.
cell(0..9). START
#program step(t).
1 { do(west,T1); do(east,T1) } 1.
step(west,-1). step(east,1).
at(X+D,T2) :- at(X,T1), do(A,T1), step(A,D), cell(X+D).
:- at(0,NOW).
#program check(t).
#external query(t).
:- query(t), not at(7,T2).
"""


TIMES = [
    ({"START": "at(2,0).", "T1": "t-1", "T2": "t", "NOW": "t"}, 5, 6),
    ({"START": "at(2,0).", "T1": "t-1", "T2": "t", "NOW": "t-1"}, 5, 7),  # which is seen later
    ({"START": "at(2,1).", "T1": "t", "T2": "t+1", "NOW": "t+1"}, 5, 6),  # times from 1
    ({"START": "at(2,1).", "T1": "t", "T2": "t+1", "NOW": "t"}, 5, 7),
    ({"START": "at(2,3).", "T1": "t+2", "T2": "t+3", "NOW": "t+3"}, 5, 6),
    ({"START": "at(2,-1).", "T1": "t-2", "T2": "t-1", "NOW": "t-1"}, 5, 6),
    ({"START": "at(2,0).", "T1": "t-2", "T2": "t-1", "NOW": "t-1"}, 6, 6),  # a step is idle
    ({"START": "at(2,2).", "T1": "t-1", "T2": "t", "NOW": "t"}, 7, 6),  # two are
]
"""How a program may number its times, its shortest plan, and how many states are expanded."""


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("by_helper", [False, True])
@pytest.mark.parametrize(("put", "horizon", "seen"), TIMES)
def test_times_of_other_numbers(
    put: dict[str, str], horizon: int, seen: int, by_helper: bool
) -> None:
    text = WALK
    if by_helper:
        text = text.replace(":- query(t), not at", "won(t,t+2) :- query(t), at")
        text += ":- query(t), not won(t,t+2)."
    for name, new in put.items():
        text = text.replace(name, new)
    found, plain = asplan.solve(text=text), asplan.solve(text=text, no_states=True)
    assert (found.outcome, found.horizon) == (plain.outcome, plain.horizon) == ("optimal", horizon)
    assert found.statistics.expanded == seen
    assert found.validated == plain.validated
    for engine in ("bfs", "pdr") if plain.plan is not None and horizon == 5 else ():
        same = asplan.solve(text=text, engine=engine)
        assert (same.outcome, same.horizon, same.validated) == ("optimal", 5, "replay")
    never = asplan.solve(text=text.replace("cell(0..9).", "cell(0..6)."))
    assert (never.outcome, never.statistics.expanded) == ("unsolvable", seen + 1)


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    "change",
    [
        ("at(X+D,T2)", "at(X+D,T2+T2)"),
        (":- at(0,NOW).", ":- at(0,NOW). at(4,t+7) :- at(3,t)."),  # two distances
        (":- at(0,NOW).", ":- at(0,NOW), at(9,t-3)."),  # it looks back further
        (":- at(0,NOW).", ":- at(0,NOW). :- at(1,NOW), t < 3."),  # and counts, from another time on
        ("cell(0..9).", "cell(0..9). at(1,X) :- X = 1."),
    ],
)
def test_times_that_no_numbering_makes_alike(change: tuple[str, str]) -> None:
    text = WALK.replace(*change)
    for name, new in {"START": "at(2,2).", "T1": "t-1", "T2": "t", "NOW": "t"}.items():
        text = text.replace(name, new)
    found, plain = (
        asplan.solve(text=text, max_horizon=9),
        asplan.solve(text=text, no_states=True, max_horizon=9),
    )
    assert found.statistics.expanded is None
    assert (found.outcome, found.horizon) == (plain.outcome, plain.horizon)


@pytest.mark.usefixtures("eager")
def test_the_goal_may_read_atoms_that_no_step_reaches() -> None:
    text = WALK + ":- query(t), at(X,T2+1). won(t) :- query(t), at(9,T2+1). :- query(t), won(t)."
    for name, new in TIMES[2][0].items():
        text = text.replace(name, new)
    found = asplan.solve(text=text)
    assert (found.outcome, found.horizon, found.statistics.expanded) == ("optimal", 5, 6)


@pytest.mark.usefixtures("eager")
def test_a_helper_of_the_goal_whose_time_is_compared() -> None:
    text = WALK.replace(":- query(t), not at(7,T2).", "was(X,t-1,t) :- query(t), at(X,t-1). ")
    text += ":- query(t), not was(7,_,t). :- query(t), was(7,T,t), T < 8."
    for name, new in TIMES[0][0].items():
        text = text.replace(name, new)
    found = asplan.solve(text=text)
    assert (found.outcome, found.horizon, found.statistics.expanded) == ("optimal", 10, None)


EXCLUDING = (
    "odd(t) :- query(t), at(4,t), not odd(t).",
    "odd(t) :- query(t), at(4,t), not even(t). even(t) :- query(t), odd(t).",
    "odd(t) :- query(t), at(4,t), 0 { odd(t) } 0.",
    "won(t) :- query(t), at(4..7,t). -won(t) :- query(t), at(4,t). :- query(t), not won(t).",
)
"""What excludes no state, but a goal: derived always, it would exclude the states."""

UNMOVED = (
    "at(2,1). begin(X) :- at(X,T), T = 1.",
    "at(2,1). at(9,1). begin(X) :- at(X,T), T > 0.",
    "at(2,1;9,1). begin(2).",
    "at(2,1). at(1,0;8,0). begin(2).",
)
"""What `base` says of times that are not moved one by one."""


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("rules", EXCLUDING)
def test_constraints_on_goals_exclude_no_states(rules: str) -> None:
    text = WALK + rules
    for name, new in TIMES[0][0].items():
        text = text.replace(name, new)
    found = asplan.solve(text=text, max_horizon=9)
    assert (found.outcome, found.horizon, found.statistics.expanded) == ("optimal", 5, None)


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("start", UNMOVED)
@pytest.mark.parametrize("put", [TIMES[2][0], TIMES[7][0]])
def test_times_in_base_that_cannot_be_moved(start: str, put: dict[str, str]) -> None:
    text = WALK + ":- query(t), not begin(2)."
    for name, new in {**put, "START": start}.items():
        text = text.replace(name, new)
    found = asplan.solve(text=text, max_horizon=9)
    plain = asplan.solve(text=text, max_horizon=9, no_states=True)
    assert (found.outcome, found.horizon) == (plain.outcome, plain.horizon)
    assert found.statistics.expanded is None


@pytest.mark.usefixtures("eager")
def test_an_atom_and_its_denial_keep_one_distance() -> None:
    text = WALK + "-at(X,t+1) :- at(X,t), X > 90."
    for name, new in TIMES[0][0].items():
        text = text.replace(name, new)
    found = asplan.solve(text=text, max_horizon=9)
    assert (found.outcome, found.horizon, found.statistics.expanded) == ("optimal", 5, None)


SINGLE_SHOT = """
#const n = 9. time(0..n). cell(1..9). at(2,0).
1 { do(west,T); do(east,T) } 1 :- time(T), T < n.
gone(X,T) :- at(X,T), do(_,T).
at(X-1,T+1) :- at(X,T), do(west,T), cell(X-1).
at(X+1,T+1) :- at(X,T), do(east,T), cell(X+1).
at(X,T+1) :- at(X,T), not gone(X,T), time(T+1).
:- not at(7,n).
"""


@pytest.mark.usefixtures("eager")
def test_a_converted_program() -> None:
    found = asplan.solve(text=SINGLE_SHOT)
    assert (found.outcome, found.horizon) == ("optimal", 5)
    assert found.statistics.expanded
    never = asplan.solve(text=SINGLE_SHOT.replace("cell(1..9)", "cell(1..6)"))
    assert never.outcome == "unsolvable"


def test_the_plan_is_the_same_in_each_process() -> None:
    """The order of sets does not matter: 900 states, in layers of several batches."""
    script = (
        "import asplan; from asplan.engines.asp import beside, state_search as s; s._BATCH = 7;"
        "from dataclasses import replace; from asplan.engines.scheduling import AT_ONCE;"
        "beside.BESIDE = [replace(row, start=AT_ONCE) for row in beside.BESIDE];"
        "s.SHARE = s.MOST = 0.001;"
        "r = asplan.solve('rush_hour/sample01', encoding='origin');"
        "print(r.plan, r.statistics.expanded, r.statistics.conflicts, r.reason)"
    )
    said = set(_outputs(script))
    assert len(said) == 1
    assert "a search through " in said.pop()


def _outputs(script: str) -> Iterator[str]:
    for seed in "123":
        run = [sys.executable, "-c", script]
        env = {"PYTHONHASHSEED": seed, "PATH": str(Path(sys.executable).parent)}
        yield subprocess.run(run, env=env, capture_output=True, text=True, check=True).stdout
