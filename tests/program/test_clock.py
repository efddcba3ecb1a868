"""Comparisons with the time mean the same to a state search and to clingo."""

from __future__ import annotations

from contextlib import suppress

import pytest

import asplan
from asplan.program.transitions.clock import LARGEST_NUMBER
from conftest import crossed

OPERATORS = ["<", "<=", ">", ">=", "=", "!="]


def horizon(text: str, engine: str) -> int | None:
    """The least number of steps, of seven at most; None where that is too few, or there is none."""
    return asplan.solve(text=text, engine=engine, max_horizon=7).horizon


def gated(when: str, then: str) -> str:
    """Return a program with a comparison that restricts actions, and one for the goal."""
    return f"""
        #program base. done(0,0).
        #program step(t). {{ occurs(go,t) }}.
        done(N+1,t) :- done(N,t-1), occurs(go,t), N < 2.
        done(N,t) :- done(N,t-1), not occurs(go,t).
        may(t) :- {when}. :- occurs(go,t), not may(t).
        #program check(t). :- query(t), not done(2,t). :- query(t), not late(t). late(t) :- {then}.
        #show occurs/2.
    """


@pytest.mark.parametrize(("operator", "bound"), crossed(OPERATORS, ["-1", "0", "1", "2", "4"]))
def test_comparisons(operator: str, bound: str) -> None:
    forms = {
        "as it is": f"t {operator} {bound}",
        "the other way round": f"{bound} {operator} t",
        "denied": f"not t {operator} {bound}",
        "of an earlier time": f"t-1 {operator} {bound}",
        "with a sum": f"1+t {operator} {bound}+2*1",
    }
    searched = 0
    for form, comparison in forms.items():
        for text in (gated(comparison, "t >= 0"), gated("0 <= t", comparison)):
            with suppress(asplan.InputError):
                found = horizon(text, "bfs")
                searched += 1
                assert found == horizon(text, "asp"), (form, comparison)
    # That the time is not some number, but for 0, cannot be told in one literal.
    assert searched == len(forms) * 2 or operator in ("=", "!=")


@pytest.mark.parametrize(
    "bound", [f"{LARGEST_NUMBER + 1}", "1/0", "1\\0", "2147483647+1", "3**f(2)", "n"]
)
def test_wrong_and_large_numbers_are_refused(bound: str) -> None:
    with pytest.raises(asplan.InputError, match="t is used other than as the time of an atom"):
        asplan.solve(text=gated(f"t > {bound}", "t >= 0"), engine="bfs")
