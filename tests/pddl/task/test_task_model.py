"""The model of a task against the plain meaning of tasks."""

from __future__ import annotations

import pytest
from clingo import parse_term
from hypothesis import given, settings
from small_tasks import Oracle, Values, tasks

from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.task import NONE, Axiom, Effect, Operator, Task, Variable
from conftest import examples


def values(model: TaskModel, state: int) -> Values:
    """A state of the model as one of the oracle."""
    return tuple(value for _, value in model.facts(model.complete(state)))


@settings(max_examples=examples(300), deadline=None)
@given(tasks())
def test_the_model_agrees_with_the_task(task: Task) -> None:
    model, oracle = TaskModel(task), Oracle(task)
    seen, new = {model.initial}, [model.initial]
    while new:
        state = new.pop()
        meant = values(model, state)
        steps = oracle.steps(meant)
        actions, following = model.actions(state), model.successors(state)
        assert actions == [operator.action for operator, _ in steps]
        assert [values(model, after) for after in following] == [after for _, after in steps]
        assert [model.apply(state, action) for action in actions] == following
        costs = [operator.cost for operator, _ in steps]
        assert model.priced_successors(state) == list(zip(following, costs, strict=True))
        assert [model.cost(state, action) for action in actions] == costs
        assert model.is_goal(state) == oracle.is_goal(meant)
        for operator in task.operators:
            applies = model.why_not(state, operator.action) is None
            assert applies == (operator.action in actions)
        atoms = {task.variables[v].values[d] for v, d in enumerate(meant)} - {NONE}
        assert set(map(str, model.fluents(state))) == atoms
        assert set(model.text(state).split()) == atoms
        fresh = set(following) - seen
        seen |= fresh
        new += fresh
    assert {values(model, state) for state in seen} == set(oracle.states())


@settings(max_examples=examples(200), deadline=None)
@given(tasks())
def test_unsolvable_problems_have_no_plan(task: Task) -> None:
    oracle = Oracle(task)
    if TaskModel(task).unsolvable() is not None:
        assert not any(map(oracle.is_goal, oracle.states()))


ROOM = Variable(("at(a)", "at(b)"))
LAMP = Variable(("lit(lamp)", NONE))
DARK = Variable(("dark", NONE), layer=0)


def room(*operators: Operator, goal: tuple[tuple[int, int], ...] = ((1, 0),)) -> TaskModel:
    """A robot at a, a lamp that is off; it is dark while the lamp is off."""
    return TaskModel(
        Task(
            variables=(ROOM, LAMP, DARK),
            initial=(0, 1, 1),
            goal=goal,
            operators=operators,
            axioms=(Axiom((2, 0), ((1, 1),)),),
            static=("door(a,b)",),
        )
    )


SWITCH = Operator("switch", ((0, 1), (2, 0)), (Effect((1, 0)),))
GO = Operator("go(a,b)", ((0, 0),), (Effect((0, 1)),))
READ = Operator("read", ((2, 1),), ())
"""Needs a light: it must not be dark."""


def test_why_not_names_the_atom() -> None:
    model = room(SWITCH, GO, READ)
    assert model.why_not(model.initial, "switch") == "at(b) does not hold, but at(a)"
    assert model.why_not(model.initial, "read") == "dark holds"
    there = model.apply(model.initial, "go(a,b)")
    lit = model.apply(there, "switch")
    assert model.why_not(lit, "read") is None
    assert model.why_not(lit, "switch") == "dark does not hold"


def test_a_state_as_text_and_as_terms() -> None:
    model = room(SWITCH, GO)
    assert model.text(model.initial) == "at(a)\ndark"
    assert list(map(str, model.fluents(model.initial))) == ["at(a)", "dark", "door(a,b)"]


def test_long_lines_are_broken() -> None:
    variables = tuple(Variable((f"at(package{index})", NONE)) for index in range(9))
    text = TaskModel(Task(variables, (0,) * 9, (), ())).text(0)
    assert [len(line.split()) for line in text.splitlines()] == [5, 4]
    assert max(map(len, text.splitlines())) <= 76


def test_several_operators_are_one_action() -> None:
    """Its condition is a disjunction; where both hold the action still applies only once."""
    here = Operator("wave", ((0, 0),), (Effect((1, 0)),), cost=2)
    dark = Operator("wave", ((2, 0),), (Effect((1, 0)),), cost=2)
    model = room(here, GO, dark)
    assert model.actions(model.initial) == ["wave", "go(a,b)"]
    assert len(model.successors(model.initial)) == len(model.priced_successors(model.initial)) == 2
    there = model.apply(model.initial, "go(a,b)")
    assert model.actions(there) == ["wave"]
    lit = model.apply(there, "wave")
    assert model.cost(there, "wave") == 2
    assert model.why_not(lit, "wave") == "at(a) does not hold, but at(b)"


def test_conditions_are_read_in_the_state_before() -> None:
    swap = Operator(
        "swap",
        (),
        (Effect((0, 1), ((0, 0),)), Effect((1, 0), ((0, 0),)), Effect((1, 1), ((0, 1),))),
    )
    model = room(swap)
    after = model.apply(model.initial, "swap")
    assert model.text(after) == "at(b)\nlit(lamp)"


@pytest.mark.parametrize(
    ("term", "message"),
    [
        ("go(b,a)", "go(b,a) is not an action of this task, or can never apply"),
        ("7", "7 is not an action of this task, or can never apply"),
    ],
)
def test_other_predicates_are_no_actions(term: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        room(GO).parse_action(parse_term(term))
    assert str(caught.value) == message


def test_parsed_actions() -> None:
    assert room(GO).parse_action(parse_term("go(a,b)")) == "go(a,b)"


def test_why_there_is_no_plan() -> None:
    assert room(GO).unsolvable() == ("lit(lamp) can never hold, even if no action deleted anything")
    assert room(GO, SWITCH).unsolvable() is None
    assert room(GO, goal=((0, 0), (0, 1))).unsolvable() == (
        "the goal contradicts itself: it requires two values of one variable"
    )
