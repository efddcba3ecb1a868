"""A board without names: cars are told apart by where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import groupby
from math import inf
from string import ascii_lowercase
from typing import NamedTuple

from clingo import Function

from asplan.domains.rush_hour.lines import Cell, Line, Memo, State
from asplan.domains.rush_hour.model import METRICS, Car, RushHour

RED = "r"


class Piece(NamedTuple):
    """A car where it is: its row (`h`) or column (`v`), and its first cell there, from 1."""

    axis: str
    line: int
    first: int
    length: int

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that it covers."""
        places = range(self.first, self.first + self.length)
        if self.axis == "h":
            return tuple((self.line, place) for place in places)
        return tuple((place, self.line) for place in places)


@dataclass(frozen=True, order=True)
class Board:
    """A board; the pieces besides the red one, and the walls, are sorted."""

    rows: int
    columns: int
    red: Piece
    others: tuple[Piece, ...]
    walls: tuple[Cell, ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All cars, the red one first."""
        return self.red, *self.others

    def without(self, piece: Piece) -> Board:
        """The board after one of its other cars was taken off."""
        others = tuple(other for other in self.others if other != piece)
        return Board(self.rows, self.columns, self.red, others, self.walls)

    def canonical(self) -> Board:
        """Of the board and its mirror image the lesser one.

        The image is that from top to bottom, for the way out is to stay on the right. It is the
        same puzzle only where the red car is in the row in the middle, and so is in both.
        """
        return min(self, self._mirrored()) if 2 * self.red.line == self.rows + 1 else self

    def _mirrored(self) -> Board:
        def image(piece: Piece) -> Piece:
            axis, line, first, length = piece
            if axis == "h":
                return Piece(axis, self.rows + 1 - line, first, length)
            return Piece(axis, line, self.rows + 2 - first - length, length)

        return Board(
            self.rows,
            self.columns,
            image(self.red),
            tuple(sorted(map(image, self.others))),
            tuple(sorted((self.rows + 1 - row, column) for row, column in self.walls)),
        )

    def problem(self) -> RushHour:
        """The instance; its cars are named as one reads, row by row."""
        names = iter(_names(len(self.others)))
        cars = [(RED, self.red)]
        cars += [(next(names), piece) for piece in sorted(self.others, key=_reading)]
        return RushHour(
            rows=self.rows,
            columns=self.columns,
            walls=frozenset(self.walls),
            cars=tuple(Car(Function(name), p.length, p.axis, p.line) for name, p in cars),
            start=tuple(piece.first for _, piece in cars),
            goal=self.columns - self.red.length + 1,
        )


def _reading(piece: Piece) -> Cell:
    return piece.cells[0]


def _names(count: int) -> list[str]:
    """Letters, or `c1`, `c2` and so on where there are not enough of them."""
    letters = [letter for letter in ascii_lowercase if letter not in (RED, "a")]
    return letters[:count] if count <= len(letters) else [f"c{n}" for n in range(1, count + 1)]


# All states that can be reached from a board, and how far each is from the goal, fast.
#
# A state is one integer, as in the model, but its bits are those of the whole board: for each cell
# whether a horizontal car is on it, whether a vertical one is, and whether it is a wall. So all
# boards of a size share the tables of their lines, which are most of the work on a board of a few
# thousand states.


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


# The hardest start of a board's space, and boards without superfluous cars.


WIDER = 10
"""So many times the states that a board may have are looked at on the board with a car less."""


@dataclass(frozen=True)
class Farthest:
    """The states of a space from which the most moves of a metric are needed.

    Attributes
    ----------
    moves
        How many these are.
    states
        How many states the space has.
    goals
        Those at the goal.
    last
        Those that are farthest from these.
    """

    space: Space
    metric: str
    moves: int
    states: int
    goals: tuple[State, ...]
    last: frozenset[State]

    @cached_property
    def board(self) -> Board:
        """One of them, always the same."""
        return self.space.board(min(self.last))


def farthest(board: Board, metric: str, most_states: int) -> Farthest | None:
    """The farthest states of a board's space; None if it is larger than allowed, or has no goal."""
    space = Space(board)
    states = space.reachable(most_states)
    return None if states is None else farthest_of(space, states, metric)


def farthest_of(space: Space, states: set[State], metric: str) -> Farthest | None:
    """The farthest of all states of a space; None if no goal is among them."""
    goals = tuple(filter(space.is_goal, states))
    if not goals:
        return None
    moves, last = max(enumerate(space.layers(goals, metric)))
    return Farthest(space, metric, moves, len(states), goals, frozenset(last))


@dataclass(frozen=True)
class Start:
    """The hardest start of a space, with the fewest slides and steps that lead to the goal."""

    board: Board
    slides: int
    steps: int
    states: int


def hardest(found: Farthest) -> Start:
    """Of the farthest states that which is farthest in the other metric, too.

    Of several the least board is taken, so that each space has one hardest start, and mirror
    images of it the same.
    """
    other = next(metric for metric in METRICS if metric != found.metric)
    moves, last = 0, found.last
    for away, layer in enumerate(found.space.layers(found.goals, other)):
        if here := found.last & layer:
            moves, last = away, here
    board = min(found.space.board(state).canonical() for state in last)
    by_metric = {found.metric: found.moves, other: moves}
    return Start(board, by_metric["slide"], by_metric["step"], found.states)


def fewest(board: Board, metric: str, most_states: float = inf) -> int | None:
    """The fewest moves from a board to the goal; None if more states than allowed are nearer."""
    space, seen = Space(board), 0
    for moves, layer in enumerate(space.layers([space.start], metric)):
        if any(map(space.is_goal, layer)):
            return moves
        seen += len(layer)
        if seen > most_states:
            return None
    raise AssertionError("a board that is made has a goal in its space")


def minimal(found: Farthest, most_states: int) -> Farthest | None:
    """A board none of whose cars can be left out without changing how many moves it takes.

    As long as there is such a car it is taken off, and the hardest start of the larger space is
    looked at next. None if that is larger than allowed.
    """
    current: Farthest | None = found
    while current is not None:
        board = hardest(current).board
        for car in board.others:
            away = fewest(board.without(car), current.metric, WIDER * most_states)
            if away is None:
                return None
            if away == current.moves:
                current = farthest(board.without(car), current.metric, most_states)
                break
        else:
            return current
    return None
