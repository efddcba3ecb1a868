"""Search from both ends, on sliding tiles, whose goal states are few."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest

from asplan.core.errors import UsageError
from asplan.core.limits import Limits, Stop
from asplan.domains import domains
from asplan.domains.base import Domain
from asplan.domains.sliding_tiles.model import SlidingTiles
from asplan.engines.model_run import run_on_model
from asplan.execution import goal_step
from asplan.result import Outcome

TILES = domains()["sliding_tiles"]
GOAL = tuple((tile, tile - 1) for tile in range(1, 6))
EVERY = list(permutations(range(6)))


@pytest.mark.parametrize("start", Random(7).sample(EVERY, 60))
def test_it_agrees_with_breadth_first_search(start: tuple[int, ...]) -> None:
    problem = SlidingTiles(2, 3, start, GOAL)
    expected = run_on_model(TILES, problem, "bfs")
    result = run_on_model(TILES, problem, "bidirectional")
    assert (result.outcome, result.horizon) == (expected.outcome, expected.horizon)
    if result.plan is not None:
        assert goal_step(problem, result.plan) == result.horizon
        assert (result.statistics.queued or 0) <= 2 * (expected.statistics.queued or 0)
    else:
        assert result.reason == "no plan exists: none of the 360 reachable states is a goal"


def test_a_maximal_horizon() -> None:
    problem = SlidingTiles(2, 3, (0, 3, 5, 2, 1, 4), GOAL)
    result = run_on_model(TILES, problem, "bidirectional", Limits(max_horizon=3))
    assert (result.outcome, result.stopped) == (Outcome.UNKNOWN, Stop.HORIZON)
    assert result.lower_bound == 4


def test_a_goal_at_the_start() -> None:
    result = run_on_model(TILES, SlidingTiles(2, 3, (1, 2, 3, 4, 5, 0), GOAL), "bidirectional")
    assert (result.outcome, result.horizon) == (Outcome.OPTIMAL, 0)
    assert result.reason == "the goal holds at the start"


def test_moves_must_be_undone() -> None:
    one_way = Domain("oneway", frozenset(), TILES.model)
    problem = SlidingTiles(2, 3, (1, 2, 3, 4, 5, 0), GOAL)
    with pytest.raises(UsageError) as error:
        run_on_model(one_way, problem, "bidirectional")
    assert str(error.value) == (
        "engine bidirectional needs moves that can be undone, which oneway does not have\n"
        "  use --engine bfs"
    )
    # Breadth-first search finds its way back through the layers without undoing moves.
    result = run_on_model(one_way, SlidingTiles(2, 3, (1, 2, 3, 0, 4, 5), GOAL), "bfs")
    assert result.horizon == 2
