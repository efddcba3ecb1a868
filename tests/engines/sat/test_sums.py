"""Sums as clauses: their meaning, and the consequences by propagation alone."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from asplan.core.budget import ENDLESS, Budget
from asplan.engines.sat.solver import TRUE, Sat
from asplan.engines.sat.sums import Diagram

WEIGHTS = st.lists(st.integers(1, 5), max_size=6)


def encoded(weights: list[int], value: int, *constants: int) -> tuple[Sat, list[int], int]:
    sat = Sat("cadical195", ENDLESS, keep=True)
    literals = [sat.new() * (-1) ** n for n in range(len(weights))]
    pairs = [*zip(literals, weights, strict=True), *((constant, 2) for constant in constants)]
    return sat, literals, Diagram(sat, pairs).at_least(value)


@settings(deadline=None)
@given(WEIGHTS, st.integers(-2, 20), st.sampled_from([(), (TRUE,), (-TRUE,), (TRUE, -TRUE)]))
def test_a_sum_is_true_where_it_is_reached(
    weights: list[int], value: int, constants: tuple[int, ...]
) -> None:
    sat, literals, whole = encoded(weights, value, *constants)
    for truth in product([False, True], repeat=len(weights)):
        chosen = [n if true else -n for n, true in zip(literals, truth, strict=True)]
        reached = sum(w for w, true in zip(weights, truth, strict=True) if true)
        expected = reached + 2 * constants.count(TRUE) >= value
        assert sat.solve([*chosen, whole]) is expected
        assert sat.solve([*chosen, -whole]) is not expected


@given(WEIGHTS, st.lists(st.integers(-2, 20), min_size=2, max_size=4))
def test_all_bounds_of_a_sum_are_true_where_they_are_reached(
    weights: list[int], values: list[int]
) -> None:
    sat = Sat("cadical195", ENDLESS)
    literals = [sat.new() for _ in weights]
    diagram = Diagram(sat, list(zip(literals, weights, strict=True)))
    wholes = [diagram.at_least(value) for value in values]
    for truth in product([False, True], repeat=len(weights)):
        chosen = [n if true else -n for n, true in zip(literals, truth, strict=True)]
        reached = sum(w for w, true in zip(weights, truth, strict=True) if true)
        signs = [1 if reached >= value else -1 for value in values]
        assert sat.solve([*chosen, *(w * s for w, s in zip(wholes, signs, strict=True))])
        for whole, sign in zip(wholes, signs, strict=True):
            assert not sat.solve([*chosen, -whole * sign])


@settings(deadline=None)
@given(WEIGHTS, st.integers(1, 12), st.data())
def test_propagation_sees_all_that_follows(weights: list[int], value: int, data: object) -> None:
    sat, literals, whole = encoded(weights, value)
    given_ = data.draw(st.sets(st.sampled_from([*literals, *(-n for n in literals)] or [TRUE])))  # type: ignore[attr-defined]
    assumed = [whole, *given_]
    if sat.solve(assumed):
        with Solver(name="glucose42", bootstrap_with=sat.kept) as solver:
            _, propagated = solver.propagate(assumed)
            forced = [n for n in literals if sat.solve([*assumed, -n]) is False]
            assert set(forced) <= {*propagated, *assumed}


@pytest.mark.parametrize("turns", [0, 1, 5])
def test_it_stops_when_the_time_is_up(turns: int) -> None:
    """The pigeons are too many for their holes, and for any solver."""
    left = iter([False] * turns)
    sat = Sat("cadical195", Budget(is_abandoned=lambda: next(left, True)))
    holes = [[sat.new() for _ in range(11)] for _ in range(12)]
    for pigeon in holes:
        sat.add(pigeon)
    for hole in range(11):
        for a, b in combinations(range(12), 2):
            sat.add([-holes[a][hole], -holes[b][hole]])
    assert sat.solve() is None


def test_it_stops_after_some_conflicts() -> None:
    sat = Sat("cadical195", ENDLESS)
    holes = [[sat.new() for _ in range(9)] for _ in range(10)]
    for pigeon in holes:
        sat.add(pigeon)
    for hole in range(9):
        for a, b in combinations(range(10), 2):
            sat.add([-holes[a][hole], -holes[b][hole]])
    assert sat.solve(conflicts=100) is None
