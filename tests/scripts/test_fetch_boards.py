"""Downloaded boards: they become the files of the scripts, or an error."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from asplan.domains.rush_hour.notation import parse_board
from conftest import rows

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import fetch_boards
from assignment_cards import PUBLISHED

HARD = "51 GBBoLoGHIoLMGHIAAMCCCKoMooJKDDEEJFFo 4780"
EASY = "1 ooooooooooooAAoooooooooooooooooooooo 5"
WALL = "2 ooBoooooBoooAABoooooooooxooooooooooo 14"


def card_text(board: str) -> str:
    """A card as the assignment has it."""
    problem = parse_board(board)
    cars = []
    for car, offset in zip(problem.cars, problem.start, strict=True):
        row, column = car.cell(offset)
        cars.append(f"{row - 1} {column - 1} {car.axis} {car.length} ")
    return "\n".join(["6", f"{problem.cars[0].line - 1} 5", *cars])


@pytest.fixture
def jams(data: Path, tmp_path: Path) -> Path:
    """The forty cards, as they are downloaded."""
    folder = tmp_path / "jams"
    folder.mkdir()
    for row in rows(data / "rush_hour" / "jams.tsv"):
        (folder / f"{row['card']}.txt").write_text(card_text(row["board"]))
    return folder


def canonical(board: str) -> tuple[object, ...]:
    """Return a board with its cars' letters in a fixed order."""
    problem = parse_board(board)
    shapes = [(c.axis, c.line, c.length) for c in problem.cars]
    return (shapes[0], problem.start[0], sorted(zip(shapes, problem.start, strict=True)))


def test_cards(jams: Path, data: Path, tmp_path: Path) -> None:
    assert fetch_boards.main(["cards", str(jams), "-o", str(tmp_path / "boards")]) == 0
    made = list(rows(tmp_path / "boards" / fetch_boards.CARDS))
    known = list(rows(data / "rush_hour" / "jams.tsv"))
    assert len(made) == len(known) == len(PUBLISHED)
    for one, other in zip(made, known, strict=True):
        assert canonical(one.pop("board")) == canonical(other.pop("board"))
        assert one == other


@pytest.mark.parametrize(
    ("number", "change", "message"),
    [
        (7, lambda text: text[: text.rindex("v")], "{}:{}:1: a car is given as: row column h|v"),
        (1, lambda text: text[: text.rindex("\n")], "{}:{}:1: the card takes "),
        (1, lambda text: "<html>", "{}:1:1: a card has a size, a goal and at least the red car"),
        (1, lambda text: "", "{}:1:1: a card has a size"),
        (1, lambda text: "51 GBBoLoGHIoLMGHIAAMCCCKoMooJKDDEEJFFo 4780\n", "{}:1:1: "),
        (2, lambda text: "\x00\x01\x02", "{}:1:1: "),
        (40, None, "{} is missing\n  https://github.com/ursinus-cs477-f2023/HW2_RushHour"),
    ],
)
def test_half_a_card(
    jams: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    number: int,
    change: Callable[[str], str] | None,
    message: str,
) -> None:
    file = jams / f"{number}.txt"
    if change:
        file.write_text(change(file.read_text()))
        lines = len(file.read_text().splitlines())
    else:
        file.unlink()
        lines = 0
    assert fetch_boards.main(["cards", str(jams), "-o", str(tmp_path / "boards")]) == 2
    assert capsys.readouterr().err.startswith(message.format(file, lines))
    assert not (tmp_path / "boards").exists()


def test_database(tmp_path: Path) -> None:
    file = tmp_path / "rush.txt"
    file.write_text(f"{HARD}\n{EASY}\n\n{WALL.replace('o', '.')}\n  ")
    assert fetch_boards.main(["database", str(file), "-o", str(tmp_path)]) == 0
    made = [tuple(row.values()) for row in rows(tmp_path / fetch_boards.DATABASE)]
    assert made == [tuple(line.split()) for line in (EASY, WALL, HARD)]


def test_a_sample_of_a_packed_database(tmp_path: Path) -> None:
    file = tmp_path / "rush.txt.gz"
    file.write_bytes(gzip.compress(f"{EASY}\n{EASY}\n{EASY}\n{HARD}".encode()))
    assert fetch_boards.main(["database", str(file), "-o", str(tmp_path), "--most", "2"]) == 0
    assert len(list(rows(tmp_path / fetch_boards.DATABASE))) == 3


LINE = "a line has the fewest moves, a board of 36 cells and the number of its positions"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: the file has no board"),
        ("\n \n  ", "1:1: the file has no board"),
        ("6\n2 5\n2 1 h 2\n", f"1:1: {LINE}"),
        (
            f"{EASY}\n2 oo\0oooooooooAAoooooooooooooooooooooo 5\n",
            "2:5: '\\x00' is not a cell of a board",
        ),
        (f"{EASY}\n<html>\n", f"2:1: {LINE}"),
        (f"{EASY}\n51 GBBoLoGHIoLMGHI", f"2:1: {LINE}"),
        (f"{EASY}\n51 GBBoLoGHI 4780\n", "2:1: the board has 9 cells of 36"),
        (f"{EASY}\n{HARD[:-1]}", "2:1: the file ends within this line"),
        (f"{EASY.replace('AA', 'BB')}\n", "1:3: the board has no red car A"),
        (f"{EASY.replace('AA', 'A!')}\n", "1:16: '!' is not a cell of a board"),
    ],
)
def test_half_a_database(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rush.txt"
    file.write_text(text)
    there = tmp_path / fetch_boards.DATABASE
    there.parent.mkdir()
    there.write_text("as it was")
    assert fetch_boards.main(["database", str(file), "-o", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"{file}:{message}")
    assert there.read_text() == "as it was"


@pytest.mark.parametrize("name", ["rush.txt", "rush.txt.gz"])
def test_no_text(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / name
    file.write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    assert fetch_boards.main(["database", str(file), "-o", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"{file}:1:1: the file is damaged or only a part")
    assert not (tmp_path / fetch_boards.DATABASE).exists()


def test_a_packed_database_that_is_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rush.txt.gz"
    file.write_bytes(gzip.compress(f"{EASY}\n{HARD}\n".encode())[:-12])
    assert fetch_boards.main(["database", str(file), "-o", str(tmp_path)]) == 2
    assert "the file is damaged or only a part\n  download it again" in capsys.readouterr().err


def test_another_metric(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rush.txt"
    file.write_text(f"8{EASY[1:]}\n")
    assert fetch_boards.main(["database", str(file), "-o", str(tmp_path)]) == 2
    assert "takes 1 slides, not 8\n  is it another database?" in capsys.readouterr().err


def test_no_such_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fetch_boards.main(["database", str(tmp_path / "none"), "-o", str(tmp_path)]) == 2
    assert "No such file" in capsys.readouterr().err


def test_the_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert fetch_boards.main([]) == 0
    printed = capsys.readouterr().out
    assert all(where in printed for _, _, where, _ in fetch_boards.SOURCES)
