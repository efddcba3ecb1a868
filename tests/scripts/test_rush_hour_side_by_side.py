"""The side by side of encodings: bounds of ratios, boards by name, and one small run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import oracle

SCRIPTS = Path(__file__).parents[2] / "scripts"
sys.path.append(str(SCRIPTS))
from lib.rush_hour.choice import LENGTHS, SIZES, Outcome, grouped  # noqa: E402
from lib.rush_hour.encodings import Figure, Ratio  # noqa: E402
from lib.rush_hour_boards import oracle_board, problem_of  # noqa: E402


def figure(seconds: float, stopped: bool = False) -> Figure:
    return Figure(seconds, None, None, stopped)


@pytest.mark.parametrize(
    ("pairs", "text"),
    [
        ([(figure(8), figure(2))], "4.00"),
        ([(figure(8), figure(2)), (figure(4), figure(4))], "2.00"),
        ([(figure(60, True), figure(2))], ">30"),
        ([(figure(6), figure(60, True))], "<0.10"),
        ([(figure(60, True), figure(60, True))], "?"),
        ([(figure(60, True), figure(6)), (figure(6), figure(60, True))], "?"),
    ],
)
def test_a_stopped_run_gives_a_bound(pairs: list[tuple[Figure, Figure]], text: str) -> None:
    assert str(Ratio.mean(Ratio.of(*pair) for pair in pairs)) == text


@pytest.mark.parametrize(
    ("board", "steps"),
    [("two_cars", 6), ("vertical", 25), ("ooooooooxoooAABoooooBoooooxooooooooo", None)],
)
def test_the_search_gets_the_same_board(board: str, steps: int | None) -> None:
    assert oracle.solve(oracle_board(problem_of(board))) == steps


def test_random_boards_depend_on_their_number_alone() -> None:
    for number in range(20):
        board = problem_of(f"random:{number}")
        assert board == problem_of(f"random:{number}")
        cells = [
            cell for car, at in zip(board.cars, board.start, strict=True) for cell in car.cells(at)
        ]
        assert len(set(cells)) == len(cells)
        assert all(map(board.is_on_board, cells))


def test_groups_of_boards() -> None:
    late, found, none = (Figure(1, None, moves, False) for moves in (20, 4, None))
    outcomes = [
        Outcome(3e6, (late, figure(8, True))),
        Outcome(3.1e6, (figure(8, True), found)),
        Outcome(1e5, (none, figure(8, True))),
        Outcome(1e9, (figure(8, True), figure(8, True))),
    ]
    groups = {name: [outcomes.index(one) for one in group] for name, group in grouped(outcomes)}
    assert groups == dict(zip(SIZES, [[0, 2], [1], [3]], strict=True)) | dict(
        zip(LENGTHS, [[1], [0], [2], [3]], strict=True)
    )


def test_a_small_run() -> None:
    words = ["--boards", "two_cars", "unsolvable", "--encodings", "auto", "oracle", "--seeds", "1"]
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "rush_hour.py"), "encodings", *words],
        capture_output=True,
        text=True,
        check=True,
    )
    (two_cars,) = [line for line in done.stdout.splitlines() if "two_cars" in line]
    assert [cell.strip() for cell in two_cars.split("│")[1:4]] == ["two_cars", "1.7e+01", "6"]
    assert "no plan" in done.stdout
