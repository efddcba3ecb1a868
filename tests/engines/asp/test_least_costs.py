"""The scope of least costs, and all plans of the least cost."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan
from asplan.engines.asp import opening
from asplan.engines.asp.clingo_options import OPTIMIZATION
from asplan.engines.asp.solver import ClingoSolver
from conftest import run

WAYS = """
#program base.
at(a,0). way(a,b,3). way(b,c,3). way(a,d,1). way(d,c,2). way(a,f,2). way(f,c,1). way(b,d,1).
#program step(t).
{ go(P,Q,t) : way(P,Q,_) } = 1.
:- go(P,_,t), not at(P,t-1).
at(Q,t) :- go(_,Q,t).
:~ go(P,Q,t), way(P,Q,C). [C,t]
#program check(t).
:- query(t), not at(c,t).
"""
CHEAPEST = {("go(a,d)", "go(d,c)"), ("go(a,f)", "go(f,c)")}


@pytest.mark.parametrize("engine", ["asp", "sat", "auto"])
@pytest.mark.parametrize("models", [0, 2, 5])
def test_all_plans_of_the_least_cost_are_found(engine: str, models: int) -> None:
    result = asplan.solve(text=WAYS, engine=engine, models=models)
    assert {plan.actions for plan in result.plans} == CHEAPEST
    assert (result.cost, result.least_among, result.stopped) == ((3,), 2, None)


def test_both_ways_to_optimize_take_turns_for_many_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first turn without effort cannot prove, and a solver with another strategy goes on."""
    guided: list[bool] = []

    def opened(*given: object, **more: object) -> ClingoSolver:
        solver = open_solver(*given, **more)  # type: ignore[arg-type]
        guided.append(OPTIMIZATION in solver._options)
        return solver

    open_solver = opening.open_solver
    monkeypatch.setattr("asplan.engines.asp.optimization.SHORT_TURN", 0)
    monkeypatch.setattr("asplan.engines.asp.effort.ClingoEffort.first_turn", 0)
    monkeypatch.setattr("asplan.engines.asp.controller.incremental.__defaults__", (opened,))
    result = asplan.solve(text=WAYS, models=0)
    assert {plan.actions for plan in result.plans} == CHEAPEST
    assert guided == [False, True]


def test_the_second_solver_is_grounded_although_nothing_new_can_be_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("asplan.engines.asp.optimization.SHORT_TURN", 0)
    monkeypatch.setattr("asplan.engines.asp.effort.ClingoEffort.first_turn", 0)
    text = WAYS + "#program step(t). asplan(exhausted(t)) :- t >= 2."
    result = asplan.solve(text=text, models=0)
    assert (result.outcome, result.cost, result.horizon) == ("optimal", (3,), 2)
    assert {plan.actions for plan in result.plans} == CHEAPEST


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "cost: 3, the least among plans of 2 steps"),
        (["--models", "0"], "cost: 3, the least among plans of 2 steps"),
        (["--mode", "fixed", "--horizon", "3"], "cost: 6, the least among plans of 3 steps"),
        (["--mode", "minimize", "--horizon", "2"], "cost: 3, the least among plans of 2 steps"),
        (["--engine", "sat"], "cost: 3, the least among plans of 2 steps"),
    ],
)
def test_a_cost_names_the_plans_it_is_least_among(
    tmp_path: Path, words: list[str], line: str
) -> None:
    file = tmp_path / "ways.lp"
    file.write_text(WAYS)
    done = run("solve", str(file), *words)
    assert f"\n{line}\n" in done.stdout
    stored = asplan.solve(file).least_among
    assert stored == 2


def test_a_plan_of_one_step_is_singular(tmp_path: Path) -> None:
    text = WAYS.replace("way(a,b,3).", "way(a,c,9).")
    file = tmp_path / "ways.lp"
    file.write_text(text)
    done = run("solve", str(file))
    assert "\ncost: 9, the least among plans of 1 step\n" in done.stdout
    assert repr(asplan.solve(file)).endswith(
        "optimal, 1 step (shortest: 0 steps refuted, 1 found)>"
    )
