"""Atoms of the ground program that depend on actions outside of a plan."""

from __future__ import annotations

from dataclasses import replace

import pytest
from clingo import parse_term

from asplan.core.errors import InvalidPlan
from asplan.core.plan import Plan
from asplan.engines.asp.influence import find_influence
from asplan.engines.asp.replay import replay
from asplan.program.composition import compose_anew
from asplan.program.reading.unit import unit_of_text
from asplan.program.roles.actions import with_actions
from asplan.program.times.horizon import find_horizon

START = """
#const n=3. time(0..n). at(0,0). { go(T); rest(T) } = 1 :- time(T).
at(X,T+1) :- at(X,T), not go(T), time(T). at(X+1,T+1) :- at(X,T), go(T), time(T).
"""


@pytest.mark.parametrize(
    ("rest", "action", "last", "expected"),
    [
        (":- not at(1,n).", "go(3)", 3, None),
        (":- not at(1,n).", "go(2)", 3, "at(1,3)"),
        (":- at(0,n).", "go(2)", 3, "at(0,3)"),
        (":- not at(1,n). done(T) :- go(T). done(T) :- done(T-1), time(T).", "go(3)", 3, None),
        (":- not at(1,n).", "go(1)", 3, "at(0,2)"),
        ("goal :- at(2,T), time(T). :- not goal.", "go(3)", 3, None),
        ("goal :- at(2,T). :- not goal.", "go(3)", 3, "goal"),
        ("late :- go(n). :- late. :- not at(1,n).", "go(3)", 3, None),
        ("few :- #count { T : go(T) } 2. :- not few. :- not at(1,n).", "go(3)", 3, "few"),
    ],
)
def test_the_plan_depends_on_an_action(
    rest: str, action: str, last: int, expected: str | None
) -> None:
    horizon, units = find_horizon([unit_of_text(START + rest)], {})
    program = compose_anew(units, {}, horizon)
    found = find_influence(program, {"n": "3"}, [parse_term(action)], last)
    assert (None if found is None else str(found)) == expected


EARLY = """
#const n=6. time(0..n-1). lamp(a;b). on(a,0). { press(L,T) : lamp(L) } 1 :- time(T+1).
on(L,T+1) :- press(L,T). on(L,T+1) :- on(L,T), time(T), T < n.
goal :- on(a,T), on(b,T), time(T). :- not goal. #show press/2.
"""


def test_the_replay_refuses_a_plan_without_an_early_action() -> None:
    """The plan lacks the action at time -1."""
    horizon, units = find_horizon([unit_of_text(EARLY)], {})
    late = replace(horizon, start=0, origin=horizon.origin + 1)
    program = with_actions(compose_anew(units, {}, late))
    with pytest.raises(InvalidPlan, match=r"goal depends on press\(b,-1\) outside of the steps"):
        replay(program, {}, Plan(()))
