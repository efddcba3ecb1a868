"""Tasks with numbers: random ones against the definition, and messages about them."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from clingo import parse_term
from hypothesis import given
from hypothesis import strategies as st
from naive import after, bindings, changes, task_of, truth
from random_tasks import numeric_task

from asplan.pddl.language import PddlSource, task_of_sources
from asplan.pddl.language.numbers import NumericModel, NumericState, model_of
from asplan.pddl.language.semantics import GroundAction, TextModel


@given(st.integers(0, 2**32))
def test_successors_agree_with_the_definition(seed: int) -> None:
    domain, problem = numeric_task(Random(seed))
    task = task_of_sources(PddlSource("d", domain), PddlSource("p", problem))
    model = NumericModel(task)
    static = {atom.ground() for atom in task.problem.initial} - model.initial
    states = [model.initial]
    for state in states:
        assert isinstance(state, NumericState)
        if len(states) > 12:
            break
        atoms, numbers = static | state, {**model.constants, **dict(state.values)}
        applying = list(model.actions(state))
        for action in task.domain.actions:
            for bound in bindings(task, action.parameters, {}):
                expected = None
                if truth(task, atoms, numbers, action.precondition, bound)[0]:
                    try:
                        done = list(changes(task, atoms, numbers, action.effect, bound))
                        expected = after(atoms, numbers, done)
                    except ArithmeticError:
                        pass
                instance = model.action(action.name.key, tuple(bound.values()))
                assert (instance in applying) == (expected is not None)
                assert (model.why_not(state, instance) is None) == (expected is not None)
                if expected is not None:
                    new = model.apply(state, instance)
                    assert isinstance(new, NumericState)
                    assert static | new == expected[0]
                    assert {**model.constants, **dict(new.values)} == expected[1]
                    if new not in states:
                        states.append(new)
        goal = truth(task, atoms, numbers, task.problem.goal, {})[0]
        assert model.is_goal(state) == goal
        assert (model.why_not_goal(state) is None) == goal


TANKS = """
(:predicates (open ?t)) (:functions (level ?t) (size ?t) (flow) (total-cost))
(:action fill :parameters (?t)
  :precondition (and (open ?t) (<= (+ (level ?t) (flow)) (size ?t)))
  :effect (and (increase (level ?t) (flow)) (increase (total-cost) (/ 1 3))))
(:action share :parameters (?a ?b)
  :precondition (not (= ?a ?b))
  :effect (and (assign (level ?a) (/ (+ (level ?a) (level ?b)) 2))
               (assign (level ?b) (/ (+ (level ?a) (level ?b)) 2))))
