"""Claims about heuristics hold on every state and edge of random tasks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from small_tasks import Oracle, Values, tasks

from asplan.domains.heuristic import Estimate, Heuristic
from asplan.pddl.task import landmark_cut
from asplan.pddl.task.heuristics import HEURISTICS
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.relaxation import Flat
from asplan.pddl.task.task import NONE, Axiom, Effect, Fact, Operator, Task, Variable
from conftest import examples

BY_NAME = {heuristic.name: heuristic for heuristic in HEURISTICS}


def values_of(model: TaskModel, estimate: Estimate, states: list[int]) -> dict[Values, float]:
    """Return the estimates of some states."""
    return {
        tuple(value for _, value in model.facts(model.complete(state))): estimate(state)
        for state in states
    }


def reached(model: TaskModel) -> list[int]:
    """All states of a model."""
    seen, new = {model.initial}, [model.initial]
    while new:
        new = list({after for state in new for after in model.successors(state)} - seen)
        seen.update(new)
    return list(seen)


def check_claims(
    heuristic: Heuristic,
    made: Callable[[Any], Estimate],
    model: TaskModel,
    cost: Callable[[Operator], int],
) -> None:
    oracle = Oracle(model.task)
    value = values_of(model, made(model), reached(model))
    away = oracle.distances(cost)
    assert value.keys() == away.keys()
    for state, least in away.items():
        if oracle.is_goal(state):
            assert value[state] == 0
        if value[state] == math.inf:
            assert least == math.inf
        if heuristic.admissible(model):
            assert value[state] <= least
        if heuristic.consistent(model):
            for operator, after in oracle.steps(state):
                assert value[state] <= cost(operator) + value[after]


@settings(max_examples=examples(400), deadline=None)
@given(tasks())
def test_claims_hold_for_actions_and_for_costs(task: Task) -> None:
    model = TaskModel(task)
    for heuristic in HEURISTICS:
        assert heuristic.admissible(model) or not heuristic.consistent(model)
        check_claims(heuristic, heuristic.make, model, lambda operator: 1)
        if heuristic.priced is not None:
            check_claims(heuristic, heuristic.priced, model, lambda operator: operator.cost)


@settings(max_examples=examples(200), deadline=None)
@given(tasks())
def test_lm_cut_is_between_h_max_and_h_add(task: Task) -> None:
    model = TaskModel(task)
    states = reached(model)
    low, mid, high = (
        values_of(model, BY_NAME[name].priced(model), states)  # type: ignore[misc]
        for name in ("h-max", "lm-cut", "h-add")
    )
    for state in low:
        assert low[state] <= mid[state] <= high[state]


@settings(max_examples=examples(200), deadline=None)
@given(tasks())
def test_distances_are_kept_up_to_date(task: Task) -> None:
    """After a round they are those that are found from the start with the costs that are left.

    What is as far as the goal may be said to be farther.
    """
    model = TaskModel(task)
    flat = Flat(task, [operator.cost for operator in task.operators])
    relaxed = landmark_cut.relaxed_of(flat)
    room, fresh = landmark_cut.room_for(flat), landmark_cut.room_for(flat)
    room.costs[:] = relaxed.costs
    facts, goal = flat.facts_of(model.initial), flat.goal
    landmark_cut.explore(relaxed, room, facts)
    while 0 < room.distance[goal] < landmark_cut.FAR:
        cut = room.cut[: landmark_cut.find_cut(relaxed, room)]
        least = min(room.costs[owner] for owner in cut)
        assert least > 0
        for owner in cut:
            room.costs[owner] -= least
        landmark_cut.update(relaxed, room, len(cut))
        fresh.costs[:] = room.costs
        landmark_cut.explore(relaxed, fresh, facts)
        limit = fresh.distance[goal]
        assert [min(d, limit) for d in fresh.distance] == [min(d, limit) for d in room.distance]


def lamps(*operators: Operator, goal: tuple[Fact, ...], axioms: tuple[Axiom, ...] = ()) -> Task:
    """Three lamps, all off; one more variable that axioms may set."""
    values = [Variable((NONE, f"lit({lamp})")) for lamp in "abc"]
    derived = Variable((NONE, "bright"), layer=0)
    return Task((*values, derived), (0, 0, 0, 0), goal, operators, axioms, has_costs=True)


ALL = ((0, 1), (1, 1), (2, 1))
ONE_BY_ONE = tuple(
    Operator(f"press({lamp})", (), (Effect((v, 1)),), cost=v + 1) for v, lamp in enumerate("abc")
)
CHAIN = Operator(
    "press",
    (),
    (Effect((0, 1)), Effect((1, 1), ((0, 1),)), Effect((2, 1), ((1, 1),))),
    cost=2,
)
"""Each lamp makes the next one follow, one at each time."""


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        # Each lamp has a switch of its own, at the cost 1, 2 and 3.
        (
            lamps(*ONE_BY_ONE, goal=ALL),
            {
                "lm-cut": (3, 6),
                "h-max": (1, 3),
                "h-add": (3, 6),
                "goal-count": (3, None),
                "zero": (0, 0),
            },
        ),
        # One switch for all: the cuts share its cost, so that h-max is the better.
        (
            lamps(CHAIN, goal=ALL),
            {
                "lm-cut": (3, 6),
                "h-max": (3, 6),
                "h-add": (6, 12),
                "goal-count": (3, None),
                "zero": (0, 0),
            },
        ),
        # It is bright with two lamps, and that costs nothing more.
        (
            lamps(*ONE_BY_ONE, goal=((3, 1),), axioms=(Axiom((3, 1), ((1, 1), (2, 1))),)),
            {
                "lm-cut": (2, 5),
                "h-max": (1, 3),
                "h-add": (2, 5),
                "goal-count": (1, None),
                "zero": (0, 0),
            },
        ),
        # It is to stay dark: not bright, for which a and b must not both be lit, and so c is off.
        (
            lamps(
                Operator("press(c)", (), (Effect((2, 1)),), cost=4),
                goal=((3, 0),),
                axioms=(Axiom((3, 1), ((2, 0),)), Axiom((3, 1), ((0, 1), (1, 1)))),
            ),
            {
                "lm-cut": (1, 4),
                "h-max": (1, 4),
                "h-add": (1, 4),
                "goal-count": (1, None),
                "zero": (0, 0),
            },
        ),
        # One effect of two is needed and the other one not.
        (
            lamps(Operator("a", (), (Effect((0, 1)), Effect((1, 1))), cost=4), goal=ALL[:2]),
            {
                "lm-cut": (1, 4),
                "h-max": (1, 4),
                "h-add": (2, 8),
                "goal-count": (2, None),
                "zero": (0, 0),
            },
        ),
    ],
)
def test_values(task: Task, expected: dict[str, tuple[float, float | None]]) -> None:
    model = TaskModel(task)
    found = {
        h.name: (
            h.make(model)(model.initial),
            None if h.priced is None else h.priced(model)(model.initial),
        )
        for h in HEURISTICS
    }
    assert found == expected


def test_unreachable_goals_are_infinitely_far() -> None:
    model = TaskModel(lamps(*ONE_BY_ONE[:2], goal=ALL))
    for name in ("lm-cut", "h-max", "h-add"):
        assert BY_NAME[name].make(model)(model.initial) == math.inf


@pytest.mark.parametrize("name", ["h-add", "goal-count"])
def test_other_heuristics_are_not_admissible(name: str) -> None:
    both = Operator("both", (), (Effect((0, 1)), Effect((1, 1))))
    model = TaskModel(lamps(both, goal=ALL[:2]))
    assert not BY_NAME[name].admissible(model)
    assert BY_NAME[name].make(model)(model.initial) == 2
