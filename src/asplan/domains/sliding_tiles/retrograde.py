"""The tables of pattern databases, filled backwards from the goal for many placements at once."""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from asplan.domains.sliding_tiles.model import DIRECTIONS

Group = tuple[int, ...]

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
