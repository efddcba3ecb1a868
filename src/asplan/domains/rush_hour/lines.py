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
    own
        For each cell, from the first on, the bit of the state that says one of these cars is on it.
    crossing
        For each cell the bit that says a car of the line across is on it; 0 where that has none.
    walls
        For each cell whether it is impassable.
    """

    cars: tuple[int, ...]
    lengths: tuple[int, ...]
    own: tuple[int, ...]
    crossing: tuple[int, ...]
    walls: tuple[bool, ...]

    @cached_property
    def bits(self) -> int:
        """Where its cars are."""
        return sum(self.own)

    @cached_property
    def view(self) -> int:
        """All that decides on its moves."""
        return sum(self.own) + sum(self.crossing)

    def mask(self, first: int, length: int) -> int:
        """The bits of a car whose first cell has an index (from 0)."""
        return sum(self.own[first : first + length])

    def places(self, state: State) -> list[int]:
        """The index (from 0) of the first cell of each of its cars."""
        found, index = [], 0
        for length in self.lengths:
            while not state & self.own[index]:
                index += 1
            found.append(index)
            index += length
        return found

    def moves(self, state: State, reach: int) -> Iterator[tuple[int, int, int]]:
        """Car index, signed distance and what the move adds to the state.

        Car by car, backward before forward, near before far.
        """
        free = [
            not (state & (own | crossing) or wall)
            for own, crossing, wall in zip(self.own, self.crossing, self.walls, strict=True)
        ]
        for car, length, first in zip(self.cars, self.lengths, self.places(state), strict=True):
            here = self.mask(first, length)
            for sign, ahead in ((-1, free[:first][::-1]), (1, free[first + length :])):
                for distance, is_free in enumerate(ahead[:reach], 1):
                    if not is_free:
                        break
                    cells = sign * distance
                    yield car, cells, self.mask(first + cells, length) - here


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
    bits: dict[tuple[str, Cell], int] = {}
    for key in keys:
        for cell in _cells(key, rows, columns):
            bits[key[0], cell] = 1 << len(bits)
    return tuple(
        Line(
            cars=tuple(members[axis, number]),
            lengths=tuple(cars[index].length for index in members[axis, number]),
            own=tuple(bits[axis, cell] for cell in cells),
            crossing=tuple(bits.get(("v" if axis == "h" else "h", cell), 0) for cell in cells),
            walls=tuple(cell in walls for cell in cells),
        )
        for axis, number in keys
        for cells in [_cells((axis, number), rows, columns)]
    )


def _cells(line: tuple[str, int], rows: int, columns: int) -> list[Cell]:
    axis, number = line
    if axis == "h":
        return [(number, column) for column in range(1, columns + 1)]
    return [(row, number) for row in range(1, rows + 1)]
