"""Better plans window by window: all valid, and the last one is an optimum."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tasks import Oracle, tasks

from asplan.domains.base import Better
from asplan.pddl.task import improving
from asplan.pddl.task.finder import find_plan
from asplan.pddl.task.improving import improve
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.task import Operator, Task
from asplan.pddl.task.windows import Window
from conftest import examples


def wander(model: TaskModel, choose: st.DataObject, most: int) -> list[str]:
    """Return a plan with random detours; empty if the goal cannot be reached after them."""
    state, actions = model.initial, []
    for _ in range(choose.draw(st.integers(0, most))):
        if not (possible := model.actions(state)):
            break
        actions.append(choose.draw(st.sampled_from(sorted(possible))))
        state = model.apply(state, actions[-1])
    task = model.task
    basic = dict(
        zip(model.basic, (model.packing.value(state, v) for v in model.basic), strict=True)
    )
    there = tuple(basic.get(v, d) for v, d in enumerate(task.initial))
    rest = find_plan(TaskModel(replace(task, initial=there))).steps
    return [] if rest is None else [*actions, *(action for step in rest for action in step)]


def check(model: TaskModel, better: Better) -> None:
    """Assert that the plan is valid and has the given cost."""
    state, cost = model.initial, 0
    for action in better.actions:
        assert model.why_not(state, action) is None
        cost += model.cost(state, action) if model.has_costs else 1
        state = model.apply(state, action)
    assert model.is_goal(state)
    assert better.cost == cost
    assert better.least <= cost


@settings(max_examples=examples(100), deadline=None)
@given(tasks(), st.booleans(), st.sampled_from([1, 2, 6]), st.data())
def test_the_optimum_is_reached_from_any_plan(
    task: Task, has_costs: bool, smallest: int, choose: st.DataObject
) -> None:
    task = replace(task, has_costs=has_costs)
    model = TaskModel(task)
    if not (plan := wander(model, choose, 8)):
        return
    optimum = Oracle(task).distances(lambda o: o.cost if has_costs else 1)[Oracle(task).initial]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(improving, "SMALLEST", smallest)
        found = list(improve(model, plan))
    costs = [better.cost for better in found]
    for better in found:
        check(model, better)
    assert costs[:-1] == sorted(set(costs[:-1]), reverse=True)
    assert found[-1].proven
    assert costs[-1] == optimum


@pytest.mark.parametrize(
    ("costs", "has_costs", "longest"),
    [((1, 3), True, 7), ((2, 3), True, 3), ((0, 3), True, inf), ((2, 3), False, 7)],
)
def test_a_plan_has_no_more_actions_than_can_be_paid(
    costs: tuple[int, ...], has_costs: bool, longest: float
) -> None:
    operators = tuple(Operator(str(n), (), (), cost) for n, cost in enumerate(costs))
    task = Task((), (), (), operators, has_costs=has_costs)
    assert Window(task, 7).longest == longest
