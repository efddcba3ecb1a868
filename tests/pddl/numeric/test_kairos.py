"""Any plan for a task with numbers: Kairos as a program of others, alone and in a race."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from random_numbers import numeric_pddl

import asplan
from asplan.core.budget import ENDLESS, Budget, OutOfBudget, ignore_report
from asplan.core.errors import Stopped
from asplan.core.limits import Limits
from asplan.engines.portfolio.auto import auto_runners
from asplan.engines.portfolio.options import AutoOptions
from asplan.engines.run import Run
from asplan.pddl.language import task_of_sources
from asplan.pddl.language.lexer import PddlSource
from asplan.pddl.language.numbers import NumericModel
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.numeric import kairos
from asplan.pddl.numeric.kairos import find_by_kairos, find_kairos
from asplan.problem import Inputs, load
from asplan.result import Outcome

EXAMPLES = int(os.environ.get("ASPLAN_FUZZ", "12"))

DOMAIN = """(define (domain well) (:requirements :numeric-fluents)
  (:functions (depth))
  (:action draw :parameters () :precondition (>= (depth) 1) :effect (decrease (depth) 1)))"""
PROBLEM = """(define (problem dry) (:domain well)
  (:init (= (depth) 2)) (:goal (= (depth) 0)))"""

Install = Callable[[str], Path]

WRITE_PLAN = 'while [ "$1" != --output ]; do shift; done; '
PLAN = WRITE_PLAN + 'printf "(draw)\\n(draw)\\n" > "$2"'
FAILURES = {
    "exit 12": "Kairos has ended without a plan",
    "kill -9 $$": "Kairos has ended without a plan",
    WRITE_PLAN + 'echo "(draw)" > "$2"; exit 11': "Kairos has ended without a plan",
    WRITE_PLAN + 'echo "(draw)" > "$2"': "Kairos's plan does not reach the goal",
    WRITE_PLAN + 'printf "(draw)\\n(draw)\\n(draw)\\n" > "$2"': "Kairos's plan cannot be executed",
    WRITE_PLAN + 'echo "(fill)" > "$2"': "Kairos's plan cannot be read",
    WRITE_PLAN + 'echo "no plan" > "$2"': "Kairos's plan cannot be read",
}


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """A function that puts a shell script in the place of Kairos."""

    def install(script: str) -> Path:
        program = tmp_path / "kairos"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(kairos, "find_kairos", lambda: program)
        return program

    return install


def well() -> TextModel:
    return NumericModel(task_of_sources(PddlSource("d", DOMAIN), PddlSource("p", PROBLEM)))


def write_well(folder: Path) -> list[Path]:
    files = [folder / "domain.pddl", folder / "problem.pddl"]
    for file, text in zip(files, (DOMAIN, PROBLEM), strict=True):
        file.write_text(text)
    return files


def test_its_plan_is_read(install: Install) -> None:
    found = find_by_kairos(install(PLAN), well(), ENDLESS, ignore_report)
    assert found.steps == (("draw",), ("draw",))
    assert found.how == "found by Kairos"


@pytest.mark.parametrize(("script", "message"), FAILURES.items())
def test_an_end_without_a_right_plan_proves_nothing(
    script: str, message: str, install: Install
) -> None:
    with pytest.raises(Stopped, match=message):
        find_by_kairos(install(script), well(), ENDLESS, ignore_report)


def test_it_ends_with_its_budget(install: Install) -> None:
    with pytest.raises(OutOfBudget):
        find_by_kairos(install("exec sleep 600"), well(), Budget(0.0), ignore_report)


@pytest.mark.parametrize("script", [*FAILURES, "exec sleep 600"])
def test_a_program_that_fails_leaves_the_race_to_asplan(
    script: str, install: Install, tmp_path: Path
) -> None:
    install(script)
    result = asplan.solve(*write_well(tmp_path), first=True)
    assert result.validated == "text"
    assert result.outcome in (Outcome.PLAN, Outcome.OPTIMAL)
    assert "Kairos was first" not in result.reason


def test_it_joins_the_own_search(install: Install) -> None:
    install(PLAN)
    runners = auto_runners(run_of("courier-1"))
    assert [runner.method.name for runner in runners] == ["search for any plan", "Kairos", "asp"]
    starts = [runner.start_rule.race for runner in runners]
    assert starts == sorted(starts)
    assert starts[:2] == [0.0, 0.5]


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
    names = [runner.method.name for runner in auto_runners(run_of("courier-1", **words))]
    assert ("Kairos" in names) == takes_part


def test_it_takes_no_part_in_tasks_without_numbers(install: Install) -> None:
    install(PLAN)
    names = [runner.method.name for runner in auto_runners(run_of("blocks-1"))]
    assert "Kairos" not in names


def test_the_real_one_finds_a_plan(tmp_path: Path) -> None:
    pytest.importorskip("kairos")
    program = find_kairos()
    assert program is not None
    assert find_by_kairos(program, well(), ENDLESS, ignore_report).steps == (("draw",), ("draw",))
    result = asplan.solve("courier-1", first=True)
    assert result.validated == "text"
    assert result.outcome in (Outcome.PLAN, Outcome.OPTIMAL)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=numeric_pddl())
def test_its_plans_are_executed_before_they_are_used(texts: tuple[str, str]) -> None:
    pytest.importorskip("kairos")
    program = find_kairos()
    assert program is not None
    sources = (PddlSource(name, text) for name, text in zip("dp", texts, strict=True))
    model = NumericModel(task_of_sources(*sources))
    try:
        found = find_by_kairos(program, model, Budget().within(10), ignore_report)
    except (Stopped, OutOfBudget):
        return
    assert found.steps is not None
    state = model.initial
    for (text,) in found.steps:
        (action,) = (action for action in model.actions(state) if str(action) == text)
        state = model.apply(state, action)
    assert model.is_goal(state)


def run_of(*files: str, **words: Any) -> Run[Any]:
    return Run(load(Inputs(files, **words)), AutoOptions(first=True), Limits())
