"""Tests of the solvers: one loop over horizons serves them all."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from threading import current_thread, main_thread

import pytest

from asplan.core.budget import ENDLESS, Budget
from asplan.core.limits import Stop
from asplan.engines.asp.anew import AnewSolver
from asplan.engines.asp.opening import make_solver
from asplan.engines.asp.solver import ClingoSolver, PartsSolver, Solver
from asplan.engines.sat.engine import SatSolver
from asplan.problem import Inputs, load
from asplan.program.incremental import Program, with_query

COUNTER = """
#program base. at(0,0).
#program step(t).
{ occurs(up,t) } 1.
at(N+1,t) :- at(N,t-1), occurs(up,t).
at(N,t) :- at(N,t-1), not occurs(up,t).
#program check(t). #external query(t).
:- query(t), not at(3,t).
"""
SINGLE_SHOT = """
#const n = 1.
time(0..n). at(0,0).
{ occurs(up,T) } 1 :- time(T), T > 0.
at(N+1,T) :- at(N,T-1), occurs(up,T).
at(N,T) :- at(N,T-1), time(T), not occurs(up,T).
:- not at(3,n).
#show occurs/2.
"""
THEORY = (
    "#program base. &diff { x(0) - 0 } = 0."
    "#program step(t). { occurs(up,t) }. &diff { x(t-1) - x(t) } <= -1 :- occurs(up,t)."
    "&diff { x(t) - x(t-1) } <= 1. #program check(t). #external query(t)."
    ":- query(t), t < 3. #show occurs/2."
)


def program_of(text: str, **options: bool) -> Program:
    return with_query(load(Inputs(text=text, **options)).program)


def least_horizon(solver: Solver, begin: Callable[[], None]) -> int:
    """The loop of clingo's incremental mode, over any solver."""
    begin()
    for horizon in count():
        assert solver.ground_to(horizon) is None
        if solver.solve(horizon, ENDLESS).satisfiable:
            return horizon
    raise AssertionError


def test_a_program_in_parts() -> None:
    solver = make_solver(program_of(COUNTER), {})
    assert isinstance(solver, PartsSolver)
    assert least_horizon(solver, solver.ground_first) == 3


def test_a_single_shot_program() -> None:
    solver = make_solver(load(Inputs(text=SINGLE_SHOT, fresh=True)).program, {})
    assert isinstance(solver, AnewSolver)
    assert least_horizon(solver, solver.ground_first) == 3


def test_a_sat_solver() -> None:
    solver = SatSolver(program_of(COUNTER), {}, "cadical195")
    assert least_horizon(solver, solver.ground_first) == 3


def test_a_program_with_a_theory() -> None:
    pytest.importorskip("clingodl")
    solver = make_solver(program_of(THEORY), {})
    assert least_horizon(solver, solver.ground_first) == 3


def grounded(solver: ClingoSolver, horizon: int) -> ClingoSolver:
    solver.ground_first()
    solver.ground_to(horizon)
    return solver


def test_a_goal_is_demanded_only_during_a_call() -> None:
    solver = grounded(make_solver(program_of(COUNTER), {}), 2)
    assert solver.solve(2, ENDLESS).satisfiable is False
    assert solver.search(2).satisfiable is True
    solver.ground_to(3)
    assert solver.solve(3, ENDLESS).satisfiable is True


def test_grounding_stops_once_the_budget_is_spent() -> None:
    solver = make_solver(program_of(COUNTER), {}, budget=Budget(0.0))
    solver.ground_first()
    assert solver.ground_to(5) is Stop.TIME
    assert solver.grounded == 1


def test_a_search_for_all_models_ends_with_the_budget_of_its_call() -> None:
    """The first model comes in clingo's thread, where this budget is spent."""
    solver = grounded(make_solver(program_of(COUNTER), {}), 4)
    only_here = Budget(is_abandoned=lambda: current_thread() is not main_thread())
    answer = solver.solve(4, only_here, models=0)
    assert len(answer.models) == 1
    assert answer.cut
    assert len(solver.solve(4, ENDLESS, models=0).models) == 4


def test_atoms_are_settled_before_a_step_that_was_not_tried() -> None:
    """As in clingo's own loop, `late` is false for good once a call was solved without a rule."""
    late = "#program base. #external late. #program step(t). late :- t = 2."
    settled: list[int] = []
    solver = make_solver(program_of(COUNTER + late), {})
    solver.ground_first()
    solver.settles = True
    settle = solver.settle
    solver.settle = lambda *_: (settled.append(solver.grounded), settle())[1]  # type: ignore[method-assign]
    solver.ground_to(1)
    solver.solve(1, ENDLESS)
    solver.ground_to(3)
    assert settled == [0, 2]
