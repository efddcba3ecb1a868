"""Areas under competition plots, the order of a sample, and runs that scripts share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts" / "thesis"))
import plots
from kept_runs import KeptRuns
from study import Board, Measured, astar, measure

SAMPLES = [[1.0], [3.0, 1.0], [1.0, 3.0], [0.5, 0.25, 4.0, 2.0], [2.0] * 7]


def runs(seconds: list[float]) -> list[Measured]:
    return [Measured(one, 10 * index, 1, True) for index, one in enumerate(seconds)]


def slow_area(seconds: list[float], steps: int = 4000) -> float:
    """The share solved at many moments, in the middle between them, times what lies between."""
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
    assert plots.area(runs(seconds)) == pytest.approx(slow_area(seconds), rel=1e-3)


def test_slow_boards_in_front_make_it_smaller() -> None:
    first, last = plots.area(runs([3.0, 1.0])), plots.area(runs([1.0, 3.0]))
    assert (first, last) == (1.5, 2.5)
    assert plots.area(runs([2.0] * 7)) == 7.0  # half of the total


def test_the_curve_ends_with_all() -> None:
    assert plots.curve(runs([1.0, 3.0])) == ([0, 1, 4], [0, 0.5, 1])


def test_many_states_first() -> None:
    rows = {"smt": runs([1.0, 2.0, 3.0]), "bfs": runs([4.0, 5.0, 6.0])}
    ordered = plots.many_states_first(rows)
    assert {name: [one.seconds for one in found] for name, found in ordered.items()} == {
        "smt": [3.0, 2.0, 1.0],
        "bfs": [6.0, 5.0, 4.0],
    }


def test_comparisons_name_what_is_run() -> None:
    for one in plots.COMPARISONS:
        assert set(one.solvers) <= set(plots.SAMPLES[one.sample])
    for sample, name in {*plots.AREAS, *plots.TOTALS}:
        assert name in plots.SAMPLES[sample]
    for sample, one, other in plots.PAIRS:
        assert {(sample, one), (sample, other)} <= set(plots.AREAS)


def test_each_comparison_has_its_pictures(tmp_path: Path) -> None:
    for one in plots.COMPARISONS:
        plots.draw(tmp_path, one, {name: runs([0.5, 0.25]) for name in one.solvers})
    names = {path.stem for path in tmp_path.glob("*.png")}
    kinds = {f"{one.name}_{kind}" for one in plots.COMPARISONS for kind in plots.KINDS}
    assert names == kinds | {f"{name}_nodes" for name in ("heuristics", "tie_breaking", "bfs")}


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
    board = Board("ooooooooooooAAoooooooooooooooooooooo", 1)
    first = measure([board], {"a": astar("constant")}, 60, kept=tmp_path / "runs")
    again = measure([board], {"other name": astar("constant")}, 60, kept=tmp_path / "runs")
    assert list(first.values()) == list(again.values())
    assert first["a"][0].optimal
