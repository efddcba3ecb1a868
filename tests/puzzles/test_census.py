"""The count of all boards of a size, against plain enumeration, and killed in the middle."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import asplan
import oracle
from conftest import run

Car = tuple[str, int, int, int]
"""Orientation, row, column, length."""

FOUR = {
    **{"boards": 9304, "packed": 1349, "spaces": 880, "solvable": 493, "minimal": 32},
    **{"slides 00": 217, "slides 01": 135, "slides 02": 50, "slides 03": 45, "slides 04": 27},
    **{"slides 05": 8, "slides 06": 8, "slides 07": 3},
}
"""The boards of 4x4. The published enumeration numbers the packed ones from 0 to 1348."""


FIVE = {
    **{"boards": 181426, "packed": 13881, "spaces": 7821, "solvable": 3532, "minimal": 134},
    **{"slides 00": 1637, "slides 01": 831, "slides 02": 331, "slides 03": 278, "slides 04": 194},
    **{"slides 05": 93, "slides 06": 90, "slides 07": 54, "slides 08": 18, "slides 09": 6},
}
"""Those of 4x5, without an interruption."""


def counted(size: str, file: Path | None = None, **wish: str) -> dict[str, int]:
    path = None if file is None else str(file)
    found = take_census(
        "rush_hour", {"size": size, **wish}, path, True, on_this_machine(2), lambda _: None
    )
    assert found.done == found.of
    return dict(found.counts or {})


def cells(car: Car) -> set[tuple[int, int]]:
    axis, row, column, length = car
    return {(row, column + i) if axis == "h" else (row + i, column) for i in range(length)}


def every_board(rows: int, columns: int, lengths: tuple[int, ...]) -> Iterator[oracle.Board]:
    """All boards car by car: the red one in its row, then any subset of the other places."""
    red_row = (rows + 1) // 2
    places = [
        (axis, row, column, length)
        for length in lengths
        for axis in "hv"
        for row in range(1, rows + 1)
        for column in range(1, columns + 1)
        if (row if axis == "v" else column) + length - 1 <= (rows if axis == "v" else columns)
        and (axis, row) != ("h", red_row)
        and length < (rows if axis == "v" else columns)
    ]

    def more(cars: list[Car], rest: list[Car]) -> Iterator[list[Car]]:
        yield cars
        taken = set().union(*map(cells, cars))
        for index, car in enumerate(rest):
            if not taken & cells(car):
                yield from more([*cars, car], rest[index + 1 :])

    for column in range(1, columns):
        for cars in more([("h", red_row, column, 2)], places):
            across = Counter(c[1] for c in cars if c[0] == "h" for _ in range(c[3]))
            down = Counter(c[2] for c in cars if c[0] == "v" for _ in range(c[3]))
            if max(across.values()) < columns and max(down.values(), default=0) < rows:
                named = [
                    ("r" if index == 0 else f"c{index}", length, axis, row, column)
                    for index, (axis, row, column, length) in enumerate(cars)
                ]
                yield oracle.Board(rows, columns, tuple(named))


def plain(rows: int, columns: int, lengths: tuple[int, ...] = (2, 3)) -> dict[str, int]:
    """The counts, from the layers of the oracle alone."""
    counts: Counter[str] = Counter()
    spaces: set[object] = set()
    for board in every_board(rows, columns, lengths):
        counts["boards"] += 1
        counts["packed"] += is_packed(board)
        space = frozenset().union(*oracle.layers(board))
        shape = shape_of(board)
        key = frozenset(tuple(sorted(zip(shape, state, strict=True))) for state in space)
        if key in spaces:
            continue
        spaces.add(key)
        counts["spaces"] += 1
        red, target = board.target()
        away = distances(board, [state for state in space if state[red] == target])
        if away:
            counts["solvable"] += 1
            counts[f"slides {max(away.values()):02}"] += 1
    return dict(counts)


def is_packed(board: oracle.Board) -> bool:
    """Whether no car can go left or up."""
    taken = {cell for car in board.cars for cell in cells((car[2], car[3], car[4], car[1]))}
    before = [(r, c - 1) if axis == "h" else (r - 1, c) for _, _, axis, r, c in board.cars]
    return all(cell in taken or 0 in cell for cell in before)


def shape_of(board: oracle.Board) -> list[tuple[str, int, int]]:
    """What tells cars apart: orientation, line and length; the red one is in a row of its own."""
    return [(car[2], car[3] if car[2] == "h" else car[4], car[1]) for car in board.cars]


def distances(board: oracle.Board, goals: list[tuple[int, ...]]) -> dict[tuple[int, ...], int]:
    """For each state the slides to the nearest goal, from each goal by itself."""
    found: dict[tuple[int, ...], int] = {}
    for goal in goals:
        at = tuple(
            (name, length, axis, *place(board, mask))
            for (name, length, axis, *_), mask in zip(board.cars, goal, strict=True)
        )
        moved = oracle.Board(board.rows, board.columns, at)
        for away, layer in enumerate(oracle.layers(moved, "slide")):
            for state in layer:
                found[state] = min(found.get(state, away), away)
    return found


def place(board: oracle.Board, mask: int) -> tuple[int, int]:
    """The row and column of the first cell of a mask."""
    return divmod((mask & -mask).bit_length() - 1, board.columns + 1)


@pytest.mark.parametrize(
    ("size", "lengths"), [("3x3", "2..3"), ("3x4", "2..3"), ("4x3", "2..3"), ("3x5", "3..4")]
)
def test_the_counts_are_those_of_plain_enumeration(size: str, lengths: str) -> None:
    rows, columns = map(int, size.split("x"))
    least, most = map(int, lengths.split(".."))
    ours = counted(size, lengths=lengths)
    theirs = plain(rows, columns, tuple(range(least, most + 1)))
    assert {name: ours.get(name) for name in theirs} == theirs
    slides = {name for name in ours if name.startswith("slides")}
    assert slides <= set(theirs)


def test_the_boards_of_4x4_are_counted_and_as_many_are_packed_as_was_published() -> None:
    done = run("generate", "rush_hour", "--all", "--size", "4x4", "--jobs", "2", "--json")
    assert json.loads(done.stdout) == {"domain": "rush_hour", "parts": 27, "counts": FOUR}


def test_a_count_that_is_killed_goes_on_and_comes_to_the_same(tmp_path: Path) -> None:
    file = tmp_path / "counts.jsonl"
    words = ["generate", "rush_hour", "--all", "--size", "4x5", "-o", str(file)]
    process = subprocess.Popen(
        [sys.executable, "-c", "from asplan.cli import main; main()", *words]
    )
    while process.poll() is None and not (file.exists() and file.read_bytes().count(b"\n") > 9):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    kept = file.read_bytes().count(b"\n") - 1
    assert 9 <= kept < 64
    with file.open("ab") as torn:
        torn.write(b'{"part": 6')
    refused = run(*words)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"asplan: {file} is there already\n")
    told: list[Counted] = []
    place = on_this_machine(1)
    resumed = take_census("rush_hour", {"size": "4x5"}, str(file), True, place, told.append)
    assert told[0].done == kept
    assert resumed.counts == FIVE
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert sorted(line["part"] for line in lines[1:]) == list(range(64))
    again = run(*words, "--resume", "--json")  # there is nothing left to do
    assert json.loads(again.stdout)["counts"] == FIVE


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("board\n", "holds no counts"),
        ('{"parts": 27}\n[]\n', "holds no counts"),
        ('{"parts": 27}\n{"part": 1, "counts": {"boards": "many"}}\n', "holds no counts"),
        ('{"parts": 27}\n', "counts something else"),
    ],
)
def test_a_file_of_something_else(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "counts.jsonl"
    file.write_text(text)
    with pytest.raises(asplan.AsplanError) as error:
        counted("4x4", file)
    assert error.value.message == f"{file} {said}"
    assert file.read_text() == text


def test_an_end_at_a_limit_says_how_to_go_on(tmp_path: Path) -> None:
    words = ["generate", "rush_hour", "--all", "--size", "6x6", "-o", "all.jsonl"]
    done = run(*words, "--time-limit", "1", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "asplan: time limit of 1 s reached after 0 of 7776 parts; --resume goes on with all.jsonl\n"
    )
