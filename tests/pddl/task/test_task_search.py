"""Search on finite-domain tasks: proofs against a naive oracle, and refusals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tasks import Oracle, tasks

from asplan.core.errors import InvalidPlan, UsageError
from asplan.core.limits import Limits, Stop
from asplan.core.plan import Plan
from asplan.engines.model_run import run_on_model
from asplan.pddl.task import DOMAIN
from asplan.pddl.task.heuristics import HEURISTICS
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.task import NONE, Effect, Operator, Task, Variable
from asplan.problem.problem import DomainInstance
from asplan.result import Outcome, Result
from asplan.statespace.analysis import analyse
from asplan.stored import from_json, to_json
from asplan.validation import check_result
from conftest import examples

PDDL = replace(DOMAIN, heuristics=HEURISTICS)


def run(task: Task, engine: str, limits: Limits | None = None, **options: Any) -> Result:
    """The answer of an engine, its plan checked."""
    model = TaskModel(task)
    result = run_on_model(PDDL, model, engine, limits, **options)
    return check_result(DomainInstance(domain=PDDL, model=model), result)


def cost_of(task: Task, plan: Plan) -> int:
    """Return the cost of a plan, by the operators alone."""
    costs = {operator.action: operator.cost for operator in task.operators}
    return sum(costs[action] for action in plan.actions)


@settings(max_examples=examples(200), deadline=None)
@given(tasks())
def test_the_fewest_actions(task: Task) -> None:
    oracle = Oracle(task)
    fewest = oracle.distances(lambda operator: 1)[oracle.initial]
    engines: list[tuple[str, dict[str, Any]]] = [("bfs", {}), ("bfs", {"optimal": "actions"})]
    engines += [("astar", {"heuristic": h.name}) for h in HEURISTICS]
    engines += [("astar", {"optimal": "actions"})]
    for engine, options in engines:
        result = run(task, engine, **options)
        assert result.optimized == "actions"
        if fewest == math.inf:
            assert result.outcome == Outcome.UNSOLVABLE
        elif options.get("heuristic") in ("h-add", "goal-count"):
            assert result.horizon is not None
            assert result.horizon >= fewest
        else:
            assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, fewest)
        if result.plan is not None:
            assert result.cost == result.plan.cost == (cost_of(task, result.plan),)


@settings(max_examples=examples(200), deadline=None)
@given(tasks())
def test_the_fewest_actions_in_little_memory(task: Task) -> None:
    oracle = Oracle(task)
    fewest = oracle.distances(lambda operator: 1)[oracle.initial]
    result = run(task, "idastar", Limits(max_horizon=3))
    if fewest <= 3:
        assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, fewest)
    else:
        assert result.outcome == Outcome.UNSOLVABLE or result.stopped == Stop.HORIZON


@settings(max_examples=examples(300), deadline=None)
@given(tasks(), st.sampled_from(["larger-g", "none", "smaller-g-then-h"]))
def test_the_least_cost(task: Task, tie_breaking: str) -> None:
    oracle = Oracle(task)
    least = oracle.distances(lambda operator: operator.cost)[oracle.initial]
    for heuristic in HEURISTICS:
        if heuristic.priced is None:
            continue
        options = {"heuristic": heuristic.name, "tie_breaking": tie_breaking}
        result = run(task, "astar", optimal="cost", **options)
        assert result.optimized == "cost"
        if least == math.inf:
            assert result.outcome == Outcome.UNSOLVABLE
            continue
        assert result.plan is not None
        assert result.cost == result.plan.cost == (cost_of(task, result.plan),)
        assert result.horizon == len(result.plan)
        if heuristic.admissible(TaskModel(task)):
            assert result.outcome == Outcome.OPTIMAL
            assert result.cost == (least,)
            assert result.lower_cost == least
        else:
            assert result.cost[0] >= least
            assert result.lower_cost == 0
        assert from_json(to_json(result)) == result


HERE = Variable(("at(a)", "at(b)", "at(c)"))
WAYS = (
    Operator("fly(a,c)", ((0, 0),), (Effect((0, 2)),), cost=9),
    Operator("bus(a,c)", ((0, 0),), (Effect((0, 2)),), cost=5),
    Operator("walk(a,b)", ((0, 0),), (Effect((0, 1)),), cost=0),
    Operator("walk(b,c)", ((0, 1),), (Effect((0, 2)),), cost=2),
)
TRIP = Task((HERE,), (0,), ((0, 2),), WAYS, has_costs=True)


def test_the_cheapest_plan_is_not_the_shortest() -> None:
    short, cheap = run(TRIP, "astar"), run(TRIP, "astar", optimal="cost")
    assert (short.horizon, short.optimized) == (1, "actions")
    assert (cheap.horizon, cheap.optimized) == (2, "cost")
    # Of several actions between two states the cheapest one is taken.
    assert short.plan is not None
    assert short.plan.actions == ("bus(a,c)",)
    assert (short.cost, cheap.cost) == ((5,), (2,))
    assert short.reason == (
        "fewest actions: no state with a smaller f is left, and lm-cut is admissible"
    )
    assert cheap.reason == (
        "least cost: no state with a smaller f is left, and lm-cut is admissible"
    )
    assert (cheap.lower_cost, cheap.lower_bound, short.lower_bound) == (2, 0, 1)


def test_a_heuristic_that_is_not_admissible_proves_no_cost() -> None:
    result = run(TRIP, "astar", optimal="cost", heuristic="h-add")
    assert result.outcome == Outcome.PLAN
    assert result.reason == ("first plan found; with the heuristic h-add a cheaper one may exist")


def test_a_limit_keeps_the_proven_bound_of_costs() -> None:
    """Each bit costs 3, and h-max sees only one of them."""
    bits = tuple(Variable((NONE, f"on({bit})")) for bit in range(13))
    flips = tuple(
        Operator(f"flip({bit},{value})", ((bit, value),), (Effect((bit, 1 - value)),), cost=3)
        for bit in range(13)
        for value in (0, 1)
    )
    counter = Task(bits, (0,) * 13, tuple((bit, 1) for bit in range(13)), flips, has_costs=True)
    result = run(counter, "astar", Limits(seconds=0), optimal="cost", heuristic="h-max")
    assert (result.outcome, result.stopped) == (Outcome.UNKNOWN, Stop.TIME)
    assert (result.lower_bound, result.optimized) == (0, "cost")
    # The clock is looked at from the first state on: an estimate may take long.
    assert (result.lower_cost, result.statistics.expanded) == (3, 1)
    analysis = analyse(PDDL, TaskModel(counter))
    assert (analysis.states, analysis.distance, analysis.goal_states) == (2**13, 13, 1)
    assert analysis.shortest_plans == math.factorial(13)


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (
            {"optimized": "cost", "cost": (4,)},
            "the actions of the plan cost 5, but the engine claims 4 as the least cost",
        ),
        (
            {"optimized": "cost"},
            "the actions of the plan cost 5, but the engine claims nothing as the least cost",
        ),
    ],
)
def test_a_wrong_claim_about_costs_is_found(claim: dict[str, Any], message: str) -> None:
    plan = Plan((("bus(a,c)",),))
    result = Result(outcome=Outcome.OPTIMAL, horizon=1, plans=(plan,), **claim)
    with pytest.raises(InvalidPlan) as caught:
        check_result(DomainInstance(domain=PDDL, model=TaskModel(TRIP)), result)
    assert str(caught.value) == message


def test_more_actions_than_needed_are_found() -> None:
    plan = Plan((("bus(a,c)",), ()))
    longer = Plan((*plan.steps, ("stay",)))
    stay = Operator("stay", (), (), cost=1)
    model = TaskModel(replace(TRIP, operators=(*WAYS, stay)))
    result = Result(outcome=Outcome.OPTIMAL, horizon=3, plans=(longer,), optimized="actions")
    with pytest.raises(InvalidPlan) as caught:
        check_result(DomainInstance(domain=PDDL, model=model), result)
    assert str(caught.value) == (
        "the goal holds after action 1 already, but the encoding claims that "
        "2 actions are the fewest"
    )


@pytest.mark.parametrize(
    ("engine", "options", "message"),
    [
        (
            "bfs",
            {"optimal": "cost"},
            "this engine counts actions and ignores their costs\n"
            "  --engine astar proves --optimal cost",
        ),
        (
            "idastar",
            {"optimal": "cost"},
            "this engine counts actions and ignores their costs\n"
            "  --engine astar proves --optimal cost",
        ),
        (
            "astar",
            {"optimal": "cost", "heuristic": "goal-count"},
            "heuristic goal-count counts actions and ignores their costs\n"
            "  heuristics that use costs: lm-cut, h-max, h-add, zero",
        ),
        (
            "astar",
            {"optimal": "cost", "limits": Limits(max_horizon=4)},
            "--optimal cost is about plans of any length, so it has no --max-horizon",
        ),
        (
            "astar",
            {"optimal": "steps"},
            "optimal='steps': optimal must be actions, cost or metric",
        ),
    ],
)
def test_wrong_input_is_refused(engine: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        run(TRIP, engine, **options)
    assert str(caught.value) == message


def test_without_costs_none_is_least() -> None:
    with pytest.raises(UsageError) as caught:
        run(replace(TRIP, has_costs=False), "astar", optimal="cost")
    assert str(caught.value) == (
        "--optimal cost: the actions of this instance have no costs\n"
        "  --optimal actions counts them"
    )
