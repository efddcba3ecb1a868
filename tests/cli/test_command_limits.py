"""Limits and Ctrl-C stop every command in every phase."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import asplan
from conftest import crossed, in_time, interrupted, run

# Joining a thousand numbers with themselves three times takes minutes to ground.
HEAVY = "n(1..1000). p(X,Y,Z) :- n(X), n(Y), n(Z), X < Y, Y < Z."
STEPS = "#program step(t). { occurs(go,t) }. #program check(t). :- query(t), t < 1."
# Twelve cars on as many lines: far more states than can be listed.
WIDE = "grid(1..24,1..12). car(r,2,h). position(0,r,1,1). " + " ".join(
    f"car(c{row},2,h). position(0,c{row},{row},1)." for row in range(2, 25)
)

CASES = {
    "render": (
        ["render", "plan.json", "-o", "plan.gif", "--draw", "heavy.lp"],
        "drawing plan.gif",
    ),
    "solve": (
        ["solve", "two_cars", "-o", "plan.gif", "--draw", "heavy.lp"],
        "drawing plan.gif",
    ),
    "validate": (["validate", "program.lp", "go.json"], "checking the plan"),
    "analyse": (
        ["analyse", "wide.lp", "--max-states", "1000000000", "--metric", "slide"],
        "{count} states within {moves} moves",
    ),
    "convert": (["convert", "heavy.lp"], "converting heavy.lp"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with all that the commands need."""
    (tmp_path / "heavy.lp").write_text(HEAVY + " canvas(10,10). rect(a,1,1,2,2).")
    (tmp_path / "program.lp").write_text(HEAVY + STEPS)
    (tmp_path / "wide.lp").write_text(WIDE)
    (tmp_path / "go.json").write_text('{"outcome": "plan", "plan": [["go"]]}')
    plan = asplan.to_json(asplan.solve("two_cars", engine="bfs"))
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    return tmp_path


CUT = crossed([*CASES], ["time limit", "interrupt"])


@pytest.mark.parametrize("name", [name for name, by in CUT if by == "time limit"])
def test_time_limit(name: str, folder: Path) -> None:
    words, doing = CASES[name]
    reason = f" s reached while {doing.partition('{')[0]}"  # it would take minutes
    done = in_time(
        lambda limit: run(*words, "--time-limit", str(limit), cwd=folder, timeout=150),
        lambda done: reason in done.stdout + done.stderr,
    )
    assert reason in (done.stdout if name == "solve" else done.stderr)
    assert done.returncode == 1
    assert not list(folder.glob(".*.part")) + list(folder.glob("*.gif"))


@pytest.mark.parametrize("name", [name for name, by in CUT if by == "interrupt"])
def test_interrupt(name: str, folder: Path) -> None:
    words, doing = CASES[name]
    reason = f"interrupted while {doing.partition('{')[0]}"
    for seconds in (0.3, 1.2, 4.8):  # until it has read and imported all that it needs
        done = interrupted(*words, cwd=folder, seconds=seconds)
        assert done.returncode == 130
        if reason in done.stdout + done.stderr:
            break
    assert reason in done.stdout + done.stderr
    assert not list(folder.glob(".*.part")) + list(folder.glob("*.gif"))


def test_memory_limit(folder: Path) -> None:
    done = run("convert", "heavy.lp", "--memory-limit", "150", cwd=folder)
    assert (done.returncode, done.stderr) == (
        1,
        "asplan: memory limit of 150 MB reached while converting heavy.lp\n",
    )


@pytest.mark.parametrize(
    "words", ["solve -", "validate - go.json", "convert -", "profile - --horizon 1"]
)
def test_an_input_that_never_ends(words: str, folder: Path) -> None:
    """Nobody writes to the pipe, and nobody closes it."""
    nothing, kept = os.pipe()
    try:
        done = run(*words.split(), "--time-limit", "1", cwd=folder, stdin=nothing)
    finally:
        os.close(nothing)
        os.close(kept)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "asplan: time limit of 1 s reached while reading standard input\n"
