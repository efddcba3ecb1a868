"""Rush Hour: cars on a board slide along their own line until the red car is at its goal.

A state is one integer. Each row with horizontal cars and each column with vertical cars has its own
run of bits in it, one for each of its cells: set where one of *its* cars is. As the cars of a line
keep their order, the bits say where each of them is, and

- which moves a line has is decided by the bits of its own cars and of those that cross it,
  `state & line.view`, so it can be looked up in a table, and search is fast in plain Python;
- a move adds a number to the state, whatever else is on the board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar

from clingo import Function, Number, Symbol, SymbolType

from asplan.domains.model import Model
from asplan.domains.reading import Cell

State = int
Value = TypeVar("Value")

METRICS = ("step", "slide")  # of `metric`: one cell a move, or any distance; the default first

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
        places, line = range(offset, offset + self.length), self.line
        return [(line, p) for p in places] if self.axis == "h" else [(p, line) for p in places]


@dataclass(frozen=True)
class RushHour(Model[State, Move]):
    rows: int
    columns: int
    walls: frozenset[Cell]
    cars: tuple[Car, ...]  # the red car first
    start: tuple[int, ...]  # for each car the offset of its first cell at time 0
    goal: int  # the offset of the red car that is to be reached
    metric: str = METRICS[0]
    shares_tables: bool = False
    """Whether the tables of its lines are kept for other boards of the size, which is most of the
    work on a board of a few thousand states. Lines without cars have their bits then, too."""

    @cached_property
    def initial(self) -> State:
        return self.state(self.start)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines that have cars: rows from the top, then columns from the left."""
        return _lines(self)

    @cached_property
    def names(self) -> tuple[str, ...]:
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

    @cached_property
    def ranges(self) -> tuple[range, ...]:
        """For each car the offsets between which no wall stands."""
        return tuple(map(self._range, self.cars, self.start))

    def _range(self, car: Car, start: int) -> range:
        least = most = start
        while self.is_open(car.cell(least - 1)):
            least -= 1
        while self.is_open(car.cell(most + car.length)):
            most += 1
        return range(least, most + 1)

    def without_each(self) -> Iterator[tuple[str, RushHour]]:
        """The boards with a car less, each with its name; the red car stays."""
        for index in range(1, len(self.cars)):
            cars = self.cars[:index] + self.cars[index + 1 :]
            start = self.start[:index] + self.start[index + 1 :]
            yield self.names[index], replace(self, cars=cars, start=start)

    def state(self, offsets: Sequence[int]) -> State:
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
        return next(line for line in self.lines if 0 in line.cars)

    def red_place(self, state: State) -> int:
        """The index (from 0) of the red car's first cell in its line."""
        return self.red_line.places(state)[self.red_line.cars.index(0)]

    def successors(self, state: State) -> list[State]:
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
        return (self._move(*move) for line in self.lines for move in line.moves(state, self.reach))

    def between(self, state: State, after: State) -> Iterator[Move]:
        (line,) = (line for line in self.lines if (state ^ after) & line.bits)
        moves = line.moves(state, self.reach)
        return (self._move(*move) for move in moves if state + move[2] == after)

    def _move(self, index: int, cells: int, added: int) -> Move:
        direction = DIRECTIONS[self.cars[index].axis][cells > 0]
        return Move(self.names[index], direction, abs(cells))

    def apply(self, state: State, action: Move) -> State:
        index = self.names.index(action.car)
        offsets = self.offsets(state)
        offsets[index] += action.cells if action.direction in FORWARD else -action.cells
        return self.state(offsets)

    def is_goal(self, state: State) -> bool:
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
        if action.car not in self.names:
            return f"there is no car {action.car}"
        index = self.names.index(action.car)
        car, offset = self.cars[index], self.offsets(state)[index]
        if AXIS[action.direction] != car.axis:
            kind = "horizontal" if car.axis == "h" else "vertical"
            return f"car {action.car} is {kind} and cannot go {action.direction}"
        if self.metric == "step" and action.cells != 1:
            return f"metric step moves one cell at a time, not {action.cells}"
        taken = self.taken(state)
        for distance in range(1, action.cells + 1):
            forward = action.direction in FORWARD
            place = offset + car.length - 1 + distance if forward else offset - distance
            row, column = cell = car.cell(place)
            if not self.is_on_board(cell):
                return f"car {action.car} would leave the board at ({row},{column})"
            if cell in self.walls:
                return f"there is a wall at ({row},{column})"
            if cell in taken:
                return f"car {self.names[taken[cell]]} is at ({row},{column})"
        return None

    def why_not_goal(self, state: State) -> str | None:
        """Where the red car is, and where it should be."""
        red, place = self.cars[0], self.red_place(state) + 1
        (row, column), (to_row, to_column) = red.cell(place), red.cell(self.goal)
        if place == self.goal:
            return None
        return f"car {red.name} is at ({row},{column}) and not at ({to_row},{to_column})"

    def fluents(self, state: State) -> Iterator[Symbol]:
        for car, offset in zip(self.cars, self.offsets(state), strict=True):
            row, column = car.cell(offset)
            yield Function("position", [car.name, Number(row), Number(column)])

    def text(self, state: State) -> str:
        """The board row by row: car names, `#` for a wall, `.` for an empty cell."""
        marks = dict.fromkeys(self.walls, "#")
        marks |= {cell: self.names[index] for cell, index in self.taken(state).items()}
        width = max(map(len, self.names))
        columns = range(1, self.columns + 1)
        return "\n".join(
            " ".join(marks.get((row, column), ".").ljust(width) for column in columns).rstrip()
            for row in range(1, self.rows + 1)
        )

    def taken(self, state: State) -> dict[Cell, int]:
        """The cells that are covered, each with the index of the car."""
        cars = enumerate(zip(self.cars, self.offsets(state), strict=True))
        return {cell: index for index, (car, offset) in cars for cell in car.cells(offset)}

    def is_open(self, cell: Cell) -> bool:
        return self.is_on_board(cell) and cell not in self.walls

    def is_on_board(self, cell: Cell) -> bool:
        return 1 <= cell[0] <= self.rows and 1 <= cell[1] <= self.columns

    @cached_property
    def _tables(self) -> list[Table]:
        table = _shared_table if self.shares_tables else Line.table
        return [table(line, self.reach) for line in self.lines]

    @cached_property
    def _red_at_goal(self) -> Memo[bool]:
        return Memo(lambda bits: self.red_place(bits) + 1 == self.goal)


