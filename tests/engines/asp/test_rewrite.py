"""The rewriting keeps the answer sets, and is there to keep late steps cheap."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asplan.engines.asp.solver import PartsSolver
from asplan.program.composition import compose
from asplan.program.incremental import Program, with_query
from asplan.program.reading.source import parse_text
from asplan.program.reading.unit import HELPER, Unit
from asplan.program.transitions.rewrite import rewrite
from conftest import examples

LITERALS = ["p(X,{t})", "q(X,{t})", "-p(X,{t})", "r({t},X)", "d(X)", "not p(X,{t})", "not r({t},X)"]
LITERALS += ["q(_,{t})", "not q(_,{t})", "-p(_,{t})", "not not r({t},_)"]
LITERALS += ["e(X,a)", "e(a,Y), p(Y,{t})", "-e(f(X,b),1)", 'e("a",X)']
HEADS = ["p(X,t)", "q(X,t)", "-p(X,t)", "r(t,X)", "{{ p(X,t) }}", "{{ q(X,t); r(t,X) }}"]
HEADS += ["{{ p(X,t) : q(_,t-1) }}", "{{ q(X,t) : p(_,t-1), not r(t-1,_); r(t,X) : q(X,_) }} 1"]
TAILS = ["", ", 1 {{ q(Y,{t}) : d(Y) }}", ", #count {{ Y : r({t},Y) }} < 2", ", p(Y,{t}) : d(Y)"]


def made(text: str) -> Program:
    return with_query(compose([Unit(parse_text(text))], {}))


def random_program(random: Random) -> str:
    """Rules over a few predicates with a time, some of which feed back."""

    def rule(head: str, times: list[str]) -> str:
        literals = [random.choice(LITERALS).format(t=random.choice(times)) for _ in range(2)]
        tail = random.choice(TAILS).format(t=random.choice(times))
        return f"{head} :- d(X), {', '.join(literals)}{tail}."

    def rules(heads: list[str], times: list[str]) -> str:
        return " ".join(
            rule(random.choice(heads).format(), times) for _ in range(random.randint(1, 3))
        )

    base = 'd(1..2). p(1,0). { p(2,0) }. r(0,1). q(2,-1). { e(1..2,a); e(a,1) }. e("a",2).'
    base += "-e(f(1..2,b),1)." + random.choice(["", " -p(2,0) :- not p(2,0)."])
    check_heads = random.choice([["s(X,t)"], ["s(X,t)", ""], ["p(X,t)"], [""]])
    return (
        f"{base}\n#program step(t). {rules(HEADS, ['t', 't-1', 't-2', 't-1'])}\n"
        f"#program check(t). {rules(check_heads, ['t', 't-1'])} :- query(t), not p(1,t).\n"
    )


def answer_sets(program: Program, horizon: int) -> set[frozenset[str]]:
    """All answer sets after some steps, without helpers."""
    solver = PartsSolver(program, {})
    solver.ground_first()
    for t in range(1, horizon + 1):
        solver.ground_step(t)
    solver.demand(horizon)
    answer = solver.search(horizon, models=0)
    return {frozenset(map(str, model.symbols)) for model in answer.models}


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 3))
def test_answer_sets_are_kept(seed: int, horizon: int) -> None:
    text = random_program(Random(seed))
    written = made(text)
    assert answer_sets(rewrite(written), horizon) == answer_sets(written, horizon), text


def test_many_random_programs_are_rewritten() -> None:
    texts = [random_program(Random(seed)) for seed in range(50)]
    assert sum(rewrite(made(text)).copied for text in texts) > 25


# program, whether it is rewritten
CASES = [
    ("#program step(t). p(t) :- p(t-1).", True),
    ("p(0). #program step(k). p(k) :- p(k-1), not q(k). { q(k) }.", True),
    ("p(0). #program step(t). n(t) :- p(t-1). #program check(t). p(t) :- n(t).", False),
    ("p(3). #program step(t). p(t) :- p(t-1).", False),  # base says something of a later time
    ("p(0). #program step(t). p(t) :- p(T), T = t-1.", False),  # the time is a variable
    ("p(0). #program step(t). p(t+1) :- p(t).", False),  # a head of the future
    ("p(0). #program step(t). p(t) :- p(t-1). #external p(t).", False),
    ("p(0). #program step(t). p(t) :- p(t-1). #program check(t). p(t) :- t = 0.", False),
    ("p(0). #program step(t). p(t..t+1) :- p(t-1).", False),
]


@pytest.mark.parametrize(("text", "rewritten"), CASES)
def test_conditions(text: str, rewritten: bool) -> None:
    assert rewrite(made(text)).copied == rewritten


def test_edges_with_anonymous_variables_are_grounded_in_one_call() -> None:
    text = "p(0). #program step(t). p(t) :- p(t-1). { q(X,t) : X = 1..2 }. #edge (X,Y) : q(X,{})."
    for time, is_one in (("_", True), ("t", False)):
        program = rewrite(made(text.replace("Y", "0").replace("{}", time)))
        assert (program.copied, program.staged) == (not is_one, not is_one)


def test_no_rule_reads_atoms_of_its_own_ground_call() -> None:
    text = "p(0). #program step(t). p(t) :- p(t-1), not q(t). { q(t) }."
    program = rewrite(made(text))
    rules = [
        str(s) for section in program.sections if section.part == "step" for s in section.statements
    ]
    assert rules == [f"{HELPER}p(t) :- p((t-1)); not q(t).", "{ q(t) }."]


# a body of step(t), and what becomes of it
BODIES = [
    ("q(_,t)", "asplan__1any(t). asplan__1any(t) :- q(A1,t)."),
    ("not q(f(_,X,_),t)", "not asplan__1any(X,t). asplan__1any(V0,t) :- q(f(A1,V0,A2),t)."),
    ("not q(_,A1,t-1)", "not asplan__1any(A1,t). asplan__1any(V0,t) :- q(A1,V0,(t-1))."),
    (  # one predicate, whatever the variables are called
        "q(_,X,Y,t), not q(_,Y,X,t)",
        "asplan__1any(X,Y,t); not asplan__1any(Y,X,t). asplan__1any(V0,V1,t) :- q(A1,V0,V1,t).",
    ),
    ("-q(_,t)", "-q(_,t)."),
    ("q(_,t), not q(_,t)", "asplan__1any(t); not asplan__1any(t). asplan__1any(t) :- q(A1,t)."),
    ("q(_)", "q(_)."),  # it has no time
    ("q(_,T), T = t", "q(_,T); T = t."),
    ("q(_,X+1,t)", "q(_,(X+1),t)."),  # X might not be had from it
    ("q(_,1..2,t)", "q(_,(1..2),t)."),
    ("q(@f(X),_,t)", "q(@f(X),_,t)."),
    ("1 { q(_,t) }", "1 <= { q(_,t) }."),
]


# a body of step(t), and what becomes of it
FIXED = [
    ("q(X,t-1), d(X,a)", "q(X,(t-1)); d(X,C1); asplan__1is(C1)."),
    ("q(X,t), d(f(X,a),a,b)", "q(X,t); d(f(X,C1),C1,C2); asplan__1is(C1); asplan__2is(C2)."),
    (
        'q(C1,t), -d(C1,"a b"), d(C1,1)',
        "q(C1,t); -d(C1,C2); d(C1,C3); asplan__1is(C2); asplan__2is(C3).",
    ),
    ("not q(1,t), d(X,a)", "not q(1,t); d(X,a)."),  # there is no join with the time
    ("q(X,t), d(a,b)", "q(X,t); d(a,b)."),  # it binds nothing
    ("q(X,t), not d(X,a)", "q(X,t); not d(X,a)."),
    ("q(X,t), d(X+1,a)", "q(X,t); d((X+1),a)."),
    ("q(X,t), d(X,1..2)", "q(X,t); d(X,(1..2))."),
    ("q(X,t), d(X,t)", "q(X,t); d(X,t)."),
    ("q(X,t), h(X,a)", "q(X,t); h(X,a)."),  # step(t) derives it
]


@pytest.mark.parametrize(("body", "rewritten"), FIXED)
def test_constants(body: str, rewritten: str) -> None:
    program = rewrite(made(f"d(1). #program step(t). h(X,Y) :- d(X), d(Y), {body}."))
    rules = [str(s) for x in program.sections if x.part == "step" for s in x.statements]
    assert " ".join(rules) == f"h(X,Y) :- d(X); d(Y); {rewritten}"


@pytest.mark.parametrize(("body", "rewritten"), BODIES)
def test_anonymous_variables(body: str, rewritten: str) -> None:
    program = rewrite(made(f"d(1). #program step(t). h(X,t) :- d(X), {body}."))
    rules = [str(s) for x in program.sections if x.part == "step" for s in x.statements]
    assert " ".join(rules) == f"h(X,t) :- d(X); {rewritten}"


def test_a_staged_program_keeps_its_anonymous_variables() -> None:
    program = rewrite(made("asplan(staged). #program step(t). h(t) :- not q(_,t)."))
    (rule,) = [str(s) for x in program.sections if x.part == "step" for s in x.statements]
    assert rule == "h(t) :- not q(_,t)."
