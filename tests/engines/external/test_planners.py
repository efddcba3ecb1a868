"""Engines `up:NAME`: results from planners, and no processes that survive them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

pytest.importorskip("unified_planning")

import fake_planners
from fake_planners import GOOD, SLEEP, TIMED

import asplan
from asplan.core.installing import pip_install
from asplan.core.limits import Stop
from asplan.engines import external
from asplan.result import Outcome, Result
from conftest import in_time

fake_planners.register()


def asked(name: str, *files: str, **options: object) -> Result:
    return asplan.solve(*(files or ("blocks-1",)), engine=f"up:{name}", **options)


def sleepers() -> list[psutil.Process]:
    """The programs that the fake planners have started, and that run."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        if SLEEP in (process.info["cmdline"] or []) and process.info["status"] != "zombie":
            found.append(process)
    return found


def test_a_plan_is_checked_and_returned_unchanged() -> None:
    result = asked("good")
    assert result.outcome is Outcome.PLAN
    assert result.reason == "found by Good; shorter ones were not excluded"
    assert [result.plan.name(action).lower() for action in result.plan.actions] == GOOD
    assert (result.engine, result.encoding, result.validated) == ("up:good", None, "text")
    assert (result.horizon, result.lower_bound) == (6, 0)


def test_a_plan_keeps_its_times() -> None:
    result = asked("timed", "cellar-1")
    assert (result.outcome, result.validated, result.lower_bound) == (Outcome.PLAN, "text", 0)
    assert list(result.plan.timed_lines()) == TIMED


def test_each_planner_works_in_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(asked, ["messy"] * 3))
    assert [result.outcome for result in results] == [Outcome.PLAN] * 3
    assert list(tmp_path.iterdir()) == []


def test_a_claim_of_a_planner_is_no_outcome() -> None:
    proud = asked("proud")
    assert proud.outcome is Outcome.PLAN
    assert proud.reason == (
        "found by Proud, which claims that none is better; asplan has not proved that"
    )
    hopeless = asked("hopeless")
    assert hopeless.outcome is Outcome.UNKNOWN
    assert hopeless.reason == "Hopeless claims that there is no plan; asplan has not proved that"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wrong", "step 1: (put-down C) does not apply: (holding C) does not hold"),
        ("short", "after step 4 the goal does not hold: (on A B) does not hold"),
    ],
)
def test_an_invalid_plan_is_refused(name: str, said: str) -> None:
    with pytest.raises(asplan.InvalidPlan) as caught:
        asked(name)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("name", "stopped", "reason"),
    [
        ("late", Stop.TIME, "Late ended with TIMEOUT"),
        ("large", Stop.MEMORY, "Large ended with MEMOUT"),
        ("broken", None, "Broken ended with INTERNAL_ERROR: out of luck"),
        ("crashing", None, "Crashing ended without an answer: RuntimeError: a bug of two lines"),
        ("dying", None, "dying ended without an answer"),
    ],
)
def test_a_result_without_a_plan_has_a_reason(name: str, stopped: Stop | None, reason: str) -> None:
    result = asked(name)
    assert (result.outcome, result.stopped, result.reason) == (Outcome.UNKNOWN, stopped, reason)


@pytest.mark.parametrize("isolate", [False, True])
def test_no_process_survives_the_time_limit(isolate: bool) -> None:
    reason = " s reached while asking sleeping"
    result = in_time(
        lambda limit: asked("sleeping", time_limit=limit, isolate=isolate),
        lambda result: result.reason.endswith(reason),
    )
    assert result.outcome is Outcome.UNKNOWN
    assert result.reason.endswith(reason)
    await_end_of_sleepers()


def test_no_process_survives_an_answer() -> None:
    assert asked("leaving").outcome is Outcome.PLAN
    assert sleepers() == []


# A shell ignores interrupts in background processes; a terminal does not.
RUN = """
import signal; signal.signal(signal.SIGINT, signal.default_int_handler)
import fake_planners
fake_planners.register()
from asplan.cli import main
main()
"""


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    """The command, with the fake planners, when they have begun."""
    script = f"import sys; sys.path.append({str(Path(__file__).parent)!r})\n" + RUN
    (folder / "run.py").write_text(script)
    words = (sys.executable, str(folder / "run.py"), "solve", "blocks-1", *words)
    process = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    return process


def await_begin(process: subprocess.Popen[str]) -> None:
    while len(sleepers()) < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.2)


def await_end_of_sleepers() -> None:
    while sleepers():
        time.sleep(0.2)


@pytest.mark.parametrize(
    ("number", "ends"),
    [(signal.SIGINT, (130, -signal.SIGINT)), (signal.SIGKILL, (-signal.SIGKILL,))],
)
def test_no_process_and_no_file_survives_the_command(
    number: signal.Signals, ends: set[int], tmp_path: Path
) -> None:
    process = started(tmp_path, "--engine", "up:sleeping", "--json")
    await_begin(process)
    process.send_signal(number)
    process.communicate()
    assert process.returncode in ends
    await_end_of_sleepers()
    while list(tmp_path.glob("asplan-*")):
        time.sleep(0.05)


