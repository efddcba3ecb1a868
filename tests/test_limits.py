"""Limits and Ctrl-C in every phase, with real processes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import asplan
from conftest import crossed, in_time, interrupted, run

# Grounding step 3 joins a thousand numbers with themselves three times: that takes minutes.
HEAVY = """
n(1..1000).
#program step(t).
{ occurs(wait,t) }.
p(t,X,Y,Z) :- n(X), n(Y), n(Z), X < Y, Y < Z, t = 3.
#program check(t).
#external query(t).
:- query(t), t < 9.
"""
# Pigeons in too few holes: solving step 1 takes for ever.
HARD = """
#program step(t).
1 { in(P,H,t) : H = 1..13 } 1 :- P = 1..14.
:- in(P,H,t), in(Q,H,t), P < Q.
#program check(t).
#external query(t).
:- query(t), t < 1.
"""
# Two steps have 2 ** 28 plans.
MANY = """
d(1..14).
#program step(t).
{ occurs(X,t) : d(X) }.
#program check(t).
:- query(t), t < 2.
"""
CASES = [
    ("asp", HEAVY, 3, "while grounding horizon 3"),
    ("asp", HARD, 1, "at horizon 1"),
    ("sat", HEAVY, 3, "while grounding horizon 3"),
    ("sat", HARD, 1, "(at|while solving) horizon 1"),  # the worker, or the command that ends it
]


def answer(program: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """Return the exit status and the output of `asplan solve --json`."""
    done = run("solve", str(program), *words, "--json", timeout=150)
    return done.returncode, json.loads(done.stdout)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return tmp_path / "program.lp"


@pytest.mark.parametrize(("engine", "text", "bound", "reason"), CASES)
def test_time_limit(program: Path, engine: str, text: str, bound: int, reason: str) -> None:
    program.write_text(text)
    limits: list[int] = []

    def work(limit: int) -> tuple[int, dict[str, Any]]:
        limits.append(limit)
        return answer(program, "--engine", engine, "--time-limit", str(limit))

    status, result = in_time(work, lambda found: found[1]["lower_bound"] == bound)
    assert status == 1
    assert (result["outcome"], result["stopped"]) == ("unknown", "time")
    assert re.fullmatch(f"time limit of {limits[-1]} s reached {reason}", result["reason"])
    assert result["lower_bound"] == bound


@pytest.mark.parametrize(
    ("engine", "mode"), crossed(["asp", "sat", "auto"], ["incremental", "fixed"])
)
def test_plans_found_before_a_limit_are_kept(program: Path, engine: str, mode: str) -> None:
    """Only checked plans are shown; there is no time to check all."""
    program.write_text(MANY)
    horizon = ("--horizon", "2") if mode == "fixed" else ()
    words = ("--engine", engine, "--mode", mode, *horizon, "--models", "0", "--time-limit")
    unchecked = "more plans were found, but there was no time to check them"
    status, result = in_time(
        lambda limit: answer(program, *words, str(limit)),
        lambda found: bool(found[1]["plan"]) and found[1]["reason"].endswith(unchecked),
    )
    best = "plan" if mode == "fixed" else "optimal"
    assert (status, result["outcome"], result["stopped"]) == (0, best, "time")
    assert " s reached while looking for more plans; " in result["reason"]
    assert result["reason"].endswith(unchecked)
    assert (result["validated"], len(result["plans"][0])) == ("replay", 2)


def test_a_limit_holds_while_plans_are_checked(program: Path) -> None:
    program.write_text(MANY)
    result = in_time(
        lambda limit: asplan.solve(program, models=0, time_limit=limit),
        lambda found: bool(found.plans),
    )
    assert (result.stopped, result.validated, result.outcome) == ("time", "replay", "optimal")


def test_all_plans_are_no_fewer_for_a_limit_that_is_not_reached(program: Path) -> None:
    program.write_text(MANY.replace("14", "3"))
    result = asplan.solve(program, models=0, time_limit=600)
    assert (len(result.plans), result.stopped) == (64, None)


def test_memory_limit(program: Path) -> None:
    program.write_text(HEAVY)
    done = run("solve", str(program), "--memory-limit", "200", "--json")
    result = json.loads(done.stdout)
    assert (done.returncode, result["stopped"]) == (1, "memory")
    assert result["reason"] == "memory limit of 200 MB reached while grounding horizon 3"


# A plan is found at once; that no two of 14 pigeons share one of 13 holes takes for ever to refute.
PIGEONS = """
#program step(t).
1 { in(P,H,t) : H = 1..13 } 1 :- P = 1..14.
shared(H,t) :- in(P,H,t), in(Q,H,t), P < Q.
#minimize { 1,H,t : shared(H,t) }.
occurs(settle,t).
#program check(t).
:- query(t), t = 0.
"""


def test_a_plan_in_hand_is_checked_after_an_interrupt(program: Path) -> None:
    program.write_text(PIGEONS)
    done = interrupted("solve", str(program), "--mode", "minimize", "--horizon", "1", "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 130
    assert (result["outcome"], result["stopped"]) == ("plan", "interrupt")
    assert (result["plan"], result["validated"]) == ([["settle"]], "replay")


@pytest.mark.parametrize(("engine", "phase"), crossed(["asp", "sat"], [(HEAVY, 3), (HARD, 1)]))
def test_interrupt(program: Path, engine: str, phase: tuple[str, int]) -> None:
    text, bound = phase
    program.write_text(text)
    done = interrupted("solve", str(program), "--engine", engine, "--json", seconds=0.6)
    result = json.loads(done.stdout)
    assert done.returncode == 130
    assert (result["stopped"], result["lower_bound"]) == ("interrupt", bound)
    assert result["reason"].startswith("interrupted while ")


def test_the_worker_does_not_outlive_its_parent(program: Path) -> None:
    program.write_text(HEAVY)
    code = "from asplan.cli import main; main()"
    parent = subprocess.Popen([sys.executable, "-c", code, "solve", str(program)])
    listed = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    try:
        while not (children := listed.read_text().split()):
            time.sleep(0.1)
    finally:
        parent.kill()
        parent.wait()
    assert len(children) == 1
    while Path(f"/proc/{children[0]}").exists():
        time.sleep(0.1)


@pytest.mark.parametrize("engine", ["asp", "sat", "portfolio", "auto"])
def test_the_api_stops_in_a_solve_call(engine: str, program: Path) -> None:
    program.write_text(HARD)
    result = in_time(
        lambda limit: asplan.solve(program, engine=engine, time_limit=limit),
        lambda found: found.lower_bound == 1,
    )
    assert (result.outcome, result.stopped, result.lower_bound) == ("unknown", "time", 1)


def test_an_error_in_the_worker_reaches_the_caller(program: Path) -> None:
    program.write_text("p(X).\n#program step(t).")
    with pytest.raises(asplan.InputError, match="X is unsafe") as caught:
        asplan.solve(program, isolate=True)
    assert caught.value.at is not None
    assert (caught.value.at.line, caught.value.at.column) == (1, 3)
