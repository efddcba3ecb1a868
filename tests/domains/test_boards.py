"""Boards as strings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

import oracle
from asplan.core.errors import InputError, Location
from asplan.domains.rush_hour.facts import read
from asplan.domains.rush_hour.model import RushHour
from asplan.domains.rush_hour.notation import board_text, instance_text, parse_board
from asplan.program.ground import ground_facts
from asplan.program.reading.unit import unit_of_text
from boards import boards
from conftest import examples, facts, rows


def reread(text: str) -> RushHour:
    """Return the board that facts describe."""
    return read(ground_facts([unit_of_text(text)], {}), {})


def test_boards_of_the_database_survive_parsing_and_writing(data: Path) -> None:
    for row in rows(data / "rush_hour" / "fogleman_sample.tsv"):
        assert board_text(parse_board(row["board"])) == row["board"]


def test_boards_of_the_ladder_survive_facts(data: Path) -> None:
    for row in rows(data / "rush_hour" / "ladder.tsv"):
        board = parse_board(row["board"])
        assert reread(instance_text(board)) == board
        assert board_text(reread(instance_text(board))) == row["board"]


@settings(max_examples=examples(200), deadline=None)
@given(boards())
def test_facts_keep_a_board(board: oracle.Board) -> None:
    problem = reread(facts(board))
    assert reread(instance_text(problem)) == problem


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("AAoRBBoRooxRooxx", None),
        ("oAoooABBoooo", 4),
        ("BBooAACDooCDoooo", None),
    ],
)
def test_a_string_survives_parsing_and_writing(text: str, columns: int | None) -> None:
    board = parse_board(text, columns)
    assert board_text(board) == text
    assert reread(instance_text(board)) == board


def test_a_car_called_r_is_not_the_red_car() -> None:
    board = parse_board("AARooRooo")
    assert board.names == ("r", "a")
    assert board_text(board) == "AARooRooo"


def test_dots_are_empty_cells_too() -> None:
    assert parse_board("AA.......") == parse_board("AAooooooo")


def test_cars_with_long_names_get_free_letters() -> None:
    board = reread(
        """grid(1..3,1..3). car(r,2,h). position(0,r,1,1). car(limousine,3,h).
        position(0,limousine,2,1). car(b,2,h). position(0,b,3,2)."""
    )
    assert board_text(board) == "AAoCCCoBB"


INVALID = Path(__file__).with_name("invalid_boards.txt").read_text().splitlines()[1:]


@pytest.mark.parametrize("line", INVALID)
def test_invalid_boards_are_refused_at_their_cell(line: str) -> None:
    text, expected = line.split("\t")
    with pytest.raises(InputError) as caught:
        parse_board(text, at=Location("f", 1, 1))
    assert str(caught.value).partition("\n")[0] == f"f:1:{expected}"


def test_a_width_that_does_not_divide_the_cells_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        parse_board("AAoooooo", 3)
    assert str(caught.value) == "8 cells do not make rows of 3"


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (
            "goal(r,1,1).",
            "in a board as a string, the goal must be at the end of the red car's line",
        ),
        (
            "car(b,1,v). position(0,b,3,3).",
            "a board as a string cannot have a car of one cell, such as b",
        ),
    ],
)
def test_boards_that_no_string_can_express_are_refused(extra: str, message: str) -> None:
    board = reread("grid(1..3,1..3). car(r,2,h). position(0,r,1,1)." + extra)
    with pytest.raises(InputError) as caught:
        board_text(board)
    assert str(caught.value) == message