def test_standard_output_has_only_json_beside_a_noisy_planner(tmp_path: Path) -> None:
    process = started(tmp_path, "--engine", "up:good", "--json")
    output, _ = process.communicate()
    assert process.returncode == 0
    assert json.loads(output)["engine"] == "up:good"


def test_a_plan_is_drawn(tmp_path: Path) -> None:
    result = asked("good")
    asplan.render(result, tmp_path / "plan.svg")
    assert "<svg" in (tmp_path / "plan.svg").read_text()


@pytest.mark.parametrize(
    ("name", "files", "said"),
    [
        (
            "goot",
            ["blocks-1"],
            "engine up:goot: unified-planning has no planner goot installed\n  did you mean good?",
        ),
        (
            "asplan",
            ["blocks-1"],
            "engine up:asplan: asplan does not run itself through unified-planning\n"
            "  use --engine asp, or another engine of asplan",
        ),
        (
            "sequential_simulator",
            ["blocks-1"],
            "engine up:sequential_simulator: unified-planning has no planner sequential_simulator "
            "installed",
        ),
        (
            "good",
            ["crates-1"],
            "engine up:good: Good does not take tasks with equalities, hierarchical typing, "
            "negative conditions",
        ),
        (
            "good",
            ["castle-1"],
            "engine up:good: unified-planning does not read this PDDL: ParseException: ",
        ),
        ("good", ["sample02"], "engine up:good plans from PDDL only"),
        (
            "",
            ["blocks-1"],
            "engine 'up:': the name of a planner is missing\n  use up:fast-downward, for example",
        ),
    ],
)
def test_unsuitable_planners_and_tasks_are_refused(name: str, files: list[str], said: str) -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asked(name, *files)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": "exists"}, "engine up:good uses no encoding: leave out -e"),
        ({"steps": "forall"}, "engine up:good uses no encoding: leave out --steps"),
        ({"constants": {"x": 3}}, "no file uses the constant x"),
        (
            {"first": True},
            "engine up:good has no option --first\n"
            "  it belongs to --engine asp, sat, portfolio, auto",
        ),
    ],
)
def test_options_of_other_engines_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asked("good", **options)
    assert str(caught.value) == said


def test_without_unified_planning_the_error_names_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "unified_planning", None)
    with pytest.raises(asplan.MissingExtra) as caught:
        asked("good")
    assert str(caught.value) == (
        f"engine up:good needs unified-planning, which is not installed\n  {pip_install('up')}"
    )


def test_the_error_for_a_planner_that_is_not_installed_names_its_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(external, "_UNLISTED", {"absent": ("up_absent", "Absent")})
    with pytest.raises(asplan.UsageError) as caught:
        asked("absent")
    assert str(caught.value) == (
        "engine up:absent: unified-planning has no planner absent installed\n"
        "  pip install up-absent"
    )


@pytest.mark.parametrize(("name", "steps"), [("blocks-1", 6), ("gripper-1", 5), ("cellar-1", None)])
def test_kairos_solves_tasks_with_and_without_time(name: str, steps: int | None) -> None:
    pytest.importorskip("up_kairos")
    result = asked("kairos", name, time_limit=120)
    assert (result.outcome, result.validated, result.lower_bound) == (Outcome.PLAN, "text", 0)
    assert result.reason == "found by kairos; shorter ones were not excluded"
    assert steps is None or result.horizon >= steps


def test_kairos_solves_a_task_with_numbers_and_does_not_use_up_the_time_for_its_metric(
    tmp_path: Path,
) -> None:
    pytest.importorskip("up_kairos")
    (tmp_path / "domain.pddl").write_text(TANKS)
    (tmp_path / "problem.pddl").write_text(FOUR_LITRES)
    files = [str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl")]
    result = asked("kairos", *files, time_limit=3600)
    assert (result.outcome, result.validated, result.horizon) == (Outcome.PLAN, "text", 4)


TANKS = """
(define (domain tanks)
  (:requirements :strips :typing :numeric-fluents)
  (:types tank)
  (:functions (level ?t - tank) (used))
  (:action fill
    :parameters (?t - tank)
    :effect (and (increase (level ?t) 1) (increase (used) 1))))
"""

FOUR_LITRES = """
(define (problem four-litres)
  (:domain tanks)
  (:objects a - tank)
  (:init (= (level a) 0) (= (used) 0))
  (:goal (>= (level a) 4))
  (:metric minimize (used)))
"""


@pytest.mark.parametrize("name", ["pyperplan", "fast-downward", "fast-downward-opt"])
def test_installed_planners_solve_a_task(name: str) -> None:
    pytest.importorskip("up_pyperplan" if name == "pyperplan" else "up_fast_downward")
    assert asked(name, time_limit=120).horizon == 6
