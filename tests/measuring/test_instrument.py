"""Counters leave the ground program as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from ground_text import clingo_text, first_instance, some_encodings

from asplan import catalog
from asplan.measuring.counters import instrument
from asplan.program.composition import read_program

FORMS = {
    "intervals": "a(1..3,2..3). b(X..X+1) :- a(X,Y). c :- b(1..2).",
    "pools": "a(1;3). b(X;4) :- a(X). c(X,(1;2)) :- b(X). d :- b((X;5)), a(X;Y;Z).",
    "choices": "{ a(1..3) }. { b(X) : a(X), X > 1; c } 1 :- not d. d :- not c.",
    "head aggregate": "p(1..3). 1 #sum { X,Y : a(X,Y) : p(X), p(Y) } 2.",
    "body aggregates": "{ a(1..3) }. n(N) :- N = #count { X : a(X) }. b :- 2 { a(X) : X = 1..3 }.",
    "conditional": "{ a(1..3) }. all :- a(X) : X = 1..3. b(X) : X = 1..2; c :- all.",
    "disjunction": "p(1..2). a(X); b(X) :- p(X). a(1) : p(2); c.",
    "classical negation": "{ a; -a }. -b :- a. c :- not -b.",
    "anonymous": "p(1..2,1..2). a(X) :- p(X,_). b :- not p(3,_).",
    "anonymous alone": "{ p(1..2,1..2) }. a(X,Y) :- p(X,_), Y = X+1. b :- p(_,_). :- p(_,2).",
    "anonymous in company": "{ p(1..2,1..2); q }. a :- p(X,_), not q. { b(X) } :- p(X,_).",
    "anonymous in conditions": "{ p(1..2,1..2) }. { a(X) : p(X,_) }. b :- 1 { a(X) : p(_,X) }."
    " c :- a(X) : p(X,_).",
    "constraints": "{ a(1..3) }. :- a(X), a(X+1). :~ a(X). [X@2,X]",
    "optimization": "{ a(1..3) }. #minimize { X@1,X : a(X), X > 1 }. #maximize { 1 : a(2) }.",
    "show terms": "{ a(1..3) }. #show. #show f(X) : a(X), X != 2. #show a/1.",
    "externals": "p(1..3). #external e(X) : p(X), X > 1. a(X) :- e(X).",
    "edges": "{ e(1,2); e(2,1) }. #edge (X,Y) : e(X,Y).",
    "heuristics": "{ a(1..2) }. #heuristic a(X) : X = 1..2. [X,true]",
    "projection": "{ a(1..2) }. #project a(X) : X = 1..2.",
    "recursion": "e(1,2). e(2,3). r(X,Y) :- e(X,Y). r(X,Z) :- r(X,Y), e(Y,Z).",
    "arithmetic": "p(1..3). a(X*2,|X-3|,-X) :- p(X), X**2 < 9. b(Y) :- p(X), Y = X\\2.",
    "time": "a(0). #program step(t). a(t) :- a(t-1). { b(T) : a(T) } :- T = t.",
}


@pytest.mark.parametrize("entry", some_encodings(1), ids=lambda e: f"{e.domain}/{e.name}")
def test_counters_keep_the_ground_rules_of_shipped_encodings(entry: catalog.ShippedFile) -> None:
    # Rule by rule: clingo may write components that do not depend on each other in another order.
    files = [str(first_instance(entry.domain)), str(entry.path)]
    counted, plain = clingo_text(3, *files, counted=True), clingo_text(3, *files)
    assert sorted(counted.splitlines()) == sorted(plain.splitlines())


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_counters_keep_the_text_of_every_kind_of_statement(text: str, tmp_path: Path) -> None:
    path = tmp_path / "forms.lp"
    path.write_text(text + "\n#program step(t). done(t).\n")
    assert clingo_text(2, str(path), counted=True) == clingo_text(2, str(path))


def test_sources_are_the_statements_of_the_author(tmp_path: Path) -> None:
    path = tmp_path / "small.lp"
    path.write_text(
        "p(1;2,3). ä_comment.\n".replace("ä_comment.", "% ä")
        + "#program step(t).\n"
        + "  a(t,X) :- p(X),\n      X>0.  b(t) :- a(t,_), d.\n"
        + "c(t) :- p(X), % why\n  X = 1..2.\n"
    )
    sources = instrument(read_program([str(path)], {})).sources
    assert [(s.line, s.column, s.part, s.text) for s in sources] == [
        (1, 1, "base", "p(1;2,3)."),
        (3, 3, "step", "a(t,X) :- p(X), X>0."),
        (4, 13, "step", "b(t) :- a(t,_), d."),
        (5, 1, "step", "c(t) :- p(X), X = 1..2."),
    ]
    assert [s.facts for s in sources] == [2, 0, 0, 0]
    assert [s.approximate.partition(":")[0] for s in sources] == [
        "",
        "",
        "Anonymous variable",
        "Interval in the body or in a condition",
    ]
