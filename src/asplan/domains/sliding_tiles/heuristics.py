"""Estimates how many moves a board of sliding tiles still needs.

*Walking distance*: of the rows nothing is kept but how many tiles that belong into each are in
each, and which one the blank is in. A vertical move takes one tile to the row beside it; a
horizontal one changes nothing. The fewest vertical moves are read from a table, which a
breadth-first search from the goal fills; likewise for columns. The sum is consistent, and never
less than the Manhattan distance, for it also counts moves by which tiles give way. Source:
Ken'ichiro Takahashi, Walking Distance (in Japanese), 2002.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf

from asplan.domains.heuristic import Heuristic
from asplan.domains.sliding_tiles import patterns
from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles, State, TileSum

LARGEST = 400_000  # the most entries of a table; four lines of four have 24,964


@dataclass(frozen=True)
class Lines:
    """The board as its rows, or as its columns; an arrangement is one number, of counters."""

    width: int  # the cells of a line
    homes: tuple[int, ...]  # for each line how many tiles have their goal in it

    @cached_property
    def tile(self) -> list[list[int]]:
        """What a tile adds to the number: by its line, and then by its home."""
        count = len(self.homes)
        counters = [1 << self._counter * at for at in range(count * count)]
        return [counters[line * count : (line + 1) * count] for line in range(count)]

    def blank(self, line: int) -> int:
        """What the blank adds to the number."""
        return line << self._counter * len(self.homes) ** 2

    @property
    def bits(self) -> int:
        """How many bits the number has at most."""
        return self._counter * len(self.homes) ** 2 + len(self.homes).bit_length()

    @property
    def _counter(self) -> int:
        return self.width.bit_length()

    def goals(self) -> Iterator[tuple[int, int]]:
        """The arrangements at a goal, each with the line of the blank."""
        done = sum(count * self.tile[line][line] for line, count in enumerate(self.homes))
        for line, count in enumerate(self.homes):
            if count < self.width:
                yield done + self.blank(line), line

    def moves(self, arrangement: int, blank: int) -> Iterator[tuple[int, int]]:
        """The arrangements that follow, each with the line of the blank."""
        full = (1 << self._counter) - 1
        for line in (blank - 1, blank + 1):
            if 0 <= line < len(self.homes):
                moved = arrangement + self.blank(line) - self.blank(blank)
                loose = self.width
                for tile, tile_after in zip(self.tile[line], self.tile[blank], strict=True):
                    if count := arrangement // tile & full:
                        loose -= count
                        yield moved - tile + tile_after, line
                if loose:
                    yield moved, line


@lru_cache(maxsize=2)
def table(lines: Lines) -> Mapping[int, int]:
    """The fewest moves to a goal, by arrangement; empty if there are more than `LARGEST`."""
    layer, moves = list(lines.goals()), 0
    found = dict.fromkeys((arrangement for arrangement, _ in layer), 0)
    while layer and len(found) <= LARGEST:
        moves += 1
        after = []
        for arrangement, blank in layer:
            for follows in lines.moves(arrangement, blank):
                if follows[0] not in found:
                    found[follows[0]] = moves
                    after.append(follows)
        layer = after
    return {} if layer else found


def walking_distance(problem: SlidingTiles) -> TileSum:
    """The fewest vertical and the fewest horizontal moves, added; consistent for any goal."""
    rows, columns = _lines(problem)
    down, across = table(rows), table(columns)
    shift = rows.bits
    mask = (1 << shift) - 1
    goal = dict(problem.goal)

    def weight(cell: int, tile: int) -> int:
        row, column = divmod(cell, problem.columns)
        if tile == BLANK:
            return rows.blank(row) + (columns.blank(column) << shift)
        if tile not in goal:
            return 0
        home_row, home_column = divmod(goal[tile], problem.columns)
        return rows.tile[row][home_row] + (columns.tile[column][home_column] << shift)

    def value(note: int) -> float:
        return down.get(note & mask, inf) + across.get(note >> shift, inf)

    cells = range(len(problem.initial))
    return TileSum(problem, [[weight(cell, tile) for tile in cells] for cell in cells], value)


def too_large(problem: SlidingTiles) -> str | None:
    """Why there is no walking distance for a board, if its tables would be too large."""
    for lines in _lines(problem):
        if not table(lines):
            size = f"{len(lines.homes)} lines of {lines.width} cells"
            return f"the table for {size} would have more than {LARGEST} entries"
    return None


def _lines(problem: SlidingTiles) -> tuple[Lines, Lines]:
    """The board as its rows, and as its columns."""
    rows = [cell // problem.columns for _, cell in problem.goal]
    columns = [cell % problem.columns for _, cell in problem.goal]
    return (
        Lines(problem.columns, tuple(map(rows.count, range(problem.rows)))),
        Lines(problem.rows, tuple(map(columns.count, range(problem.columns)))),
    )


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
    base, goal = manhattan(problem), dict(problem.goal)
    size, columns = len(problem.initial), problem.columns
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
        patterns.pattern_databases,
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
        unfit=too_large,
    ),
    Heuristic("manhattan", manhattan, "rows and columns between each tile and its goal"),
)
