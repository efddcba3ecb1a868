"""Small tasks with numbers, from text to plan; a table has the tasks and results."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import asplan
from asplan.core.errors import InputError

TASKS = tomllib.loads((Path(__file__).parent / "tasks.toml").read_text())["task"]
RULES = "(:requirements :adl :numeric-fluents :derived-predicates :typing)"


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["about"])
@pytest.mark.usefixtures("without_kairos")
def test_task(task: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("domain.pddl").write_text(f"(define (domain d) {RULES}\n  {task['domain']})")
    Path("problem.pddl").write_text(f"(define (problem p) (:domain d)\n  {task['problem']})")
    if "error" in task:
        with pytest.raises(InputError) as caught:
            asplan.solve("domain.pddl", "problem.pddl")
        assert f"{caught.value.at}: {caught.value.message}" == task["error"]
        return
    for steps, fewest in task.get("steps", {"sequential": None}).items():
        found = asplan.solve(
            "domain.pddl", "problem.pddl", steps=steps, optimal=task.get("optimal"), time_limit=60
        )
        assert found.horizon == fewest
        assert found.plan is None or found.validated == "text"
        assert task.get("said", "") in found.reason
        usual = "unsolvable" if found.plan is None else "optimal"
        assert found.outcome == task.get("outcome", usual)
        if found.plan is not None:
            soon = asplan.solve("domain.pddl", "problem.pddl", steps=steps, first=True)
            assert soon.plan is not None
            assert soon.validated == "text"


def test_numbers_without_a_value_are_reported_in_advance(tmp_path: Path) -> None:
    task = next(task for task in TASKS if "never has a value is named" in task["about"])
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    files[0].write_text(f"(define (domain d) {RULES}\n{task['domain']})")
    files[1].write_text(f"(define (problem p) (:domain d)\n{task['problem']})")
    assert [warning.text for warning in asplan.find_warnings(*files)] == [
        "(on r) has no value in (:init …), so the goal can never hold",
        "(on l) and (on r) have no value in (:init …), so action row never applies",
    ]
    (obstacle,) = asplan.explain(*files).obstacles
    assert (obstacle.at.line, obstacle.text) == (
        2,
        "the goal requires (on r), which never has a value",
    )
