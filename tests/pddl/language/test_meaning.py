"""The meaning of tasks: cases worked out by hand, and the definition as an oracle."""

from __future__ import annotations

import re
from itertools import product

import pytest
from clingo import parse_term
from hypothesis import given
from hypothesis import strategies as st
from naive import task_of, true

from asplan.pddl.language.conditions import Normalizer
from asplan.pddl.language.queries import check_of, query_of
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.language.world import State


def after(model: TextModel, *actions: str) -> State:
    """The state after some actions, each of which applies."""
    state = model.initial
    for text in actions:
        action = model.parse_action(parse_term(text))
        assert model.why_not(state, action) is None
        state = model.apply(state, action)
    return state


def shown(model: TextModel, state: State) -> set[str]:
    return set(map(str, model.fluents(state)))


LAMPS = """
(:predicates (on ?l) (linked ?k ?l))
(:action press :parameters (?k)
  :effect (forall (?l) (when (linked ?k ?l)
    (and (when (on ?l) (not (on ?l))) (when (not (on ?l)) (on ?l))))))
(:action swap :parameters (?a ?b) :precondition (not (= ?a ?b))
  :effect (and (when (on ?a) (and (not (on ?a)) (on ?b)))
               (when (on ?b) (and (not (on ?b)) (on ?a)))))
(:action renew :parameters (?l) :effect (and (not (on ?l)) (on ?l)))
(:action nothing :effect ())
"""


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        (["press(k)"], "on(b)"),  # a toggles off, b on: both conditions read the state before
        (["press(k)", "press(k)"], "on(a)"),
        (["swap(a,b)"], "on(b)"),
        (["swap(a,b)", "swap(a,b)"], "on(a)"),
        (["renew(b)"], "on(a) on(b)"),  # what is deleted and added holds
        (["renew(a)"], "on(a)"),
        (["nothing"], "on(a)"),
        (["renew(b)", "swap(a,b)"], "on(a) on(b)"),  # each is deleted and added by the other
    ],
)
def test_conditional_effects_read_the_state_before(actions: list[str], expected: str) -> None:
    task = task_of(
        LAMPS, "(:objects k a b) (:init (on a) (linked k a) (linked k b)) (:goal (on b))"
    )
    model = TextModel(task)
    state = after(model, *actions)
    assert shown(model, state) == {*expected.split(), "linked(k,a)", "linked(k,b)"}
    assert model.is_goal(state) == ("on(b)" in expected)


PLACES = """
(:types box truck - thing thing place city)
(:constants Hub - place)
(:predicates (at ?x - (either box truck) ?p - place) (in ?p - place ?c - city) (seen))
(:action look :parameters (?c - city)
  :precondition (forall (?p - place)
    (imply (in ?p ?c) (exists (?x - (either box truck)) (at ?x ?p))))
  :effect (seen))
(:action move :parameters (?x - (either box truck) ?p ?q - place)
  :precondition (and (at ?x ?p) (or (= ?q hub) (not (exists (?y - thing) (at ?y ?q)))))
  :effect (and (not (at ?x ?p)) (at ?x ?q)))
"""
HALL = """(:objects B1 B2 - box T - truck North South - place Ulm Bern - city)
(:init (at b1 north) (at T south) (at b2 hub) (in north ulm) (in south ulm) (in hub bern))
(:goal (and (seen) (at b1 hub)))"""


@pytest.mark.parametrize(
    ("before", "action", "why"),
    [
        ([], "look(ulm)", None),
        ([], "look(bern)", None),
        (
            ["move(t,south,hub)"],
            "look(ulm)",
            "(exists (?x - (either box truck)) (at ?x South)) does not hold, although "
            "(in South Ulm) holds",
        ),
        ([], "move(b1,north,hub)", None),
        ([], "move(b1,south,hub)", "(at B1 South) does not hold"),
        (
            [],
            "move(b1,north,south)",
            "(or (= South Hub) (not (exists (?y - thing) (at ?y South)))) does not hold",
        ),
        (["move(t,south,hub)"], "move(b1,north,south)", None),
    ],
)
def test_the_part_that_does_not_hold(before: list[str], action: str, why: str | None) -> None:
    model = TextModel(task_of(PLACES, HALL))
    state = after(model, *before)
    chosen = model.parse_action(parse_term(action))
    assert model.why_not(state, chosen) == why
    assert (chosen in model.actions(state)) == (why is None)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("look", "(look) is not an action: look takes 1 argument, not 0"),
        ("look(ulm,bern)", "(look Ulm Bern) is not an action: look takes 1 argument, not 2"),
        ("look(hub)", "(look Hub): ?c is of type city, Hub is not"),
        ("move(ulm,hub,hub)", "(move Ulm Hub Hub): ?x is of type box or truck, Ulm is not"),
        ("look(uln)", "there is no object uln"),
        ("lok(ulm)", "there is no action lok; did you mean look?"),
        ("7", "7 is not an action"),
        ("-look(ulm)", "-look(ulm) is not an action"),
        ('look("ulm")', 'there is no object "ulm"'),
    ],
)
def test_terms_that_are_no_actions(action: str, message: str) -> None:
    model = TextModel(task_of(PLACES, HALL))
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        model.parse_action(parse_term(action))


