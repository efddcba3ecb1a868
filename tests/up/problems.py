"""Problems of unified-planning for the tests of this folder."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from unified_planning.engines import PlanGenerationResult
from unified_planning.shortcuts import (
    BoolType,
    Equals,
    Fluent,
    InstantaneousAction,
    Not,
    Problem,
    UserType,
)

from asplan.up import Engine


def ring(places: int) -> Problem:
    """A walk around some places, over roads in one direction, to the last of them."""
    place = UserType("place")
    here, road = Fluent("here", BoolType(), p=place), Fluent("road", BoolType(), p=place, q=place)
    problem = Problem("ring")
    problem.add_fluent(here, default_initial_value=False)
    problem.add_fluent(road, default_initial_value=False)
    objects = [problem.add_object(f"p{number}", place) for number in range(places)]
    for one, other in pairwise(objects):
        problem.set_initial_value(road(one, other), True)
    problem.set_initial_value(here(objects[0]), True)
    go = InstantaneousAction("go", p=place, q=place)
    p, q = go.parameters
    go.add_precondition(here(p))
    go.add_precondition(road(p, q))
    go.add_effect(here(p), False)
    go.add_effect(here(q), True)
    problem.add_action(go)
    problem.add_goal(here(objects[-1]))
    return problem


def lamps(number: int) -> Problem:
    """Lamps that are all to be lit, each by a switch of its own."""
    lamp = UserType("lamp")
    lit = Fluent("lit", BoolType(), x=lamp)
    problem = Problem("lamps")
    problem.add_fluent(lit, default_initial_value=False)
    objects = [problem.add_object(f"l{i}", lamp) for i in range(number)]
    press = InstantaneousAction("press", x=lamp)
    press.add_precondition(Not(lit(press.parameter("x"))))
    press.add_effect(lit(press.parameter("x")), True)
    problem.add_action(press)
    for item in objects:
        problem.add_goal(lit(item))
    return problem


def cups(sizes: int) -> Problem:
    """Bits of which every action turns two, so that one alone can never be turned."""
    bit = UserType("bit")
    up = Fluent("up", BoolType(), x=bit)
    problem = Problem("cups")
    problem.add_fluent(up, default_initial_value=False)
    objects = [problem.add_object(f"b{i}", bit) for i in range(sizes)]
    turn = InstantaneousAction("turn", x=bit, y=bit)
    x, y = turn.parameters
    turn.add_precondition(Not(Equals(x, y)))
    turn.add_effect(up(x), Not(up(x)))
    turn.add_effect(up(y), Not(up(y)))
    problem.add_action(turn)
    problem.add_goal(up(objects[0]))
    for item in objects[1:]:
        problem.add_goal(Not(up(item)))
    return problem


def solved(problem: Problem, timeout: float | None = 60, **settings: Any) -> PlanGenerationResult:
    """Solve a problem with an engine that has some settings."""
    return Engine(**settings).solve(problem, timeout=timeout)
