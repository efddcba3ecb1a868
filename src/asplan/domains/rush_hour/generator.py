"""Hard boards: a random one, and small changes that make it harder as long as some do.

The board that is made is the hardest start of all states that can be reached on it, so its
difficulty is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from random import Random
from string import ascii_lowercase
from typing import Any, NamedTuple

from clingo import Function

from asplan.core.errors import UsageError
from asplan.core.text import amount
from asplan.domains import generator
from asplan.domains.generator import Generator, Option, Puzzle, Range, Shortest, Size
from asplan.domains.model import layers
from asplan.domains.reading import Cell
from asplan.domains.rush_hour.model import METRICS, Car, RushHour, State
from asplan.domains.rush_hour.notation import instance_text

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


RED_LENGTH = 2

OPTIONS = (
    Option("slides", "Ask for so many slides, such as 20..30.", generator.ranges(1), "A..B"),
    Option("steps", "Ask for so many steps of one cell.", generator.ranges(1), "A..B"),
    Option(
        "size", "Make boards with these rows and columns.", generator.sizes(2, 16), "RxC", "6x6"
    ),
    Option("row", "Put the red car here; else in or above the middle.", generator.numbers(1), "N"),
    Option("cars", "Put this many cars on a board, with the red one.", generator.ranges(1), "A..B"),
    Option("lengths", "Give the other cars this many cells.", generator.ranges(1), "A..B", "2..3"),
    Option("walls", "Put this many walls on a board.", generator.ranges(0), "A..B", "0"),
    Option("states", "Let this many states be reachable.", generator.ranges(1), "A..B", "1..10000"),
    Option("minimal", "Leave out cars that do not change the fewest moves."),
)


@dataclass(frozen=True)
class Wish:
    size: Size
    row: int
    drawn: Range  # the cars of a board to begin with
    cars: Range  # those of the board that is made
    lengths: Range
    walls: Range
    states: Range
    slides: Range | None = None  # the fewest of them to the goal; None if any number will do
    steps: Range | None = None
    minimal: bool = False

    @property
    def metric(self) -> str:
        """In which starts are to be hard: slides, unless only steps are asked for."""
        return "step" if self.slides is None and self.steps is not None else "slide"

    @property
    def moves(self) -> Range | None:
        """The moves of that metric that are asked for."""
        return self.slides or self.steps

    def grants(self, start: Start) -> bool:
        return (
            (self.slides is None or self.slides.has(start.slides))
            and (self.steps is None or self.steps.has(start.steps))
            and self.cars.has(len(start.board.pieces))
            and self.states.has(start.states)
        )


def make_wish(values: Mapping[str, Any]) -> Wish:
    """What the options ask for; raises `UsageError` where no board can be so."""
    size: Size = values["size"]
    row = values["row"] or (size.rows + 1) // 2
    if size.columns <= RED_LENGTH:
        hint = "it needs three columns"
        raise UsageError(f"on a board of {size} the red car has no way to go", hint=hint)
    if row > size.rows:
        raise UsageError(f"the red car's row is {row}, but the board has {size.rows} rows")
    lengths, walls = values["lengths"], values["walls"]
    room = size.rows * size.columns - RED_LENGTH - walls.least
    if room < 0:
        raise UsageError(f"{walls.least} walls leave no room for a car on a board of {size}")
    if lengths.least > max(size):
        raise UsageError(f"no car of {lengths.least} cells fits on a board of {size}")
    most = 1 + room // lengths.least
    cars = values["cars"] or Range(1, most)
    if cars.least > most:
        raise UsageError(
            f"{cars.least} cars do not fit on a board of {size}",
            hint=f"beside the red car and {walls.least} walls at most {most - 1} cars of "
            f"{lengths.least} cells have room",
        )
    if values["cars"]:
        drawn = Range(cars.least, min(cars.most, most))
    else:  # as many as hard boards have: 9 to 13 on the classic one
        cells = size.rows * size.columns
        drawn = Range(max(2, cells // 4), max(2, cells * 13 // 36))
    return Wish(**{**values, "row": row, "drawn": drawn, "cars": cars})


STARTS = 20  # random boards that are looked at before a climb begins, at most

PATIENCE = 60  # changes in vain that end a climb, and as many for ten moves of an aim

HARD = 60  # moves beyond which it is not worth while to try longer
STEEP = 37  # moves from which only changes that look promising are measured, for most are in vain
SLACK = 6  # moves that a start may lose by a change that looks promising
CHANGES = (1, 1, 1, 2, 2, 3)  # cars or walls of a change, as likely as often here


@dataclass(frozen=True)
class Climber:
    """Makes boards as one wish wants them, by the numbers that it draws."""

    wish: Wish
    random: Random

    def climb(self, aim: int) -> Farthest | None:
        """A board whose hardest start takes as many moves as aimed at, or as near as it came."""
        tries = (self._measured(self.random_board()) for _ in range(STARTS))
        best = next((found for found in tries if found is not None), None)
        left = patience = PATIENCE + PATIENCE * min(aim, HARD) // 10
        while best is not None and best.moves < aim and left:
            left -= 1
            board = self.changed(best.board)
            if board is None or (aim >= STEEP and not self._is_promising(board, best.moves)):
                continue
            changed = self._measured(board)
            if changed is not None and best.moves <= changed.moves:
                left = patience if best.moves < changed.moves else left
                best = changed
        return best

    def _is_promising(self, board: Board, moves: int) -> bool:
        """Whether a hard start is still nearly as hard on the changed board."""
        problem = board.problem(self.wish.metric)
        for away, layer in enumerate(layers(problem, [problem.initial])):
            if away >= moves - SLACK:
                return True
            if any(map(problem.is_goal, layer)):
                return False
        return False

    def _measured(self, board: Board | None) -> Farthest | None:
        """The farthest states; None where the board is too hard, or is none."""
        if board is None:
            return None
        found, moves = farthest(board, self.wish.metric, self.wish.states.most), self.wish.moves
        return None if found and moves and found.moves > moves.most else found

    def random_board(self) -> Board | None:
        """The red car, walls and cars one after the other; None where not all find room."""
        size, drawn = self.wish.size, self.random.randint
        red = Piece("h", self.wish.row, drawn(1, size.columns - RED_LENGTH + 1), RED_LENGTH)
        board = Board(size.rows, size.columns, red, ())
        for _ in range(drawn(*self.wish.walls)):
            board = self._with_wall(board)
        for _ in range(drawn(*self.wish.drawn) - 1):
            board = self._with_car(board)
        has_room = self.wish.drawn.has(len(board.pieces)) and self.wish.walls.has(len(board.walls))
        return board if has_room else None

    def changed(self, board: Board) -> Board | None:
        for _ in range(self.random.choice(CHANGES)):
            change = self.random.choice((self._moved, self._moved, self._with_car, self._less))
            board = change(board)
        return board if self.wish.drawn.has(len(board.pieces)) else None

    def _moved(self, board: Board) -> Board:
        """A wall or car is taken off, and another one is put somewhere."""
        if board.walls and self.random.randrange(4) == 0:
            walls = list(board.walls)
            walls.pop(self.random.randrange(len(walls)))
            return self._with_wall(replace(board, walls=tuple(walls)))
        return self._with_car(self._less(board))

    def _less(self, board: Board) -> Board:
        return board.without(self.random.choice(board.others)) if board.others else board

    def _with_car(self, board: Board) -> Board:
        taken = _taken(board)
        room = [piece for piece, cells in self._places if cells.isdisjoint(taken)]
        if not room:
            return board
        return replace(board, others=tuple(sorted([*board.others, self.random.choice(room)])))

    def _with_wall(self, board: Board) -> Board:
        """A wall more; none in the red car's row, which no car could pass."""
        taken = _taken(board)
        cells = [
            (row, column)
            for row in range(1, board.rows + 1)
            for column in range(1, board.columns + 1)
            if row != board.red.line and (row, column) not in taken
        ]
        if not cells:
            return board
        return replace(board, walls=tuple(sorted([*board.walls, self.random.choice(cells)])))

    @cached_property
    def _places(self) -> list[tuple[Piece, frozenset[Cell]]]:
        return [(piece, frozenset(piece.cells)) for piece in places(self.wish)]