def test_the_goal_and_the_state_as_text() -> None:
    model = TextModel(task_of(PLACES, HALL))
    assert model.why_not_goal(model.initial) == "(seen) does not hold"
    assert model.text(model.initial) == "(at B1 North) (at B2 Hub) (at T South)"
    end = after(model, "look(ulm)", "move(b1,north,hub)")
    assert model.why_not_goal(end) is None
    assert model.is_goal(end)
    assert "in(hub,bern)" in shown(model, end)


ROADS = """
(:predicates (road ?a ?b) (blocked ?a ?b) (reach ?a ?b) (apart ?a ?b) (alone ?a))
(:derived (reach ?a ?b) (or (and (road ?a ?b) (not (blocked ?a ?b)))
                            (exists (?c) (and (reach ?a ?c) (reach ?c ?b)))))
(:derived (apart ?a ?b) (and (not (reach ?a ?b)) (not (reach ?b ?a)) (not (= ?a ?b))))
(:derived (alone ?a) (forall (?b) (or (= ?a ?b) (apart ?a ?b))))
(:action block :parameters (?a ?b) :precondition (reach ?a ?b) :effect (blocked ?a ?b))
"""


def test_derived_predicates_follow_the_state() -> None:
    task = task_of(
        ROADS,
        "(:objects a b c) (:init (road a b) (road b c)) (:goal (and (alone a) (reach b c)))",
    )
    model = TextModel(task)
    roads = {"road(a,b)", "road(b,c)"}
    assert shown(model, model.initial) == roads | {"reach(a,b)", "reach(b,c)", "reach(a,c)"}
    state = after(model, "block(a,b)")
    apart = {f"apart({x},{y})" for x, y in ["ab", "ba", "ac", "ca"]}
    assert shown(model, state) == roads | apart | {"blocked(a,b)", "reach(b,c)", "alone(a)"}
    assert model.is_goal(state)
    again = model.parse_action(parse_term("block(a,b)"))
    assert model.why_not(state, again) == "(reach a b) does not hold"


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))), st.booleans())
def test_a_recursive_rule_derives_the_closure(edges: set[tuple[int, int]], doubled: bool) -> None:
    step = "(reach ?a ?c) (reach ?c ?b)" if doubled else "(road ?a ?c) (reach ?c ?b)"
    rules = f"""(:predicates (road ?a ?b) (reach ?a ?b))
        (:derived (reach ?a ?b) (or (road ?a ?b) (exists (?c) (and {step}))))"""
    facts = " ".join(f"(road n{a} n{b})" for a, b in edges)
    objects = " ".join(f"n{n}" for n in range(6))
    model = TextModel(task_of(rules, f"(:objects {objects}) (:init {facts}) (:goal ())"))
    closure = set(edges)
    while more := {(a, d) for a, b in closure for c, d in closure if b == c} - closure:
        closure |= more
    derived = model.world(model.initial).derived["reach"].rows
    assert derived == {(f"n{a}", f"n{b}") for a, b in closure}


COSTS = """
(:predicates (at ?x))
(:functions (total-cost) - number (distance ?a ?b) - number)
(:action go :parameters (?a ?b) :precondition (at ?a)
  :effect (and (not (at ?a)) (at ?b) (increase (total-cost) (distance ?a ?b))))
(:action jump :parameters (?a ?b) :precondition (at ?a)
  :effect (and (not (at ?a)) (at ?b) (increase (total-cost) 9)))
(:action stay :effect ())
"""
START = "(:objects a b) (:init (at a) (= (total-cost) 0) (= (distance a b) 4)) (:goal (at b))"


def test_a_rule_that_never_applies() -> None:
    rules = "(:predicates (p) (q)) (:derived (p) (or)) (:derived (q) (not (p)))"
    model = TextModel(task_of(rules, "(:init) (:goal (and (q) (not (p))))"))
    assert model.is_goal(model.initial)


