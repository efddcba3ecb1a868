"""Any plan for a task with numbers or time: Kairos as a program of others, alone and in a race."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import asplan
from asplan.core.budget import ENDLESS, Budget, OutOfBudget, ignore_report
from asplan.core.errors import Stopped
from asplan.core.limits import Limits
from asplan.engines.portfolio.auto import auto_runners
from asplan.engines.portfolio.options import AutoOptions
from asplan.engines.run import Run
from asplan.engines.scheduling import AT_ONCE
from asplan.pddl.front import kairos
from asplan.pddl.front.kairos import find_by_kairos, find_kairos
from asplan.pddl.front.source import PddlTask, load_source_pair
from asplan.problem import Inputs, load
from asplan.result import Outcome
from processes import Install, installer

DOMAIN = """(define (domain well) (:requirements :numeric-fluents)
  (:functions (depth))
  (:action draw :parameters () :precondition (>= (depth) 1) :effect (decrease (depth) 1)))"""
PROBLEM = """(define (problem dry) (:domain well)
  (:init (= (depth) 2)) (:goal (= (depth) 0)))"""

WRITE = 'while [ "$1" != --output ]; do shift; done; printf "%s" > "$2"'
PLAN = WRITE % r"(draw)\n(draw)\n"
FAILURES = {
    "exit 12": "Kairos has ended without a plan",
    "kill -9 $$": "Kairos has ended without a plan",
    f"{WRITE % '(draw)'}; exit 11": "Kairos has ended without a plan",
    WRITE % "(draw)": "Kairos's plan is wrong: after the last step the goal does not hold",
    WRITE % r"(draw)\n(draw)\n(draw)": "Kairos's plan is wrong: draw does not apply",
    WRITE % "(fill)": "Kairos's plan is wrong: ",
    WRITE % "no plan": "Kairos's plan is wrong: ",
}
TIMED_FAILURES = {
    WRITE % "(strike long)": "Kairos's plan is wrong: ",
    WRITE % "0.001: (strike long) [8]": "Kairos's plan is wrong: after .* the goal does not hold",
    WRITE % "0.001: (strike long) [9]": "Kairos's plan is wrong: ",
}


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """A function that puts a shell script in the place of Kairos."""
    return installer(tmp_path, monkeypatch, kairos, "find_kairos")


@pytest.fixture
def well(tmp_path: Path) -> tuple[str, str]:
    """The files of a task with a number."""
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    for file, text in zip(files, (DOMAIN, PROBLEM), strict=True):
        file.write_text(text)
    return str(files[0]), str(files[1])


def task_of(files: tuple[str, str]) -> PddlTask:
    return load_source_pair(Inputs(files), files)


def cellar() -> tuple[str, str]:
    """The files of a task with time."""
    problem, domain = load(Inputs(("cellar-1",))).files
    return domain, problem


def run_of(*files: str, **words: Any) -> Run[Any]:
    return Run(load(Inputs(files, **words)), AutoOptions(first=True), Limits())


def methods_of(*files: str, **words: Any) -> list[str]:
    return [runner.method.name for runner in auto_runners(run_of(*files, **words))]


def test_its_plan_is_read(install: Install, well: tuple[str, str]) -> None:
    found = find_by_kairos(install(PLAN), task_of(well), ENDLESS, ignore_report)
    assert found.steps == (("draw",), ("draw",))
    assert found.how == "found by Kairos"


@pytest.mark.parametrize(("script", "message"), FAILURES.items())
def test_an_end_without_a_right_plan_proves_nothing(
    script: str, message: str, install: Install, well: tuple[str, str]
) -> None:
    with pytest.raises(Stopped, match=message):
        find_by_kairos(install(script), task_of(well), ENDLESS, ignore_report)


@pytest.mark.parametrize(("script", "message"), TIMED_FAILURES.items())
def test_times_are_checked(script: str, message: str, install: Install) -> None:
    with pytest.raises(Stopped, match=message):
        find_by_kairos(install(script), task_of(cellar()), ENDLESS, ignore_report)


def test_it_ends_with_its_budget(install: Install, well: tuple[str, str]) -> None:
    with pytest.raises(OutOfBudget):
        find_by_kairos(install("exec sleep 600"), task_of(well), Budget(0.0), ignore_report)


@pytest.mark.parametrize("script", [*FAILURES, "exec sleep 600"])
def test_a_program_that_fails_leaves_the_race_to_asplan(
    script: str, install: Install, well: tuple[str, str]
) -> None:
    install(script)
    result = asplan.solve(*well, first=True)
    assert result.validated == "text"
    assert result.outcome in (Outcome.PLAN, Outcome.OPTIMAL)
    assert "Kairos was first" not in result.reason


@pytest.mark.parametrize("script", [*TIMED_FAILURES, "exit 12", "exec sleep 600"])
def test_a_program_that_fails_leaves_tasks_with_time_to_clingo(
    script: str, install: Install
) -> None:
    install(script)
    result = asplan.solve("cellar-1", first=True)
    assert (result.outcome, result.validated) == (Outcome.PLAN, "text")
    assert "Kairos was first" not in result.reason


def test_it_joins_the_search_for_tasks_with_numbers(install: Install) -> None:
    install(PLAN)
    runners = auto_runners(run_of("courier-1"))
    assert [runner.method.name for runner in runners] == ["search for any plan", "Kairos", "asp"]
    starts = [runner.start_rule.race for runner in runners]
    assert starts == sorted(starts)
    assert starts[:2] == [0.0, 0.5]


def test_it_begins_for_tasks_with_time(install: Install) -> None:
    install(PLAN)
    program, clingo = auto_runners(run_of("cellar-1"))
    assert (program.method.name, clingo.method.name) == ("Kairos", "asp")
    assert program.start_rule == AT_ONCE
    assert clingo.start_rule.race > 0


@pytest.mark.parametrize(
    ("words", "takes_part"),
    [
        ({"encoding": "sequential"}, True),
        ({"encoding": "rolled"}, True),
        ({"encoding": "rolled", "constants": {"repeats": "2"}}, False),
    ],
)
def test_a_constant_may_exclude_its_plans(
    install: Install, words: dict[str, Any], takes_part: bool
) -> None:
    install(PLAN)
    assert ("Kairos" in methods_of("courier-1", **words)) == takes_part


def test_it_takes_no_part_in_other_tasks(install: Install) -> None:
    install(PLAN)
    assert "Kairos" not in methods_of("blocks-1")
    assert "Kairos" not in methods_of("towers3")


@pytest.mark.parametrize("task", ["courier-1", "cellar-1"])
def test_the_real_one_finds_plans(task: str) -> None:
    pytest.importorskip("kairos")
    program = find_kairos()
    assert program is not None
    problem, domain = load(Inputs((task,))).files
    found = find_by_kairos(program, task_of((domain, problem)), ENDLESS, ignore_report)
    assert found.steps
    assert bool(found.times) == (task == "cellar-1")


def test_its_plan_with_times_is_the_result() -> None:
    pytest.importorskip("kairos")
    result = asplan.solve("cellar-1", first=True)
    assert (result.outcome, result.validated) == (Outcome.PLAN, "text")
    assert result.reason == "found by Kairos; others may end earlier; Kairos was first"
    assert result.plan is not None
    assert result.plan.times


ROAD = """(define (domain road) (:requirements :durative-actions :numeric-fluents :typing)
  (:types place) (:predicates (at ?p - place) (road ?p ?q - place)) (:functions (speed))
  (:durative-action go :parameters (?p ?q - place) :duration (= ?duration (/ 5 (speed)))
    :condition (and (at start (at ?p)) (at start (road ?p ?q)))
    :effect (and (at start (not (at ?p))) (at end (at ?q)))))"""
FAR = """(define (problem far) (:domain road) (:objects a b c d - place)
  (:init (at a) (road a b) (road b c) (road c d) (= (speed) 3)) (:goal (at d)))"""


def test_its_rounded_times_are_apart_enough(tmp_path: Path) -> None:
    pytest.importorskip("kairos")
    program = find_kairos()
    assert program is not None
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    for file, text in zip(files, (ROAD, FAR), strict=True):
        file.write_text(text)
    task = task_of((str(files[0]), str(files[1])))
    found = find_by_kairos(program, task, ENDLESS, ignore_report)
    assert len(found.steps or ()) == 3
