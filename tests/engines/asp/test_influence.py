"""What depends on actions outside of a plan, in the ground program."""

from __future__ import annotations

import pytest
from clingo import parse_term

from asplan.engines.asp.influence import find_influence
from asplan.program.composition import compose_anew
from asplan.program.horizon import find_horizon
from asplan.program.unit import unit_of_text

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
