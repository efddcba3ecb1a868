"""Conflicts between operators, their order, and plans that are put in order."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tasks import Oracle, tasks

from asplan.core.errors import InvalidPlan
from asplan.core.graphs import components
from asplan.core.plan import Plan
from asplan.pddl.task.interference import START, chains, cycles, reads, writes
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.order import state_after, tidy
from asplan.pddl.task.task import Effect, Operator, Task, Variable
from asplan.problem import Inputs, load
from conftest import examples

EDGES = st.integers(1, 8).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, size - 1), max_size=4), min_size=size, max_size=size
    )
)


def together(after: list[set[int]]) -> set[frozenset[int]]:
    """The strongly connected components: who reaches whom and is reached by them."""
    nodes = range(len(after))
    reached = [{node} | after[node] for node in nodes]
    for middle, start in product(nodes, nodes):
        if middle in reached[start]:
            reached[start] |= reached[middle]
    return {frozenset(b for b in reached[a] if a in reached[b]) for a in nodes}


@given(EDGES)
def test_components(after: list[list[int]]) -> None:
    found = list(components(after))
    assert sorted(node for part in found for node in part) == list(range(len(after)))
    assert set(map(frozenset, found)) == together([set(nodes) for nodes in after])


@settings(max_examples=examples(200), deadline=None)
@given(tasks())
def test_cycles_are_those_from_operator_to_operator(task: Task) -> None:
    """The linear graph over variables has the cycles of the quadratic graph of operators."""
    numbers = range(len(task.operators))
    read = [reads(task, operator) for operator in task.operators]
    written = [writes(operator) for operator in task.operators]
    moved = [r & w for r, w in zip(read, written, strict=True)]
    after = [
        {b for b in numbers if b != a and (read[a] & written[b]) - (moved[a] & moved[b])}
        for a in numbers
    ]
    wanted = {part for part in together(after) if len(part) > 1}
    found = set()
    for cycle in cycles(task):
        found.add(frozenset(int(n[9:-1]) for n in cycle if n.startswith("operator(")))
    assert found == wanted


@settings(max_examples=examples(200), deadline=None)
@given(tasks())
def test_operators_read_all_variables_of_their_outcome(task: Task) -> None:
    """States that differ only in unread variables have the same changes."""
    oracle = Oracle(task)
    states = oracle.states()[:30]
    for operator in task.operators:
        relevant = sorted(reads(task, operator))
        found: dict[tuple[int, ...], set[object]] = {}
        for state in states:
            applies = all(state[v] == d for v, d in operator.precondition)
            caused = frozenset(
                effect.fact
                for effect in operator.effects
                if applies and all(state[v] == d for v, d in effect.condition)
            )
            key = tuple(state[v] for v in relevant)
            found.setdefault(key, set()).add((applies, caused))
        assert all(len(outcomes) == 1 for outcomes in found.values())


@settings(max_examples=examples(200), deadline=None)
@given(tasks())
def test_chains_have_all_operators_that_may_change_a_fact(task: Task) -> None:
    oracle, (links, seen) = Oracle(task), chains(task)
    for chain in links.values():
        assert chain[0] == START
        assert chain[1:] == sorted(set(chain[1:]), key=int)
    basic = [v for v, variable in enumerate(task.variables) if not variable.is_derived]
    for state in oracle.states()[:30]:
        for operator, after in oracle.steps(state):
            o = task.operators.index(operator)
            for v in basic:
                if state[v] != after[v]:
                    assert o in links[v, state[v]]
                    assert o in links[v, after[v]]
    for o, operator in enumerate(task.operators):
        asked = dict(seen[o])
        for fact, last in asked.items():
            assert last == [p for p in links[fact] if p == START or int(p) < o][-1]
        conditions = [operator.precondition, *(effect.condition for effect in operator.effects)]
        facts = {fact for condition in conditions for fact in condition if fact[0] in basic}
        assert facts <= asked.keys()


def test_a_step_that_can_be_executed_otherwise_but_leads_elsewhere() -> None:
    """Operators in the order of their numbers, as encoding relaxed means them."""
    flags = (Variable(("x(0)", "x(1)", "x(2)")), Variable(("y(0)", "y(1)")))
    first = Operator("first", (), (Effect((0, 1)), Effect((1, 1))))
    second = Operator("second", (), (Effect((0, 2)),))
    model = TaskModel(Task(flags, (0, 0), ((0, 2), (1, 1)), (first, second)))
    for step in (("first", "second"), ("second", "first")):
        assert tidy(model, Plan((step,))).steps == (("first", "second"),)


@settings(max_examples=examples(300), deadline=None)
@given(tasks(), st.integers(0, 2**32))
def test_a_plan_is_put_in_order(task: Task, seed: int) -> None:
    """Walks to the goal, cut into steps whose actions are shuffled."""
    chance, model = random.Random(seed), TaskModel(task)
    state, walk = model.initial, list[str]()
    while not model.is_goal(state) and len(walk) < 12 and (able := model.actions(state)):
        walk.append(chance.choice(able))
        state = model.apply(state, walk[-1])
    if not model.is_goal(state):
        return
    steps: list[list[str]] = []
    for action in walk:
        if steps and action not in steps[-1] and chance.random() < 0.5:
            steps[-1].append(action)
        else:
            steps.append([action])
    for step in steps:
        chance.shuffle(step)
    plan = Plan(tuple(map(tuple, steps)))
    tidied = tidy(model, plan)
    assert len(tidied) == len(plan)
    assert all(set(after) <= set(before) for after, before in zip(tidied, plan, strict=True))
    reached = state_after(model, model.initial, tidied.actions)
    assert reached is not None
    assert model.is_goal(reached)
    if all(len(step) == 1 for step in plan):
        assert tidied == plan


def test_an_action_may_be_the_operator_that_disturbs_least() -> None:
    """Whoever shuts a door of the castle reads, from one side of it, where the thief may be."""
    model: Any = load(Inputs(("castle-1",), None, "exists")).model
    last = ("shut(oak)", "take(crown,library)", "unlock(iron,brass)")
    plan = Plan((("force(oak)", "take(brass,hall)"), ("shut(iron)",), last))
    assert tidy(model, plan).steps == (("force(oak)",), ("shut(iron)",), ("take(crown,library)",))


WET = Variable(("wet", "dry"))
UP = Variable(("up", "down"))
KNOCK = Effect((0, 0)), Effect((1, 0), ((0, 0),))
TWICE = Task(
    (WET, UP),
    (1, 1),
    ((1, 0),),
    (Operator("rain", ((0, 1),), KNOCK), Operator("rain", ((1, 1),), KNOCK)),
)
"""Rain wets what is dry, and lifts what is wet already: an action that has two operators."""


@pytest.mark.parametrize("chosen", [(), ("happens(1,0)", "happens(1,1)"), ("happens(rain,1)",)])
def test_an_action_stands_as_often_in_a_step_as_the_goal_needs_it(chosen: tuple[str, ...]) -> None:
    plan = Plan((("rain",),), chosen=chosen)
    assert tidy(TaskModel(TWICE), plan).steps == (("rain", "rain"),)


def test_a_step_without_an_order_is_named() -> None:
    flags = (Variable(("x", "no x")), Variable(("y", "no y")))
    needs_x = Operator("left", ((0, 0),), (Effect((1, 1)),))
    needs_y = Operator("right", ((1, 0),), (Effect((0, 1)),))
    model = TaskModel(Task(flags, (0, 0), ((0, 1), (1, 1)), (needs_x, needs_y)))
    with pytest.raises(InvalidPlan, match="step 1: left, right: asplan finds no order"):
        tidy(model, Plan((("left", "right"),)))


def test_removing_needless_actions_keeps_the_meaning_of_a_step() -> None:
    """The second (shut) changes nothing; it may go, and the first may not go for it."""
    door, person = Variable(("open", "shut")), Variable(("in", "out"))
    shut = Operator("shut", (), (Effect((0, 1)),))
    leave = Operator("leave", (), (Effect((1, 1), ((0, 1),)),))
    model = TaskModel(Task((door, person), (0, 0), ((1, 1),), (shut, leave)))
    plan = Plan((("shut",), ("shut", "leave")))
    assert tidy(model, plan).steps == (("shut",), ("leave",))


def test_the_goal_holds_after_the_last_step_alone_where_an_order_allows_that() -> None:
    """Encodings of which the fewest steps depend on the order mean that one."""
    flags = (Variable(("x(0)", "x(1)", "x(2)")), Variable(("y", "no y")))
    one, three = (Operator(name, (), (Effect((0, 1)),)) for name in ("one", "three"))
    two = Operator("two", (), (Effect((0, 2)), Effect((1, 0))))
    model = TaskModel(Task(flags, (0, 1), ((0, 1), (1, 0)), (one, two, three)))
    plan = Plan((("two", "one"), ("three",)))
    assert tidy(model, plan).steps == (("two",), ("three",))
