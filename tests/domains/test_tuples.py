"""Boards as facts with tuples, the vocabulary of the report's version 2."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import asplan
from asplan.catalog import find_instance
from asplan.core.errors import InputError
from asplan.domains.rush_hour.facts import read
from asplan.domains.rush_hour.notation import parse_board, parse_tuples, tuples_text
from asplan.program.ground import read_facts

BOARD = "grid(1..6,1..6).\ncar(r).  position(0,r,h,3,1,2).\nposition(0,b,v,4,2,3,4).\nno(6,6).\n"


def test_a_board_with_tuples_is_read() -> None:
    problem = parse_tuples(BOARD.splitlines(), "f")
    assert problem.text(problem.initial).splitlines() == [
        ". . . . . .",
        ". . . b . .",
        "r r . b . .",
        ". . . b . .",
        ". . . . . .",
        ". . . . . #",
    ]
    assert (problem.goal, problem.walls) == (5, {(6, 6)})


@pytest.mark.parametrize("name", ["sample02", "sample1", "seven_by_five", "vertical", "walls"])
def test_boards_survive_tuples(name: str) -> None:
    problem = read(read_facts([find_instance(name)], {}), {})
    lines = tuples_text(problem).splitlines()
    Random(name).shuffle(lines)
    assert parse_tuples(lines, "f") == problem


GRID, NONE = "grid(1..6,1..6).\n", "not a fact of a board with tuples: "
LACKING = "1:1: there is no grid or no red car r"
WRONG = [
    (GRID + "car(b). position(0,b,h,3,1,2).", LACKING),
    ("position(0,r,h,3,1,2).", LACKING),
    ("grid(1..1000,1..1000).\nposition(0,r,h,3,1,2).", LACKING),
    (GRID + "position(0,r,h,3,1,2", f"2:1: {NONE}position(0,r,h,3,1,2"),
    (GRID + "position(0,r,3,1).", f"2:1: {NONE}position(0,r,3,1)."),
    (GRID + "position(1,r,h,3,1,2).", f"2:1: {NONE}position(1,r,h,3,1,2)."),
    (GRID + "position(r,0,h,3,1,2).", f"2:1: {NONE}position(r,0,h,3,1,2)."),
    (GRID + "position(0,r,h,3,1,3).", "2:1: car r is not in one place"),
    (GRID + "position(0,r,h,3,1,2).\nposition(0,r,h,3,2,3).", "3:1: car r is not in one place"),
    (GRID + "position(0,r,h,3,6,7).", "2:1: the car is off the board"),
    (GRID + "position(0,r,h,3,1,2).\nno(3,2).", "2:1: the car is on a wall"),
    (
        GRID + "position(0,r,h,3,1,2). % red\n\nposition(0,b,v,2,3,4).",
        "4:1: the car overlaps the car of line 2",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_invalid_facts_are_refused_at_their_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_tuples(text.splitlines(), "f")
    assert str(caught.value) == f"f:{message}"


def test_another_goal_than_the_usual_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        tuples_text(replace(parse_board("AAooooooo"), goal=1))
    assert str(caught.value) == (
        "in a board with tuples, the goal must be at the end of the red car's line"
    )


OWN = """
#const w = 6.
time(0..40). grid(1..w,1..w). orientation(h;v). car(r;b).
position(0, r, h, 3, 1, 2).
position(0, b, v, 4, 2, 3, 4).
"""
"""The board two_cars as the report writes it, with its helper facts."""


@pytest.mark.parametrize("encoding", [None, "block_tuple_published", "block_tuple", "origin"])
def test_facts_with_tuples_are_an_instance(encoding: str | None, tmp_path: Path) -> None:
    (tmp_path / "own.lp").write_text(OWN)
    result = asplan.solve(tmp_path / "own.lp", encoding=encoding)
    assert (result.outcome, result.horizon, result.validated) == ("optimal", 6, "model")
    assert result.warnings == ()


def test_an_encoding_of_another_domain_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.lp").write_text(OWN)
    for encoding in ("turns_published", "hanoi"):
        with pytest.raises(asplan.UsageError, match="unknown encoding"):
            asplan.solve(tmp_path / "own.lp", encoding=encoding)


def test_cars_in_both_vocabularies_are_refused(tmp_path: Path) -> None:
    (tmp_path / "own.lp").write_text(OWN + "car(c,2,h). position(0,c,6,1).")
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(tmp_path / "own.lp")
    assert "own.lp has cars both as tuples and by their origin" in str(caught.value)


def measure(file: str) -> list[object]:
    """Return the counts of an encoding on an instance, without seconds."""
    (encoding,) = asplan.compare(file, encodings=["origin"], horizon=3)
    return [encoding.rules, encoding.atoms, encoding.bodies]


def test_other_commands_take_facts_with_tuples(tmp_path: Path) -> None:
    (tmp_path / "own.lp").write_text(OWN)
    own, usual = (str(tmp_path / "own.lp"), "two_cars")
    counts = [asplan.analyse(file).states for file in (own, usual)]
    assert counts[0] == counts[1]
    sizes = [measure(file) for file in (own, usual)]
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("4, 2, 3, 4", "2, 2, 3, 4", "own.lp:4:1: the car overlaps the car of line 3"),
        ("4, 2, 3, 4", "4, 2, 4, 5", "own.lp:4:1: car b is not in one place"),
        ("4, 2, 3, 4", "4, 5, 6, 7", "own.lp:4:1: the car is off the board"),
        ("4, 2, 3, 4", "4, x, y", "own.lp:4:1: position(0,b,v,4,x,y): its coordinates must be"),
        ("0, b, v", "1, b, v", "own.lp:4:1: position(1,b,v,4,2,3,4): a tuple is position(0,Car"),
        ("0, r, h", "0, a, h", "own.lp:1:1: there is no grid or no red car r"),
    ],
)
def test_wrong_tuples_are_refused_with_their_place(
    old: str, new: str, error: str, tmp_path: Path
) -> None:
    file = tmp_path / "own.lp"
    file.write_text(OWN.strip().replace(old, new))
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(file)
    assert error in str(caught.value)
