"""Derivations against clingo: each is made of ground instances that hold, and has a beginning."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from clingo import Control
from hypothesis import given, settings
from hypothesis import strategies as st

import asplan
from asplan.explaining.derivation import find_answer, find_derivation
from asplan.explaining.explanation import Support
from asplan.explaining.question import open_question
from asplan.explaining.states import explain_states
from asplan.problem import Inputs, load
from asplan.program.incremental import with_query

RULES = (
    "p(1,t).",
    "p(X,t) :- d(X), not q(X,t).",
    "p(X,t) :- q(X,t), X < 3.",
    "p(X+1,t) :- p(X,t), X < 3.",
    "q(X,t) :- p(X,t), occurs(a(X),t).",
    "q(X,t) :- q(X,t-1), not r(X,t).",
    "q(Y,t) :- q(X,t), p(Y,t), X != Y.",
    "r(X,t) :- d(X), 2 <= #count { Y : p(Y,t); Z : q(Z,t), Z > X }.",
    "r(N,t) :- N = #sum { Y : occurs(a(Y),t) }.",
    "r(X,t) :- d(X), p(X,t-1), q(_,t).",
    "r(X,t) :- d(X), #max { Y : q(Y,t) } <= X.",
    "p(X,t) :- d(X), 2 { r(Y,t) : d(Y) }.",
    "s(t) :- q(X,t) : d(X), X < 3.",
    "s(t) :- p(X,t) : r(X,t), X > 1.",
    "p(X,t) :- d(X), s(t), not not r(X,t).",
    "q(X,t) :- d(X), 1 <= #count { Y : r(Y,t) }, not s(t-1).",
    "{ r(X,t) : d(X), X > 1 } :- s(t).",
    "r(1,t) :- 3 <= #sum { Y,Z : p(Y,t), d(Z), not q(Z,t) }.",
    "p(2,t) :- r(X,t), q(Y,t), not s(t), X+Y = 3.",
)
START = "d(1..3). q(2,0). p(3,0). #program step(t). { occurs(a(X),t) : d(X) }.\n"
STEPS = 2


def holds(one: Support, facts: list[str]) -> bool:
    """Return whether clingo finds the body of a rule instance true for some facts."""
    assert one.rule is not None
    head, _, body = one.rule.text.removesuffix(".").partition(":-")
    if one.kind == "chosen":  # the element that is meant; what it asks for is checked with it
        inside = head.strip().removeprefix("{").removesuffix("}").strip()
        head, _, condition = inside.partition(":")
        body = ",".join(filter(str.strip, [condition, body.replace(";", ",")]))
    step = re.search(r"(\d+)\)$", one.atom)
    assert step is not None
    values = {**dict(one.values), "t": step[1]}
    ground = f"found({head}) :- {body or '#true'}, now(t)."
    text = re.sub(r"\b[A-Zt]\b", lambda name: values.get(name[0], name[0]), ground)
    control = Control(["--warn=none"])
    given = " ".join(f"{fact}." for fact in facts)
    control.add("base", [], f"{text} now({step[1]}). d(1..3). {given} #defined found/1.")
    control.ground([("base", [])])
    return f"found({one.atom})" in {str(atom.symbol) for atom in control.symbolic_atoms}


@settings(max_examples=40)
@given(st.sets(st.sampled_from(RULES), min_size=3).map(sorted))
def test_a_derivation_is_made_of_true_instances_and_has_a_beginning(rules: list[str]) -> None:
    problem = load(Inputs(text=START + "\n".join(rules)))
    question = open_question(with_query(problem.program), {})
    question.ground(STEPS)
    answer = find_answer(question, None)
    if answer is None:
        return
    true = {str(atom): atom for atom in answer.atoms}
    found = find_derivation(answer, answer.atoms)
    assert found.supports.keys() == true.keys()
    for one in found.supports.values():
        assert {*one.body} <= true.keys()
        assert true.keys().isdisjoint(one.absent)
        assert found.nearest.keys() >= {*one.absent}
        if one.kind in ("derived", "chosen"):
            assert holds(one, [*true])
            assert holds(one, [*one.body])  # not less than it rests on
        else:
            assert one.kind == ("demanded" if one.atom == f"query({STEPS})" else "fact")
    order = TopologicalSorter({one.atom: one.body for one in found.supports.values()})
    assert len([*order.static_order()]) == len(true)  # no cycle


def test_of_several_derivations_the_lowest_is_taken() -> None:
    text = START + "f(1,t). f(X+1,t) :- f(X,t), X < 9. g(t) :- f(9,t). g(t) :- occurs(a(X),t), X>0."
    question = open_question(
        with_query(load(Inputs(text=text + ":- not occurs(a(1),t).")).program), {}
    )
    question.ground(1)
    answer = find_answer(question, None)
    assert answer is not None
    goal = next(atom for atom in answer.atoms if str(atom) == "g(1)")
    support = find_derivation(answer, [goal]).supports["g(1)"]
    assert [name.startswith("occurs") for name in support.body] == [True]


def test_omitted_rows_are_counted() -> None:
    question = open_question(with_query(load(Inputs(text=START)).program), {})
    question.ground(1)
    answer = find_answer(question, None)
    assert answer is not None
    found = find_derivation(answer, sorted(answer.atoms), most=2)
    assert (len(found.supports), found.left_out) == (2, len(answer.atoms) - 2)


PROGRAMS = Path(__file__).parents[1] / "engines" / "asp" / "programs"


@pytest.mark.parametrize(
    ("name", "fluents", "actions"),
    [
        ("show_negated", 0, 0),
        ("show_terms", 0, 0),
        ("strings_and_tuples", 11, 2),
        ("time_first_middle_nested", 4, 1),
        ("recursion_within_a_step", 12, 2),
    ],
)
def test_all_that_a_page_shows_is_derived(name: str, fluents: int, actions: int) -> None:
    result = asplan.solve(PROGRAMS / f"{name}.lp", max_horizon=12)
    assert result.trajectory is not None
    states = result.trajectory.states
    found = explain_states(Inputs(result.files), result, states)
    true = {name for name, *_ in found["true"]}
    parts = found["fluents"]
    shown = [parts[f][0] + str(t) + parts[f][1] for t, state in enumerate(states) for f in state]
    happens = [atom for atoms in found["actions"] for atom in atoms]
    assert (len(shown), len(happens)) == (fluents, actions)
    assert true >= {*shown, *happens}
