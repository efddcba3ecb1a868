"""Moves of each car on shortest plans, against all plans and boards with a car less."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from searching import RUSH_HOUR, model

import asplan
import oracle
from asplan.domains.rush_hour.model import RushHour
from asplan.statespace import analysis as parts
from asplan.statespace.analysis import analyse
from boards import boards
from conftest import METRICS, run


def all_shortest_plans(problem: RushHour, length: int) -> Iterator[list[str]]:
    """The cars that move in each shortest plan, plan by plan."""

    def more(state: int, moved: list[str]) -> Iterator[list[str]]:
        if len(moved) == length:
            if problem.is_goal(state):
                yield moved
            return
        for action in problem.actions(state):
            yield from more(problem.apply(state, action), [*moved, action.car])

    return more(problem.initial, [])


@given(boards())
def test_moves_are_counted_over_all_shortest_plans(board: oracle.Board) -> None:
    for metric in METRICS:
        problem = model(board, metric)
        analysis = analyse(RUSH_HOUR, problem)
        if analysis.distance is None or analysis.distance > 4:
            continue
        plans = list(all_shortest_plans(problem, analysis.distance))
        assert len(plans) == analysis.shortest_plans
        counts = Counter(car for plan in plans for car in plan)
        assert {role.name: role.moves for role in analysis.roles} == {
            name: counts[name] for name in problem.names
        }


@given(boards())
def test_a_car_is_superfluous_where_the_oracle_finds_the_same_without_it(
    board: oracle.Board,
) -> None:
    for metric in METRICS:
        best = oracle.solve(board, metric)
        analysis = analyse(RUSH_HOUR, model(board, metric))
        assert bool(analysis.roles) == (best is not None)
        for role in analysis.roles:
            cars = tuple(car for car in board.cars if car[0] != role.name)
            expected = None
            if role.name != "r":
                expected = oracle.solve(replace(board, cars=cars), metric) == best
            assert role.is_superfluous is expected


def test_a_start_is_the_hardest_or_not() -> None:
    assert asplan.analyse("sample02", metric="slide").is_hardest
    assert not asplan.analyse("walls", metric="slide").is_hardest
    assert not asplan.analyse("unsolvable").is_hardest
    assert asplan.analyse("unsolvable").roles == ()


def test_a_question_with_too_many_states_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_STATES", 1)
    roles = asplan.analyse("two_cars").roles
    assert [(role.name, role.is_superfluous) for role in roles] == [("r", None), ("b", None)]


def test_the_command_tells_it() -> None:
    found: dict[str, Any] = json.loads(run("analyse", "sample02", "--json").stdout)
    assert found["is_hardest"] is True
    assert [part["name"] for part in found["parts"]] == list("rbcdef")
    assert {part["superfluous"] for part in found["parts"][1:]} == {False}
    moves = sum(int(part["moves"]) for part in found["parts"])
    assert moves == int(found["shortest_plans"]) * found["distance"]
    text = run("analyse", "sample02", "--metric", "slide").stdout.splitlines()
    assert "hardest start  yes" in text
    assert [line.split() for line in text if line[:3] in (" r ", " b ")] == [
        ["r", "3.00"],
        ["b", "4.00", "no"],
    ]
    other = run("analyse", "eight05").stdout
    assert "superfluous" not in other