(:action both :parameters (?t) :effect (forall (?o) (assign (level ?t) (level ?o))))
(:action add :parameters (?t) :effect (forall (?o) (increase (level ?t) (level ?o))))
(:action through :parameters (?t) :effect (assign (level ?t) (/ 1 (level ?t))))
"""
TWO = """(:objects A B C) (:init (open a) (= (level a) 0) (= (level b) 1.5) (= (size a) 1)
(= (flow) 0.75)) (:goal (and (> (level a) 0.5) (not (>= (level a) (* 2 (size a))))))
(:metric minimize (+ (total-cost) (* 2 (level a))))"""


def tanks() -> NumericModel:
    model = model_of(task_of(TANKS, TWO))
    assert isinstance(model, NumericModel)
    return model


def done(model: NumericModel, *actions: str) -> NumericState:
    state = model.initial
    for text in actions:
        action = parsed(model, text)
        assert model.why_not(state, action) is None
        state = model.apply(state, action)
    assert isinstance(state, NumericState)
    return state


def parsed(model: NumericModel, text: str) -> GroundAction:
    return model.parse_action(parse_term(text))


@pytest.mark.parametrize(
    ("actions", "levels", "metric"),
    [
        ([], {"a": "0", "b": "3/2"}, "0"),
        (["fill(a)"], {"a": "3/4", "b": "3/2"}, "11/6"),
        (["share(a,b)"], {"a": "3/4", "b": "3/4"}, "3/2"),
        (["fill(a)", "share(b,a)"], {"a": "9/8", "b": "9/8"}, "31/12"),
    ],
)
def test_numbers_are_exact(actions: list[str], levels: dict[str, str], metric: str) -> None:
    model = tanks()
    state = done(model, *actions)
    values = dict(state.values)
    assert {t: values["level", t] for t in levels} == {t: Fraction(v) for t, v in levels.items()}
    assert model.worth(state) == Fraction(metric)


@pytest.mark.parametrize(
    ("before", "action", "why"),
    [
        ([], "fill(b)", "(open B) does not hold"),
        (["fill(a)"], "fill(a)", "(<= (+ (level A) (flow)) (size A)) does not hold: "
         "(level A) is 0.75 and (flow) is 0.75 and (size A) is 1"),
        ([], "share(a,c)", "(level C) has no value"),
        ([], "both(a)", "(level C) has no value"),
        ([], "add(b)", "(level C) has no value"),
        ([], "through(a)", "it divides by 0"),
        ([], "through(b)", None),
    ],
)  # fmt: skip
def test_why_an_action_does_not_apply(before: list[str], action: str, why: str | None) -> None:
    model = tanks()
    assert model.why_not(done(model, *before), parsed(model, action)) == why


def test_a_number_that_changes_in_two_ways() -> None:
    model = model_of(task_of(TANKS, TWO.replace("A B C", "A B")))
    assert isinstance(model, NumericModel)
    both, add = (parsed(model, text) for text in ("both(a)", "add(b)"))
    assert model.why_not(model.initial, both) == "it changes (level A) in two ways at once"
    assert dict(done(model, str(add)).values)["level", "b"] == 3


def test_the_goal_and_the_state_as_text() -> None:
    model = tanks()
    assert model.why_not_goal(model.initial) == ("(> (level A) 0.5) does not hold: (level A) is 0")
    state = done(model, "share(a,b)")
    assert model.why_not_goal(state) is None
    assert model.text(state) == "(= (level A) 0.75) (= (level B) 0.75) (= (total-cost) 0)"
    assert list(map(str, model.fluents(state))) == [
        "value(flow,\"3/4\")", "value(level(a),\"3/4\")", "value(level(b),\"3/4\")",
        "value(size(a),1)", "value(total_cost,0)", "open(a)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "more"),
    [
        ("", "", False),
        ("(:metric minimize (total-cost))", "(:metric maximize (total-cost))", True),
        ("(= (price a) 3)", "(= (price a) 2.5)", True),
        ("(= (price a) 3)", "(= (price a) 3.0)", False),
        ("(= (price a) 3)", "(= (price a) 4294967296)", True),
        ("(increase (total-cost) 1)", "(increase (total-cost) 1.5)", True),
        ("(increase (total-cost) 1)", "(when (p) (increase (total-cost) 1))", True),
        ("(increase (total-cost) 1)", "(increase (total-cost) 1) (increase (total-cost) 1)", True),
        ("(increase (total-cost) 1)", "(increase (price a) 1)", True),
        ("(:goal (p))", "(:goal (> (price a) 1))", True),
    ],
)
def test_numbers_besides_costs_are_refused(old: str, new: str, more: bool) -> None:
    domain = """(:constants a) (:predicates (p)) (:functions (price ?x) (total-cost))
    (:action go :effect (and (p) (increase (total-cost) 1)))
    (:action buy :parameters (?x) :effect (and (p) (increase (total-cost) (price ?x))))"""
    problem = """(:init (= (price a) 3)) (:goal (p)) (:metric minimize (total-cost))"""
    assert old in domain + problem
    task = task_of(domain.replace(old, new), problem.replace(old, new))
    assert (task.has_numbers, task.has_costs) == (more, not more)
    assert type(model_of(task)) is (NumericModel if more else TextModel)
