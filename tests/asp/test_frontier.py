"""The frontier and offset encodings against the oracle, and the choice between them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import asplan
import oracle
from asplan import Outcome
from boards import random_board
from conftest import METRICS, facts, rows


@pytest.mark.parametrize("encoding", ["frontier", "offset"])
@pytest.mark.parametrize("metric", METRICS)
def test_random_boards_against_the_oracle(encoding: str, metric: str, tmp_path: Path) -> None:
    random, path = Random(f"{encoding} {metric}"), tmp_path / "board.lp"
    outcomes = []
    for _ in range(60):
        board = random_board(random)
        path.write_text(facts(board))
        best = oracle.solve(board, metric)
        limit = None if encoding == "frontier" else 12 if best is None else best
        result = asplan.solve(path, encoding=encoding, metric=metric, max_horizon=limit)
        if best is not None:
            assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, best), facts(board)
        elif encoding == "frontier":
            assert result.outcome == Outcome.UNSOLVABLE, facts(board)
        else:
            assert result.plan is None
        outcomes.append(result.outcome)
    assert len(set(outcomes)) > 1


def test_frontier_proves_that_there_is_no_plan() -> None:
    result = asplan.solve("unsolvable", encoding="frontier")
    assert (result.outcome, result.reason) == (
        Outcome.UNSOLVABLE,
        "no plan exists: from step 18 on nothing new can be reached",
    )


def test_frontier_lists_all_shortest_plans() -> None:
    frontier = asplan.solve("two_cars", encoding="frontier", models=0)
    origin = asplan.solve("two_cars", encoding="origin", models=0)
    assert set(frontier.plans) == set(origin.plans)
    assert len(frontier.plans) == 3


@pytest.mark.parametrize(("columns", "served"), [(31, True), (32, True), (33, False)])
def test_boards_up_to_64_open_cells(columns: int, served: bool, tmp_path: Path) -> None:
    """The last cells are the highest bits of a word, the sign bit included."""
    path = tmp_path / "long.lp"
    red = f"car(r,2,h). position(0,r,2,{columns - 3}). car(b,2,v). position(0,b,1,{columns - 1})."
    path.write_text(
        f"grid(1..2,1..{columns}). {red} no(1,1). no(2,1).\n"
        if served
        else f"grid(1..2,1..{columns}). {red}\n"
    )
    if served:
        result = asplan.solve(path, encoding="frontier")
        assert result.outcome == Outcome.UNSOLVABLE  # b fills its column
        return
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(path, encoding="frontier")
    assert str(caught.value) == (
        f"{path}:1:1: grid(2,33): frontier holds at most 64 cells without a wall; use -e offset"
    )
    assert asplan.solve(path, max_horizon=3).encoding == "offset"


def test_frontier_is_taken_where_its_states_fit() -> None:
    assert asplan.solve("sample05").encoding == "frontier"


def test_cards(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "card.lp"
    for row in list(rows(data / "rush_hour" / "jams.tsv"))[::4]:
        path.write_text(facts(oracle.parse(row["board"])))
        for metric, column in (("step", "steps"), ("slide", "slides")):
            result = asplan.solve(path, encoding="frontier", metric=metric)
            assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, int(row[column]))
