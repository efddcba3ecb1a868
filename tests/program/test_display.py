"""Display rules, on which no plan depends, are taken out of the search; the plan shows their atoms.

The oracle is `no_rewrite`, by which they stay in the program.
"""

from __future__ import annotations

import pytest

import asplan
from asplan.problem import Inputs, load
from asplan.program.incremental import with_query
from asplan.program.transitions.display import without_display

WALK = """
cell(1..5). at(1,0).
#program step(t).
{ go(t) } = 1.
at(X+1,t) :- go(t), at(X,t-1), cell(X+1).
at(X,t) :- at(X,t-1), not go(t).
#program check(t).
:- query(t), not at(5,t).
#show go/1.
"""
SINGLE = """
#const n = 9.
time(0..n). cell(1..5). at(1,0).
{ go(T) : time(T), T > 0 }.
at(X+1,T) :- go(T), at(X,T-1), cell(X+1).
at(X,T) :- at(X,T-1), not go(T), time(T).
:- not at(5,n).
#show go/1.
"""


def taken_out(text: str) -> list[str]:
    """Return the statements that are taken out of a program in parts; the rest stays as it is."""
    program = with_query(load(Inputs(text=WALK + text)).program)
    rest = without_display(program, {})
    if rest is program:
        return []
    assert rest.display is not None
    moved = list(map(str, rest.display.program.statements))
    assert sorted([*map(str, rest.statements), *moved]) == sorted(map(str, program.statements))
    return moved


COUNT = "number(N,t) :- N = #count { T: go(T) }; query(t)."


def test_rules_that_nothing_else_reads_are_taken_out() -> None:
    assert taken_out(COUNT) == [COUNT]


def test_rules_that_only_display_rules_read_are_taken_out_too() -> None:
    twice = "twice((2*N),t) :- number(N,t)."
    shown = "#show all(N) : twice(N,t); query(t)."
    assert taken_out(COUNT + twice + shown) == [COUNT, twice, shown]


@pytest.mark.parametrize(
    "more",
    [
        ":- number(N,t), N > 7, query(t).",
        ":~ number(N,t), query(t). [N]",
        "{ more(N,t) : number(N,t) }.",
        "#show go(T) : go(T), number(N,t).",  # decides which actions are in the plan
        "#project number/2.",
        "#external seen(N) : number(N,t).",
        "-number(N,t) :- go(N), query(t).",  # excludes number(N,t)
        "number(0,t) :- number(1,t), not number(2,t), query(t).",  # reads its own head
        "big(t) :- number(N,t), N > 7. :- big(t), query(t).",
        "#program step(t). old(t) :- number(N,t-1).",
        "#program base. number(0,0).",
    ],
)
def test_rules_that_something_reads_stay(more: str) -> None:
    assert COUNT not in taken_out(COUNT + more)


def test_rules_for_actions_and_claims_and_rules_of_steps_stay() -> None:
    assert taken_out("#program step(t). gone(t) :- go(t).") == []
    assert taken_out("asplan(exhausted(t)) :- at(5,t).") == []


@pytest.mark.parametrize(
    "text",
    [
        WALK + COUNT + "#show number/2.",
        WALK + COUNT,  # not shown
        WALK + COUNT + "#show total(N+k) : number(N,t), query(t). #const k = 3.",
        WALK.replace("#show go/1.", "#defined x/0.") + COUNT,  # everything is shown
        SINGLE + "number(N) :- N = #count { T : go(T) }. #show number/1.",
        SINGLE + "last(N) :- N = #max { T : go(T) }. late :- last(N), N > 3. #show late/0.",
        SINGLE + "number(N) :- N = #sum { 1,T : go(T) }. #minimize { T : go(T) }. #show number/1.",
    ],
)
def test_the_plan_shows_the_same_atoms(text: str) -> None:
    found = asplan.solve(text=text)
    whole = asplan.solve(text=text, no_rewrite=True)
    assert set(found.atoms) == set(whole.atoms)
    assert (found.horizon, found.cost, found.plans) == (whole.horizon, whole.cost, whole.plans)
    assert found.horizon == 4


def test_constants_of_the_user_hold_in_display_rules() -> None:
    text = WALK + COUNT + "#show total(N+k) : number(N,t), query(t). #const k = 3."
    assert "total(14)" in asplan.solve(text=text, constants={"k": "10"}).atoms


def test_clingo_does_not_ground_them() -> None:
    text = SINGLE + "number(N) :- N = #count { T : go(T) }. #show number/1."
    rules = [asplan.solve(text=text, no_rewrite=n).statistics.rules for n in (False, True)]
    assert rules[0] < rules[1]


def test_with_several_models_they_stay() -> None:
    text = SINGLE + "number(N) :- N = #count { T : go(T) }. #show number/1."
    one, all_models = (asplan.solve(text=text, models=models) for models in (1, 0))
    assert "number(4)" in all_models.atoms
    assert (one.statistics.rules or 0) < (all_models.statistics.rules or 0)
