"""Estimates how many moves a board of sliding tiles still needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from asplan.domains.heuristic import Heuristic
from asplan.domains.sliding_tiles import patterns, walking
from asplan.domains.sliding_tiles.model import SlidingTiles, State
from asplan.domains.sliding_tiles.patterns import pattern_databases
from asplan.domains.sliding_tiles.sums import TileSum
from asplan.domains.sliding_tiles.walking import walking_distance


def manhattan(problem: SlidingTiles) -> TileSum:
    """The sum over all tiles of the rows and columns between a tile and its goal."""
    weights = [[0] * len(problem.initial) for _ in problem.initial]
    for tile, goal in problem.goal:
        for index, row in enumerate(weights):
            row[tile] = problem.distance(index, goal)
    return TileSum(problem, weights, value=lambda distance: distance)


def linear_conflict(problem: SlidingTiles) -> Callable[[State], float]:
    """Manhattan distance and 2 for each tile that must leave its goal line to let others pass.

    In a line, tiles that are at home in it but in another order stand in each other's way; all
    but a longest row of them in the right order must step aside. Hansson, Mayer and Yung (1992).
    """
    base = manhattan(problem)
    size = len(problem.initial)
    goal = dict(problem.goal)
    columns = problem.columns
    lines = [range(start, start + columns) for start in range(0, size, columns)]
    lines += [range(start, size, columns) for start in range(columns)]
    known: list[dict[State, int]] = [{} for _ in lines]
    slices = [slice(line.start, line.stop, line.step) for line in lines]

    def estimate(state: State) -> float:
        total = base(state)
        for line, part, penalties in zip(lines, slices, known, strict=True):
            tiles = state[part]
            penalty = penalties.get(tiles)
            if penalty is None:
                penalty = penalties[tiles] = _aside(tiles, goal, line)
            total += penalty
        return total

    return estimate


def _aside(tiles: State, goal: Mapping[int, int], line: range) -> int:
    """Twice the number of tiles that must step aside in a line."""
    home = [goal[tile] for tile in tiles if goal.get(tile, -1) in line]
    longest: list[int] = []
    for i, place in enumerate(home):
        longest.append(1 + max((longest[j] for j in range(i) if home[j] < place), default=0))
    return 2 * (len(home) - max(longest, default=0))


HEURISTICS = (
    Heuristic(
        "pattern_databases",
        pattern_databases,
        "moves that groups of tiles need, each group by itself, added",
        unfit=patterns.too_large,
    ),
    Heuristic(
        "linear_conflict",
        linear_conflict,
        "Manhattan distance and 2 for each tile that must let others pass in its goal line",
    ),
    Heuristic(
        "walking_distance",
        walking_distance,
        "moves from row to row and from column to column, each for itself",
        unfit=walking.too_large,
    ),
    Heuristic("manhattan", manhattan, "rows and columns between each tile and its goal"),
)
