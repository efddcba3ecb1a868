"""All states that can be reached from a board, and how far each is from the goal, fast.

A state is one integer, as in the model, but its bits are those of the whole board: for each cell
whether a horizontal car is on it, whether a vertical one is, and whether it is a wall. So all
boards of a size share the tables of their lines, which are most of the work on a board of a few
thousand states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby

from asplan.domains.rush_hour.generator.board import Board, Piece
from asplan.domains.rush_hour.lines import Line, Memo, State

Table = tuple[int, Memo[tuple[int, ...]]]
"""What decides on the moves of a line, and what these add to a state in which it is so."""

FAR = 1_000
"""No board has as many cells in a line."""


@dataclass(frozen=True)
class Size:
    """A board of this size, its bits in three layers: horizontal cars, vertical cars, walls."""

    rows: int
    columns: int

    def bit(self, layer: int, row: int, column: int) -> int:
        """The bit of a cell, both counted from 1; the cells of a line have bits in a row."""
        cells = self.rows * self.columns
        if layer == 1:
            return 1 << cells + (column - 1) * self.rows + row - 1
        return 1 << layer * cells + (row - 1) * self.columns + column - 1

    def mask(self, piece: Piece) -> int:
        """The bits of a car."""
        return sum(self.bit(piece.axis == "v", *cell) for cell in piece.cells)

    def line(self, axis: str, number: int, lengths: tuple[int, ...]) -> Line:
        """A row or column with cars of these lengths; walls are among what crosses it."""
        layer, size = (0, self.columns) if axis == "h" else (1, self.rows)
        cells = [
            (number, place) if axis == "h" else (place, number) for place in range(1, size + 1)
        ]
        return Line(
            cars=tuple(range(len(lengths))),
            lengths=lengths,
            shift=self.bit(layer, *cells[0]).bit_length() - 1,
            size=size,
            crossing=tuple(self.bit(1 - layer, *cell) | self.bit(2, *cell) for cell in cells),
            walls=0,
        )


@lru_cache(maxsize=4096)
def _tabled(size: Size, axis: str, number: int, lengths: tuple[int, ...]) -> _Tabled:
    line = size.line(axis, number, lengths)

    def table(reach: int) -> Table:
        return line.view, Memo(lambda view: tuple(add for *_, add in line.moves(view, reach)))

    return _Tabled(axis, number, line, {"step": table(1), "slide": table(FAR)})


@dataclass(frozen=True)
class _Tabled:
    """A line with cars, and its moves by metric."""

    axis: str
    number: int
    line: Line
    tables: dict[str, Table]


class Space:
    """The states that the cars of a board can make.

    Attributes
    ----------
    start
        The state that the board shows.
    """

    def __init__(self, board: Board) -> None:
        size = _size(board.rows, board.columns)
        self._board = board
        by_line = groupby(sorted(board.pieces), key=lambda piece: piece[:2])
        self._lines = [
            _tabled(size, axis, number, tuple(piece.length for piece in pieces))
            for (axis, number), pieces in by_line
        ]
        self._walls = sum(size.bit(2, *cell) for cell in board.walls)
        self.start = self._walls + sum(map(size.mask, board.pieces))
        last = board.red._replace(first=board.columns - board.red.length + 1)
        self._out = size.mask(last)

    def is_goal(self, state: State) -> bool:
        """Whether the red car is at the right end of its row, where no other horizontal car is."""
        return state & self._out == self._out

    def is_packed(self, state: State) -> bool:
        """Whether no car can go left or up."""
        moves = (tabled.line.moves(state, 1) for tabled in self._lines)
        return all(cells > 0 for line in moves for _, cells, _ in line)

    def reachable(self, most: int) -> set[State] | None:
        """The states that can be reached from the start; None if there are more than `most`."""
        return self.component(self.start, most)

    def component(self, state: State, most: int) -> set[State] | None:
        """The states that can be reached from a state of these cars; None if there are more."""
        expand = self._expander("step")
        layer, seen = {state}, {state}
        while layer:
            layer = set(expand(layer)) - seen
            seen |= layer
            if len(seen) > most:
                return None
        return seen

    def layers(self, states: Iterable[State], metric: str) -> Iterator[set[State]]:
        """The states that are 0, 1, … moves from the nearest of some states.

        What a move does another one undoes, so what is new is not in the two layers before.
        """
        expand = self._expander(metric)
        before, layer = set[State](), set(states)
        while layer:
            yield layer
            before, layer = layer, set(expand(layer)) - layer - before

    def board(self, state: State) -> Board:
        """A state as a board of its own."""
        pieces = sorted(
            Piece(tabled.axis, tabled.number, place + 1, length)
            for tabled in self._lines
            for place, length in zip(tabled.line.places(state), tabled.line.lengths, strict=True)
        )
        red = next(piece for piece in pieces if piece[:2] == self._board.red[:2])
        pieces.remove(red)
        board = self._board
        return Board(board.rows, board.columns, red, tuple(pieces), board.walls)

    def _expander(self, metric: str) -> Callable[[Iterable[State]], list[State]]:
        tables = [tabled.tables[metric] for tabled in self._lines]

        def expand(states: Iterable[State]) -> list[State]:
            return [
                state + add
                for state in states
                for view, table in tables
                for add in table[state & view]
            ]

        return expand


@cache
def _size(rows: int, columns: int) -> Size:
    return Size(rows, columns)