class Memo(dict[State, Value]):
    """A function of some bits of the state, tabulated as far as it was asked."""

    def __init__(self, function: Callable[[State], Value]) -> None:
        self.function = function

    def __missing__(self, bits: State) -> Value:
        value = self[bits] = self.function(bits)
        return value


Table = tuple[int, Memo[tuple[int, ...]]]  # what decides on a line's moves, and what these add


@dataclass(frozen=True)
class Line:
    """A row with its horizontal cars, or a column with its vertical cars."""

    cars: tuple[int, ...] = field(compare=False)  # from left to right or from top to bottom
    lengths: tuple[int, ...]
    shift: int  # its cells are the bits from here on
    size: int  # how many cells it has
    crossing: tuple[int, ...]  # for each cell the bit of a car across; 0 where there is none
    walls: int  # the impassable cells, as bits from 0 on

    @cached_property
    def bits(self) -> int:
        return self.mask(0, self.size)

    @cached_property
    def view(self) -> int:
        """All that decides on its moves."""
        return self.bits + sum(self.crossing)

    def mask(self, first: int, length: int) -> int:
        """The bits of a car whose first cell has an index (from 0)."""
        return ((1 << length) - 1) << self.shift + first

    def places(self, state: State) -> tuple[int, ...]:
        """The index (from 0) of the first cell of each of its cars."""
        return self._places[state & self.bits]

    @cached_property
    def _places(self) -> Memo[tuple[int, ...]]:
        return Memo(lambda bits: tuple(self._find(bits >> self.shift)))

    def _find(self, rest: int) -> Iterator[int]:
        passed = 0
        for length in self.lengths:
            gap = (rest & -rest).bit_length() - 1
            yield passed + gap
            rest >>= gap + length
            passed += gap + length

    def moves(self, state: State, reach: int) -> Iterator[tuple[int, int, int]]:
        """Car, signed distance and what the move adds; backward before forward, near before far."""
        taken = self.walls | (state & self.bits) >> self.shift
        for index, bits in enumerate(self.crossing):
            if state & bits:
                taken |= 1 << index
        # Ends of the line are taken too: one bit before the first cell, one after the last.
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

    def table(self, reach: int) -> Table:
        return self.view, Memo(lambda view: tuple(add for *_, add in self.moves(view, reach)))


_shared_table = lru_cache(maxsize=4096)(Line.table)


def _lines(problem: RushHour) -> tuple[Line, ...]:
    members: dict[tuple[str, int], list[int]] = {}
    for index in sorted(range(len(problem.cars)), key=lambda index: problem.start[index]):
        car = problem.cars[index]
        members.setdefault((car.axis, car.line), []).append(index)
    rows, columns = range(1, problem.rows + 1), range(1, problem.columns + 1)
    cells = {("h", row): [(row, column) for column in columns] for row in rows}
    cells |= {("v", column): [(row, column) for row in rows] for column in columns}
    if not problem.shares_tables:
        cells = {key: line for key, line in cells.items() if key in members}
    places = ((axis, cell) for (axis, _), line in cells.items() for cell in line)
    bit = {place: index for index, place in enumerate(places)}

    def crossing(axis: str, cell: Cell) -> int:
        across = "v" if axis == "h" else "h", cell
        return 1 << bit[across] if across in bit else 0

    return tuple(
        Line(
            cars=tuple(members[axis, number]),
            lengths=tuple(problem.cars[index].length for index in members[axis, number]),
            shift=bit[axis, line[0]],
            size=len(line),
            crossing=tuple(crossing(axis, cell) for cell in line),
            walls=sum(1 << index for index, cell in enumerate(line) if cell in problem.walls),
        )
        for (axis, number), line in cells.items()
        if (axis, number) in members
    )
