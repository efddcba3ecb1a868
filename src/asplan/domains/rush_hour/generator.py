"""A generator of hard Rush Hour boards: hill climbing from a random board, by small changes.

The *space* of a board is the set of all states that can be reached on it. A *start* is a state of
the space from which a puzzle begins; the generated puzzle is the hardest one, the farthest from a
goal. All states are explored, so the difficulty of the puzzle is known exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from math import inf
from random import Random
from string import ascii_lowercase
from typing import NamedTuple

from asplan.clingo import Function
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.search import breadth_first
from asplan.core.text import amount
from asplan.domains.generator import (
    Generator,
    Option,
    OptionValues,
    Puzzle,
    Range,
    Shortest,
    Size,
    numbers,
    ranges,
    sizes,
)
from asplan.domains.reading import Cell
from asplan.domains.rush_hour.model import METRICS, Car, RushHour, State, cell_on_line
from asplan.domains.rush_hour.notation import instance_text

RED_LENGTH = 2


class Piece(NamedTuple):
    """A car at its place.

    It has its axis (`h` or `v`), the number of its row or column, and the index of its first cell
    in this row or column, counted from 1.
    """

    axis: str
    line: int
    first: int
    length: int

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that the piece covers."""
        places = range(self.first, self.first + self.length)
        cells = [cell_on_line(self.axis, self.line, place) for place in places]
        return tuple(cells)


