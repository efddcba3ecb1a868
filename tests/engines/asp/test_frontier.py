"""The encodings that asplan chooses against the oracle, and the choice between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from random import Random

import pytest

import asplan
import oracle
from asplan import Outcome
from boards import random_board
from conftest import METRICS, THOROUGH, examples, facts, optimum, rows

CROWDED = """
    BBCDDEEE
    FGCHHHoI
    FGJJWKKI
    AAoLWooI
    MMNLooOP
    QQNXXXOP
    ZYNSSTTP
    ZYUUoVVV
"""
"""Without a wall, so that the cells fill both words; 12528 states can be reached."""


@pytest.mark.parametrize("encoding", ["frontier", "order"])
@pytest.mark.parametrize("metric", METRICS)
def test_random_boards_against_the_oracle(encoding: str, metric: str, tmp_path: Path) -> None:
    random, path = Random(f"{encoding} {metric}"), tmp_path / "board.lp"
    outcomes = []
    for _ in range(examples(60)):
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


@pytest.mark.parametrize("metric", METRICS)
def test_frontier_lists_as_many_plans_as_there_are(metric: str, tmp_path: Path) -> None:
    random, path, found = Random(metric), tmp_path / "board.lp", set[int]()
    while len(found) < (6 if THOROUGH else 3):
        board = random_board(random)
        expected = number_of_shortest_plans(board, metric)
        if 2 < expected < 200:
            path.write_text(facts(board))
            result = asplan.solve(path, encoding="frontier", metric=metric, models=0)
            assert len(set(result.plans)) == len(result.plans) == expected, facts(board)
            found.add(expected)


def number_of_shortest_plans(board: oracle.Board, metric: str) -> int:
    """The number of shortest ways to the goal: they add up from layer to layer."""
    red, target = board.target()
    start = tuple(row if axis == "v" else column for _, _, axis, row, column in board.cars)
    ways, seen = Counter([start]), {start}
    while ways:
        goals = [state for state in ways if board.mask(*placed(board, red, state[red])) == target]
        if goals:
            return sum(ways[state] for state in goals)
        after = Counter[tuple[int, ...]]()
        for state, number in ways.items():
            for successor in successors(board, state, metric):
                after[successor] += number
        ways = Counter({state: number for state, number in after.items() if state not in seen})
        seen |= ways.keys()
    return 0


def placed(board: oracle.Board, index: int, offset: int) -> tuple[int, str, int, int]:
    """Length, axis, row and column of a car at an offset."""
    _, length, axis, row, column = board.cars[index]
    return (length, axis, row, offset) if axis == "h" else (length, axis, offset, column)


def successors(
    board: oracle.Board, state: tuple[int, ...], metric: str
) -> Iterator[tuple[int, ...]]:
    """The states one move on, cell by cell."""

    def cells(index: int, offset: int) -> set[tuple[int, int]]:
        length, axis, row, column = placed(board, index, offset)
        return {(row, column + i) if axis == "h" else (row + i, column) for i in range(length)}

    grid = set(product(range(1, board.rows + 1), range(1, board.columns + 1))) - board.walls
    for index, offset in enumerate(state):
        free = grid.difference(*(cells(i, o) for i, o in enumerate(state) if i != index))
        for sign in (1, -1):
            for distance in islice(range(1, 9), 1 if metric == "step" else None):
                moved = offset + sign * distance
                if not cells(index, moved) <= free:
                    break
                yield (*state[:index], moved, *state[index + 1 :])


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
        f"{path}:1:1: grid(2,33): frontier holds at most 64 cells without a wall; use -e order"
    )
    assert asplan.solve(path, max_horizon=3).encoding == "order"


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("transposed", [False, True])
def test_a_crowded_board_of_64_cells(metric: str, transposed: bool, tmp_path: Path) -> None:
    board = oracle.parse("".join(CROWDED.split()), columns=8)
    board = transpose(board) if transposed else board
    path = tmp_path / "crowded.lp"
    path.write_text(facts(board))
    result = asplan.solve(path, encoding="frontier", metric=metric)
    best = {"step": 27, "slide": 21}[metric]
    assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, best)
    assert oracle.solve(board, metric) == best


def transpose(board: oracle.Board) -> oracle.Board:
    """Rows become columns, and so a red car that goes right becomes one that goes down."""
    cars = [
        (name, length, "v" if axis == "h" else "h", column, row)
        for name, length, axis, row, column in board.cars
    ]
    return replace(board, rows=board.columns, columns=board.rows, cars=tuple(cars))


@pytest.mark.parametrize("encoding", ["frontier", "order"])
@pytest.mark.parametrize("metric", METRICS)
def test_a_red_car_that_goes_down(encoding: str, metric: str) -> None:
    result = asplan.solve("vertical", encoding=encoding, metric=metric)
    best = optimum(Path(asplan.catalog.find_instance("vertical")), metric)
    assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, best)


def test_frontier_is_taken_where_its_states_fit() -> None:
    assert asplan.solve("sample05").encoding == "frontier"


def test_cards(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "card.lp"
    for row in list(rows(data / "rush_hour" / "jams.tsv"))[::8]:
        path.write_text(facts(oracle.parse(row["board"])))
        for metric, column in (("step", "steps"), ("slide", "slides")):
            result = asplan.solve(path, encoding="frontier", metric=metric)
            assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, int(row[column]))


@pytest.mark.parametrize("metric", METRICS)
def test_the_hardest_boards(metric: str, data: Path, tmp_path: Path) -> None:
    """Sixty slides with walls, 51 without."""
    path, solved = tmp_path / "board.lp", set()
    for row in rows(data / "rush_hour" / "ladder.tsv"):
        if (row["kind"], int(row["slides"])) in {("wall", 60), ("nowall", 51)}:
            path.write_text(facts(oracle.parse(row["board"])))
            result = asplan.solve(path, metric=metric)
            assert (result.outcome, result.encoding) == (Outcome.OPTIMAL, "frontier")
            assert result.horizon == int(row[f"{metric}s"])
            solved.add(int(row["steps"]))
    assert solved == {81, 103}


def test_some_boards_of_the_database(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "board.lp"
    table = list(rows(data / "rush_hour" / "fogleman_sample.tsv"))[::10]
    for row in [row for row in table if int(row["states"]) <= 5000][::75]:
        path.write_text(facts(oracle.parse(row["board"])))
        result = asplan.solve(path, metric="slide")
        assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, int(row["slides"]))
