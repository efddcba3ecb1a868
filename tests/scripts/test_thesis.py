"""Areas under competition plots, samples, runs that are kept, and the figures' names."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

import pytest

import oracle
from asplan.domains.rush_hour.notation import parse_board

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import thesis
from lib.kept_runs import KeptRuns
from lib.rush_hour_boards import oracle_board
from lib.thesis import (
    Board,
    Database,
    Measured,
    astar,
    database,
    measure,
    of_26_moves,
    sample1,
    sample2,
)

SAMPLES = [[1.0], [3.0, 1.0], [1.0, 3.0], [0.5, 0.25, 4.0, 2.0], [2.0] * 7]
EASY = Board("ooooooooooooAAoooooooooooooooooooooo", 1)


def runs(seconds: list[float]) -> list[Measured]:
    return [Measured(one, 10 * index, 1, True) for index, one in enumerate(seconds)]


def slow_area(seconds: list[float], steps: int = 4000) -> float:
    """Return the area under a curve of shares, by many small steps."""
    total, width = sum(seconds), sum(seconds) / steps
    shares = []
    for moment in ((step + 0.5) * width for step in range(steps)):
        share, left = 0.0, moment
        for one in seconds:
            share += min(left / one, 1) / len(seconds)
            left = max(left - one, 0)
        shares.append(share)
    assert total == pytest.approx(width * steps)
    return width * sum(shares)


@pytest.mark.parametrize("seconds", SAMPLES)
def test_the_area_is_that_under_the_curve(seconds: list[float]) -> None:
    assert thesis.area(runs(seconds)) == pytest.approx(slow_area(seconds), rel=1e-3)


def test_slow_boards_in_front_make_it_smaller() -> None:
    first, last = thesis.area(runs([3.0, 1.0])), thesis.area(runs([1.0, 3.0]))
    assert (first, last) == (1.5, 2.5)
    assert thesis.area(runs([2.0] * 7)) == 7.0  # half of the total


def test_the_curve_ends_with_all() -> None:
    assert thesis.curve(runs([1.0, 3.0])) == ([0, 1, 4], [0, 0.5, 1])


def test_areas_are_as_much_smaller_as_published() -> None:
    def smaller(name: str) -> tuple[str, str]:
        rows = {way: runs([2.0, 1.0]) for way in thesis.FIGURES[name].ways}
        (row,) = thesis.area_rows(name, "2 boards", rows)
        assert row is not None
        return row[4], row[5]

    assert smaller("figure-5.3") == ("5.46%", "0.0%")
    assert smaller("figure-5.4") == ("28.28%", "0.0%")
    assert smaller("figure-5.5") == ("", "0.0%")


def test_a_much_larger_area_is_a_multiple() -> None:
    assert thesis.difference(4.0, 3.0) == "25.0%"
    assert thesis.difference(4.0, 8.0) == "-100.0%"
    assert thesis.difference(4.0, 1200.0) == "300 times"


def test_sample2_begins_with_the_most_states() -> None:
    boards = [Board(name, 26) for name in "abc"]
    assert [board.text for board in sample2(boards, [3, 9, 5])] == ["b", "c", "a"]


def test_figures_and_tables_name_their_commands() -> None:
    assert list(thesis.FIGURES) == [f"figure-5.{number}" for number in range(1, 12)]
    for picture in thesis.FIGURES.values():
        assert set(picture.ways) <= set(thesis.WAYS[picture.sample])
        assert picture.kind in thesis.KINDS
    for table in thesis.TABLES.values():
        assert set(table.published) <= set(thesis.WAYS[table.sample])
    assert all(way in thesis.WAYS[sample] for sample, way in thesis.AREAS)


def test_each_figure_has_its_picture(tmp_path: Path) -> None:
    for name, picture in thesis.FIGURES.items():
        rows = {way: runs([0.5, 0.25]) for way in picture.ways}
        thesis.draw(tmp_path, name, "2 boards of Sample1", rows)
    names = {path.stem for path in tmp_path.glob("*.png")}
    assert names == {f"figure_5_{number}" for number in range(1, 12)}


def test_runs_are_done_once(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    done: list[str] = []

    def task() -> dict[str, int]:
        done.append("once")
        return {"nodes": len(done)}

    for _ in range(2):
        kept = KeptRuns(file)
        assert kept.run(task, board="A", how={"engine": "bfs", "more": 1}) == {"nodes": 1}
        assert kept.run(task, how={"more": 1, "engine": "bfs"}, board="A") == {"nodes": 1}
    with file.open("a") as lines:
        lines.write('{"key": {"board": "B"')  # as an interrupt leaves it
    assert KeptRuns(file).run(task, board="C") == {"nodes": 2}


def test_a_sample_is_measured_from_its_file(tmp_path: Path) -> None:
    first = measure([EASY], {"a": astar("constant")}, 60, kept=tmp_path / "runs")
    again = measure([EASY], {"other name": astar("constant")}, 60, kept=tmp_path / "runs")
    assert list(first.values()) == list(again.values())
    assert first["a"][0].optimal


def test_generated_boards_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASPLAN_DATA", raising=False)
    base = database(None)
    assert base.generated
    assert base.told([], "Sample1") == "0 generated boards of Sample1"
    drawn = sample1(base.boards)
    assert {board.moves for board in drawn} == set(range(1, 52))
    assert len(of_26_moves(base.boards)) >= 10
    for board in drawn[::12]:
        problem = parse_board(board.text)
        assert oracle.solve(oracle_board(problem), "slide") == board.moves


def test_fewer_boards_where_z3_runs() -> None:
    boards = [Board(EASY.text, moves) for moves in range(1, 52)]
    given = Namespace(every=9, every_second=20, time_limit=60, runs=None)
    study = thesis.Study(Database(boards), given)
    assert len(study.boards("Sample1", ["constant"])) == 51
    assert [board.moves for board in study.boards("Sample1", ["constant", thesis.STATIC])] == [
        *range(6, 52, 9)
    ]


def test_the_order_changes_the_area_alone() -> None:
    (row,) = thesis.order_rows({"a": [3.0, 1.0]})
    assert row == ("a", "4", "1.5", "2.5", "1.67")


def test_spread_is_told_as_ratios_to_astar() -> None:
    rows = {
        thesis.ASTAR: runs([1.0, 2.0, 3.0]),
        thesis.ITERATIVE: [*runs([4.0, 6.0]), Measured(11.0, 0, None, False)],
    }
    first, second = thesis.spread_rows("Sample1", rows)
    assert first is not None
    assert second is not None
    assert first[1:6] == ("3", "3", "1", "1.00", "1")
    assert second[1:6] == ("2", "2", "3.5", "0.59", "3")
    assert second[6:] == ("5.0000", "6.0000", "8.5000", "7.0000", "11.0000")
