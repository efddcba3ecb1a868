"""A* on flat lists: plans and estimates beside a naive oracle, plain and compiled."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from small_tasks import Oracle, tasks

import asplan
from asplan.core.budget import ENDLESS
from asplan.core.compiling import has_compiler
from asplan.domains.base import Effort
from asplan.pddl.task import cheapest
from asplan.pddl.task.cheapest import empty_table, enlarge, find_cheapest, prepare
from asplan.pddl.task.landmark_cut import FAR
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.states import STATES, FactLists, fill_table, read_state
from asplan.pddl.task.task import Operator, Task
from conftest import examples


def cost_of(operator: Operator) -> int:
    return operator.cost


def check_plan(task: Task, plain: float) -> None:
    """Assert that a plan has the oracle's cost, with and without costs."""
    oracle, model = Oracle(task), TaskModel(task)
    costs = {operator.action: operator.cost for operator in task.operators}
    for priced in (True, False):
        efforts = list[Effort]()
        found = find_cheapest(model, priced, ENDLESS, efforts.append, plain)
        least = oracle.distances(cost_of if priced else lambda _: 1)[oracle.initial]
        assert all(effort.least <= least for effort in efforts)
        if found.steps is None:
            assert least == math.inf
            continue
        state = model.initial
        for (action,) in found.steps:
            state = model.apply(state, action)
        assert model.is_goal(state)
        assert least == sum(costs[action] if priced else 1 for (action,) in found.steps)


@settings(max_examples=examples(200), deadline=None)
@given(tasks())
def test_plans_are_cheapest(task: Task) -> None:
    check_plan(task, plain=math.inf)


def with_twins(task: Task) -> Task:
    """The task with each operator there twice."""
    return replace(task, operators=tuple(o for o in task.operators for _ in range(2)))


@pytest.mark.parametrize("turn", [cheapest._TURN, 1e-6])
@settings(max_examples=examples(100), deadline=None)
@given(tasks().map(with_twins))
def test_several_operators_may_be_one_action(turn: float, task: Task) -> None:
    """Also where the two searches expand the states of the same number one after the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cheapest, "_TURN", turn)
        check_plan(task, plain=math.inf)


@settings(max_examples=examples(300), deadline=None)
@given(tasks())
def test_estimates_are_admissible_along_the_search(task: Task) -> None:
    """Estimates that begin with landmarks of the state before are admissible, too."""
    oracle = Oracle(task)
    priced = prepare(task, priced=True)
    moves = priced.moves._replace(goal=FactLists(priced.moves.goal.variables, [99] * 9))
    endless = priced._replace(moves=moves)
    table = empty_table(priced, task.initial)
    while (ended := cheapest.go_on(endless, table, True, 10**6)) != cheapest.EXHAUSTED:
        assert ended in (cheapest.GOES_ON, cheapest.FULL)
        table = enlarge(table)
        fill_table(table.known)
    away, values = oracle.distances(cost_of), {}
    for node in range(table.known.counts[STATES]):
        read_state(moves, table.known, node)
        values[tuple(table.known.values)] = table.h[node]
    for state, least in away.items():
        known = values.get(tuple(state))
        assert known is None or known <= least or (known == FAR and least == math.inf)


@pytest.mark.skipif(not has_compiler(), reason="numba is not installed")
@settings(max_examples=examples(100), deadline=None)
@given(tasks())
def test_compiled_functions_find_the_same(task: Task) -> None:
    check_plan(task, plain=0)


def test_the_other_search_continues_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long before its time has come, as nobody else is at work."""

    def fail(task: Task, priced: bool) -> None:
        raise MemoryError

    monkeypatch.setattr(cheapest, "prepare", fail)
    result = asplan.solve("blocks-1", optimal="actions")
    assert result.outcome == "optimal"
    assert "asp was first; astar had stopped (out of memory" in result.reason
    assert result.engine_text == "asp"


def test_independent_parts_have_an_exact_estimate() -> None:
    """Thirty lamps, each with a switch of its own: many states, and an estimate that is exact."""
    lamps = range(30)
    rules = [f"variable({n}). value({n},(lit({n});none)). initially({n},none)." for n in lamps]
    rules += [f"goal({n},lit({n})). operator({n},press({n}))." for n in lamps]
    rules += [f"effect({n},{n},lit({n})). cost({n},3). costs." for n in lamps]
    result = asplan.solve(text="\n".join(rules), optimal="cost")
    assert (result.outcome, result.cost, result.lower_cost) == ("optimal", (90,), 90)
