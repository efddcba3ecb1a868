"""Cards as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from asplan.core.errors import InputError
from asplan.domains.rush_hour.notation import board_text, card_text, parse_board, parse_card

CARD = "6\n2 5\n2 0 h 2\n0 2 v 3\n4 3 h 2\n"


def test_a_card_is_read_and_written() -> None:
    board = parse_card(CARD.splitlines(), "f")
    assert board.text(board.initial).splitlines() == [
        ".  .  c1 .  .  .",
        ".  .  c1 .  .  .",
        "r  r  c1 .  .  .",
        ".  .  .  .  .  .",
        ".  .  .  c2 c2 .",
        ".  .  .  .  .  .",
    ]
    assert board.goal == 5
    assert card_text(board) == CARD


@pytest.mark.parametrize(
    ("place", "goal"),
    [("2 5", 5), ("2 4", 4), ("2 3", 3), ("2 2", 2), ("2 1", 2), ("2 0", 1)],
)
def test_the_red_car_covers_the_goal_cell_as_soon_as_it_can(place: str, goal: int) -> None:
    """It is at columns 2 and 3, counted from 1; the cell's column counts from 0."""
    assert parse_card(["6", place, "2 1 h 2"], "f").goal == goal


@pytest.mark.parametrize("board", ["AABooCBooCoooooo", "oAoooABBoooooooo"])
def test_boards_survive_cards(board: str) -> None:
    problem = parse_board(board)
    again = parse_card(card_text(problem).splitlines(), "f")
    assert [car.length for car in again.cars] == [car.length for car in problem.cars]
    assert (again.start, again.goal) == (problem.start, problem.goal)
    assert card_text(again) == card_text(problem)
    assert len(board_text(again)) == 16


def test_a_card_may_be_no_square() -> None:
    problem = parse_board("AAoooo", 6)
    assert card_text(problem) == "1 6\n0 5\n0 0 h 2\n"
    assert parse_card(["1 6", "0 5", "0 0 h 2"], "f").columns == 6


def test_a_card_has_no_walls() -> None:
    with pytest.raises(InputError) as caught:
        card_text(parse_board("AAoooxooo"))
    assert str(caught.value) == "a card cannot have walls, but this board does"


INVALID = Path(__file__).with_name("invalid_cards.txt").read_text().splitlines()[1:]


@pytest.mark.parametrize("line", INVALID)
def test_invalid_cards_are_refused_at_their_line(line: str) -> None:
    card, expected = line.split("\t")
    number, message = expected.split(": ", 1)
    with pytest.raises(InputError) as caught:
        parse_card(card.split("|"), "f")
    assert str(caught.value) == f"f:{number}:1: {message}"
