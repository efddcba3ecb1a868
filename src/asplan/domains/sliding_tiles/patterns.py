"""Additive pattern databases: groups of tiles, each brought home by itself, whose moves are added.

For a group of tiles a table holds, for each placement of it and of the blank, the fewest moves *of
its tiles* that bring them home. No move counts for two groups, so the sum is consistent. Korf and
Felner keep the least value over the places of the blank; with them values are larger, and only so
consistent. A square board in the mirror of a diagonal is as far from its goal: where the goal's
cells are the same there, the larger of the two sums counts.

Sources: Korf and Felner, Disjoint Pattern Database Heuristics, Artificial Intelligence 134, 2002;
Culberson and Schaeffer, Pattern Databases, 1998.
"""

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import count, pairwise
from typing import Any, NamedTuple

import numpy as np

from asplan.domains.sliding_tiles.model import BLANK, DIRECTIONS, SlidingTiles, TileSum

Group = tuple[int, ...]  # the goal cells of some tiles
LARGEST = 2**26  # the most entries, of a byte each, that the tables of a board have
MOST_CELLS = 64  # while a table is filled, a set of cells is a word of so many bits


def pattern_databases(problem: SlidingTiles) -> TileSum:
    """The fewest moves of groups of tiles, each group by itself, added; consistent for any goal."""
    size = len(problem.initial)
    cells = tuple(sorted(cell for _, cell in problem.goal))
    groups = divide(cells, size)
    tables = _tables(problem.rows, problem.columns, cells)
    mirror = mirror_of(problem, cells) if len(groups) > 1 else None
    views = [list(range(size)), *([mirror] if mirror else [])]
    shift = max(map(len, tables)).bit_length()
    weights = _weights(problem, groups, views, shift)
    return TileSum(problem, weights, _largest(tables, len(views), shift))


def too_large(problem: SlidingTiles) -> str | None:
    """Why there are no pattern databases for a board, if it is too large."""
    if len(problem.initial) <= MOST_CELLS:
        return None
    return f"its tables are for boards of up to {MOST_CELLS} cells"