def places(wish: Wish) -> Iterator[Piece]:
    rows, columns = wish.size
    for axis, lines, cells in (("h", rows, columns), ("v", columns, rows)):
        for line in range(1, lines + 1):
            if (axis, line) == ("h", wish.row):
                continue
            for length in range(wish.lengths.least, wish.lengths.most + 1):
                for first in range(1, cells - length + 2):
                    yield Piece(axis, line, first, length)


def _taken(board: Board) -> set[Cell]:
    return {cell for piece in board.pieces for cell in piece.cells} | set(board.walls)


def attempt(wish: Wish, random: Random, shortest: Shortest) -> Puzzle | None:
    """Try to make a board as asked for; no engine is needed, for its whole space is seen."""
    moves = wish.moves
    found = Climber(wish, random).climb(random.randint(*moves) if moves else 0)
    if found is not None and wish.minimal:
        found = minimal(found, wish.states.most)
    if found is None or not wish.grants(start := hardest(found)):
        return None
    problem, cars = start.board.problem(), len(start.board.pieces)
    fewest = f"shortest plan {amount(start.steps, 'step')}, {amount(start.slides, 'slide')}"
    return Puzzle(
        title=f"Generated board: {fewest}; {amount(start.states, 'state')}, {amount(cars, 'car')}.",
        facts=instance_text(problem),
        picture=problem.text(problem.initial),
        difficulty={
            "steps": start.steps,
            "slides": start.slides,
            "states": start.states,
            "cars": cars,
        },
    )


GENERATOR = Generator(
    "boards whose start is the hardest of all that can be reached", OPTIONS, make_wish, attempt
)
