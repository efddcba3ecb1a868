"""Retrograde analysis: fills the table of a pattern database backwards from the goal, by numpy.

The plain method is a breadth-first search from the goal over placements of a group and of the
blank; moves of the group's tiles cost 1, and other moves of the blank cost 0. Here all placements
at one distance are processed at once. A *placement* gives only the cells of the group's tiles. All
cells that the blank reaches without moves of the group form a *region*, which is processed at once,
too: as a set of cells, which is a word with a bit for each cell.

For three and four tiles, `core.search.best_first` with the same costs takes 25 to 500 times as long
(`scripts/search_variants.py`); tests compare the tables.
"""

from collections.abc import Collection
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from asplan.domains.sliding_tiles.model import DIRECTIONS

Group = tuple[int, ...]

Array: TypeAlias = np.ndarray[Any, Any]  # of placements, of cells or of sets of cells
CellSet: TypeAlias = Any  # a numpy number of one of the types in WORDS

WORDS = ("<u2", "<u4", "<u8")
"""The numpy types for sets of up to 16, 32 and 64 cells, little-endian."""


class TileStep(NamedTuple):
    """A step of a tile, or of the blank, in one direction, for many cells at once."""

    change: int  # the change of the index of the cell
    target: Array  # for each cell the set with the cell after the step; empty off the board
    from_cells: CellSet  # the cells from which the step stays on the board


class Retrograde:
    """A breadth-first search backwards from the goal of a group; all moves can be undone.

    One object serves all groups with the same number of tiles. The arrays are indexed by
    placements: a placement is a number to the base of the board's size, with a digit for the cell
    of each tile.

    Attributes
    ----------
    bit
        For each cell the set that contains only this cell.
    place_values
        For each tile the value of its digit.
    cells
        For each tile an array with its cell in each placement.
    free
        For each placement the set of cells without a tile of the group.
    seen
        For each placement the cells where the blank has been.
    arrived
        For each placement the cells where the blank arrived by the latest moves of the group.
    """

    def __init__(
        self,
        rows: int,
        columns: int,
        tiles: int,
    ) -> None:
        self.rows = rows
        self.columns = columns
        self.size = rows * columns
        word = _word_type(self.size)
        ones = np.ones(self.size, word)
        self.bit = ones << np.arange(self.size, dtype=word)
        self.steps = [self._make_step(*direction) for direction in DIRECTIONS.values()]
        exponents = reversed(range(tiles))
        self.place_values = [self.size**exponent for exponent in exponents]
        digits = np.indices((self.size,) * tiles, np.int8)
        self.cells = digits.reshape(tiles, -1)
        all_cells = self.bit.sum(dtype=word)
        self.free = np.full(self.size**tiles, all_cells)
        for cells in self.cells:
            self.free &= ~self.bit[cells]
        self.seen = np.zeros_like(self.free)
        self.arrived = np.zeros_like(self.free)

    def _make_step(self, down: int, right: int) -> TileStep:
        row, column = np.divmod(np.arange(self.size), self.columns)
        row += down
        column += right
        in_rows = (row >= 0) & (row < self.rows)
        in_columns = (column >= 0) & (column < self.columns)
        stays = in_rows & in_columns
        change = down * self.columns + right
        nothing = np.zeros_like(self.bit)
        target = np.where(stays, np.roll(self.bit, -change), nothing)
        from_cells = self.bit[stays].sum(dtype=self.bit.dtype)
        return TileStep(change, target, from_cells)

    def table(self, group: Group, blanks: Collection[int]) -> bytearray:
        """Return the table of a group: the fewest moves of its tiles, by placement and cell of the
        blank.

        `blanks` are the cells of the blank in goal states. The entry 255 means that no path exists.
        """
        # While it is filled, an entry is the distance plus 1, and 0 if it is unknown.
        memory = bytearray(len(self.free) * self.size)
        table = np.frombuffer(memory, np.uint8).reshape(-1, self.size)
        # A row as one item: numpy copies whole items three times as fast as their bytes.
        row_type = np.dtype((np.void, self.size))
        rows = table.view(row_type)[:, 0]
        self.seen[:] = 0
        goal = self._placement(group)
        self.arrived[goal] = self.bit[list(blanks)].sum()
        level = 0
        while len(placements := _nonempty(self.arrived)):
            level += 1
            placements, regions = self._enter(placements)
            entries = table.take(placements, axis=0)
            entries += np.uint8(level) * self._members(regions)
            rows[placements] = entries.view(row_type)[:, 0]
            self._move(placements, regions)
        table -= 1
        return memory

    def _placement(self, cells: Group) -> int:
        digits = zip(cells, self.place_values, strict=True)
        return sum(cell * place_value for cell, place_value in digits)

    def _members(self, regions: Array) -> Array:
        """Return a row for each region: 1 for each cell of the region, 0 for each other cell.

        A region is a set of cells.
        """
        octets = regions[:, None].view(np.uint8)
        return np.unpackbits(octets, axis=1, count=self.size, bitorder="little")

    def _enter(self, placements: Array) -> tuple[Array, Array]:
        """Return the placements in which the blank arrived in new regions, and these regions.

        A placement gives the cells of the group's tiles; a region is a set of cells that the blank
        reaches while these tiles stay. The cells of the returned regions are marked as seen.
        """
        seen = self.seen[placements]
        regions = self.arrived[placements] & ~seen
        self.arrived[placements] = 0
        new = _nonempty(regions)
        placements = placements[new]
        regions = self._spread(regions[new], self.free[placements])
        self.seen[placements] = seen[new] | regions
        return placements, regions

    def _spread(self, regions: Array, free: Array) -> Array:
        """Extend regions to all cells that the blank reaches while the group stays in place.

        `free` has for each region the cells without a tile of the group.
        """
        while True:
            wider = regions.copy()
            for step in self.steps:
                cells = regions & step.from_cells
                if step.change > 0:
                    wider |= cells << step.change
                else:
                    wider |= cells >> -step.change
            wider &= free
            if np.array_equal(wider, regions):
                return regions
            regions = wider

    def _move(self, placements: Array, regions: Array) -> None:
        """Move each tile of the group to each neighbouring cell in the blank's region; update
        `arrived`.

        `placements` gives the cells of the tiles, and `regions` the cells that the blank reaches in
        each.
        """
        for all_cells, place_value in zip(self.cells, self.place_values, strict=True):
            # `take` with indices of this type is much faster than brackets with other types.
            cells = all_cells.take(placements).astype(np.intp)
            left_cells = self.bit.take(cells)
            for step in self.steps:
                targets = regions & step.target.take(cells)
                movable = _nonempty(targets)
                after = placements.take(movable)
                after += step.change * place_value
                self.arrived[after] |= left_cells.take(movable)


def _nonempty(sets: Array) -> Array:
    """Return the indices of the sets of cells that are not empty."""
    # `nonzero` is fast for truth values only.
    indices: Array = (sets != 0).nonzero()[0]
    return indices


def _word_type(size: int) -> np.dtype[Any]:
    """Return the smallest numpy type for sets of `size` cells."""
    types = map(np.dtype, WORDS)
    return next(word for word in types if size <= 8 * word.itemsize)
