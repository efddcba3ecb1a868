"""Any plan, soon: asplan's own search on finite-domain tasks."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from sas import read_sas
from small_tasks import Oracle, tasks

from asplan.core.budget import Budget, OutOfBudget
from asplan.core.compiling import has_compiler
from asplan.pddl.task import finder, kernel
from asplan.pddl.task.finder import enlarge, find_plan, guide, memory_for
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.sas import to_sas
from asplan.pddl.task.states import apply_operator, read_state
from asplan.pddl.task.task import Effect, Operator, Task, Variable
from conftest import examples

PRESS, WAIT = (
    Operator("press", ((0, 0),), (Effect((0, 1)),)),
    Operator("wait", (), (Effect((1, 1)),)),
)
LAMP = Task(
    variables=(Variable(("off", "on")), Variable(("idle", "none"))),
    initial=(0, 0),
    goal=((0, 1),),
    operators=(WAIT, PRESS),
)


@settings(max_examples=examples(200), deadline=None)
@given(tasks())
def test_it_finds_a_plan_if_there_is_one(task: Task) -> None:
    oracle, model = Oracle(task), TaskModel(task)
    found = find_plan(model)
    fewest = oracle.distances(lambda operator: 1)[oracle.initial]
    assert (found.steps is None) == (fewest == math.inf)
    if found.steps is not None:
        state = model.initial
        for (action,) in found.steps:
            assert model.why_not(state, action) is None
            state = model.apply(state, action)
        assert model.is_goal(state)


@settings(max_examples=examples(100), deadline=None)
@given(tasks())
def test_no_landmark_is_left_at_the_end_of_a_plan(task: Task) -> None:
    model = TaskModel(task)
    found = find_plan(model)
    if found.steps is None:
        return
    known_task = guide(task)
    memory = enlarge(known_task, memory_for(known_task, task.initial))
    left = -1
    for state, action in enumerate([*(action for (action,) in found.steps), None]):
        assert kernel.add_state(memory) == state
        read_state(known_task.moves, memory.known, state)
        left = kernel.landmarks_left(known_task, memory, state)
        if action is not None:
            apply_operator(known_task.moves, memory.known, state, int(action[2:-1]))
            memory.origin[:] = state, 0
    assert left == 0


@pytest.mark.skipif(not has_compiler(), reason="numba is not installed")
@settings(max_examples=examples(200), deadline=None)
@given(tasks())
def test_compiled_it_finds_the_same(task: Task) -> None:
    model = TaskModel(task)
    assert find_plan(model, plain=0) == find_plan(model, plain=math.inf)


@settings(max_examples=examples(100), deadline=None)
@given(tasks())
def test_a_task_is_written_as_it_is_read(task: Task) -> None:
    names: Any = SimpleNamespace(
        atom=lambda name, arguments: f"{name}({','.join(arguments)})",
        action=lambda name, arguments: name,
    )
    text = to_sas(task)
    assert all("(" in line for line in text.splitlines() if line.startswith("Atom "))
    read = read_sas(text, names)
    assert (read.initial, read.goal, read.axioms) == (task.initial, task.goal, task.axioms)
    assert [v.layer for v in read.variables] == [v.layer for v in task.variables]
    assert [(o.action, set(o.precondition), o.effects, o.cost) for o in read.operators] == [
        (f"o{index}", set(o.precondition), o.effects, o.cost)
        for index, o in enumerate(task.operators)
    ]


@pytest.mark.skipif(not has_compiler(), reason="numba is not installed")
def test_a_plan_is_found_without_a_cache_for_compiled_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from numba.core.caching import CacheImpl

    monkeypatch.setattr(CacheImpl, "_locator_classes", [])
    monkeypatch.setattr(finder, "_functions", finder._functions.__wrapped__)
    assert find_plan(TaskModel(LAMP), plain=0).steps == [["press"]]


def test_work_that_checks_its_budget_can_be_ended() -> None:
    spent = Budget(0.0)
    chain = Task(
        (Variable(tuple(f"at({n})" for n in range(40))),),
        (0,),
        ((0, 39),),
        tuple(Operator(f"go({n})", ((0, n),), (Effect((0, n + 1)),)) for n in range(39)),
    )
    with pytest.raises(OutOfBudget):
        find_plan(TaskModel(chain), spent)
