"""Random problems have the same meaning for unified-planning's simulator and as PDDL text."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("unified_planning")

from hypothesis import given, settings
from hypothesis import strategies as st
from unified_planning.engines import UPSequentialSimulator
from unified_planning.exceptions import UPConflictingEffectsException
from unified_planning.model import FNode
from unified_planning.plans import ActionInstance
from unified_planning.shortcuts import (
    FALSE,
    TRUE,
    And,
    BoolType,
    Equals,
    Exists,
    Fluent,
    Forall,
    Iff,
    Implies,
    InstantaneousAction,
    Not,
    ObjectExp,
    Or,
    Problem,
    UserType,
    Variable,
)

from asplan.problem import Inputs, load_source
from asplan.up.naming import PddlNaming
from asplan.up.questions import words_of
from asplan.up.writing import to_pddl

THING = UserType("Thing")
BOX = UserType("box", THING)
MARK = Fluent("Mark", BoolType(), x=THING)
LINK = Fluent("mark", BoolType(), x=THING, y=BOX)
FLAG = Fluent("not", BoolType())
SOME = Variable("x", BOX)


def terms(draw: Any, words: list[Any], kind: Any) -> Any:
    """A word of some type."""
    return draw(st.sampled_from([w for w in words if w.type == kind or kind == THING]))


def atom(draw: Any, words: list[Any]) -> FNode:
    fluent = draw(st.sampled_from([MARK, LINK, FLAG]))
    return fluent(*(terms(draw, words, p.type) for p in fluent.signature))


def formula(draw: Any, words: list[Any], depth: int = 2) -> FNode:
    """A condition over some words."""
    kind = draw(st.integers(0, 9 if depth else 2))
    if kind <= 1:
        return atom(draw, words)
    if kind == 2:
        return draw(st.sampled_from([TRUE(), FALSE(), Equals(words[0], words[-1])]))
    if kind == 3:
        return Not(formula(draw, words, depth - 1))
    if kind in (4, 5):
        quantifier = Exists if kind == 4 else Forall
        return quantifier(formula(draw, [*words, SOME], depth - 1), SOME)
    connective = [And, Or, Implies, Iff][kind - 6]
    return connective(formula(draw, words, depth - 1), formula(draw, words, depth - 1))


@st.composite
def problems(draw: Any) -> Problem:
    problem = Problem("p")
    for fluent in (MARK, LINK, FLAG):
        problem.add_fluent(fluent, default_initial_value=draw(st.booleans()))
    objects = [
        problem.add_object("1", THING),
        problem.add_object("A", BOX),
        problem.add_object("a", BOX),
    ]
    for _ in range(draw(st.integers(0, 2))):
        problem.set_initial_value(atom(draw, objects), draw(st.booleans()))
    for name in ("Go", "go"):
        action = InstantaneousAction(name, x=BOX, X=THING)
        words = [*action.parameters, *objects]
        if draw(st.booleans()):
            action.add_precondition(formula(draw, words))
        for _ in range(draw(st.integers(1, 3))):
            scope, forall = (words, []) if draw(st.booleans()) else ([*words, SOME], [SOME])
            condition = formula(draw, scope, 1) if draw(st.booleans()) else TRUE()
            value = draw(st.sampled_from([TRUE(), FALSE(), FLAG(), Not(FLAG())]))
            with suppress(UPConflictingEffectsException):
                action.add_effect(atom(draw, scope), value, condition, forall=forall)
        problem.add_action(action)
    problem.add_goal(formula(draw, objects))
    return problem


def read(problem: Problem) -> tuple[Any, PddlNaming]:
    """Read the PDDL text of a problem; return its model and its names."""
    text = to_pddl(problem)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "domain.pddl", Path(folder) / "problem.pddl"]
        files[0].write_text(text.domain)
        files[1].write_text(text.problem)
        source = load_source(Inputs(tuple(map(str, files))))
    assert source is not None
    return source.referee, text.names


A, B = Fluent("a"), Fluent("b")


@pytest.mark.parametrize("form", [And, Or, Implies, Iff, lambda a, b: Not(And(a, Not(b)))])
@pytest.mark.parametrize("values", list(product([False, True], repeat=2)), ids=str)
def test_a_connective_keeps_its_truth_table(form: Any, values: tuple[bool, bool]) -> None:
    problem = Problem("table")
    for fluent, value in zip((A, B), values, strict=True):
        problem.add_fluent(fluent, default_initial_value=value)
    problem.add_goal(form(A, B))
    model, _ = read(problem)
    simulator = UPSequentialSimulator(problem)
    assert model.is_goal(model.initial) == simulator.is_goal(simulator.get_initial_state())


def holding(problem: Problem, state: Any, model: Any, names: PddlNaming) -> set[str]:
    """The atoms that are true in a state of the simulator, as asplan calls them."""
    return {
        model.names.atom(names.names[f], [names.names[o] for o in objects])
        for f in problem.fluents
        for objects in product(*(problem.objects(p.type) for p in f.signature))
        if state.get_value(f(*objects)).is_true()
    }


@settings(max_examples=40, deadline=None)
@given(problem=problems())
def test_text_and_problem_have_the_same_states_and_actions(problem: Problem) -> None:
    model, names = read(problem)
    simulator = UPSequentialSimulator(problem)
    instances = [
        ActionInstance(action, (ObjectExp(one), ObjectExp(other)))
        for action in problem.actions
        for one in problem.objects(BOX)
        for other in problem.objects(THING)
    ]
    layer = [(simulator.get_initial_state(), model.initial)]
    for _ in range(2):
        following = []
        for state, other in layer[:4]:
            assert simulator.is_goal(state) == model.is_goal(other)
            assert holding(problem, state, model, names) == set(map(str, model.fluents(other)))
            for instance in instances:
                word, *words = words_of(instance, names)
                action = model.action(word, tuple(words))
                applies = simulator.is_applicable(state, instance)
                assert applies == (model.why_not(other, action) is None), str(instance)
                if applies:
                    after = simulator.apply(state, instance)
                    following.append((after, model.apply(other, action)))
        layer = following