def divide(cells: Group, size: int) -> list[Group]:
    """Groups of neighbours in row order, about equal and as few as `LARGEST` allows."""
    for parts in count(1):
        cuts = [part * len(cells) // parts for part in range(parts + 1)]
        groups = [cells[start:stop] for start, stop in pairwise(cuts)]
        if sum(size ** (len(group) + 1) for group in groups) <= LARGEST:
            break
    return groups


def mirror_of(problem: SlidingTiles, cells: Group) -> list[int] | None:
    """For each cell its image in a diagonal, if the goal's cells are the same in the mirror."""
    side = problem.columns
    if problem.rows != side:
        return None
    transposed = [column * side + row for row in range(side) for column in range(side)]
    for image in (transposed, transposed[::-1]):
        if {image[cell] for cell in cells} == set(cells):
            return image
    return None


def _weights(
    problem: SlidingTiles, groups: Sequence[Group], views: Sequence[list[int]], shift: int
) -> list[list[int]]:
    """What each cell and tile add to the indices, which stand side by side, `shift` bits each."""
    size, goal = len(problem.initial), dict(problem.goal)
    weights = [[0] * size for _ in range(size)]
    for slot, (image, group) in enumerate((image, group) for image in views for group in groups):
        digits = {home: size ** (len(group) - at) for at, home in enumerate(group)}
        for tile in (BLANK, *goal):
            digit = 1 if tile == BLANK else digits.get(image[goal[tile]], 0)
            for cell, row in enumerate(weights):
                row[tile] += image[cell] * digit << slot * shift
    return weights


def _largest(tables: Sequence[bytearray], views: int, shift: int) -> Callable[[int], int]:
    """From the indices to the entries, added for each view."""
    mask = (1 << shift) - 1

    def value(indices: int) -> int:
        largest = 0
        for _ in range(views):
            total = 0
            for table in tables:
                total += table[indices & mask]
                indices >>= shift
            if total > largest:
                largest = total
        return largest

    return value


@lru_cache(maxsize=1)
def _tables(rows: int, columns: int, cells: Group) -> list[bytearray]:
    """The tables of the groups; kept, for the next board may have the same goal."""
    size = rows * columns
    blanks = [cell for cell in range(size) if cell not in cells]
    groups = divide(cells, size)
    searches = {tiles: Retrograde(rows, columns, tiles) for tiles in {*map(len, groups)}}
    return [searches[len(group)].table(group, blanks) for group in groups]


# The tables, filled backwards from the goal for many placements at once.

Array = np.ndarray[Any, Any]

WORDS = ("<u2", "<u4", "<u8")  # for sets of up to 16, 32, 64 cells; little-endian


class Step(NamedTuple):
    """A step of a tile, or of the blank, in one direction."""

    change: int  # what it adds to the number of a cell
    beside: Array  # the set with the one cell that it leads to, if on the board
    from_cells: Any  # the set of cells from which it stays on the board


class Retrograde:
    """A breadth-first search over the placements of a group, from its goal, which fills its table.

    Only moves of the group's tiles count: where the blank can go without them costs nothing. So a
    placement, a number with the cells as digits, is dealt with once for a whole region of the
    blank, a word with a bit for each cell. Moves can be undone. One search serves all groups of so
    many tiles.
    """

    def __init__(self, rows: int, columns: int, tiles: int) -> None:
        self.size = rows * columns
        word = next(w for w in map(np.dtype, WORDS) if self.size <= 8 * w.itemsize)
        self.bit = np.ones(self.size, word) << np.arange(self.size, dtype=word)
        self.steps = [self._step(rows, columns, *way) for way in DIRECTIONS.values()]
        # By placement: the cell of each tile, the cells without one, those where the blank has
        # been, and those where it has arrived by the last move.
        self.digits = [self.size**at for at in reversed(range(tiles))]
        self.places = np.indices((self.size,) * tiles, np.int8).reshape(tiles, -1)
        self.free = np.full(self.size**tiles, self.bit.sum(dtype=word))
        for places in self.places:
            self.free &= ~self.bit[places]
        self.seen = np.zeros_like(self.free)
        self.arrived = np.zeros_like(self.free)

    def table(self, group: Group, blanks: Collection[int]) -> bytearray:
        """For each placement and cell of the blank the fewest moves of a group; 255: none."""
        # One more than the moves, so that a new entry can be added to the 0 that is there.
        memory = bytearray(len(self.free) * self.size)
        table = np.frombuffer(memory, np.uint8).reshape(-1, self.size)
        # A row as one item is copied whole, which takes a third of the time.
        rows = table.view(np.dtype((np.void, self.size)))[:, 0]
        level = 0
        self.seen[:] = 0
        home = sum(cell * digit for cell, digit in zip(group, self.digits, strict=True))
        self.arrived[home] = self.bit[list(blanks)].sum()
        while len(placements := (self.arrived != 0).nonzero()[0]):
            level += 1
            placements, regions = self._enter(placements)
            # For each region a row with 1 for the cells in it and 0 for the others.
            octets = regions[:, None].view(np.uint8)
            inside = np.unpackbits(octets, axis=1, count=self.size, bitorder="little")
            entries = table.take(placements, axis=0) + np.uint8(level) * inside
            rows[placements] = entries.view(rows.dtype)[:, 0]
            self._move(placements, regions)
        table -= 1
        return memory

    def _enter(self, placements: Array) -> tuple[Array, Array]:
        """The placements where the blank has arrived in new regions, and these."""
        seen = self.seen[placements]
        regions = self.arrived[placements] & ~seen
        self.arrived[placements] = 0
        new = (regions != 0).nonzero()[0]
        placements = placements[new]
        regions = self._spread(regions[new], self.free[placements])
        self.seen[placements] = seen[new] | regions
        return placements, regions

    def _spread(self, regions: Array, free: Array) -> Array:
        """All cells that the blank can reach while the group stays where it is."""
        while True:
            wider = regions.copy()
            for step in self.steps:
                inner = regions & step.from_cells
                wider |= inner << step.change if step.change > 0 else inner >> -step.change
            wider &= free
            if np.array_equal(wider, regions):
                return regions
            regions = wider

    def _move(self, placements: Array, regions: Array) -> None:
        """Let each tile of the group slide onto the blank, wherever that can stand beside it."""
        for all_places, digit in zip(self.places, self.digits, strict=True):
            # `take` with indices of this type is much faster than brackets with others.
            places = all_places.take(placements).astype(np.intp)
            left = self.bit.take(places)
            for step in self.steps:
                able = ((regions & step.beside.take(places)) != 0).nonzero()[0]
                after = placements.take(able) + step.change * digit
                self.arrived[after] |= left.take(able)

    def _step(self, rows: int, columns: int, down: int, right: int) -> Step:
        row, column = np.divmod(np.arange(self.size), columns)
        row, column = row + down, column + right
        on = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
        change = down * columns + right
        beside = np.where(on, np.roll(self.bit, -change), np.zeros_like(self.bit))
        return Step(change, beside, self.bit[on].sum(dtype=self.bit.dtype))
