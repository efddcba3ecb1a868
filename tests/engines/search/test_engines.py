"""Every engine against the oracle, with its possible outcomes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from searching import RUSH_HOUR, card, cards, model, run

import asplan
import oracle
from asplan.core.limits import Limits, Stop
from asplan.engines.search import SEARCHES
from asplan.result import Outcome
from boards import boards
from conftest import METRICS, examples

HORIZONS = {"bfs": 6, "dfs": 6, "astar": 6, "idastar": 4, "bfs-tree": 3}
"""Up to where the engines are compared; those without a memory of states need it to end."""

SHORTEST = ["bfs", "astar"]


@settings(max_examples=examples(150), deadline=None)
@given(boards())
def test_engines_with_a_memory_agree_with_the_oracle(board: oracle.Board) -> None:
    for metric in METRICS:
        problem, expected = model(board, metric), oracle.solve(board, metric)
        outcome = Outcome.UNSOLVABLE if expected is None else Outcome.OPTIMAL
        for engine in SHORTEST:
            result = run(problem, engine)
            assert (result.outcome, result.horizon) == (outcome, expected)
        some = run(problem, "dfs")
        assert (some.outcome == Outcome.UNSOLVABLE) == (expected is None)


@settings(max_examples=examples(150), deadline=None)
@given(boards())
def test_within_a_maximal_horizon_all_engines_agree_with_the_oracle(board: oracle.Board) -> None:
    for metric in METRICS:
        problem, expected = model(board, metric), oracle.solve(board, metric)
        for engine, horizon in HORIZONS.items():
            result = run(problem, engine, Limits(max_horizon=horizon))
            if expected is not None and expected <= horizon:
                assert result.horizon is not None
                assert expected <= result.horizon <= horizon
                assert engine == "dfs" or result.outcome == Outcome.OPTIMAL
                assert result.outcome != Outcome.OPTIMAL or result.horizon == expected
            elif result.outcome == Outcome.UNSOLVABLE:
                assert expected is None
            else:
                assert (result.outcome, result.stopped) == (Outcome.UNKNOWN, Stop.HORIZON)
                assert result.reason == f"maximal horizon {horizon} reached"
                assert result.lower_bound == horizon + 1


@pytest.mark.parametrize("metric", METRICS)
def test_cards(data: Path, metric: str) -> None:
    for number, (_, optimum) in cards(data).items():
        result = run(card(data, number, metric), "bfs")
        assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, optimum[metric])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", [h.name for h in RUSH_HOUR.heuristics if h.name != "abstraction"])
def test_astar_on_cards(data: Path, name: str, metric: str) -> None:
    heuristic = RUSH_HOUR.heuristic(name, cards(data)[3][0])
    for number in (3, 4, 8, 9, 12, 15, 19, 21, 32):
        problem = card(data, number, metric)
        result = run(problem, "astar", heuristic=name)
        assert result.horizon is not None
        optimum = cards(data)[number][1][metric]
        if heuristic.admissible(problem):
            assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, optimum)
        else:
            assert (result.outcome, result.lower_bound) == (Outcome.PLAN, 0)
            assert result.horizon >= optimum


def test_counts_of_a_small_board() -> None:
    """Red slides two cells to the right; the third place is the goal, each state has two moves."""
    problem = model(oracle.parse("AAoo", 4), "step")
    counts = {
        name: run(problem, name).statistics.counts() for name in SEARCHES if name != "bidirectional"
    }
    assert counts["bfs"] == {"generated": 3, "queued": 3, "expanded": 2, "peak_open": 1}
    assert counts["bfs-tree"] == {"generated": 3, "queued": 4, "expanded": 2, "peak_open": 2}
    assert counts["dfs"] == {"generated": 3, "queued": 3, "expanded": 3, "peak_open": 1}
    assert counts["astar"] == {"generated": 3, "queued": 3, "expanded": 3, "peak_open": 1}
    assert counts["idastar"] == {"generated": 4, "queued": 3, "expanded": 3, "peak_open": 3}


def test_a_deadline_keeps_the_proven_bound(data: Path) -> None:
    problem = card(data, 14, "step")
    for engine in ("bfs", "bfs-tree", "astar", "idastar"):
        result = run(problem, engine, Limits(seconds=0.0))
        assert (result.outcome, result.stopped) == (Outcome.UNKNOWN, Stop.TIME)
        assert re.fullmatch(
            r"time limit of 0 s reached while searching, \d+ states expanded", result.reason
        )
        assert result.lower_bound <= 34


def test_when_memory_runs_out_the_outcome_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = model(oracle.parse("AAoooooo", 8), "step")

    def full(states: object) -> list[int]:
        raise MemoryError

    monkeypatch.setitem(vars(problem), "expand", full)
    result = run(problem, "bfs")
    assert (result.outcome, result.stopped) == (Outcome.UNKNOWN, Stop.MEMORY)
    assert result.reason == "out of memory while searching, 0 states expanded"
    assert result.lower_bound == 1


BOARD = "grid(1,1..4). car(r,2,h). position(0,r,1,1)."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"engine": "bidirectional"},
            "engine bidirectional needs a list of the goal states; rush_hour has too many\n"
            "  use --engine bfs",
        ),
        (
            {"engine": "astar", "heuristic": "blockin"},
            "rush_hour has no heuristic 'blockin'\n"
            "  did you mean blocking or blocking_cars or movable_blocking_cars?",
        ),
        (
            {"engine": "astar", "tie_breaking": "larger"},
            "there is no tie-breaking 'larger'\n  did you mean larger-g?",
        ),
        (
            {"engine": "bfs", "heuristic": "zero"},
            "engine bfs has no option --heuristic\n  it belongs to --engine astar, idastar",
        ),
    ],
)
def test_wrong_options(tmp_path: Path, options: dict[str, str], message: str) -> None:
    file = tmp_path / "board.lp"
    file.write_text(BOARD)
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve(file, **options)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_a_program_without_a_model_is_no_problem_for_smt(tmp_path: Path) -> None:
    file = tmp_path / "own.lp"
    file.write_text("#program step(t). occurs(wait,t).")
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(file, engine="smt")
    assert str(caught.value) == (
        "the files belong to no domain with a model in Python\n"
        "  use --engine asp, which needs no model"
    )


def test_the_result_names_its_proof(tmp_path: Path) -> None:
    file = tmp_path / "board.lp"
    file.write_text(BOARD)
    result = asplan.solve(file, engine="bfs")
    assert (result.engine, result.encoding, result.validated) == ("bfs", None, "model")
    assert result.reason == "shortest: no goal within 1 step"
    assert [step[0] for step in result.plans[0]] == ["move(r,right,1)"] * 2
    guided = asplan.solve(file, engine="astar", heuristic="blocking_cars")
    assert guided.outcome == Outcome.PLAN
    assert guided.reason == (
        "first plan found; with the heuristic blocking_cars a shorter one may exist"
    )


def test_a_plan_does_not_depend_on_the_order_of_sets() -> None:
    script = "import asplan; print(asplan.solve('courier-1', engine='bfs').plan)"
    plans = set()
    for seed in "1235":
        command = [sys.executable, "-c", script]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        plans.add(done.stdout)
    assert len(plans) == 1
