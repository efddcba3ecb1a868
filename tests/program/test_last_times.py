"""The last action, the last step and the horizon of single-shot programs."""

from __future__ import annotations

import tomllib
from itertools import product
from typing import Any

import pytest

import asplan
from asplan.core.plan import Plan
from conftest import HERE

PROGRAMS = tomllib.loads((HERE / "program" / "last_times.toml").read_text())
WAYS: dict[str, dict[str, Any]] = {
    "in parts": {},
    "fresh": {"fresh": True},
    "sat": {"engine": "sat"},
    "auto": {"engine": "auto"},
}


STEP_BY_STEP = ("sat",)
"""The ways that need a program in parts; some programs have no conversion."""


@pytest.mark.parametrize(
    ("name", "way"),
    [
        (name, way)
        for name, way in product(PROGRAMS, WAYS)
        if way not in STEP_BY_STEP or not PROGRAMS[name].get("anew")
    ],
)
def test_a_plan_has_the_actions_of_an_answer_set(name: str, way: str) -> None:
    program = PROGRAMS[name]
    actions = program.get("actions", ())
    result = asplan.solve(text=program["text"], max_horizon=8, actions=actions, **WAYS[way])
    assert result.outcome == "optimal", result.reason
    assert result.plan is not None
    assert [list(step) for step in result.plan.steps] == program["plan"]
    assert list(result.beside) == program.get("beside", [])
    assert result.warnings == ()


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_plan_is_valid_and_others_are_not(program: dict[str, Any]) -> None:
    plan = Plan(tuple(map(tuple, program["plan"])))
    actions = program.get("actions", ())
    assert asplan.validate(plan=plan, text=program["text"], actions=actions) == len(plan)
    for steps in program["refused"]:
        other = Plan(tuple(map(tuple, steps)))
        with pytest.raises(asplan.InvalidPlan):
            asplan.validate(plan=other, text=program["text"], actions=actions)


def test_two_constants_that_bound_actions_are_both_named() -> None:
    text = """
    #const n=5. #const m=4. time(0..n). phase(0..m). at(0,0). { go(T) } :- time(T), T < n.
    { load(T) } :- phase(T), not done(T). done(T+1) :- load(T). at(X+1,T+1) :- go(T), at(X,T).
    at(X,T+1) :- at(X,T), not go(T), T < n, load(T). :- not at(2,n)."""
    with pytest.raises(asplan.InputError, match=r"n \(<text>:2\) and m \(<text>:2\) both bound"):
        asplan.solve(text=text)
    found = asplan.solve(text=text, horizon_constant="n", max_horizon=6)
    assert found.way.startswith("n is the horizon")
