"""Any plan, soon: Fast Downward as a program of others, alone and in a race."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import asplan
from asplan.core.budget import ENDLESS, Budget, OutOfBudget, ignore_report
from asplan.core.errors import Stopped
from asplan.core.limits import Limits
from asplan.engines.portfolio.auto import auto_runners
from asplan.engines.portfolio.domain_search import finding_by_program
from asplan.engines.portfolio.options import AutoOptions
from asplan.engines.run import Run
from asplan.engines.scheduling import AT_ONCE
from asplan.pddl.task import downward
from asplan.pddl.task.downward import find_by_downward
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.task import Effect, Operator, Task, Variable
from asplan.problem import Inputs, load
from asplan.result import Outcome
from processes import Install, installer

LAMP = Task(
    variables=(Variable(("off", "on")), Variable(("idle", "none"))),
    initial=(0, 0),
    goal=((0, 1),),
    operators=(
        Operator("wait", (), (Effect((1, 1)),)),
        Operator("press", ((0, 0),), (Effect((0, 1)),)),
    ),
)

PLAN = 'echo "(o1 )\n; cost = 1" > "$4"'
FAILURES = ("exit 12", "kill -9 $$", 'echo "(o1 )" > "$4"; exit 35')


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """A function that puts a shell script in the place of Fast Downward."""
    return installer(tmp_path, monkeypatch, downward, "find_downward")


def test_its_plan_is_read(install: Install) -> None:
    found = find_by_downward(install(PLAN), TaskModel(LAMP), ENDLESS, ignore_report)
    assert found.steps == [["press"]]
    assert found.how == "found by Fast Downward, lama-first"


@pytest.mark.parametrize("script", FAILURES)
def test_an_end_without_a_plan_proves_nothing(script: str, install: Install) -> None:
    with pytest.raises(Stopped, match="Fast Downward has ended without a plan"):
        find_by_downward(install(script), TaskModel(LAMP), ENDLESS, ignore_report)


def test_it_ends_with_its_budget(install: Install) -> None:
    with pytest.raises(OutOfBudget):
        find_by_downward(install("exec sleep 600"), TaskModel(LAMP), Budget(0.0), ignore_report)


@pytest.mark.parametrize("script", [*FAILURES, "exec sleep 600"])
def test_a_program_that_fails_leaves_the_race_to_asplan(script: str, install: Install) -> None:
    install(script)
    result = asplan.solve("blocks-1", first=True)
    assert result.validated == "text"
    assert result.outcome in (Outcome.PLAN, Outcome.OPTIMAL)
    assert "Fast Downward was first" not in result.reason


def test_it_starts_before_the_other_methods(install: Install) -> None:
    install(PLAN)
    program, *others = auto_runners(run_of("blocks-1"))
    assert program.method.name == "Fast Downward"
    assert program.start_rule == AT_ONCE
    assert [other.method.name for other in others] == ["search for any plan", "asp"]
    assert all(other.start_rule.race > 0 for other in others)


def test_it_takes_no_part_in_tasks_with_numbers(install: Install) -> None:
    install(PLAN)
    assert auto_runners(run_of("courier-1"))[0].method.name != "Fast Downward"


def test_the_real_one_finds_a_plan() -> None:
    pytest.importorskip("up_fast_downward")
    run = run_of("blocks-1")
    method = finding_by_program(run)
    assert method is not None
    found = method.solve(run)
    assert (found.outcome, found.horizon) == (Outcome.PLAN, 6)
    assert found.reason == "found by Fast Downward, lama-first; shorter ones may exist"


def run_of(*files: str) -> Run[Any]:
    return Run(load(Inputs(files)), AutoOptions(first=True), Limits())
