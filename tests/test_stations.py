"""The stations of a problem: each is visited once."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import asplan
from asplan.api.solving import OtherOptions
from asplan.engines import engines, option_forms
from conftest import run

COUNTING = """
import os, sys
log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
def opened(event, arguments):
    if event == "open" and str(arguments[0]).endswith("two_cars.lp"):
        os.write(log, b"read ")
sys.addaudithook(opened)
import asplan.validation
states = asplan.validation.states
def counted(*arguments):
    os.write(log, b"replayed ")
    return states(*arguments)
asplan.validation.states = counted
from asplan.cli import main
main(sys.argv[2:])
"""


def test_one_solve_reads_and_replays_once_with_any_drawing(tmp_path: Path) -> None:
    """Counted in the command's own processes: its worker inherits the counters."""
    words = ["solve", "two_cars", "-o", "a.gif", "-o", "a.html", "-o", "a.png", "--json"]
    command = [sys.executable, "-c", COUNTING, "counts", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert done.stderr.count(" is written: ") == 3
    assert (tmp_path / "counts").read_text().split() == ["read", "replayed"]
    assert {file.name for file in tmp_path.iterdir()} == {"a.gif", "a.html", "a.png", "counts"}


def test_a_result_is_drawn_without_its_files(tmp_path: Path) -> None:
    board = tmp_path / "board.lp"
    board.write_text("grid(1,1..3). car(r,2,h). position(0,r,1,1).")
    result = asplan.solve(board)
    board.unlink()
    assert asplan.render(result, tmp_path / "plan.gif").stat().st_size > 1000
    assert result._repr_html_()


def test_text_is_planned_with_like_a_file() -> None:
    result = asplan.solve(
        text="grid(1,1..3). car(r,2,h). position(0,r,1,1).", encoding="origin", metric="slide"
    )
    assert (result.horizon, result.validated, result.files) == (1, "model", ("<text>",))


def test_a_board_in_a_foreign_notation_is_an_instance(tmp_path: Path) -> None:
    board, tiles = tmp_path / "board.txt", tmp_path / "tiles.txt"
    board.write_text("ooooAAooooooooooooBoooooBooooooooooo\n".replace("AA", "oo", 1) + "")
    board.write_text("oooooooooBooAAoBoooooBoooooooooooooo\n")
    tiles.write_text("1 2 3 4 5 0 7 8 6\n")
    assert asplan.solve(board).horizon == asplan.solve("two_cars").horizon
    assert (asplan.solve(tiles).domain, asplan.solve(tiles).horizon) == ("sliding_tiles", 1)
    done = run("solve", str(tiles), "--engine", "bfs")
    assert "1. move(6,up)" in done.stdout


def test_the_module_is_a_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "asplan", "--version"], capture_output=True, text=True
    )
    assert done.stdout == f"asplan, version {asplan.__version__}\n"


def test_no_function_hides_a_package() -> None:
    import asplan.drawing.rules as trajectory

    assert trajectory.__name__ == "asplan.drawing.rules"
    assert callable(asplan.render)


def test_the_api_spells_out_the_options_of_all_engines() -> None:
    frequent = set(inspect.signature(asplan.solve).parameters)
    assert set(option_forms()) <= frequent | set(OtherOptions.__annotations__)
    assert frequent.isdisjoint(OtherOptions.__annotations__)
    with pytest.raises(TypeError, match="unexpected keyword argument 'heuristics'"):
        asplan.solve("two_cars", heuristics="blind")


def test_options_in_objects_are_those_by_name() -> None:
    inputs = asplan.Inputs(("two_cars",), encoding="origin", switches=("no-undefined",))
    options = asplan.AspOptions(mode="fixed", horizon=9, no_states=True)
    limits = asplan.Limits(seconds=50)
    by_objects = asplan.solve(inputs=inputs, options=options, limits=limits)
    by_name = asplan.solve(
        "two_cars",
        encoding="origin",
        switches=["no-undefined"],
        mode="fixed",
        horizon=9,
        no_states=True,
        time_limit=50,
    )
    assert (
        by_objects.reason
        == by_name.reason
        == "found with at most 9 steps; shorter ones were not looked for"
    )
    assert (by_objects.mode, by_objects.plan) == ("fixed", by_name.plan)


def test_options_by_name_replace_those_of_objects() -> None:
    inputs = asplan.Inputs(("two_cars",), constants={"metric": "slide"})
    assert asplan.solve(inputs=inputs, encoding="origin").horizon == 2
    assert asplan.solve(inputs=inputs, encoding="origin", metric="step").horizon == 6
    few = asplan.Limits(max_horizon=1)
    assert asplan.solve("two_cars", limits=few).horizon is None
    assert asplan.solve("two_cars", limits=few, max_horizon=8).horizon == 6
    guided = asplan.solve("two_cars", engine="astar", options={"heuristic": "blocking"})
    assert (guided.engine, guided.horizon) == ("astar", 6)


def test_options_of_another_engine_are_refused() -> None:
    with pytest.raises(asplan.UsageError, match="engine astar takes options of BestFirst"):
        asplan.solve("two_cars", engine="astar", options=asplan.SatOptions())


def test_earlier_names_are_accepted_and_shown_nowhere() -> None:
    old = asplan.solve("two_cars", engine="race", encoding="origin", lemmas=True)
    new = asplan.solve("two_cars", engine="portfolio", encoding="origin", invariants=True)
    assert (old.engine, new.engine) == ("race", "portfolio")
    assert old.horizon == new.horizon
    assert ("race" in engines(), "portfolio" in engines()) == (False, True)
    done = run("solve", "two_cars", "-e", "origin", "--lemmas")
    assert (done.returncode, done.stderr) == (0, "")
    assert "lemmas" not in run("solve", "--help").stdout


def test_validate_takes_constants_as_solve_does() -> None:
    result = asplan.solve("two_cars", encoding="origin", constants={"metric": "slide"})
    assert result.plan is not None
    assert asplan.validate("two_cars", plan=result.plan, constants={"metric": "slide"}) == 2