def test_costs() -> None:
    model = TextModel(task_of(COSTS, f"{START} (:metric minimize (total-cost))"))
    costs = {str(a): model.cost(model.initial, a) for a in model.actions(model.initial)}
    assert costs == {"go(a,b)": 4, "jump(a,a)": 9, "jump(a,b)": 9, "stay": 0}
    away = model.parse_action(parse_term("go(a,a)"))
    assert model.why_not(model.initial, away) == "(distance a a) has no value, so it has no cost"
    assert model.initial == {("at", "a")}


def test_costs_that_are_not_minimized() -> None:
    model = TextModel(task_of(COSTS, START))
    costs = {str(a): model.cost(model.initial, a) for a in model.actions(model.initial)}
    assert costs == {"go(a,a)": 1, "go(a,b)": 1, "jump(a,a)": 1, "jump(a,b)": 1, "stay": 1}


VARIABLES = ["?x", "?y", "?z"]
TERMS = st.sampled_from([*VARIABLES, "a", "c"])


def _quantified(bodies: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    types = st.sampled_from(["", " - s", " - (either s t)"])
    words = st.sampled_from(["exists", "forall"])
    variables = st.lists(st.sampled_from(VARIABLES), min_size=1, max_size=2, unique=True)
    return st.builds(
        lambda word, names, kind, body: f"({word} ({' '.join(names)}{kind}) {body})",
        words, variables, types, bodies,
    )  # fmt: skip


def _joined(word: str, bodies: st.SearchStrategy[str], size: int) -> st.SearchStrategy[str]:
    lists = st.lists(bodies, max_size=3) if size == 0 else st.lists(
        bodies, min_size=size, max_size=size
    )  # fmt: skip
    return lists.map(lambda parts: f"({word} {' '.join(parts)})")


CONDITIONS = st.recursive(
    st.one_of(
        st.builds("(p {} {})".format, TERMS, TERMS),
        st.builds("(q {})".format, TERMS),
        st.builds("(= {} {})".format, TERMS, TERMS),
    ),
    lambda bodies: st.one_of(
        _joined("and", bodies, 0),
        _joined("or", bodies, 0),
        _joined("not", bodies, 1),
        _joined("imply", bodies, 2),
        _quantified(bodies),
    ),
    max_leaves=12,
)
NAMES = ["a", "b", "c", "d"]
STATES = st.builds(
    lambda pairs, ones: {("p", *pair) for pair in pairs} | {("q", one) for one in ones},
    st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES))),
    st.sets(st.sampled_from(NAMES)),
)


def _task(condition: str, state: set[tuple[str, ...]]) -> TaskText:
    """One action with the condition; both predicates are changed by another one."""
    return task_of(
        f"""(:types s t) (:constants a b - s c - t) (:predicates (p ?x ?y) (q ?x))
        (:action test :parameters (?x - s ?y ?z - (either s t)) :precondition {condition}
         :effect (forall (?w) (when {condition} (q ?w))))
        (:action change :parameters (?x ?y) :effect (and (p ?x ?y)))""",
        f"(:objects d) (:init {' '.join(f'({chr(32).join(a)})' for a in sorted(state))}) "
        "(:goal (and))",
    )


@given(CONDITIONS, STATES)
def test_conditions_agree_with_the_definition(condition: str, state: set[tuple[str, ...]]) -> None:
    task = _task(condition, state)
    model = TextModel(task)
    test, _ = task.domain.actions
    keys = [typed.name.key for typed in test.parameters]
    expected = {
        row
        for row in product("ab", "abc", "abc")
        if true(task, state, test.precondition, dict(zip(keys, row, strict=True)))
    }
    actions = [action for action in model.actions(model.initial) if action.name == "test"]
    assert [action.arguments for action in actions] == sorted(expected)
    for row in product("ab", "abc", "abc"):
        action = model.action("test", row)
        assert (model.why_not(model.initial, action) is None) == (row in expected)
        if row in expected:
            everything = {("q", name) for name in NAMES}
            assert model.apply(model.initial, action) == frozenset(state) | everything


@given(CONDITIONS, STATES)
def test_a_condition_can_be_tested_and_searched(
    condition: str, state: set[tuple[str, ...]]
) -> None:
    task = _task(condition, state)
    normalizer = Normalizer(task)
    action = task.domain.actions[0]
    world = TextModel(task).world(frozenset(state))
    bound, ranges = normalizer.bind(action.parameters, {})
    normal = normalizer.condition(action.precondition, bound)
    names = [name for name, _ in ranges]
    found = {tuple(b[name] for name in names) for b in query_of(ranges, normal)({}, world)}
    tested = {
        row
        for row in product(*(objects for _, objects in ranges))
        if check_of(normal)(dict(zip(names, row, strict=True)), world)
    }
    assert found == tested
