"""The lines of a board, and how the cars on them are written as the bits of one integer.

Each row with horizontal cars and each column with vertical cars has its own run of bits, one for
each of its cells: set where one of *its* cars is. As the cars of a line keep their order, the bits
say where each of them is, and

- which moves a line has is decided by the bits of its own cars and of those that cross it,
  `state & line.view`, so it can be looked up in a table;
- a move adds a number to the state, whatever else is on the board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

State = int
Cell = tuple[int, int]
Value = TypeVar("Value")


class OnLine(Protocol):
    """A car, as far as lines know it."""

    @property
    def length(self) -> int:
        """The number of cells."""

    @property
    def axis(self) -> str:
        """`h` or `v`."""

    @property
    def line(self) -> int:
        """The row (h) or column (v)."""


class Memo(dict[State, Value]):
    """A function of some bits of the state, tabulated as far as it was asked."""

    def __init__(self, function: Callable[[State], Value]) -> None:
        self.function = function

    def __missing__(self, bits: State) -> Value:
        value = self[bits] = self.function(bits)
        return value


@dataclass(frozen=True)
class Line:
    """A row with its horizontal cars, or a column with its vertical cars.

    Attributes
    ----------
    cars
        Their indices, from left to right or from top to bottom.
    shift, size
        Its cells are the bits from `shift` on, as many as `size`.
    crossing
        For each cell the bit that says a car of the line across is on it; 0 where that has none.
    walls
        The impassable cells, as bits from 0 on.
    """

    cars: tuple[int, ...]
    lengths: tuple[int, ...]
    shift: int
    size: int
    crossing: tuple[int, ...]
    walls: int

    @cached_property
    def bits(self) -> int:
        """Where its cars are."""
        return self.mask(0, self.size)

    @cached_property
    def view(self) -> int:
        """All that decides on its moves."""
        return self.bits + sum(self.crossing)

    def mask(self, first: int, length: int) -> int:
        """The bits of a car whose first cell has an index (from 0)."""
        return ((1 << length) - 1) << self.shift + first

    def places(self, state: State) -> list[int]:
        """The index (from 0) of the first cell of each of its cars."""
        found, rest, passed = [], (state & self.bits) >> self.shift, 0
        for length in self.lengths:
            gap = (rest & -rest).bit_length() - 1
            found.append(passed + gap)
            rest >>= gap + length
            passed += gap + length
        return found

    def crossed(self, state: State) -> int:
        """The cells that are not free for other reasons than its own cars, as bits from 0 on."""
        cells = self.walls
        for index, bit in enumerate(self.crossing):
            if state & bit:
                cells |= 1 << index
        return cells

    def moves(self, state: State, reach: int) -> Iterator[tuple[int, int, int]]:
        """Car index, signed distance and what the move adds to the state.

        Car by car, backward before forward, near before far.
        """
        # Ends of the line are taken too: one bit before the first cell, one after the last.
        taken = self.crossed(state) | (state & self.bits) >> self.shift
        taken = (taken | 1 << self.size) << 1 | 1
        for car, length, first in zip(self.cars, self.lengths, self.places(state), strict=True):
            here = self.mask(first, length)
            for cells in range(1, reach + 1):
                if taken >> first + 1 - cells & 1:
                    break
                yield car, -cells, (here >> cells) - here
            for cells in range(1, reach + 1):
                if taken >> first + length + cells & 1:
                    break
                yield car, cells, (here << cells) - here


def make_lines(
    rows: int,
    columns: int,
    walls: frozenset[Cell],
    cars: Sequence[OnLine],
    offsets: Sequence[int],
) -> tuple[Line, ...]:
    """The lines that have cars: rows from the top, then columns from the left."""
    members: dict[tuple[str, int], list[int]] = {}
    for index in sorted(range(len(cars)), key=lambda index: offsets[index]):
        members.setdefault((cars[index].axis, cars[index].line), []).append(index)
    keys = sorted(members)
    cells_of = {key: _cells(key, rows, columns) for key in keys}
    bits: dict[tuple[str, Cell], int] = {}
    for (axis, _), cells in cells_of.items():
        for cell in cells:
            bits[axis, cell] = len(bits)
    return tuple(
        Line(
            cars=tuple(members[axis, number]),
            lengths=tuple(cars[index].length for index in members[axis, number]),
            shift=bits[axis, cells[0]],
            size=len(cells),
            crossing=tuple(
                1 << bits[across, cell] if (across, cell) in bits else 0
                for cell in cells
                for across in ["v" if axis == "h" else "h"]
            ),
            walls=sum(1 << index for index, cell in enumerate(cells) if cell in walls),
        )
        for (axis, number), cells in cells_of.items()
    )


def _cells(line: tuple[str, int], rows: int, columns: int) -> list[Cell]:
    axis, number = line
    if axis == "h":
        return [(number, column) for column in range(1, columns + 1)]
    return [(row, number) for row in range(1, rows + 1)]
