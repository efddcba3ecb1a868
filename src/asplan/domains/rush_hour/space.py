"""Boards without names, the states that can be reached on them, and the hardest start among these.

A state is one integer, as in the model, but its bits are those of the whole board: for each cell
whether a horizontal car is on it, whether a vertical one is, and whether it is a wall. So all
boards of a size share the tables of their lines, which are most of the work on a board of a few
thousand states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import groupby
from math import inf
from string import ascii_lowercase
from typing import NamedTuple

from clingo import Function

from asplan.domains.generator import Size
from asplan.domains.reading import Cell
from asplan.domains.rush_hour.model import METRICS, Car, Line, RushHour, State, Table

FAR = 1_000
"""No board has as many cells in a line."""

WIDER = 10
"""So many times the states that a board may have are looked at on the board with a car less."""


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
        return replace(self, others=tuple(other for other in self.others if other != piece))

    def canonical(self) -> Board:
        """Of the board and its mirror image the lesser one.

        The image is that from top to bottom, for the way out is to stay on the right. It is the
        same puzzle only where the red car is in the row in the middle, and so is in both.
        """
        return min(self, self.mirrored()) if 2 * self.red.line == self.rows + 1 else self

    def mirrored(self) -> Board:
        """The board from bottom to top."""

        def image(piece: Piece) -> Piece:
            if piece.axis == "h":
                return piece._replace(line=self.rows + 1 - piece.line)
            return piece._replace(first=self.rows + 2 - piece.first - piece.length)

        return replace(
            self,
            red=image(self.red),
            others=tuple(sorted(map(image, self.others))),
            walls=tuple(sorted((self.rows + 1 - row, column) for row, column in self.walls)),
        )

    def problem(self) -> RushHour:
        """The instance; its cars are named as one reads, row by row.

        Their names are letters, or `c1`, `c2` and so on where there are not enough of them.
        """
        names = [letter for letter in ascii_lowercase if letter not in "ar"]
        if len(self.others) > len(names):
            names = [f"c{number}" for number in range(1, len(self.others) + 1)]
        pieces = (self.red, *sorted(self.others, key=lambda piece: piece.cells[0]))
        return RushHour(
            rows=self.rows,
            columns=self.columns,
            walls=frozenset(self.walls),
            cars=tuple(
                Car(Function(name), piece.length, piece.axis, piece.line)
                for name, piece in zip(["r", *names], pieces, strict=False)
            ),
            start=tuple(piece.first for piece in pieces),
            goal=self.columns - self.red.length + 1,
        )


def _bit(size: Size, layer: int, row: int, column: int) -> int:
    """The bit of a cell in a layer: 0 horizontal cars, 1 vertical ones, 2 walls.

    The cells of a line have bits in a row.
    """
    if layer == 1:
        return 1 << size.rows * size.columns + (column - 1) * size.rows + row - 1
    return 1 << layer * size.rows * size.columns + (row - 1) * size.columns + column - 1


@dataclass(frozen=True)
class _Tabled:
    """A line with cars, and its moves by metric."""

    axis: str
    number: int
    line: Line
    tables: dict[str, Table]


@lru_cache(maxsize=4096)
def _tabled(size: Size, axis: str, number: int, lengths: tuple[int, ...]) -> _Tabled:
    """A row or column with cars of these lengths; walls are among what crosses it."""
    layer, length = (0, size.columns) if axis == "h" else (1, size.rows)
    cells = [(number, place) if axis == "h" else (place, number) for place in range(1, length + 1)]
    line = Line(
        cars=tuple(range(len(lengths))),
        lengths=lengths,
        shift=_bit(size, layer, *cells[0]).bit_length() - 1,
        size=length,
        crossing=tuple(_bit(size, 1 - layer, *cell) | _bit(size, 2, *cell) for cell in cells),
    )
    return _Tabled(axis, number, line, {"step": line.table(1), "slide": line.table(FAR)})


class Space:
    """The states that the cars of a board can make; `start` is the one that it shows."""

    def __init__(self, board: Board) -> None:
        size = Size(board.rows, board.columns)
        self._board = board
        by_line = groupby(sorted(board.pieces), key=lambda piece: piece[:2])
        self._lines = [
            _tabled(size, axis, number, tuple(piece.length for piece in pieces))
            for (axis, number), pieces in by_line
        ]

        def mask(piece: Piece) -> State:
            return sum(_bit(size, piece.axis == "v", *cell) for cell in piece.cells)

        walls = sum(_bit(size, 2, *cell) for cell in board.walls)
        self.start = walls + sum(map(mask, board.pieces))
        self._out = mask(board.red._replace(first=board.columns - board.red.length + 1))

    def is_goal(self, state: State) -> bool:
        """Whether the red car is at the right end of its row, where no other horizontal car is."""
        return state & self._out == self._out

    def reachable(self, most: int) -> set[State] | None:
        """The states that can be reached from the start; None if there are more than `most`."""
        expand = self._expander("step")
        layer, seen = {self.start}, {self.start}
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
        return replace(self._board, red=red, others=tuple(pieces))

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


@dataclass(frozen=True)
class Farthest:
    """The states of a space, `last`, from which the most moves of a metric are needed."""

    space: Space
    metric: str
    moves: int
    states: int
    """How many states the space has."""
    goals: tuple[State, ...]
    last: frozenset[State]

    @cached_property
    def board(self) -> Board:
        """One of them, always the same."""
        return self.space.board(min(self.last))


def farthest(board: Board, metric: str, most_states: int) -> Farthest | None:
    """The farthest states of a board's space; None if it is larger than allowed, or has no goal."""
    space = Space(board)
    states = space.reachable(most_states) or ()
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
