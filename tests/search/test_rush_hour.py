"""The engines against the oracle on random small boards, and the heuristics on whole spaces."""

from __future__ import annotations

import math

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.boards import card_boards, run, small_boards

from asplan.domains import DOMAINS
from asplan.domains.rush_hour import RushHour
from asplan.result import Outcome
from asplan.search.astar import TIE_BREAKING

RUSH_HOUR = DOMAINS["rush_hour"]
METRICS = ("step", "slide")
HORIZON = 7
"""Engines without a memory of states are stopped here."""


@settings(max_examples=150, deadline=None)
@given(small_boards(), st.sampled_from(METRICS))
def test_engines_agree_with_the_oracle(boards: tuple[RushHour, oracle.Board], metric: str) -> None:
    problem, board = boards
    expected = oracle.solve(board, metric)
    for engine in ("bfs", "astar"):
        result = run(problem, engine, metric)
        assert result.horizon == expected
        assert result.outcome == (Outcome.UNSOLVABLE if expected is None else Outcome.OPTIMAL)
    result = run(problem, "dfs", metric)
    assert result.outcome in (
        [Outcome.UNSOLVABLE] if expected is None else [Outcome.PLAN, Outcome.OPTIMAL]
    )
    for engine in ("bfs", "bfs-tree", "dfs", "astar", "idastar"):
        result = run(problem, engine, metric, max_horizon=HORIZON)
        if expected is not None and expected <= HORIZON:
            assert result.plan is not None
            assert engine == "dfs" or result.outcome == Outcome.OPTIMAL
            assert engine == "dfs" or result.horizon == expected
        else:
            assert result.outcome in (Outcome.UNKNOWN, Outcome.UNSOLVABLE)
            assert result.outcome == Outcome.UNSOLVABLE or result.lower_bound == HORIZON + 1
            assert result.outcome == Outcome.UNKNOWN or expected is None


@settings(max_examples=40, deadline=None)
@given(small_boards(), st.sampled_from(METRICS), st.sampled_from(sorted(TIE_BREAKING)))
def test_astar_is_right_with_every_heuristic_and_tie_breaking(
    boards: tuple[RushHour, oracle.Board], metric: str, tie_breaking: str
) -> None:
    problem, board = boards
    expected = oracle.solve(board, metric)
    for heuristic in RUSH_HOUR.heuristics:
        result = run(
            problem, "astar", metric, heuristic=heuristic.name, tie_breaking=tie_breaking
        )
        if expected is None:
            assert result.outcome == Outcome.UNSOLVABLE
        elif heuristic.admissible(problem):
            assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, expected)
        else:
            assert result.horizon is not None
            assert result.horizon >= expected
            assert result.outcome != Outcome.OPTIMAL or result.horizon == 0


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("card", [3, 4, 8, 15, 19, 21, 32, 12, 11, 30])
def test_heuristics_are_what_they_say_over_whole_spaces(card: int, metric: str) -> None:
    problem = card_boards(metric)[card]
    distance = oracle_free_distances(problem)
    for heuristic in RUSH_HOUR.heuristics:
        estimate = heuristic.make(problem)
        if heuristic.admissible(problem):
            assert all(estimate(state) <= away for state, away in distance.items())
        if heuristic.consistent(problem):
            assert all(estimate(state) == 0 for state, away in distance.items() if away == 0)
            assert drop(problem, estimate, distance) <= 1


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("goal_distance", "slide"),
        ("blocking_cars", "slide"),
        ("blocking_cars", "step"),
        ("movable_blocking_cars", "slide"),
    ],
)
def test_what_is_not_called_admissible_is_not(name: str, metric: str) -> None:
    heuristic = RUSH_HOUR.heuristic(name)
    counterexamples = 0
    for card in (3, 4, 15, 19):
        problem = card_boards(metric)[card]
        assert not heuristic.admissible(problem)
        estimate = heuristic.make(problem)
        distances = oracle_free_distances(problem)
        counterexamples += sum(estimate(state) > away for state, away in distances.items())
    assert counterexamples


def oracle_free_distances(problem: RushHour) -> dict[int, float]:
    """The moves from every reachable state to a goal, breadth first from all goals at once."""
    seen, layer = {problem.initial}, [problem.initial]
    while layer:
        layer = list(set(problem.expand(layer)) - seen)
        seen.update(layer)
    distance: dict[int, float] = dict.fromkeys(seen, math.inf)
    layer, away = [state for state in seen if problem.is_goal(state)], 0
    while layer:
        distance.update(dict.fromkeys(layer, away))
        away += 1
        layer = [state for state in set(problem.expand(layer)) if distance[state] == math.inf]
    return distance


def drop(problem: RushHour, estimate, distance: dict[int, float]) -> float:  # type: ignore[no-untyped-def]
    """The most by which an estimate drops over an edge of the state space."""
    value = {state: estimate(state) for state in distance}
    return max(value[s] - value[after] for s in distance for after in problem.successors(s))
