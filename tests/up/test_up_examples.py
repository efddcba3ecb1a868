"""The examples that come with unified-planning, solved, and judged by its own validator."""

from __future__ import annotations

import pytest

pytest.importorskip("unified_planning")

from problems import solved
from unified_planning.engines import PlanGenerationResultStatus as Status
from unified_planning.engines import SequentialPlanValidator, ValidationResultStatus
from unified_planning.model import Problem, ProblemKind
from unified_planning.plans import ActionInstance, SequentialPlan
from unified_planning.shortcuts import (
    FALSE,
    TRUE,
    And,
    AtMostOnce,
    Equals,
    Fluent,
    Forall,
    InstantaneousAction,
    MinimizeSequentialPlanLength,
    Not,
    Or,
    PlanValidator,
    Sometime,
    SometimeBefore,
    UserType,
    Variable,
    get_environment,
)
from unified_planning.test.examples import get_example_problems

from asplan.up import Engine

EXAMPLES = get_example_problems()
COVERED = [name for name, example in EXAMPLES.items() if Engine.supports(example.problem.kind)]
COVERED.remove("basic_numeric_with_timed_effect")  # a number that changes at a given time

NUMBERS = {"INT_FLUENTS", "REAL_FLUENTS", "NUMERIC_FLUENTS"}

get_environment().credits_stream = None


def test_a_third_of_the_examples_are_of_the_kind() -> None:
    assert len(EXAMPLES) >= 66
    assert len(COVERED) >= 45


@pytest.mark.parametrize("name", COVERED)
def test_an_example_is_solved(name: str) -> None:
    problem = EXAMPLES[name].problem
    result = solved(problem)
    # Of a metric over numbers nothing is proven but that no plan of as few steps has a better one.
    # So it is with the makespan of plans with times, and layers.
    timed = problem.kind.has_continuous_time()
    proven = problem.quality_metrics and NUMBERS.isdisjoint(problem.kind.features) and not timed
    assert result.status is (Status.SOLVED_OPTIMALLY if proven else Status.SOLVED_SATISFICING)
    if timed:
        with PlanValidator(problem_kind=problem.kind, plan_kind=result.plan.kind) as validator:
            assert validator.validate(problem, result.plan).status is ValidationResultStatus.VALID
        assert Engine().validate(problem, result.plan).status is ValidationResultStatus.VALID
        return
    if not SequentialPlanValidator.supports(problem.kind):
        return
    judged = SequentialPlanValidator().validate(problem, result.plan)
    assert judged.status is ValidationResultStatus.VALID
    own = Engine().validate(problem, result.plan)
    assert own.status is ValidationResultStatus.VALID
    assert own.metric_evaluations == judged.metric_evaluations


# The goal of one is that a number is 1, which the plan that is said to be valid makes 2; in a plan
# of the others an action ends or begins in the moment in which what it reads changes.
OTHERWISE = ("basic_undef_numeric", "temporal_conditional", "logistic")


@pytest.mark.parametrize("name", [name for name in COVERED if name not in OTHERWISE])
def test_the_plans_of_an_example_are_judged_as_its_authors_do(name: str) -> None:
    example = EXAMPLES[name]
    for plans, status in (
        (example.valid_plans, ValidationResultStatus.VALID),
        (example.invalid_plans, ValidationResultStatus.INVALID),
    ):
        for plan in plans:
            assert Engine().validate(example.problem, plan).status is status


def test_the_least_costs_are_found() -> None:
    found = {name: solved(EXAMPLES[name].problem).metrics["cost"] for name in COSTS}
    assert found == COSTS


COSTS = {"basic_with_costs": "2", "locations_connected_cost_minimize": "10"}


def test_constraints_on_a_trajectory() -> None:
    lit, told = Fluent("lit"), Fluent("told")
    problem = Problem("lamps")
    for fluent in (lit, told):
        problem.add_fluent(fluent, default_initial_value=False)
    for name, fluent, value in (("press", lit, True), ("pull", lit, False), ("tell", told, True)):
        action = InstantaneousAction(name)
        action.add_effect(fluent, value)
        problem.add_action(action)
    problem.add_goal(And(told, Not(lit)))
    problem.add_trajectory_constraint(SometimeBefore(told, lit))
    assert Engine.supports(problem.kind)
    result = solved(problem)
    assert result.plan.actions[0].action.name == "press"
    assert len(result.plan.actions) == 3
    assert Engine().validate(problem, result.plan).status is ValidationResultStatus.VALID
    short = SequentialPlan([ActionInstance(problem.action("tell"))])
    refused = Engine().validate(problem, short)
    assert refused.status is ValidationResultStatus.INVALID
    assert "(sometime-before (told) (lit)) is violated" in refused.log_messages[0].message
    features = {*problem.kind.features, "INT_FLUENTS"}
    assert not Engine.supports(ProblemKind(features, version=problem.kind.version))


def test_constraints_on_fluents_of_objects() -> None:
    place = UserType("place")
    where, thing = Fluent("where", place), Variable("thing", place)
    problem = Problem("walk")
    here, _, there = (problem.add_object(name, place) for name in ("here", "between", "there"))
    problem.add_fluent(where, default_initial_value=here)
    go = InstantaneousAction("go", p=place)
    go.add_effect(where, go.parameter("p"))
    problem.add_action(go)
    problem.add_goal(Equals(where, there))
    problem.add_trajectory_constraint(Forall(Sometime(Equals(where, thing)), thing))
    problem.add_trajectory_constraint(AtMostOnce(Equals(where, there)))
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    problem.add_trajectory_constraint(Sometime(Or(Equals(where, there), TRUE())))
    result = solved(problem)
    assert [str(action) for action in result.plan.actions] == ["go(between)", "go(there)"]
    problem.add_trajectory_constraint(Sometime(FALSE()))
    assert solved(problem).status is Status.UNSOLVABLE_PROVEN
