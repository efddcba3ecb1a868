"""Constraints are repeated in the next step, beside rules with the same atoms in their bodies."""

from __future__ import annotations

import pytest

import asplan
from asplan.core.budget import ENDLESS
from asplan.engines.asp.solver import PartsSolver
from asplan.problem import Inputs, load
from asplan.program.incremental import with_query
from asplan.program.transitions import repetition
from asplan.program.transitions import rewrite as rewriting
from asplan.program.transitions.repetition import with_repeated_constraints

WALK = """
cell(1..6). at(1,0).
#program step(t).
{ do(left,t-1); do(right,t-1) } = 1.
:- do(left,t-1), at(X,t-1), not cell(X-1).
:- do(right,t-1), at(X,t-1), not cell(X+1).
at(X-1,t-1) :- do(left,t-2), at(X,t-2).
at(X+1,t-1) :- do(right,t-2), at(X,t-2).
#program check(t).
:- query(t), not at(6,t-1).
"""
STEPS = """
#program step(t).
{ go(t-1) }.
at(t-1) :- go(t-2), free(t-2).
free(t-1) :- go(t-1).
"""


def repetitions(text: str) -> list[str]:
    """Return the constraints that the program repeats."""
    program = load(Inputs(text=text + " #program check(t). :- query(t), not at(t-1).")).program
    old = list(map(str, program.statements))
    new = list(map(str, with_repeated_constraints(program).statements))
    assert [line for line in new if line in old] == old
    return [line for line in new if line not in old]


def test_a_constraint_is_repeated_where_a_rule_has_its_atoms_a_step_later() -> None:
    (line,) = repetitions(STEPS + ":- go(t-1), free(t-1), t > 3.")
    assert line == "#false :- go((t-2)); free((t-2)); (t-1) > 3; t > 1."


@pytest.mark.parametrize(
    "constraint",
    [
        ":- go(t-1), at(t-1), t > 3.",  # no rule has both atoms at t-2
        ":- free(t-1), 0 #count { 1 : go(t-1) } 0.",  # an aggregate
        ":- go(t-1), free(t-1), not late(t-1). late(t-2) :- go(t-1).",  # derived a step later
        ":- go(t-1), free(t-1), not odd(T) : T = t-1. odd(T) :- go(T), T = t-1.",
    ],
)
def test_other_constraints_are_not_repeated(constraint: str) -> None:
    assert repetitions(STEPS + constraint) == []


@pytest.mark.parametrize("repeats", [True, False])
def test_repetition_keeps_impossible_atoms_out_of_the_program(
    repeats: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not repeats:
        monkeypatch.setattr(repetition, "with_repeated_constraints", lambda program: program)
    problem = load(Inputs(text=WALK))
    program = rewriting.rewrite.__wrapped__(with_query(problem.program))
    solver = PartsSolver(program, problem.user_constants)
    solver.ground_first()
    for horizon in range(1, 7):
        solver.ground_to(horizon)
        assert solver.solve(horizon, ENDLESS).satisfiable is (horizon == 6)
    is_outside = any(str(atom).startswith("at(0,") for atom in solver.atoms("at", 2))
    assert is_outside is not repeats


def test_the_rewriting_repeats_constraints_and_keeps_lengths() -> None:
    lengths = {asplan.solve(text=WALK, no_rewrite=no_rewrite).horizon for no_rewrite in (0, 1)}
    assert lengths == {6}
