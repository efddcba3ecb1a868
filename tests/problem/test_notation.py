"""Whole files, and the command."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from asplan.core.errors import InputError
from asplan.domains import domains
from asplan.domains.base import Shape
from asplan.problem.notation import Converted, from_facts, to_facts
from asplan.program.ground import ground_facts
from asplan.program.reading.unit import unit_of_text
from conftest import run

MIXED = """\
# a comment, an empty line, a wrong line, a board with and one without a count

ooBooo
7 AAooooooo 12
AAoBBoooo
"""


def test_a_wrong_line_does_not_stop_the_rest() -> None:
    wrong, first, second = to_facts(MIXED.splitlines(keepends=True), "db")
    assert isinstance(wrong, InputError)
    assert str(wrong).startswith("db:3:1: a board of 6 cells is not square")
    assert isinstance(first, Converted)
    assert first == Converted(
        4,
        "% db, line 4: shortest plan 7 slides: AAooooooo\n\n"
        "grid(1..3,1..3).\ncar(r,2,h).  position(0,r,1,1).\n",
    )
    assert isinstance(second, Converted)
    assert second.line == 5


def test_files_are_read_as_a_stream() -> None:
    endless = ("AAooooooo\n" for _ in count())
    found = to_facts(endless, "db")
    for number in range(1, 4):
        converted = next(found)
        assert isinstance(converted, Converted)
        assert converted.line == number


def test_a_column_is_found_by_its_name() -> None:
    table = ["# c\n", "kind\tboard\tslides\n", "wall\tAAxoooooo\t0\n"]
    (converted,) = to_facts(table, "t")
    assert isinstance(converted, Converted)
    assert converted.text.startswith("% t, line 3: shortest plan 0 slides: AAxoooooo\n")


@pytest.mark.parametrize(
    ("row", "shape"),
    [("1 2 3 4 5 6 7 0 8", Shape()), ("0 1 2 3 4 5", Shape(columns=3)), ("1 0", Shape(columns=1))],
)
def test_tiles_there_and_back(row: str, shape: Shape) -> None:
    (converted,) = to_facts([row + "\n"], "t", "tiles", shape)
    assert isinstance(converted, Converted)
    facts = ground_facts([unit_of_text(converted.text)], {})
    assert from_facts(facts) == row + "\n"
    problem = domains()["sliding_tiles"].model(facts, {})
    assert problem.initial == tuple(map(int, row.split()))


def test_the_blank_may_come_first() -> None:
    (converted,) = to_facts(["1 0 2 3"], "t", "tiles", Shape(blank_first=True))
    assert isinstance(converted, Converted)
    problem = domains()["sliding_tiles"].model(ground_facts([unit_of_text(converted.text)], {}), {})
    assert problem.is_goal((0, 1, 2, 3))
    assert not problem.is_goal((1, 2, 3, 0))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1 2 3 x", "t:1:1: 'x' is not a tile"),
        ("1 2 3 3", "t:1:1: the 4 tiles must be 0 to 3, each once"),
        ("1 2 0", "t:1:1: 3 tiles do not form a square\n  use --columns N"),
    ],
)
def test_rows_of_tiles_that_make_no_sense(row: str, message: str) -> None:
    (error,) = to_facts([row], "t", "tiles")
    assert str(error) == message


def test_the_command_writes_a_file_for_each_line(tmp_path: Path) -> None:
    database = tmp_path / "db.txt"
    database.write_text(MIXED)
    done = run("convert", str(database), "-o", str(tmp_path / "out"))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"asplan: {database}:3:1: a board of 6 cells is not square\n  give its width: --columns N\n"
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["db-4.lp", "db-5.lp"]
    back = run("convert", str(tmp_path / "out" / "db-5.lp"))
    assert (back.returncode, back.stdout) == (0, "AAoBBoooo\n")


def test_the_command_prints_one_board_only(tmp_path: Path) -> None:
    database = tmp_path / "db.txt"
    database.write_text(MIXED)
    one = run("convert", str(database), "--line", "5")
    assert one.returncode == 0
    assert one.stdout.startswith("% db.txt, line 5: AAoBBoooo\n\ngrid(1..3,1..3).\n")
    many = run("convert", str(database))
    assert many.returncode == 2
    assert many.stdout == ""
    assert many.stderr.endswith(
        "has more than one board\n  pass -o FOLDER for all boards, or --line N for one\n"
    )


def test_instances_beyond_a_notation_are_refused_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / "wall.lp"
    file.write_text("grid(1..3,1..3). no(3,3). car(r,2,h). position(0,r,1,1).")
    done = run("convert", str(file), "--to", "card")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"asplan: {file}: a card cannot have walls, but this board does\n"
