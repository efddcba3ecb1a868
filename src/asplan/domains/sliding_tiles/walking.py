"""Walking distance: the board seen once as rows and once as columns, each solved in full.

Of the rows nothing is kept but how many tiles that belong into each row are in each of them, and
which row the blank is in. A vertical move takes one tile to the row beside it; a horizontal move
changes nothing. The fewest vertical moves that bring all tiles into their rows are read from a
table, which a breadth-first search from the goal fills; likewise for columns. Each move of the
board is vertical or horizontal, so the two numbers add up, and their sum is consistent.

It is never less than the Manhattan distance, for it also counts the moves by which tiles give way.

Source: Ken'ichiro Takahashi, Walking Distance (in Japanese), 2002.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf

from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles
from asplan.domains.sliding_tiles.sums import TileSum

LARGEST = 400_000
"""The most entries of a table; four lines of four have 24,964, five of five 65 million."""


@dataclass(frozen=True)
class Lines:
    """The board as its rows, or as its columns.

    An arrangement is one number: how many tiles of each home are in each line, in counters of
    equal width, and above them the line of the blank. What tiles without a goal do follows.

    Attributes
    ----------
    width
        The cells of a line.
    homes
        For each line how many tiles have their goal in it.
    """

    width: int
    homes: tuple[int, ...]

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
    layer = list(lines.goals())
    found = dict.fromkeys((arrangement for arrangement, _ in layer), 0)
    moves = 0
    while layer and len(found) <= LARGEST:
        moves += 1
        following = []
        for arrangement, blank in layer:
            for after in lines.moves(arrangement, blank):
                if after[0] not in found:
                    found[after[0]] = moves
                    following.append(after)
        layer = following
    return {} if layer else found


def walking_distance(problem: SlidingTiles) -> TileSum:
    """The fewest vertical and the fewest horizontal moves, each for itself.

    Admissible and consistent, whatever the goal. Infinite where lines cannot be put in order, as
    the tiles of a board of one row.
    """
    rows, columns = _rows(problem), _columns(problem)
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
    for lines in (_rows(problem), _columns(problem)):
        if not table(lines):
            return (
                f"the table for {len(lines.homes)} lines of {lines.width} cells would have more "
                f"than {LARGEST} entries"
            )
    return None


def _rows(problem: SlidingTiles) -> Lines:
    homes = [cell // problem.columns for _, cell in problem.goal]
    return Lines(problem.columns, tuple(map(homes.count, range(problem.rows))))


def _columns(problem: SlidingTiles) -> Lines:
    homes = [cell % problem.columns for _, cell in problem.goal]
    return Lines(problem.rows, tuple(map(homes.count, range(problem.columns))))
