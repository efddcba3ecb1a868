"""Roles of predicates: actions, fluents, and the argument of their time."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from asplan.program.composition import compose
from asplan.program.roles import Roles, roles_of
from asplan.program.unit import unit_of_text
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
