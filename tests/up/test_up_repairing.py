"""Repaired plans are valid for the new problem, and keep old actions that apply."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("unified_planning")

from problems import cups, lamps, ring, solved
from unified_planning.engines import PlanGenerationResultStatus as Status
from unified_planning.engines import SequentialPlanValidator
from unified_planning.plans import ActionInstance, PlanKind, SequentialPlan
from unified_planning.shortcuts import (
    Always,
    Equals,
    Fluent,
    InstantaneousAction,
    IntType,
    MinimizeSequentialPlanLength,
    Not,
    PlanRepairer,
    Problem,
    get_environment,
)

import asplan.up.register
from asplan.up import Engine

get_environment().credits_stream = None
assert asplan.up.register.NAME == "asplan"


def set_roads(problem: Problem, **roads: bool) -> None:
    """Roads of a ring between places, named as in `p2p4`, which are there or not."""
    road, place = problem.fluent("road"), problem.object
    for name, is_there in roads.items():
        problem.set_initial_value(road(place(name[:2]), place(name[2:])), is_there)


def more_lamps(problem: Problem) -> None:
    lit, lamp = problem.fluent("lit"), problem.user_type("lamp")
    problem.add_goal(lit(problem.add_object("l9", lamp)))


def with_object_fluent() -> Problem:
    """The same walk, with the place as the value of a fluent."""
    problem = ring(6)
    place = problem.user_type("place")
    at = Fluent("at", place)
    problem.add_fluent(at, default_initial_value=problem.object("p0"))
    go = InstantaneousAction("step", p=place, q=place)
    go.add_precondition(Equals(at, go.p))
    go.add_precondition(problem.fluent("road")(go.p, go.q))
    go.add_effect(at, go.q)
    problem.clear_actions()
    problem.add_action(go)
    problem.clear_goals()
    problem.add_goal(Equals(at, problem.object("p5")))
    return problem


def shut(problem: Problem) -> None:
    """The action that the old plan consists of needs a condition that no other brings about."""
    problem.clear_actions()
    go = InstantaneousAction("walk", p=problem.user_type("place"))
    go.add_effect(problem.fluent("here")(go.parameter("p")), True)
    problem.add_action(go)


def guard(problem: Problem) -> None:
    problem.add_trajectory_constraint(Always(Not(problem.fluent("here")(problem.object("p1")))))
    set_roads(problem, p0p2=True)


def fuel(problem: Problem) -> None:
    left = Fluent("left", IntType(0, 9))
    problem.add_fluent(left, default_initial_value=3)
    problem.action("go").add_decrease_effect(left, 1)
    set_roads(problem, p1p4=True)


Change = Callable[[Problem], None]

CASES: dict[str, tuple[Problem, Change, int, int]] = {
    # A problem and how it changes; the actions of the new plan, and how many of the old one stay.
    "nothing changed": (ring(6), lambda problem: None, 5, 5),
    "a way around": (ring(6), lambda p: set_roads(p, p2p3=False, p2p4=True), 4, 2),
    "half the way is a dead end": (
        ring(6),
        lambda p: set_roads(p, p4p5=False, p2p5=True),
        3,
        2,
    ),
    "all is another way": (ring(6), lambda p: set_roads(p, p1p2=False, p0p5=True), 1, 0),
    "an object as a value": (
        with_object_fluent(),
        lambda p: set_roads(p, p2p3=False, p2p4=True),
        4,
        2,
    ),
    "a new goal": (lamps(3), more_lamps, 4, 3),
    "an action is gone": (ring(3), shut, 1, 0),
    "a constraint": (ring(4), guard, 2, 0),
    "numbers": (ring(6), fuel, 3, 0),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_repaired_plan_keeps_the_actions_that_apply(
    case: tuple[Problem, Change, int, int],
) -> None:
    problem, change, length, kept = case
    old, changed = solved(problem).plan, problem.clone()
    change(changed)
    with PlanRepairer(problem_kind=changed.kind, plan_kind=old.kind) as repairer:
        result = repairer.repair(changed, old)
    assert result.status is Status.SOLVED_SATISFICING
    assert (len(result.plan.actions), result.metrics["kept"]) == (length, str(kept))
    first = [str(action) for action in result.plan.actions[:kept]]
    assert [action for action in map(str, old.actions) if action in first] == first
    if not changed.trajectory_constraints:
        assert SequentialPlanValidator().validate(changed, result.plan)
    assert Engine().validate(changed, result.plan)


def test_an_unsolvable_problem_is_proven_so_by_repair() -> None:
    result = Engine().repair(cups(2), solved(lamps(2)).plan)
    assert (result.status, result.plan) == (Status.UNSOLVABLE_PROVEN, None)


def test_a_repaired_plan_is_best_only_on_request() -> None:
    problem = ring(4)
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    old = solved(problem).plan
    set_roads(problem, p0p3=True)
    assert len(Engine().repair(problem, old).plan.actions) == 3
    with PlanRepairer(problem_kind=problem.kind, optimality_guarantee="SOLVED_OPTIMALLY") as best:
        result = best.repair(problem, old)
    assert result.status is Status.SOLVED_OPTIMALLY
    assert len(result.plan.actions) == 1


def test_actions_of_wrong_arity_are_left_out() -> None:
    problem, other = ring(3), InstantaneousAction("go")
    result = Engine().repair(problem, SequentialPlan([ActionInstance(other)]))
    assert (len(result.plan.actions), result.metrics["kept"]) == (2, "0")
    assert Engine.supports_plan(PlanKind.SEQUENTIAL_PLAN)
