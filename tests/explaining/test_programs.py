"""Explanations agree with clingo's own loop."""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan
from asplan.explaining.question import open_question
from asplan.explaining.refusal import find_refusal
from asplan.problem import Inputs, load
from asplan.program.incremental import with_query
from asplan.program.reading.source import ground_term
from conftest import THOROUGH

PROGRAMS = sorted(Path(__file__).parents[1].glob("engines/asp/programs/*.lp"))
SOME = PROGRAMS if THOROUGH else PROGRAMS[::3]


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_plans_are_where_the_loop_finds_them(path: Path) -> None:
    """The relaxed program with all its constraints is the program as written."""
    result = asplan.solve(path, max_horizon=8, time_limit=60)
    if result.horizon is None:
        return
    problem = load(Inputs((str(path),)))
    program = with_query(problem.program)
    for horizon in sorted({max(0, result.horizon - 1), result.horizon}):
        question = open_question(program, problem.user_constants)
        question.ground(horizon)
        answer = question.ask(question.kept(), goal=horizon)
        assert answer.satisfiable == (horizon == result.horizon)
    if result.plan:
        actions = [[ground_term(action, "action") for action in step] for step in result.plan]
        assert find_refusal(question, actions, print) is None
