"""Boards without names, and the hardest start among the states that can be reached on one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from string import ascii_lowercase
from typing import NamedTuple

from clingo import Function

from asplan.domains.model import layers
from asplan.domains.reading import Cell
from asplan.domains.rush_hour.model import METRICS, Car, RushHour, State

WIDER = 10  # so many times the states are looked at with a car less


class Piece(NamedTuple):
    """A car where it is: its row (`h`) or column (`v`), and its first cell there, from 1."""

    axis: str
    line: int
    first: int
    length: int

    @property
    def cells(self) -> tuple[Cell, ...]:
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
        return self.red, *self.others

    def without(self, piece: Piece) -> Board:
        return replace(self, others=tuple(other for other in self.others if other != piece))

    def canonical(self) -> Board:
        """Of the board and its mirror image the lesser, where the red row is in the middle."""
        return min(self, self.mirrored()) if 2 * self.red.line == self.rows + 1 else self

    def mirrored(self) -> Board:
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

    def problem(self, metric: str = METRICS[0]) -> RushHour:
        """The instance; its cars are named as one reads, by letters or `c1`, `c2` and so on."""
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
            metric=metric,
            shares_tables=True,
        )


def board_of(problem: RushHour, state: State) -> Board:
    red, *others = (
        Piece(car.axis, car.line, offset, car.length)
        for car, offset in zip(problem.cars, problem.offsets(state), strict=True)
    )
    walls = tuple(sorted(problem.walls))
    return Board(problem.rows, problem.columns, red, tuple(sorted(others)), walls)


def reachable(board: Board, most: int) -> set[State] | None:
    """The states that can be reached from a board; None if there are more than `most`."""
    problem, seen = board.problem(), set[State]()
    for layer in layers(problem, [problem.initial]):
        seen |= layer
        if len(seen) > most:
            return None
    return seen


@dataclass(frozen=True)
class Farthest:
    """The states of a space, `last`, from which the most moves are needed."""

    problem: RushHour
    moves: int
    states: int  # how many states the space has
    goals: tuple[State, ...]
    last: frozenset[State]

    @cached_property
    def board(self) -> Board:
        """One of them, always the same."""
        return board_of(self.problem, min(self.last))


def farthest(board: Board, metric: str, most_states: int) -> Farthest | None:
    """The farthest states of a board's space; None if it is larger than allowed, or has no goal."""
    states = reachable(board, most_states) or ()
    problem = board.problem(metric)
    goals = tuple(filter(problem.is_goal, states))
    if not goals:
        return None
    moves, last = max(enumerate(layers(problem, goals)))
    return Farthest(problem, moves, len(states), goals, frozenset(last))


@dataclass(frozen=True)
class Start:
    """The hardest start of a space, with the fewest slides and steps that lead to the goal."""

    board: Board
    slides: int
    steps: int
    states: int


def hardest(found: Farthest) -> Start:
    """Of the farthest states that which is farthest in the other metric, too, and least."""
    metric = found.problem.metric
    other = next(name for name in METRICS if name != metric)
    moves, last = 0, found.last
    for away, layer in enumerate(layers(replace(found.problem, metric=other), found.goals)):
        if here := found.last & layer:
            moves, last = away, here
    board = min(board_of(found.problem, state).canonical() for state in last)
    by_metric = {metric: found.moves, other: moves}
    return Start(board, by_metric["slide"], by_metric["step"], found.states)


def fewest(board: Board, metric: str, most_states: float = inf) -> int | None:
    """The fewest moves from a board to the goal; None if more states than allowed are nearer."""
    problem, seen = board.problem(metric), 0
    for moves, layer in enumerate(layers(problem, [problem.initial])):
        if any(map(problem.is_goal, layer)):
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
    metric = found.problem.metric
    while current is not None:
        board = hardest(current).board
        for car in board.others:
            away = fewest(board.without(car), metric, WIDER * most_states)
            if away is None:
                return None
            if away == current.moves:
                current = farthest(board.without(car), metric, most_states)
                break
        else:
            return current
    return None
