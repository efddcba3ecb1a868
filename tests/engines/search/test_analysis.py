"""The analysis of whole state spaces, against counting by hand and by the oracle."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from searching import RUSH_HOUR, card, cards, model

import asplan
import oracle
from asplan.clingo import Number, Symbol
from asplan.domains import domains
from asplan.domains.base import Domain
from asplan.domains.model import Model
from asplan.program.ground import ground_facts
from asplan.program.reading.unit import unit_of_text
from asplan.statespace.analysis import TooManyStates, analyse
from boards import boards
from conftest import METRICS, examples, rows, run


@settings(max_examples=examples(80), deadline=None)
@given(boards())
def test_counts_agree_with_the_oracle(board: oracle.Board) -> None:
    for metric in METRICS:
        analysis = analyse(RUSH_HOUR, model(board, metric))
        layers = list(oracle.layers(board, metric))
        red, target = board.target()
        goals = [sum(state[red] == target for state in layer) for layer in layers]
        assert analysis.depths == tuple(map(len, layers))
        assert analysis.states == sum(map(len, layers))
        assert analysis.goal_states == sum(goals)
        assert analysis.distance == oracle.solve(board, metric)
        # Moves can be undone, so either all states lead to a goal or none does.
        assert analysis.dead_ends == (0 if any(goals) else analysis.states)
        assert sum(analysis.distances) + analysis.dead_ends == analysis.states
        assert analysis.shortest_plans == count_plans(board, metric, analysis.distance)


def count_plans(board: oracle.Board, metric: str, length: int | None) -> int:
    """Return the number of shortest plans, counted layer by layer with the oracle."""
    if length is None:
        return 0
    problem = model(board, metric)
    ways = {problem.initial: 1}
    for _ in range(length):
        after: dict[int, int] = {}
        for state, count in ways.items():
            for action in problem.actions(state):
                reached = problem.apply(state, action)
                after[reached] = after.get(reached, 0) + count
        ways = after
    return sum(count for state, count in ways.items() if problem.is_goal(state))


def test_the_number_of_shortest_plans_is_that_of_all_models(tmp_path: Path) -> None:
    """clingo counts them: two cars can leave in any order."""
    file = tmp_path / "board.lp"
    file.write_text(
        """grid(1..4,1..4). car(r,2,h). position(0,r,2,1).
        car(a,2,v). position(0,a,2,3). car(b,2,v). position(0,b,2,4)."""
    )
    plans = asplan.solve(file, encoding="origin", models=0, max_horizon=9).plans
    analysis = analyse(
        RUSH_HOUR,
        domains()["rush_hour"].model(ground_facts([unit_of_text(file.read_text())], {}), {}),
    )
    assert analysis.distance == len(plans[0])
    assert analysis.shortest_plans == len(plans) > 1


def test_large_numbers_are_exact() -> None:
    """Ten cars of one cell stand in the red car's way, and each can only step aside.

    They do so in any order, then the red car slides to the end in one move.
    """
    cars = "".join(f"car(c{i},1,v). position(0,c{i},1,{i + 1})." for i in range(1, 11))
    text = f"grid(1..2,1..11). car(r,1,h). position(0,r,1,1). {cars}"
    problem = RUSH_HOUR.model(ground_facts([unit_of_text(text)], {}), {"metric": "slide"})
    analysis = analyse(RUSH_HOUR, problem)
    assert analysis.distance == 11
    assert analysis.shortest_plans == math.factorial(10)


def test_states_of_cards(data: Path) -> None:
    expected = {
        int(row["card"]): int(row["states"]) for row in rows(data / "rush_hour" / "jams.tsv")
    }
    for number in (1, 3, 8, 19, 21, 32, 40):
        analysis = analyse(RUSH_HOUR, card(data, number, "step"))
        assert analysis.states == expected[number]
        assert analysis.distance == cards(data)[number][1]["step"]


def test_a_space_without_undoing_has_dead_ends() -> None:
    """A walk to the right on the numbers 0 to 4, with a trap beside 2; the goal is 3."""

    class Walk(Model[int, int]):
        initial = 0

        def actions(self, state: int) -> list[int]:
            return {0: [1, 2], 1: [2], 2: [3, 9], 3: [4]}.get(state, [])

        def apply(self, state: int, action: int) -> int:
            return action

        def is_goal(self, state: int) -> bool:
            return state == 3

        def fluents(self, state: int) -> list[Symbol]:
            return [Number(state)]

    domain = Domain("walk", frozenset(), {}, lambda *_: Walk(), lambda _: "")
    analysis = analyse(domain, Walk())  # type: ignore[arg-type]
    assert analysis.states == 6
    assert analysis.distances == (1, 1, 2)
    assert analysis.dead_ends == 2
    assert analysis.shortest_plans == 1
    assert (analysis.least_moves, analysis.most_moves, analysis.moves) == (0, 2, 6)


def test_a_space_that_is_too_large(data: Path) -> None:
    with pytest.raises(TooManyStates) as caught:
        analyse(RUSH_HOUR, card(data, 14, "step"), max_states=100)
    assert str(caught.value).startswith("more than 100 states can be reached, ")


def test_the_command(tmp_path: Path) -> None:
    plot = tmp_path / "plot.png"
    done = run("analyse", "sample01", "--json", "--plot", str(plot))
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert (found["states"], found["distance"], found["dead_ends"]) == (111, 21, 0)
    assert sum(found["distances"]) == found["states"]
    assert found["constants"] == {"metric": "step"}
    assert plot.read_bytes().startswith(b"\x89PNG")
    text = run("analyse", "sample01", "--metric", "slide").stdout
    assert "states         111" in text
    assert "start: 9 moves" in text


def test_the_command_refuses_impossible_drawings(tmp_path: Path) -> None:
    done = run("analyse", "sample01", "--plot", str(tmp_path / "plot.doc"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "asplan: plot.doc: the name must end with .png, .svg or .pdf\n"


CHOOSES_MORE = """
#program step(t).
{ occurs(a,t) ; occurs(b,t) } 1.
1 { side(t,left) ; side(t,right) } 1 :- occurs(_,t).
again(t) :- side(t-1,_), occurs(_,t).
#program check(t).
:- query(t), not again(t).
"""
KINDS = """
#program base.
1 { kind(0,1..3) } 1.
#program step(t).
kind(t,K) :- kind(t-1,K).
:- kind(t-1,3), occurs(a,t).
"""


@pytest.mark.parametrize(
    ("text", "plans"),
    [
        (CHOOSES_MORE, 4),
        (CHOOSES_MORE + ":- again(t), side(t-1,left).", 4),
        (CHOOSES_MORE + ":- again(t), occurs(b,t), side(t-1,left).", 4),
        (CHOOSES_MORE + ":- occurs(b,t).", 1),
        (CHOOSES_MORE + KINDS, 4),
    ],
)
def test_plans_are_told_apart_by_their_actions(tmp_path: Path, text: str, plans: int) -> None:
    """Other choices, in a step or at the start, do not distinguish plans."""
    file = tmp_path / "program.lp"
    file.write_text(text)
    assert asplan.analyse(file).shortest_plans == plans
    assert len(asplan.solve(file, models=0).plans) == plans
