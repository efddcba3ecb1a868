"""Invariants: they hold in every state, and keep all answers."""

from __future__ import annotations

import pytest

import asplan
from asplan.program.composition import compose
from asplan.program.reading.unit import unit_of_text
from asplan.statespace.invariants import TIME, find_invariants, with_invariants
from asplan.statespace.step import open_step

VAN = """
place(1..3). at(0,van,1). at(0,P,1) :- P = (letter;box).
#program step(t).
{ occurs(go(X),t) : place(X) ; occurs(load(P),t) : at(t-1,P,X), P != van } = 1.
at(t,van,X) :- occurs(go(X),t).
at(t,P,inside) :- occurs(load(P),t).
:- occurs(load(P),t), at(t-1,P,X), not at(t-1,van,X).
gone(t,van) :- occurs(go(_),t).
gone(t,P) :- occurs(load(P),t).
at(t,P,X) :- at(t-1,P,X), not gone(t,P).
#program check(t).
:- query(t), at(t,box,1).
"""


def lemmas_of(text: str) -> set[str]:
    """The constraints that are added to a program, with the time t."""
    program = compose([unit_of_text(text)], {})
    after = with_invariants(program, {})
    assert after.sections[: len(program.sections)] == program.sections
    more = after.sections[len(program.sections) :]
    return {str(rule).replace(TIME, "t") for section in more for rule in section.statements}


def test_a_thing_is_in_one_place() -> None:
    assert lemmas_of(VAN) == {
        "#false :- 2 <= { at(t,van,1); at(t,van,2); at(t,van,3) }.",
        "#false :- 2 <= { at(t,letter,1); at(t,letter,inside) }.",
        "#false :- 2 <= { at(t,box,1); at(t,box,inside) }.",
    }


def test_too_many_initial_states_give_no_invariants() -> None:
    text = "{ p(0,1..40) }. #program step(t). p(t,X) :- p(t-1,X)."
    assert lemmas_of(text) == set()


def test_groups_that_steps_break_are_no_invariants() -> None:
    assert lemmas_of(VAN.replace(", not gone(t,P)", "")) == set()


def test_a_classical_negation_keeps_its_sign() -> None:
    text = "-off(0,1). #program step(t). 1 { -off(t,1..3) } 1."
    text += " p(t) :- -off(t-1,1). p(t) :- -off(t-1,2)."
    assert lemmas_of(text) == {"#false :- 2 <= { -off(t,1); -off(t,2); -off(t,3) }."}


def test_choices_in_base_have_no_time() -> None:
    lemmas = lemmas_of(
        "1 { kind(a;b) } 1. p(0,1). #program step(t). 1 { p(t,1..2) } 1. q(t) :- p(t-1,2), kind(a)."
        " q(t) :- p(t-1,1), kind(b)."
    )
    assert lemmas == {"#false :- 2 <= { p(t,1); p(t,2) }."}


def test_an_object_may_have_the_name_of_the_time() -> None:
    text = "p(0,t). #program step(k). 1 { p(k,(t;k1)) } 1. q(k) :- p(k-1,t). q(k) :- p(k-1,k1)."
    program = with_invariants(compose([unit_of_text(text)], {}), {})
    assert str(program.sections[-1].statements[0]) == (
        "#false :- 2 <= { p(asplan__t,t); p(asplan__t,k1) }."
    )


def test_a_search_that_takes_long_finds_none() -> None:
    step = open_step(compose([unit_of_text(VAN)], {}), {})
    assert find_invariants(step, conflicts=0) == []
    assert len(find_invariants(step)) > 3


@pytest.mark.parametrize("engine", ["asp", "sat"])
@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        *((name, None) for name in ("sussman", "balls_4", "towers4", "three_and_five", "seven")),
        *((name, None) for name in ("five_packages", "nine_vertices", "market", "six_robots")),
        *((name, "origin") for name in ("two_cars", "sample01", "walls", "unsolvable")),
        ("sample01", None),
        *((name, "block_tuple") for name in ("two_cars", "sample01")),
    ],
)
def test_lengths_stay_the_same(name: str, encoding: str | None, engine: str) -> None:
    plain = asplan.solve(name, encoding=encoding, max_horizon=9)
    known = asplan.solve(name, encoding=encoding, max_horizon=9, engine=engine, lemmas=True)
    assert (known.outcome, known.horizon) == (plain.outcome, plain.horizon)
    assert known.lower_bound == plain.lower_bound
