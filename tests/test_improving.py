"""--improve: better plans are checked and reported, the best is kept however the run ends."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import asplan
from asplan.core.budget import Budget
from asplan.core.errors import InvalidPlan, UsageError
from asplan.core.limits import Limits
from asplan.core.plan import Plan
from asplan.domains.base import Better
from asplan.drawing.formats import Outputs
from asplan.engines import make_options
from asplan.pddl.task import improving
from asplan.planner import Request, answer
from asplan.problem import Inputs
from asplan.result import Outcome, Result
from conftest import run

LONG = 600
"""Seconds that nobody waits for: what is asked for is proven long before."""

DETOUR = Plan(
    tuple(
        (action,)
        for action in (
            *("unstack(c,a)", "stack(c,b)", "unstack(c,b)", "put_down(c)"),
            *("pick_up(b)", "stack(b,c)", "pick_up(a)", "stack(a,b)"),
        )
    )
)
"""A plan for blocks-1 with two actions that are not needed."""


def test_the_command_line_tells_of_each_better_plan(tmp_path: Path) -> None:
    stored = asplan.solve("blocks-1", improve=LONG, plan=DETOUR)
    assert [made.actions for made in stored.improvements] == [8, 6]
    done = run("solve", "blocks-1", "--improve", str(LONG), "--json", "-o", "a.plan", cwd=tmp_path)
    data = json.loads(done.stdout)
    assert (done.returncode, data["outcome"], data["optimized"]) == (0, "optimal", "actions")
    assert data["improvements"][-1]["actions"] == len(data["plan"]) == data["lower_bound"] == 6
    assert done.stderr.count("s: a plan of ") == len(data["improvements"])
    again = run("solve", "blocks-1", "--improve", "0", "--from", "a.plan", cwd=tmp_path)
    assert "1. (unstack C A)" in again.stdout
    assert "plan (no better plan was found in 0 s)" in again.stdout


def test_costs_count_where_the_task_has_some() -> None:
    result = asplan.solve("castle-1", improve=LONG)
    least = asplan.solve("castle-1", optimal="cost")
    assert (result.outcome, result.optimized) == (Outcome.OPTIMAL, "cost")
    assert result.cost == least.cost == (result.lower_cost,)
    assert result.improvements[-1].cost == result.lower_cost


@pytest.mark.parametrize(
    ("files", "options", "error"),
    [
        ("sample01", {"improve": 1.0}, "--improve works only for PDDL tasks without numbers"),
        ("museum-1", {"improve": 1.0}, "constraints and preferences"),
        ("courier-1", {"improve": 1.0}, "--improve works only for PDDL tasks without numbers"),
        ("blocks-1", {"improve": 1.0, "optimal": "actions"}, "does not work with --optimal"),
        (
            "blocks-1",
            {"improve": 1.0, "max_horizon": 3},
            "does not work with bounds on the horizon",
        ),
        ("blocks-1", {"improve": -1.0}, "pass a number of seconds, at least 0"),
        ("blocks-1", {"plan": DETOUR}, "add --improve SECONDS"),
    ],
)
def test_improve_refuses_other_problems(files: str, options: dict[str, Any], error: str) -> None:
    with pytest.raises(UsageError, match=error):
        asplan.solve(files, **options)


def test_a_plan_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidPlan, match="does not apply"):
        asplan.solve("blocks-1", improve=1, plan=Plan(DETOUR.steps[1:]))


def test_actions_that_the_translator_leaves_out_are_not_needed(tmp_path: Path) -> None:
    """One has no effect that the goal depends on; one, as it happens here, has no effect at all."""
    domain, problem, plan = (tmp_path / name for name in ("domain.pddl", "p.pddl", "long.plan"))
    domain.write_text(
        """(define (domain noise) (:requirements :adl) (:predicates (p) (q) (goal) (noise))
        (:action whistle :precondition (p) :effect (noise))
        (:action settle :precondition (or (p) (q)) :effect (and (p) (not (q))))
        (:action reach :precondition (p) :effect (goal)))"""
    )
    problem.write_text("(define (problem one) (:domain noise) (:init (p)) (:goal (goal)))")
    for steps in ("(whistle)\n(settle)\n(reach)\n", "0: (settle)\n0: (whistle)\n1: (reach)\n"):
        plan.write_text(steps)
        found = asplan.solve(domain, problem, improve=LONG, plan=str(plan))
        assert [made.actions for made in found.improvements] == [3, 1]
        assert found.outcome is Outcome.OPTIMAL


def test_the_plan_in_hand_is_written_when_the_worker_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def improve(model: Any, actions: list[str], budget: Budget) -> Iterator[Better]:
        shorter = [a for a in actions if a not in ("stack(c,b)", "unstack(c,b)")]
        yield Better(shorter, len(shorter), 0, "by hand")
        time.sleep(budget.remaining)

    def interrupt(found: Result) -> None:
        if len(found.improvements) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(improving, "improve", improve)
    file = tmp_path / "best.plan"
    outputs = Outputs((str(file),))
    request = Request(
        Inputs(("blocks-1",)),
        options=make_options("asp", {}, Limits()),
        improve=LONG,
        plan=DETOUR,
        before=outputs.check_problem,
        after=outputs.write,
    )
    result = answer(request, interrupt, isolate=True)
    assert (result.stopped, result.outcome, result.validated) == ("interrupt", "plan", "text")
    assert result.written == (f"{file} is written: 6 actions",)
    assert asplan.validate("blocks-1", plan=str(file)) == 6
