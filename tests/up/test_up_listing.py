"""The k best plans in unified-planning, by its anytime planners."""

from __future__ import annotations

import pytest

pytest.importorskip("unified_planning")

from fractions import Fraction

from problems import cups, ring
from unified_planning.engines import PlanGenerationResultStatus as Status
from unified_planning.engines import SequentialPlanValidator
from unified_planning.exceptions import UPUsageError
from unified_planning.shortcuts import (
    AnytimePlanner,
    Fluent,
    InstantaneousAction,
    MinimizeActionCosts,
    MinimizeMakespan,
    Not,
    Problem,
)

import asplan.up.register  # noqa: F401  # registers the engine


def two_lamps(*costs: Fraction | int) -> Problem:
    """Return a problem with two lamps to light; each can be lit, at a cost, and turned off."""
    problem = Problem("lamps")
    prices = {}
    for number, cost in enumerate(costs):
        lit = problem.add_fluent(f"lit{number}", default_initial_value=False)
        light = InstantaneousAction(f"light{number}")
        light.add_effect(lit, True)
        douse = InstantaneousAction(f"douse{number}")
        douse.add_precondition(lit)
        douse.add_effect(lit, False)
        problem.add_actions([light, douse])
        problem.add_goal(lit)
        prices |= {light: cost, douse: 1}
    problem.add_quality_metric(MinimizeActionCosts(prices))
    return problem


def test_the_best_plans_come_first() -> None:
    problem = two_lamps(1, Fraction(5, 2))
    with AnytimePlanner(name="asplan", params={"number_of_plans": 6}) as planner:
        found = list(planner.get_solutions(problem, timeout=120))
    assert [result.status for result in found] == [Status.INTERMEDIATE] * 5 + [
        Status.SOLVED_OPTIMALLY
    ]
    costs = [Fraction(result.metrics["cost"]) for result in found]
    assert costs == sorted(costs)
    assert costs[:3] == [Fraction(7, 2), Fraction(7, 2), Fraction(9, 2)]
    assert len({str(result.plan) for result in found}) == 6
    for result, cost in zip(found, costs, strict=True):
        judged = SequentialPlanValidator().validate(problem, result.plan)
        assert list(judged.metric_evaluations.values()) == [cost]


def test_all_plans_of_a_quality_are_listed() -> None:
    with AnytimePlanner(name="asplan", params={"quality": 1.0}) as planner:
        found = list(planner.get_solutions(two_lamps(1, 1)))
    assert sorted([a.action.name for a in result.plan.actions] for result in found) == [
        ["light0", "light1"],
        ["light1", "light0"],
    ]
    assert found[-1].status is Status.SOLVED_OPTIMALLY


def test_loops_are_left_out_and_the_end_is_proven() -> None:
    parameters = {"number_of_plans": 50, "loopless": True}
    with AnytimePlanner(name="asplan", params=parameters) as planner:
        found = list(planner.get_solutions(two_lamps(1, 1)))
    assert len(found) == 2  # no plan may douse a lamp, since that leads back
    assert found[-1].status is Status.SOLVED_OPTIMALLY


def test_without_a_metric_the_shortest_plans_are_listed() -> None:
    with AnytimePlanner(name="asplan", params={"number_of_plans": 3}) as planner:
        found = list(planner.get_solutions(ring(3)))
        (none,) = planner.get_solutions(cups(1))
    lengths = [len(result.plan.actions) for result in found]
    assert lengths == sorted(lengths)
    assert found[-1].status is Status.SOLVED_SATISFICING
    assert none.status is Status.UNSOLVABLE_PROVEN
    assert none.plan is None


def test_wrong_settings_are_refused() -> None:
    lamp = Fluent("lamp")
    press = InstantaneousAction("press")
    press.add_precondition(Not(lamp))
    press.add_effect(lamp, True)
    parallel = Problem("parallel")
    parallel.add_fluent(lamp, default_initial_value=False)
    parallel.add_action(press)
    parallel.add_goal(lamp)
    parallel.add_quality_metric(MinimizeMakespan())
    cases = [
        (parallel, {"number_of_plans": 2}, "sequential plans"),
        (ring(3), {"number_of_plans": 0}, "pass a number of at least 1"),
        (ring(3), {"number_of_plans": "2"}, "pass a number of at least 1"),
        (ring(3), {"quality": 0.5}, "pass a factor of at least 1"),
        (ring(3), {"number_of_plans": 2, "memory_limit": 100}, "memory_limit does not work"),
        (ring(3), {"number_of_plans": 2, "engine": "sat"}, "engine sat lists no plans"),
    ]
    for problem, parameters, message in cases:
        with pytest.raises(UPUsageError, match=message):  # noqa: SIM117  # of the planner, too
            with AnytimePlanner(name="asplan", params=parameters) as planner:
                list(planner.get_solutions(problem))