@dataclass(frozen=True, order=True)
class Board:
    """A board with its cars, as a value that can be compared.

    `others` are the pieces besides the red one; they are sorted, as are the walls.
    """

    rows: int
    columns: int
    red: Piece
    others: tuple[Piece, ...]
    walls: tuple[Cell, ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All pieces, the red one first."""
        return self.red, *self.others

    def occupied(self) -> set[Cell]:
        """Return the cells of pieces and walls."""
        cells = set(self.walls)
        for piece in self.pieces:
            cells.update(piece.cells)
        return cells

    def without(self, piece: Piece) -> Board:
        """Return the board without a piece."""
        others = [other for other in self.others if other != piece]
        return replace(self, others=tuple(others))

    def with_piece(self, piece: Piece) -> Board:
        """Return the board with one more piece."""
        others = sorted([*self.others, piece])
        return replace(self, others=tuple(others))

    def with_wall(self, cell: Cell) -> Board:
        """Return the board with one more wall."""
        walls = sorted([*self.walls, cell])
        return replace(self, walls=tuple(walls))

    def canonical(self) -> Board:
        """Return the lesser of the board and its mirror image if the red car is in the middle row.

        Any other board is returned unchanged, because its mirror image has the red car in another
        row.
        """
        if 2 * self.red.line != self.rows + 1:
            return self
        return min(self, self.mirror())

    def mirror(self) -> Board:
        """Return the board with its rows in reverse order."""
        others = [self._mirror_piece(piece) for piece in self.others]
        walls = [(self.rows + 1 - row, column) for row, column in self.walls]
        return replace(
            self,
            red=self._mirror_piece(self.red),
            others=tuple(sorted(others)),
            walls=tuple(sorted(walls)),
        )

    def _mirror_piece(self, piece: Piece) -> Piece:
        if piece.axis == "h":
            return piece._replace(line=self.rows + 1 - piece.line)
        last = piece.first + piece.length - 1
        return piece._replace(first=self.rows + 1 - last)

    def problem(self, metric: str = METRICS[0]) -> RushHour:
        """Return the model of the board; its cars are named in reading order.

        The names are letters; for more cars than letters they are `c1`, `c2`, and so on.
        """
        others = sorted(self.others, key=lambda piece: piece.cells[0])
        pieces = (self.red, *others)
        names = ["r", *_car_names(len(others))]
        cars: list[Car] = []
        for name, piece in zip(names, pieces, strict=True):
            car = Car(Function(name), piece.length, piece.axis, piece.line)
            cars.append(car)
        return RushHour(
            rows=self.rows,
            columns=self.columns,
            walls=frozenset(self.walls),
            cars=tuple(cars),
            start=tuple(piece.first for piece in pieces),
            goal=cars[0].far_end(self.rows, self.columns),
            metric=metric,
            shares_tables=True,
        )


def _car_names(count: int) -> list[str]:
    """Return names for the cars besides the red one.

    The names `r` and `a` are not used, because notations use them for the red car.
    """
    letters = [letter for letter in ascii_lowercase if letter not in "ar"]
    if count <= len(letters):
        return letters[:count]
    return [f"c{number}" for number in range(1, count + 1)]


def board_of(problem: RushHour, state: State) -> Board:
    """Return the board whose cars are placed as in a state of a model."""
    pieces: list[Piece] = []
    for car, offset in problem.placed_cars(problem.offsets(state)):
        piece = Piece(car.axis, car.line, offset, car.length)
        pieces.append(piece)
    red, *others = pieces
    walls = tuple(sorted(problem.walls))
    return Board(problem.rows, problem.columns, red, tuple(sorted(others)), walls)


def layers_from(problem: RushHour, states: Iterable[State]) -> Iterator[set[State]]:
    """Yield layers of states: layer n has the states at distance n from the nearest of `states`."""
    return breadth_first(states, lambda layer: set(problem.expand(layer)), reversible=True)


def reachable_states(board: Board, most: int) -> set[State] | None:
    """Return all states that can be reached on a board; None if there are more than `most`."""
    problem = board.problem()
    states = set[State]()
    for layer in layers_from(problem, [problem.initial]):
        states |= layer
        if len(states) > most:
            return None
    return states


@dataclass(frozen=True)
class Farthest:
    """The states of a board's space that are farthest from a goal.

    A state is farthest if its shortest path to a goal is the longest.
    """

    problem: RushHour
    moves: int
    """The fewest moves from a farthest state to a goal."""
    states: int
    """The number of states that can be reached on the board."""
    goals: tuple[State, ...]
    """The goal states that can be reached on the board."""
    last: frozenset[State]
    """The states that are farthest from a goal."""

    @cached_property
    def board(self) -> Board:
        """One of the farthest states as a board; always the same one."""
        return board_of(self.problem, min(self.last))


def find_farthest(
    board: Board,
    metric: str,
    most_states: int,
) -> Farthest | None:
    """Find the states of a board's space that are farthest from a goal.

    None if the space has more than `most_states` states, or no goal state.
    """
    states = reachable_states(board, most_states)
    if states is None:
        return None
    problem = board.problem(metric)
    goals = tuple(filter(problem.is_goal, states))
    if not goals:
        return None
    moves = -1
    last = set[State]()
    for layer in layers_from(problem, goals):
        moves += 1
        last = layer
    return Farthest(problem, moves, len(states), goals, frozenset(last))


@dataclass(frozen=True)
class HardStart:
    """The hardest start of a space, with its distances to a goal in `slides` and in `steps`.

    `states` is the number of states of the space.
    """

    board: Board
    slides: int
    steps: int
    states: int


def hardest_start(farthest: Farthest) -> HardStart:
    """Return the hardest start: among the farthest states, one that is farthest in the other
    metric.

    On ties the least board is returned, so the choice is always the same.
    """
    metric = farthest.problem.metric
    (other_metric,) = (name for name in METRICS if name != metric)
    other_problem = replace(farthest.problem, metric=other_metric)
    other_moves = 0
    hardest = farthest.last
    for distance, layer in enumerate(layers_from(other_problem, farthest.goals)):
        if common := farthest.last & layer:
            other_moves = distance
            hardest = common
    boards = [board_of(farthest.problem, state) for state in hardest]
    board = min(board.canonical() for board in boards)
    moves = {metric: farthest.moves, other_metric: other_moves}
    return HardStart(board, moves["slide"], moves["step"], farthest.states)


def fewest_moves(
    board: Board,
    metric: str,
    most_states: float = inf,
) -> int | None:
    """Return the fewest moves from a board to a goal.

    None if the search explores more than `most_states` states before it reaches a goal. The space
    of the board must have a goal.
    """
    problem = board.problem(metric)
    explored = 0
    for moves, layer in enumerate(layers_from(problem, [problem.initial])):
        if any(map(problem.is_goal, layer)):
            return moves
        explored += len(layer)
        if explored > most_states:
            return None
    raise AssertionError("a board that is made has a goal in its space")


WIDER = 10
"""The factor by which the limit of states grows for a board from which a car was removed."""


def drop_needless_cars(farthest: Farthest, most_states: int) -> Farthest | None:
    """Return the farthest states of a board on which no car is needless.

    A car is needless if the hardest start takes as many moves without it. Needless cars are removed
    one after the other. Each removal enlarges the space, so the farthest states are then found
    anew. None if a space becomes too large.
    """
    current: Farthest | None = farthest
    metric = farthest.problem.metric
    while current is not None:
        board = hardest_start(current).board
        for piece in board.others:
            smaller = board.without(piece)
            moves = fewest_moves(smaller, metric, WIDER * most_states)
            if moves is None:
                return None
            if moves == current.moves:
                current = find_farthest(smaller, metric, most_states)
                break
        else:
            return current
    return None


OPTIONS = (
    Option("slides", "Make boards with this many slides, such as 20..30.", ranges(1), "A..B"),
    Option("steps", "Make boards with this many steps of one cell.", ranges(1), "A..B"),
    Option("size", "Make boards with these rows and columns.", sizes(2, 16), "RxC", "6x6"),
    Option(
        "row", "Put the red car into this row; by default in or above the middle.", numbers(1), "N"
    ),
    Option("cars", "Put this many cars on a board, including the red one.", ranges(1), "A..B"),
    Option("lengths", "Make the other cars this many cells long.", ranges(1), "A..B", "2..3"),
    Option("walls", "Put this many walls on a board.", ranges(0), "A..B", "0"),
    Option("states", "Make boards with this many reachable states.", ranges(1), "A..B", "1..10000"),
    Option("minimal", "Remove cars that do not change the fewest moves."),
)


@dataclass(frozen=True)
class Wish:
    """The properties that a board to be generated must have."""

    size: Size
    row: int
    """The row of the red car."""
    starting_cars: Range
    """The number of cars of boards during the search; `minimal` may remove some later."""
    cars: Range
    """The number of cars of the finished puzzle."""
    lengths: Range
    """The lengths of the cars besides the red one."""
    walls: Range
    states: Range
    slides: Range | None = None
    """The fewest slides from the start to the goal; None for any number."""
    steps: Range | None = None
    minimal: bool = False

    @property
    def metric(self) -> str:
        """The metric whose moves are maximized: `step` if only steps are limited, else `slide`."""
        return "step" if self.slides is None and self.steps is not None else "slide"

    @property
    def moves(self) -> Range | None:
        """The required number of moves in `metric`; None for any number."""
        return self.slides or self.steps

    def fits(self, start: HardStart) -> bool:
        """Return whether a start has the required numbers of moves, cars and states."""
        cars = len(start.board.pieces)
        if self.slides is not None and not self.slides.has(start.slides):
            return False
        if self.steps is not None and not self.steps.has(start.steps):
            return False
        return self.cars.has(cars) and self.states.has(start.states)


def make_wish(values: OptionValues) -> Wish:
    """Return the wished properties from the options; raise `UsageError` for an impossible board."""
    size: Size = values["size"]
    row: int = values["row"] or (size.rows + 1) // 2
    if size.columns <= RED_LENGTH:
        hint = "it needs three columns"
        raise UsageError(f"on a board of {size} the red car cannot move", hint=hint)
    if row > size.rows:
        raise UsageError(f"the red car's row is {row}, but the board has {size.rows} rows")
    most_cars = _most_cars(size, values["lengths"], values["walls"])
    cars: Range = values["cars"] or Range(1, most_cars)
    if cars.least > most_cars:
        raise UsageError(
            f"{cars.least} cars do not fit on a board of {size}",
            hint=f"with the red car and {values['walls'].least} walls, at most {most_cars - 1} "
            f"cars of {values['lengths'].least} cells fit",
        )
    if values["cars"]:
        starting_cars = Range(cars.least, min(cars.most, most_cars))
    else:
        starting_cars = _usual_cars(size)
    return Wish(
        size=size,
        row=row,
        starting_cars=starting_cars,
        cars=cars,
        lengths=values["lengths"],
        walls=values["walls"],
        states=values["states"],
        slides=values["slides"],
        steps=values["steps"],
        minimal=values["minimal"],
    )


def _most_cars(size: Size, lengths: Range, walls: Range) -> int:
    """Return the greatest number of cars that fit on a board, judged by the number of cells alone.

    Raises `UsageError` if the board has no room for the red car, or if no car is short enough.
    """
    room = size.rows * size.columns - RED_LENGTH - walls.least
    if room < 0:
        raise UsageError(f"{walls.least} walls leave no room for a car on a board of {size}")
    if lengths.least > max(size):
        raise UsageError(f"no car of {lengths.least} cells fits on a board of {size}")
    return 1 + room // lengths.least


def _usual_cars(size: Size) -> Range:
    """Return the usual number of cars of hard boards: 9 to 13 on the classic board of 6x6."""
    cells = size.rows * size.columns
    least = max(2, cells // 4)
    most = max(2, cells * 13 // 36)
    return Range(least, most)


STARTS = 20
"""The most random boards that are tried before the climb begins from one of them."""

PATIENCE = 60
"""The number of useless changes in a row that ends a climb; it grows by as many for each ten moves
of the aim.
"""

HARD = 60
"""The aim, in moves, above which patience does not grow any more."""

STEEP = 37
"""The aim, in moves, from which only promising changes are explored, because most are useless."""

SLACK = 6
"""The most moves by which a promising change may make the former hardest start easier."""

CHANGES = (1, 1, 1, 2, 2, 3)
"""The numbers of cars or walls to change at once; one is drawn, so repetition makes it likelier."""


@dataclass(frozen=True)
class Climber:
    """A hill climber that makes boards for one wish; it draws all its numbers from `random`."""

    wish: Wish
    random: Random

    def climb(self, aim: int) -> Farthest | None:
        """Climb from a random board until the hardest start takes `aim` moves.

        A changed board becomes the best board if the hardest start on it takes at least as many
        moves. The climb ends at the aim, or after too many useless changes. Returns the farthest
        states of the best board; None if no random board fits the wish.
        """
        best = self._random_space()
        patience = PATIENCE + PATIENCE * min(aim, HARD) // 10
        left = patience
        while best is not None and best.moves < aim and left > 0:
            left -= 1
            space = self._changed_space(best, aim)
            if space is None or space.moves < best.moves:
                continue
            if space.moves > best.moves:
                left = patience
            best = space
        return best

    def _random_space(self) -> Farthest | None:
        for _ in range(STARTS):
            space = self._measure(self.random_board())
            if space is not None:
                return space
        return None

    def _changed_space(self, best: Farthest, aim: int) -> Farthest | None:
        board = self.change(best.board)
        if board is None:
            return None
        if aim >= STEEP and not self._is_promising(board, best.moves):
            return None
        return self._measure(board)

    def _is_promising(self, board: Board, moves: int) -> bool:
        """Return whether a changed board is still at least `moves` - `SLACK` moves from a goal.

        The board before the change was a hardest start and took `moves` moves.
        """
        problem = board.problem(self.wish.metric)
        for distance, layer in enumerate(layers_from(problem, [problem.initial])):
            if distance >= moves - SLACK:
                return True
            if any(map(problem.is_goal, layer)):
                return False
        return False

    def _measure(self, board: Board | None) -> Farthest | None:
        """Find the farthest states of a board.

        None if `board` is None, if the space is too large or has no goal, or if more moves are
        needed than the wish allows.
        """
        if board is None:
            return None
        space = find_farthest(board, self.wish.metric, self.wish.states.most)
        moves = self.wish.moves
        if space is not None and moves is not None and space.moves > moves.most:
            return None
        return space

    def random_board(self) -> Board | None:
        """Return a random board with red car, walls and other cars; None if they do not all fit."""
        size = self.wish.size
        first = self.random.randint(1, size.columns - RED_LENGTH + 1)
        red = Piece("h", self.wish.row, first, RED_LENGTH)
        board = Board(size.rows, size.columns, red, ())
        walls = self.random.randint(*self.wish.walls)
        for _ in range(walls):
            board = self._add_wall(board)
        cars = self.random.randint(*self.wish.starting_cars)
        for _ in range(cars - 1):
            board = self._add_car(board)
        return board if self._has_all(board) else None

    def _has_all(self, board: Board) -> bool:
        has_cars = self.wish.starting_cars.has(len(board.pieces))
        return has_cars and self.wish.walls.has(len(board.walls))

    def change(self, board: Board) -> Board | None:
        """Return a board after one to three changes of its cars or walls.

        None if the number of cars is then outside the range that the wish allows.
        """
        for _ in range(self.random.choice(CHANGES)):
            changes = (self._move_one, self._move_one, self._add_car, self._drop_car)
            change = self.random.choice(changes)
            board = change(board)
        cars = len(board.pieces)
        return board if self.wish.starting_cars.has(cars) else None

    def _move_one(self, board: Board) -> Board:
        """Replace a random car, or less often a random wall, by another one."""
        if board.walls and self.random.randrange(4) == 0:
            walls = list(board.walls)
            walls.pop(self.random.randrange(len(walls)))
            return self._add_wall(replace(board, walls=tuple(walls)))
        return self._add_car(self._drop_car(board))

    def _drop_car(self, board: Board) -> Board:
        if not board.others:
            return board
        return board.without(self.random.choice(board.others))

    def _add_car(self, board: Board) -> Board:
        occupied = board.occupied()
        free = [piece for piece, cells in self._cells_of_pieces if cells.isdisjoint(occupied)]
        if not free:
            return board
        return board.with_piece(self.random.choice(free))

    def _add_wall(self, board: Board) -> Board:
        """Add a wall outside the red car's row, because a wall in that row could
        block it for ever.
        """
        occupied = board.occupied()
        free: list[Cell] = []
        for row in range(1, board.rows + 1):
            if row != board.red.line:
                cells = [(row, column) for column in range(1, board.columns + 1)]
                free += [cell for cell in cells if cell not in occupied]
        if not free:
            return board
        return board.with_wall(self.random.choice(free))

    @cached_property
    def _cells_of_pieces(self) -> list[tuple[Piece, frozenset[Cell]]]:
        pieces = possible_pieces(self.wish)
        return [(piece, frozenset(piece.cells)) for piece in pieces]


def possible_pieces(wish: Wish) -> Iterator[Piece]:
    """Yield all places for cars on an empty board, except in the red car's row."""
    rows, columns = wish.size
    for line in range(1, rows + 1):
        if line != wish.row:
            yield from _pieces_on_line("h", line, columns, wish.lengths)
    for line in range(1, columns + 1):
        yield from _pieces_on_line("v", line, rows, wish.lengths)


def _pieces_on_line(
    axis: str,
    line: int,
    places: int,
    lengths: Range,
) -> Iterator[Piece]:
    for length in range(lengths.least, lengths.most + 1):
        for first in range(1, places - length + 2):
            yield Piece(axis, line, first, length)


def attempt(
    wish: Wish,
    random: Random,
    shortest: Shortest,
) -> Puzzle | None:
    """Try to make a board that fulfils a wish; None if it fails.

    `shortest` is not used, because the whole space of a board is explored.
    """
    moves = wish.moves
    aim = random.randint(*moves) if moves else 0
    space = Climber(wish, random).climb(aim)
    if space is not None and wish.minimal:
        space = drop_needless_cars(space, wish.states.most)
    if space is None:
        return None
    start = hardest_start(space)
    if not wish.fits(start):
        return None
    return _make_puzzle(start, wish.metric)


def _make_puzzle(start: HardStart, metric: str) -> Puzzle:
    problem = start.board.problem()
    cars = len(start.board.pieces)
    moves = f"{amount(start.steps, 'step')}, {amount(start.slides, 'slide')}"
    size = f"{amount(start.states, 'state')}, {amount(cars, 'car')}"
    return Puzzle(
        title=f"Generated board: shortest plan {moves}; {size}.",
        facts=instance_text(problem),
        picture=problem.text(problem.initial),
        difficulty={
            "steps": start.steps,
            "slides": start.slides,
            "states": start.states,
            "cars": cars,
        },
        constants={"metric": metric},
    )


GENERATOR = Generator(
    about="boards whose start is the hardest reachable state",
    options=OPTIONS,
    wish=make_wish,
    attempt=attempt,
)
