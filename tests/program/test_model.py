"""Tests of the model of a program: its rules by kind, and the places and times of literals."""

import pytest

from asplan.program.model.program import Kind, Literal, TemporalProgram, TemporalRule
from asplan.program.reading.source import parse_text
from asplan.program.reading.unit import unit_of_text


def model_of(text: str) -> TemporalProgram:
    return TemporalProgram.of_sections(unit_of_text(text).sections)


def rule_of(text: str) -> TemporalRule:
    (_, statement) = parse_text(text)
    return TemporalRule(statement)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("p(1).", Kind.FACT),
        ("p(X) :- q(X).", Kind.RULE),
        ("{ p(X) } :- q(X).", Kind.CHOICE),
        ("p; q.", Kind.CHOICE),
        (":- p.", Kind.CONSTRAINT),
        ("not p :- q.", Kind.CONSTRAINT),
        ("X < 3 :- p(X).", Kind.CONSTRAINT),
        ("#external p(X) : q(X).", Kind.EXTERNAL),
        ("#show p(X) : q(X).", Kind.SHOW),
        ("#minimize { X : p(X) }.", Kind.MINIMIZE),
        ("#edge (X,Y) : p(X,Y).", Kind.EDGE),
        ("#heuristic p : q. [1, true]", Kind.HEURISTIC),
        ("#project p : q.", Kind.PROJECT),
        ("#const n = 3.", Kind.OTHER),
    ],
)
def test_a_statement_has_a_kind(text: str, kind: Kind) -> None:
    assert rule_of(text).kind is kind


def in_words(literal: Literal) -> str:
    signs = "not " * literal.sign
    return f"{literal.where.value} {signs}{literal.atom}"


@pytest.mark.parametrize(
    ("text", "literals"),
    [
        ("p :- q, not r, not not s.", ["head p", "body q", "body not r", "body not not s"]),
        ("{ p : not q } :- r.", ["head p", "body r", "condition not q"]),
        ("p :- q : not r.", ["head p", "element q", "element not r"]),
        ("p :- 1 { q : r }.", ["head p", "element q", "element r"]),
        ("p :- not #sum { X : q(X) } > 3.", ["head p", "element q(X)"]),
        ("not p :- q.", ["body q", "condition not p"]),
        ("p(1;2) :- q.", ["head p(1)", "head p(2)", "body q"]),
        ("#heuristic p : q. [1, true]", ["body q", "condition p"]),
    ],
)
def test_a_literal_knows_where_it_stands(text: str, literals: list[str]) -> None:
    assert [in_words(literal) for literal in rule_of(text).literals] == literals


def test_an_element_knows_the_sign_around_it() -> None:
    (literal,) = rule_of(":- not #count { X : not p(X) } > 3.").reads
    assert (literal.sign, literal.outer_sign, literal.is_denied) == (1, 1, True)
    (literal,) = rule_of(":- #count { X : not p(X) } > 3.").reads
    assert (literal.sign, literal.outer_sign, literal.is_denied) == (1, 0, False)


def test_a_condition_of_a_theory_atom_is_read() -> None:
    text = """
    #theory t { v { + : 1, binary, left }; &sum/0 : v, {<=}, v, head }.
    &sum { 1 : cost(X) } <= 3 :- q.
    """
    rule = model_of(text).rules[-1]
    assert rule.kind is Kind.THEORY
    assert {literal.key[1] for literal in rule.reads} == {"q", "cost"}


def test_a_literal_has_the_distance_of_its_times() -> None:
    model = model_of("#program step(t). at(X,t) :- at(X,t-1), go(X,3,t+2).")
    at, before, go = model.rules[0].literals
    assert at.all_shifts == [None, 0]
    assert before.all_shifts == [None, -1]
    assert go.all_shifts == [None, None, 2]
    assert before.is_earlier(1)
    assert not at.is_earlier(1)


def test_the_time_of_a_predicate_is_its_most_frequent_one() -> None:
    model = model_of("#program step(t). p(t,0) :- p(t-1,t), p(0,t). p(t,1) :- q.")
    assert model.places == {("", "p", 2): 0}
    assert model.derived_shifts(("", "p", 2), 0) == {0}
