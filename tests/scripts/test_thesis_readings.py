"""The readings of `movable_blocking_cars` that the script compares, and the one that ships."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path

import pytest

from asplan.domains.rush_hour.heuristics import PENALTY, movable_blocking_cars
from asplan.domains.rush_hour.notation import parse_board
from conftest import rows

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
from lib.thesis_readings.penalty import READINGS, cannot_clear, cannot_move, reading

BOTH_STUCK = "oooBCooooBCoAAoBCooooDDooooooooooooo"
ONE_STUCK = "oooBCooooBCoAAoBCoooooDDoooooooooooo"


@pytest.mark.parametrize(
    ("name", "board"), [(n, b) for n in READINGS for b in (BOTH_STUCK, ONE_STUCK)]
)
def test_each_reading_gives_the_published_value_on_its_board(name: str, board: str) -> None:
    problem = parse_board(board, metric="slide")
    meant = name.startswith("5 ") == (board == BOTH_STUCK)
    assert (READINGS[name](problem)(problem.initial) == 12) == meant


def test_the_one_that_ships_is_among_them(data: Path) -> None:
    for row in islice(rows(data / "rush_hour" / "jams.tsv"), 10):
        problem = parse_board(row["board"], metric="slide")
        shipped = movable_blocking_cars(problem)
        same, other = (reading(stuck, PENALTY)(problem) for stuck in (cannot_move, cannot_clear))
        states = [problem.initial, *problem.successors(problem.initial)]
        assert [shipped(state) for state in states] == [same(state) for state in states]
        assert all(same(state) <= other(state) for state in states)
