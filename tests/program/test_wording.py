"""Quotations of statements: in the words of their author."""

from __future__ import annotations

import pytest

import asplan
from asplan.problem import Inputs, load
from asplan.program.reading.source import parse_text
from asplan.program.syntax.wording import plain_text

WRITTEN = [  # with clingo's order, where that is another one
    (":- at(X,t-1), not door(X,Y), go(Y,t).", ""),
    ("level((L+1)*2,t) :- level(L,t-1), L < 2*(n-1).", ""),
    ("pair((a,b),(a,),1..3) :- X = 1..n-1, p(X).", ""),
    ("{ go(X,t): room(X) } = 1.", ""),
    (":- #sum { X+1,Y: at(X,Y) } > 3+n.", ":- 3+n < #sum { X+1,Y: at(X,Y) }."),
    ('say("((a))",f((X-1)*2)) :- p(X).', ""),
    ("p(-(X+1)) :- q(X,|X-1|).", ""),
    (":- .", ""),
]


@pytest.mark.parametrize(("text", "said"), WRITTEN)
def test_a_statement_reads_as_it_was_written(text: str, said: str) -> None:
    assert plain_text(parse_text(text)[1]) == (said or text)


def test_an_explanation_of_a_text_quotes_a_constraint_without_a_head() -> None:
    text = "on(1,0). #program step(t). { push(t) }. on(X,t) :- on(X,t-1). :- push(t), on(X-1,t)."
    goal = " #program check(t). :- query(t), not on(9,t)."
    said = str(asplan.explain(text=text + goal, horizon=2))
    assert ":- query(t), not on(9,t)." in said
    assert "#false" not in said


def test_the_horizon_is_quoted_with_its_brackets() -> None:
    text = (
        "dir(1). at(0,0). { go((D,D),T) : dir(D) } :- T = 0..3. "
        "at(X+1,T+1) :- at(X,T), go(_,T). at(X,T+1) :- at(X,T), not go(_,T), T <= 3. "
        ":- not at(2,4). #show go/2."
    )
    assert "{ go((D,D),T): dir(D) } :- T = 0..3. is the horizon" in str(
        load(Inputs(text=text)).grounding_text
    )


def test_no_text_has_an_internal_name_for_a_last_time() -> None:
    text = (
        "time(0..4). on(0,lamp). { off(T) } :- time(T), T > 0. "
        "on(T,X) :- time(T), on(T-1,X), not off(T). "
        ":- on(4,lamp). :- not on(4,lamp). :- on(4,lmap), not off(4). #show off/1."
    )
    for fresh in (False, True):
        said = str(asplan.explain(text=text, horizon=3, fresh=fresh))
        assert "asplan__" not in said
