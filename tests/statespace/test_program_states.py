"""The states of programs, against the domain's model and known lengths."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

import asplan
import oracle
from asplan import catalog
from asplan.drawing.graph.map import make_looks
from asplan.engines.portfolio.state_search import is_transition_system
from asplan.problem import Inputs, load, load_space
from asplan.statespace.analysis import Analysis, analyse, explore, find_hardest
from asplan.statespace.space import state_space
from boards import boards, random_board
from conftest import METRICS, examples, facts, in_time, run

ENCODINGS = ("origin", "origin_naive", "block_tuple", "independent_blocks", "order")
"""The encodings of Rush Hour that are transition systems."""

TILES = """
#program base.
tile(N) :- position(0,N,X,Y).
taken(X,Y) :- position(0,N,X,Y).
blank(0,X,Y) :- grid(X,Y), not taken(X,Y).
way(up,-1,0). way(down,1,0). way(left,0,-1). way(right,0,1).
home(N,X,Y) :- tile(N), grid(X,Y), columns(C), N = (X-1)*C+Y.
columns(C) :- C = #max { Y : grid(X,Y) }.
#program step(t).
{ occurs(move(N,D),t) : way(D,V,W), position(t-1,N,X,Y), blank(t-1,X+V,Y+W) } = 1 :- not done(t-1).
position(t,N,X+V,Y+W) :- occurs(move(N,D),t), way(D,V,W), position(t-1,N,X,Y), grid(X+V,Y+W).
moved(t,N) :- occurs(move(N,D),t).
position(t,N,X,Y) :- position(t-1,N,X,Y), not moved(t,N).
blank(t,X,Y) :- moved(t,N), position(t-1,N,X,Y).
blank(t,X,Y) :- blank(t-1,X,Y), done(t-1).
#program check(t).
done(t) :- position(t,N,X,Y) : home(N,X,Y).
:- query(t), not done(t).
#show occurs/2.
"""
"""Sliding tiles as people write it; the shipped encoding counts detours, so its steps differ."""


@dataclass
class UpToGoals:
    """A model whose goal states lead nowhere, as in programs that move until the goal holds."""

    model: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def successors(self, state: Any) -> list[Any]:
        return [] if self.model.is_goal(state) else list(self.model.successors(state))

    def expand(self, states: Iterable[Any]) -> list[Any]:
        return [after for state in states for after in self.successors(state)]


def both(words: Inputs, encoding: str) -> tuple[Analysis, Analysis]:
    """The analyses of a model up to its goals, and of an encoding."""
    domain, model = load(words, needs_model=True).domain_and_model()
    named = Inputs(words.files, words.text, encoding, words.constants, all_states=True)
    program = state_space(load_space(named))
    one_way = replace(domain, reversible=False)
    return analyse(one_way, UpToGoals(model)), analyse(*program)


def check_same(words: Inputs, encoding: str) -> None:
    expected, found = both(words, encoding)
    for name in ("states", "goal_states", "moves", "distance", "distances", "depths", "dead_ends"):
        assert getattr(found, name) == getattr(expected, name), (encoding, name)
    assert found.shortest_plans == expected.shortest_plans


@settings(max_examples=examples(12), deadline=None)
@given(boards())
def test_rush_hour(board: oracle.Board) -> None:
    for metric in METRICS:
        for encoding in ENCODINGS:
            check_same(Inputs(text=facts(board), constants={"metric": metric}), encoding)


@pytest.mark.parametrize("instance", ["five21", "five_odd"])
def test_sliding_tiles(tmp_path: Path, instance: str) -> None:
    file = tmp_path / "tiles.lp"
    file.write_text(TILES)
    check_same(Inputs((instance,)), str(file))


@pytest.mark.parametrize("instance", ["twist01", "twist02", "twist03"])
def test_brain_twist(instance: str) -> None:
    """Its states are too many, so three layers are compared."""
    constants = {"order": "none"}
    _, model = load(Inputs((instance,)), needs_model=True).domain_and_model()
    words = Inputs((instance,), encoding="turns", constants=constants, all_states=True)
    problem = load_space(words)
    _, program = state_space(problem)
    assert layers(program, program.expand) == layers(model, UpToGoals(model).expand)


def layers(model: Any, expand: Callable[[list[Any]], Iterable[Any]]) -> list[tuple[int, int]]:
    """States and goal states that are first reached by 0, 1, … moves."""
    seen, layer, found = {model.initial}, [model.initial], []
    for _ in range(4):
        found.append((len(layer), sum(map(model.is_goal, layer))))
        layer = list(set(expand(layer)) - seen)
        seen.update(layer)
    return found


SMALL = (
    *("blocks/sussman", "gripper/balls_4", "hanoi/towers4", "jugs/twelve_seven_five"),
    *("jugs/ten_seven_three", "pancakes/seven", "recolouring/nine_vertices", "river/sheep"),
    *("river/wolf_goat_cabbage", "sokoban/shed", "rush_hour/two_cars"),
)


@pytest.mark.parametrize("engine", ["bfs", "astar", "idastar"])
@pytest.mark.parametrize("name", SMALL)
def test_as_many_steps_as_is_known(name: str, engine: str) -> None:
    if engine == "idastar" and name in ("recolouring/nine_vertices", "river/sheep"):
        pytest.skip("there are too many ways to each state")
    encoding = "origin" if name.startswith("rush_hour") else None
    result = asplan.solve(name, encoding=encoding, engine=engine)
    known = re.search(r"(\d+) steps", Path(catalog.find_instance(name)).read_text())
    assert known is not None
    assert (result.outcome, result.horizon) == ("optimal", int(known[1]))
    assert result.validated == ("model" if encoding else "replay")


@pytest.mark.parametrize("name", ["robots/six_robots", "logistics/five_packages"])
def test_many_actions_in_a_step(name: str) -> None:
    _, model = state_space(load_space(Inputs((name,))))
    (actions, states) = model.actions(model.initial), model.successors(model.initial)
    assert len(set(actions)) == len(actions) == len(states)
    assert any(len(model.terms(action)) > 3 for action in actions)
    assert set(states) <= set(model.expand([model.initial]))


def test_unsolvable_by_exhaustion() -> None:
    """One of the two jugs is always full or empty."""
    text = "jug(a,6). jug(b,4). goal(a,2). goal(b,2)."
    result = asplan.solve(text=text, encoding="jugs", engine="bfs")
    seen, layer = {(0, 0)}, [(0, 0)]
    while layer:
        layer = list({after for state in layer for after in poured(*state)} - seen)
        seen.update(layer)
    assert (2, 2) not in seen
    assert result.outcome == "unsolvable"
    assert result.reason == f"no plan exists: none of the {len(seen)} reachable states is a goal"


def poured(a: int, b: int) -> Iterator[tuple[int, int]]:
    yield from ((6, b), (a, 4), (0, b), (a, 0))
    yield (a - min(a, 4 - b), b + min(a, 4 - b))
    yield (a + min(b, 6 - a), b - min(b, 6 - a))


@pytest.mark.parametrize("engine", ["bfs", "dfs", "astar", "idastar"])
@pytest.mark.parametrize(
    ("domain", "text"),
    [
        ("jugs", "jug(a,6). jug(b,4). goal(a,3)."),  # by parity
        ("pancakes", "pancake(1,2). pancake(2,2). pancake(3,3)."),
        ("river", "item(a,1). item(b,1). item(c,1). boat(1). eats(a,(b;c)). eats(b,c)."),
    ],
)
def test_unsolvable(domain: str, text: str, engine: str) -> None:
    """The goal cannot be derived in the first two, so there is only one state."""
    result = asplan.solve(text=text, encoding=domain, engine=engine)
    assert result.outcome == "unsolvable"


def test_boards_without_a_plan() -> None:
    """Every tenth of some random boards; `scripts/program_states.py` takes 200."""
    random, proven = Random(21), 0
    while proven < 12:
        board = random_board(random, sides=(4, 5))
        if oracle.solve(board, "step") is None:
            result = asplan.solve(text=facts(board), encoding="origin", engine="bfs")
            assert (result.outcome, result.encoding) == ("unsolvable", "origin")
            proven += 1


START = """
#program base.
{ at(0,1..4) } = 1.
#program step(t).
{ occurs(go(D),t) : D = (1;-1) } = 1.
at(t,X+D) :- at(t-1,X), occurs(go(D),t), X+D > 0, X+D < 10.
:- not at(t,X) : X = 1..9.
#program check(t).
:- query(t), not at(t,9).
#show occurs/2.
"""


def test_all_initial_states_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "walk.lp"
    file.write_text(START)
    for engine in ("asp", "bfs", "bfs-tree", "astar", "idastar"):
        result = asplan.solve(file, engine=engine)
        assert (result.outcome, result.horizon, result.validated) == ("optimal", 5, "replay")
    with pytest.raises(asplan.UsageError) as caught:
        asplan.analyse(file, graph=tmp_path / "states.html")
    assert str(caught.value) == "a graph begins with one initial state, and there are 4"
    found = asplan.analyse(file)
    assert (found.states, found.depths, found.distance) == (9, (4, 1, 1, 1, 1, 1), 5)
    assert found.shortest_plans == 1
    file.write_text(START.replace("#program step(t)", ":- at(0,X), X < 9.\n#program step(t)"))
    for engine in ("bfs", "dfs", "astar", "idastar"):
        result = asplan.solve(file, engine=engine)
        assert (result.outcome, result.reason) == (
            "unsolvable",
            "no plan exists: there is no initial state",
        )


def test_states_are_drawn_where_the_rules_know_them(tmp_path: Path) -> None:
    for instance, encoding, drawn in (
        ("towers3", None, True),
        ("two_cars", "origin", True),
        ("two_cars", "block_tuple", False),
    ):
        words = Inputs((instance,), encoding=encoding, all_states=True)
        problem = load_space(words)
        _, model = state_space(problem)
        looks = make_looks(problem, model, explore(model, 1000))
        assert (looks.scene is not None) == drawn
        assert len(looks.texts) == asplan.analyse(instance, encoding=encoding).states
    file = tmp_path / "graph.html"
    asplan.analyse("wolf_goat_cabbage", graph=file)
    assert "take(goat)" in file.read_text()


def test_search_without_a_list_of_goals_is_refused() -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve("towers3", engine="bidirectional")
    assert str(caught.value) == (
        "engine bidirectional needs moves that can be undone, which hanoi does not have\n"
        "  use --engine bfs"
    )


def test_the_command_reports_its_findings() -> None:
    done = run("solve", "towers3", "--engine", "bfs", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["encoding"], found["domain"]) == (0, "hanoi", None)
    assert (found["outcome"], found["horizon"], found["validated"]) == ("optimal", 7, "replay")
    done = run("analyse", "towers3", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["states"], found["shortest_plans"]) == (0, 27, "1")
    assert (sum(found["distances"]), len(found["distances"])) == (27, 8)


@pytest.mark.parametrize("engine", ["bfs", "astar", "pdr"])
def test_a_limit_holds_while_initial_states_are_looked_for(engine: str) -> None:
    text = """
    { p(0,1..40) }.
    #program step(t).
    { occurs(flip(X),t) : X = 1..40 } 1.
    p(t,X) :- p(t-1,X), not occurs(flip(X),t).
    #program check(t). :- query(t), t < 3.
    """
    reason = " s reached while looking for the initial states"
    result = in_time(
        lambda limit: asplan.solve(text=text, engine=engine, time_limit=limit),
        lambda result: result.reason.endswith(reason),
    )
    assert (result.outcome, result.stopped) == ("unknown", "time")
    assert result.reason.endswith(reason)


SHOWN = """
at(0,0).
#program step(t).
{ occurs(go,t) }.
at(t,X+1) :- at(t-1,X), occurs(go,t), X < 2.
at(t,X) :- at(t-1,X), not occurs(go,t).
#program check(t).
:- query(t), not at(t,2).
#show.
"""
ALIKE = (
    "occurs(A,t) : occurs(A,t)",
    "occurs(A,T) : occurs(A,T), A != stop",
    "occurs(A,t) : occurs(A,t), at(t,2)",
    "occurs(A,T) : occurs(A,T), at(T-1,1)",
)
DIFFERENT = (
    "occurs(A,T) : occurs(A,T), T > 1",
    "occurs(A,t) : occurs(A,t), t > 1",
    "occurs(A,T) : occurs(A,T), at(t,2)",
    "occurs(A,t) : occurs(A,t), at(S,2)",
    "occurs(A,t) : occurs(A,t), at(t-2,1)",
)


@pytest.mark.parametrize("shown", ALIKE)
@pytest.mark.parametrize("engine", ["bfs", "astar", "pdr"])
def test_actions_are_shown_as_by_clingo(shown: str, engine: str) -> None:
    text = f"{SHOWN} #show {shown}."
    plan = asplan.solve(text=text, engine=engine).plan
    assert plan is not None
    assert plan == asplan.solve(text=text).plan


@pytest.mark.parametrize("engine", ["bfs", "pdr"])
@pytest.mark.parametrize(
    ("shown", "why"),
    [
        *((shown, "the condition is not the same at each step") for shown in DIFFERENT),
        ("occurs(X,t) : at(t,X)", "occurs(X,t) may be shown although it does not happen"),
    ],
)
def test_conditions_beyond_a_state_are_refused(shown: str, why: str, engine: str) -> None:
    with pytest.raises(asplan.InputError, match=re.escape(f": {why}")) as refused:
        asplan.solve(text=f"{SHOWN}#show {shown}.", engine=engine)
    assert str(refused.value).startswith("<text>:10:1: #show ")


@pytest.mark.parametrize("shown", DIFFERENT)
def test_the_state_search_leaves_such_actions_to_others(shown: str) -> None:
    text = f"{SHOWN} #show {shown}."
    assert asplan.solve(text=text, engine="auto").plan == asplan.solve(text=text).plan
    assert not is_transition_system(load(Inputs(text=text)).program, named=True)


SEVERAL_STARTS = """
#program base.
{ lit(1..6,0) }.
#program step(t).
{ occurs(flip(X),t) : X = 1..6 } 1.
lit(X,t) :- lit(X,t-1), not occurs(flip(X),t).
#program check(t).
:- query(t), lit(X,t).
:- query(t), t < 1.
"""


@pytest.mark.parametrize("engine", ["bfs", "dfs", "astar", "pdr", "asp", "auto"])
def test_initial_states_that_are_too_many_are_refused(
    engine: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("asplan.statespace.step.MOST_STARTS", 50)
    if engine in ("asp", "auto"):
        assert asplan.solve(text=SEVERAL_STARTS, engine=engine).outcome == "optimal"
        return
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(text=SEVERAL_STARTS, engine=engine)
    assert str(caught.value).splitlines()[0] == (
        "<text>:3:1: there are more than 50 initial states, too many to be listed"
    )
    file = tmp_path / "lamps.lp"
    file.write_text(SEVERAL_STARTS)
    with pytest.raises(asplan.InputError, match="there are more than 50 initial states"):
        asplan.analyse(file)


def test_the_hardest_of_several_states_does_not_depend_on_their_order() -> None:
    text = (
        "at(a,0). place(a;b;c). #program step(t). { go(X,t) : place(X) } = 1."
        "at(X,t) :- go(X,t). :- go(X,t), at(X,t-1). #show go/2."
        "#program check(t). :- query(t), not at(a,t)."
    )
    _, model = state_space(load_space(Inputs(files=(), text=text)))
    states = list(model.successors(model.initials[0]))
    assert len(states) > 1
    hardest = find_hardest(model, dict.fromkeys(states, 2))
    assert hardest == find_hardest(model, dict.fromkeys(reversed(states), 2))
    assert find_hardest(model, {}) is None
