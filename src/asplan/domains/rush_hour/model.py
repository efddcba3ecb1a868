"""What one move is: one cell, or any distance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from clingo import Function, Number, Symbol, SymbolType

from asplan.domains.rush_hour.lines import Cell, Line, Memo, State, make_lines

METRICS = ("step", "slide")
"""The values of the constant `metric`; the first is the default."""


# Rush Hour: cars on a board slide along their own line until the red car is at its goal.
#
# A state is one integer, the set of bits that `lines` explains. What follows a state is looked up
# line by line, so that breadth-first search is fast in plain Python.


AXIS = {"left": "h", "right": "h", "up": "v", "down": "v"}
DIRECTIONS = {"h": ("left", "right"), "v": ("up", "down")}
FORWARD = {"right", "down"}


class Move(NamedTuple):
    """Slide a car by a number of cells."""

    car: str
    direction: str
    cells: int

    def __str__(self) -> str:
        return f"move({self.car},{self.direction},{self.cells})"


@dataclass(frozen=True)
class Car:
    """A car and the line it keeps to: its row if `axis` is h, its column if v."""

    name: Symbol
    length: int
    axis: str
    line: int

    def cell(self, place: int) -> Cell:
        """The cell of its line at a column (h) or row (v)."""
        return (self.line, place) if self.axis == "h" else (place, self.line)

    def cells(self, offset: int) -> list[Cell]:
        """The cells it covers when its first cell is at an offset."""
        return [self.cell(place) for place in range(offset, offset + self.length)]

    def ahead(self, offset: int, direction: str, distance: int) -> Cell:
        """The cell it must find free to go the last of `distance` cells."""
        if direction in FORWARD:
            return self.cell(offset + self.length - 1 + distance)
        return self.cell(offset - distance)


@dataclass(frozen=True)
class RushHour:
    """One board.

    Attributes
    ----------
    cars, start
        The red car first; for each car the offset of its first cell at time 0.
    goal
        The offset of the red car that is to be reached.
    metric
        What one move is: one cell (`step`) or any distance (`slide`).
    """

    rows: int
    columns: int
    walls: frozenset[Cell]
    cars: tuple[Car, ...]
    start: tuple[int, ...]
    goal: int
    metric: str = "step"

    @cached_property
    def initial(self) -> State:
        """The state at time 0."""
        return self.state(self.start)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines that have cars: rows from the top, then columns from the left."""
        return make_lines(self.rows, self.columns, self.walls, self.cars, self.start)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the cars as text."""
        return tuple(str(car.name) for car in self.cars)

    @cached_property
    def far_end(self) -> int:
        """The offset of the red car at the right or lower end of its line, the usual goal."""
        red = self.cars[0]
        return (self.columns if red.axis == "h" else self.rows) - red.length + 1

    @cached_property
    def reach(self) -> int:
        """The most cells that one move may go."""
        return 1 if self.metric == "step" else max(self.rows, self.columns)

    def without_each(self) -> Iterator[tuple[str, RushHour]]:
        """The boards with a car less, each with its name; the red car stays."""
        for index in range(1, len(self.cars)):
            cars = self.cars[:index] + self.cars[index + 1 :]
            start = self.start[:index] + self.start[index + 1 :]
            yield self.names[index], replace(self, cars=cars, start=start)

    def state(self, offsets: tuple[int, ...]) -> State:
        """The state in which the cars have these offsets."""
        return sum(
            line.mask(offsets[car] - 1, self.cars[car].length)
            for line in self.lines
            for car in line.cars
        )

    def offsets(self, state: State) -> list[int]:
        """The row (vertical) or column (horizontal) of the first cell of each car."""
        offsets = [0] * len(self.cars)
        for line in self.lines:
            for car, place in zip(line.cars, line.places(state), strict=True):
                offsets[car] = place + 1
        return offsets

    @cached_property
    def red_line(self) -> Line:
        """The line of the red car."""
        return next(line for line in self.lines if 0 in line.cars)

    def red_place(self, state: State) -> int:
        """The index (from 0) of the red car's first cell in its line."""
        return self.red_line.places(state)[self.red_line.cars.index(0)]

    def successors(self, state: State) -> list[State]:
        """The states that follow, in the order of `actions`."""
        return [state + change for view, table in self._tables for change in table[state & view]]

    def expand(self, states: Iterable[State]) -> list[State]:
        """The successors of many states; a single loop, for most of a search is spent in it."""
        tables = self._tables
        return [
            state + change
            for state in states
            for view, table in tables
            for change in table[state & view]
        ]

    def actions(self, state: State) -> Iterator[Move]:
        """Row by row, then column by column; backward before forward, near before far."""
        for line in self.lines:
            for index, cells, _ in line.moves(state, self.reach):
                car = self.cars[index]
                yield Move(self.names[index], DIRECTIONS[car.axis][cells > 0], abs(cells))

    def apply(self, state: State, action: Move) -> State:
        """Move one car."""
        index = self._index(action.car)
        assert index is not None, f"no car {action.car}"
        offsets = self.offsets(state)
        offsets[index] += action.cells if action.direction in FORWARD else -action.cells
        return self.state(tuple(offsets))

    def is_goal(self, state: State) -> bool:
        """Whether the red car is where it is to go."""
        return self._red_at_goal[state & self.red_line.bits]

    def parse_action(self, term: Symbol) -> Move:
        """Read `move(Car,Dir,Cells)`; ValueError if the term is none."""
        if not term.match("move", 3):
            raise ValueError(f"{term} is no move(Car,Dir,Cells)")
        car, direction, cells = term.arguments
        if str(direction) not in AXIS:
            raise ValueError(f"{term}: {direction} is not left, right, up or down")
        if cells.type != SymbolType.Number or cells.number < 1:
            raise ValueError(f"{term}: {cells} is no number of cells")
        return Move(str(car), str(direction), cells.number)

    def why_not(self, state: State, action: Move) -> str | None:
        """The first thing that stands against a move."""
        index = self._index(action.car)
        if index is None:
            return f"there is no car {action.car}"
        car, offset = self.cars[index], self.offsets(state)[index]
        if AXIS[action.direction] != car.axis:
            kind = "horizontal" if car.axis == "h" else "vertical"
            return f"car {action.car} is {kind} and cannot go {action.direction}"
        if self.metric == "step" and action.cells != 1:
            return f"metric step moves one cell at a time, not {action.cells}"
        taken = self.taken(state)
        for distance in range(1, action.cells + 1):
            row, column = cell = car.ahead(offset, action.direction, distance)
            if not self.is_on_board(cell):
                return f"car {action.car} would leave the board at ({row},{column})"
            if cell in self.walls:
                return f"there is a wall at ({row},{column})"
            if cell in taken:
                return f"car {self.names[taken[cell]]} is at ({row},{column})"
        return None

    def fluents(self, state: State) -> Iterator[Symbol]:
        """`position(Car,Row,Column)` for every car."""
        for car, offset in zip(self.cars, self.offsets(state), strict=True):
            row, column = car.cell(offset)
            yield Function("position", [car.name, Number(row), Number(column)])

    def text(self, state: State) -> str:
        """The board row by row: car names, `#` for a wall, `.` for an empty cell."""
        taken = self.taken(state)
        width = max(map(len, self.names))

        def mark(cell: Cell) -> str:
            return self.names[taken[cell]] if cell in taken else "#" if cell in self.walls else "."

        columns = range(1, self.columns + 1)
        return "\n".join(
            " ".join(mark((row, column)).ljust(width) for column in columns).rstrip()
            for row in range(1, self.rows + 1)
        )

    def taken(self, state: State) -> dict[Cell, int]:
        """The cells that are covered, each with the index of the car."""
        offsets = self.offsets(state)
        return {
            cell: index for index, car in enumerate(self.cars) for cell in car.cells(offsets[index])
        }

    def is_open(self, cell: Cell) -> bool:
        """Whether there is such a cell, and no wall on it."""
        return self.is_on_board(cell) and cell not in self.walls

    def is_on_board(self, cell: Cell) -> bool:
        """Whether there is such a cell."""
        return 1 <= cell[0] <= self.rows and 1 <= cell[1] <= self.columns

    @cached_property
    def _tables(self) -> list[tuple[int, Memo[tuple[int, ...]]]]:
        """For each line its view, and what its moves add to a state with such a view."""

        def changes(line: Line) -> Memo[tuple[int, ...]]:
            return Memo(lambda view: tuple(change for *_, change in line.moves(view, self.reach)))

        return [(line.view, changes(line)) for line in self.lines]

    @cached_property
    def _red_at_goal(self) -> Memo[bool]:
        return Memo(lambda bits: self.red_place(bits) + 1 == self.goal)

    def _index(self, name: str) -> int | None:
        return self.names.index(name) if name in self.names else None
