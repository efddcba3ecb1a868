"""Problems and settings that asplan refuses, with the messages word for word."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from asplan.core.installing import pip_install

pytest.importorskip("unified_planning")

from problems import ring, solved
from unified_planning.exceptions import UPUnsupportedProblemTypeError, UPUsageError
from unified_planning.model import Problem
from unified_planning.shortcuts import (
    And,
    Equals,
    Fluent,
    InstantaneousAction,
    MinimizeActionCosts,
    MinimizeMakespan,
    MinimizeSequentialPlanLength,
    Oversubscription,
    UserType,
)
from unified_planning.test.examples import get_example_problems

from asplan.up import Engine

EXAMPLES = get_example_problems()

KINDS = {
    "timed_connected_locations": "INTERMEDIATE_CONDITIONS_AND_EFFECTS",
    "htn-go": "HIERARCHICAL, INITIAL_TASK_NETWORK_VARIABLES, METHOD_PRECONDITIONS, "
    "TASK_NETWORK_CONSTRAINTS, TASK_ORDER_TOTAL",
    "basic_undef_bool": "UNDEFINED_INITIAL_SYMBOLIC",
    "basic_bool_fluent_param": "BOOL_FLUENT_PARAMETERS",
}


def forced(problem: Any) -> Exception:
    """Return the error of an engine that skips its checks."""
    engine = Engine()
    engine.skip_checks = True
    with pytest.raises(UPUnsupportedProblemTypeError) as caught:
        engine.solve(problem)
    return caught.value


@pytest.mark.parametrize("name", KINDS)
def test_unsupported_features_are_named(name: str) -> None:
    problem = EXAMPLES[name].problem
    assert not Engine.supports(problem.kind)
    assert str(forced(problem)) == f"asplan does not take problems with {KINDS[name]}"
    with pytest.raises(UPUsageError):
        Engine().solve(problem)


def test_object_fluents_beyond_the_compiler_are_refused() -> None:
    """It compiles values wrongly that depend on themselves, and loses its own variables."""
    place = UserType("place")
    where, following = Fluent("where", place), Fluent("following", place, x=place)
    for case, said in enumerate(("a new value of itself: where :=", "conditions like these")):
        problem = Problem("ring")
        a, b = (problem.add_object(name, place) for name in "ab")
        problem.add_fluent(where, default_initial_value=a)
        problem.add_fluent(following, default_initial_value=b)
        go = InstantaneousAction("go")
        if case:
            go.add_effect(where, b, Equals(following(following(where())), where()))
        else:
            go.add_effect(where, following(where()))
        problem.add_action(go)
        problem.add_goal(Equals(where, b))
        assert f"asplan does not take fluents of objects in {said}" in str(forced(problem))


def test_soft_goals_that_the_compiler_merges_are_refused() -> None:
    place = UserType("place")
    where, lit = Fluent("where", place), Fluent("lit")
    problem = Problem("wishes")
    problem.add_fluent(where, default_initial_value=problem.add_object("a", place))
    problem.add_fluent(lit, default_initial_value=False)
    problem.add_quality_metric(Oversubscription({lit(): 1, And(lit, lit): 2}))
    assert "of which some are the same" in str(forced(problem))


def test_problems_of_several_agents_are_refused() -> None:
    from unified_planning.model.multi_agent import Agent, MultiAgentProblem

    problem = MultiAgentProblem("two")
    for name in ("one", "other"):
        problem.add_agent(Agent(name, problem))
    assert str(forced(problem)) == "asplan does not take problems with ACTION_BASED_MULTI_AGENT"


def measured(*metrics: Any) -> Problem:
    problem = ring(3)
    for metric in metrics:
        problem.add_quality_metric(metric)
    return problem


def cost(value: Any) -> MinimizeActionCosts:
    return MinimizeActionCosts({ring(3).action("go"): value})


@pytest.mark.parametrize(
    ("metrics", "settings", "said"),
    [
        ([cost(-3)], {}, "asplan needs costs of 0 or more, but go has a negative cost"),
        ([cost(2**31)], {}, "go costs more than the 2147483647 that asplan can count"),
        (
            [cost(1), MinimizeSequentialPlanLength()],
            {},
            "asplan takes one quality metric, but the problem has several",
        ),
        (
            [MinimizeMakespan()],
            {"engine": "bfs"},
            "engine bfs has no parallel steps, which makespan and partial-order plans need; "
            "use asp or sat or portfolio or auto",
        ),
        (
            [cost(1)],
            {"partial_order": True},
            "asplan makes partial-order plans only for the metric makespan or for none",
        ),
        (
            [cost(1)],
            {"engine": "bfs"},
            "asplan: this engine counts actions and ignores their costs\n"
            "  --engine astar proves --optimal cost",
        ),
        (
            [],
            {"engine": "dff"},
            "asplan: unknown engine 'dff'\n  did you mean dfs?",
        ),
        (
            [],
            {"timeout": -1},
            "asplan: the time limit is -1 s: pass a finite number, 0 or more",
        ),
        (
            [],
            {"memory_limit": -1},
            "asplan: the memory limit is -1 MB: pass a number, 1 or more",
        ),
    ],
)
def test_settings_that_do_not_fit_the_metric_are_refused(
    metrics: list[Any], settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(UPUsageError) as caught:
        solved(measured(*metrics), **settings)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"memory_limit": "1 GB"}, "memory_limit='1 GB': pass a number of megabytes"),
        ({"memory_limit": True}, "memory_limit=True: pass a number of megabytes"),
        ({"optimal": "no"}, "optimal='no': pass True or False"),
        ({"partial_order": 1}, "partial_order=1: pass True or False"),
        (
            {"memorylimit": 5},
            "asplan has no setting 'memorylimit'; did you mean memory_limit?",
        ),
        (
            {"heap": 5},
            "asplan has no setting 'heap'; known settings: engine, loopless, memory_limit, "
            "number_of_plans, optimal, partial_order, quality, search_beside",
        ),
    ],
)
def test_unknown_settings_and_values_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UPUsageError) as caught:
        Engine(**settings)
    assert str(caught.value) == said


WITHOUT = """
import sys
sys.modules["unified_planning"] = None
import asplan
try:
    import asplan.up
except asplan.MissingExtra as error:
    print(error)
"""


def test_without_unified_planning_the_error_names_the_command() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.stdout == (
        "asplan.up is an engine of unified-planning, which is not installed\n"
        f"  {pip_install('up')}\n"
    )
