"""Roles of predicates: actions, fluents, and the argument of their time."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from asplan.program.composition import compose, compose_anew
from asplan.program.reading.unit import unit_of_text
from asplan.program.roles.actions import with_actions
from asplan.program.roles.roles import Roles, in_parts_without_aliases, roles_of, without_aliases
from asplan.program.times.horizon import find_horizon
from conftest import HERE

CASES = tomllib.loads((HERE / "program/roles.toml").read_text(encoding="utf-8"))["case"]


def name(key: tuple[str, str, int]) -> str:
    return f"{key[0]}{key[1]}/{key[2]}"


def roles(rules: str) -> Roles:
    return roles_of(compose([unit_of_text(f"#program step(t). {rules}")], {}))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["rules"][:40])
def test_roles(case: dict[str, Any]) -> None:
    found = roles(case["rules"])
    assert {name(key): before for key, before in found.actions.items()} == case["actions"]
    assert {key[1] for key in found.fluents} == set(case["fluents"])
    assert set(found.actions) | found.fluents <= set(found.places)


def test_the_time_may_stand_anywhere() -> None:
    found = roles("{ a(t,X) : x(X); b(X,t,X) : x(X) }. c(X,Y,t) :- a(t,X), b(Y,t-1,Y). d(t,t).")
    places = {name(key): place for key, place in found.places.items()}
    assert places == {"a/2": 0, "b/3": 1, "c/3": 2, "d/2": 0}


COUNTER = """
#const n = 3. time(0..n). at(0,0). { go(T) : time(T) } 1 :- time(T), T > 0.
at(X+1,T) :- at(X,T-1), go(T). at(X,T) :- at(X,T-1), not go(T), time(T). :- not at(2,n).
"""


def test_a_program_without_parts_is_divided_once() -> None:
    """What names the actions, and what hides no time behind a name, keeps the same parts."""
    horizon, units = find_horizon([unit_of_text(COUNTER)], {})
    program = compose_anew(units, {}, horizon)
    acting = with_actions(program)
    assert acting is not program
    assert in_parts_without_aliases(acting) is in_parts_without_aliases(program)
    assert without_aliases(acting) is acting
    assert [section.part for section in acting.divided.sections].count("step") == 3  # type: ignore[union-attr]


def test_other_statements_are_divided_anew() -> None:
    horizon, units = find_horizon([unit_of_text(COUNTER)], {})
    program = compose_anew(units, {}, horizon)
    fewer = program.changed(lambda statement, _: [] if "{" in str(statement) else [statement])
    assert roles_of(program).actions == {("", "go", 1): 0}
    assert roles_of(fewer).actions == {}
