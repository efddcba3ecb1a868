"""Rush Hour: cars on a board slide along their own line until the red car is at its goal.

A state is one integer. Each row with horizontal cars and each column with vertical cars owns a run
of bits in it, one bit for each of its cells. A bit is 1 if one of the line's *own* cars covers the
cell. The cars of a line keep their order, so the bits determine where each car is. Two properties
make search fast in plain Python:

- The moves of a line depend only on its own bits and on the bits of the cars that cross it. These
  bits, `state & line.view`, are the key of a table of the line's moves.
- A move adds a constant to the state, wherever the other cars are. So the successors of a state are
  `state + change`, for each change in the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar

from asplan.clingo import Function, Number, Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.domains.model import Model
from asplan.domains.reading import Cell, is_on_grid

State = int
Value = TypeVar("Value")

METRICS = ("step", "slide")
"""The values of `metric`, the default first: `step` moves a car by one cell, `slide` by any
distance.
"""

AXIS = {
    "left": "h",
    "right": "h",
    "up": "v",
    "down": "v",
}
DIRECTIONS = {
    "h": ("left", "right"),
    "v": ("up", "down"),
}
FORWARD = {"right", "down"}


def cell_on_line(axis: str, line: int, place: int) -> Cell:
    """Return the cell at a place of a line; line and place are counted from 1.

    A line of axis h is a row, and a place in it is a column. A line of axis v is a column, and a
    place in it is a row.
    """
    return (line, place) if axis == "h" else (place, line)


def line_and_place(axis: str, cell: Cell) -> tuple[int, int]:
    """Return the line of a cell and its place in this line: the inverse of `cell_on_line`.

    For axis h these are its row and column, for axis v its column and row.
    """
    row, column = cell
    return (row, column) if axis == "h" else (column, row)


class Move(NamedTuple):
    """A move of a car by a number of cells."""

    car: str
    direction: str
    cells: int

    def __str__(self) -> str:
        return f"move({self.car},{self.direction},{self.cells})"


@dataclass(frozen=True)
class Car:
    """A car on its line: a row if `axis` is h, a column if it is v."""

    name: Symbol
    length: int
    axis: str
    line: int

    def cell(self, place: int) -> Cell:
        """Return the cell at a place of the car's line; the place is a column (axis h) or a row
        (axis v).
        """
        return cell_on_line(self.axis, self.line, place)

    def cells(self, offset: int) -> list[Cell]:
        """Return the cells that the car covers if its first cell is at the column
        or row `offset`.
        """
        places = range(offset, offset + self.length)
        return [self.cell(place) for place in places]

    def far_end(self, rows: int, columns: int) -> int:
        """Return the greatest column or row at which the car's first cell can be: at the end of its
        line.
        """
        places = columns if self.axis == "h" else rows
        return places - self.length + 1


@dataclass(frozen=True)
class RushHour(Model[State, Move]):
    """A board with its cars at time 0, as a transition system.

    The *offset* of a car is the place of its first cell: a column (h) or a row (v), from 1.
    """

    rows: int
    columns: int
    walls: frozenset[Cell]
    cars: tuple[Car, ...]
    """The cars, the red one first."""
    start: tuple[int, ...]
    """The offset of each car at time 0: the column (axis h) or row (axis v) of its first cell."""
    goal: int
    """The offset of the red car at the goal: the column or row of its first cell."""
    metric: str = METRICS[0]
    shares_tables: bool = False
    """True to share the tables of moves with other boards of the same size. Most of the work on a
    board of a few thousand states is to fill the tables. Lines without cars then have bits in
    states, too.
    """

    @cached_property
    def initial(self) -> State:
        """The state at time 0."""
        return self.state(self.start)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The rows and columns that have cars along them: rows from the top, then columns from the
        left.
        """
        return _make_lines(self)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the cars."""
        return tuple(str(car.name) for car in self.cars)

    @cached_property
    def far_end(self) -> int:
        """The offset of the red car at the right or lower end of its line, the usual goal."""
        red = self.cars[0]
        return red.far_end(self.rows, self.columns)

    @cached_property
    def reach(self) -> int:
        """The greatest number of cells that a car can pass in one move."""
        if self.metric == "step":
            return 1
        return max(self.rows, self.columns)

    @cached_property
    def ranges(self) -> tuple[range, ...]:
        """The offsets that each car could have between the walls if there were no other cars."""
        return tuple(self._range(car, offset) for car, offset in self.placed_cars())

    def _range(self, car: Car, start: int) -> range:
        least = start
        while self.is_open(car.cell(least - 1)):
            least -= 1
        most = start
        while self.is_open(car.cell(most + car.length)):
            most += 1
        return range(least, most + 1)

    def without_each(self) -> Iterator[tuple[str, RushHour]]:
        """Yield, for each car except the red one, its name and the board without this car."""
        for index in range(1, len(self.cars)):
            cars = list(self.cars)
            start = list(self.start)
            del cars[index]
            del start[index]
            smaller = replace(self, cars=tuple(cars), start=tuple(start))
            yield self.names[index], smaller

    def placed_cars(self, offsets: Sequence[int] | None = None) -> Iterator[tuple[Car, int]]:
        """Yield each car with its offset, the column or row of its first cell.

        By default the offsets are those at time 0.
        """
        return zip(self.cars, offsets or self.start, strict=True)

    def state(self, offsets: Sequence[int]) -> State:
        """Return the state in which the cars have the given offsets (columns or rows of first
        cells).
        """
        state = 0
        for line in self.lines:
            for car, length in zip(line.cars, line.lengths, strict=True):
                first = offsets[car] - 1
                state += line.mask(first, length)
        return state

    def offsets(self, state: State) -> list[int]:
        """Return the offset of each car in a state: the column (axis h) or row (axis v) of its
        first cell.
        """
        offsets = [0] * len(self.cars)
        for line in self.lines:
            first_cells = line.first_cells(state)
            for car, first in zip(line.cars, first_cells, strict=True):
                offsets[car] = first + 1
        return offsets

    @cached_property
    def red_line(self) -> Line:
        """The line on which the red car moves."""
        return next(line for line in self.lines if 0 in line.cars)

    def red_place(self, state: State) -> int:
        """Return the index (from 0) of the red car's first cell in its line."""
        index = self.red_line.cars.index(0)
        return self.red_line.first_cells(state)[index]

    def successors(self, state: State) -> list[State]:
        """Return the successors of a state, in the order of `actions`."""
        return self.expand((state,))

    def expand(self, states: Iterable[State]) -> list[State]:
        """Return the successors of many states.

        A search spends most of its time here, so this method is a plain loop over the tables of the
        lines' moves. The states are the same as those that `apply` returns for all `actions`.
        """
        expanded: list[State] = []
        tables = self._tables
        for state in states:
            for view, changes in tables:
                for change in changes[state & view]:
                    expanded.append(state + change)
        return expanded

    def actions(self, state: State) -> Iterator[Move]:
        """Yield the moves of a state: row by row, then column by column.

        For each car backward moves (left, up) come before forward moves, and near before far.
        """
        for line in self.lines:
            for shift in line.moves(state, self.reach):
                yield self._move(shift)

    def between(self, state: State, after: State) -> Iterator[Move]:
        """Yield the moves that lead from a state to its successor `after`."""
        changed_bits = state ^ after
        line = next(line for line in self.lines if line.bits & changed_bits)
        for shift in line.moves(state, self.reach):
            if state + shift.change == after:
                yield self._move(shift)

    def _move(self, shift: Shift) -> Move:
        name = self.names[shift.car]
        axis = self.cars[shift.car].axis
        backward, forward = DIRECTIONS[axis]
        direction = forward if shift.cells > 0 else backward
        return Move(name, direction, abs(shift.cells))

    def apply(self, state: State, action: Move) -> State:
        """Return the state after a move; the move must be applicable."""
        car = self.names.index(action.car)
        cells = action.cells if action.direction in FORWARD else -action.cells
        offsets = self.offsets(state)
        offsets[car] += cells
        return self.state(offsets)

    def is_goal(self, state: State) -> bool:
        """Return True if the red car is at its goal."""
        return self._red_at_goal[state & self.red_line.bits]

    def parse_action(self, term: Symbol) -> Move:
        """Read a term `move(Car,Dir,Cells)`; raise `ValueError` for any other term."""
        if not term.match("move", 3):
            raise ValueError(f"{term} is not a move(Car,Dir,Cells)")
        car, direction, cells = term.arguments
        if str(direction) not in AXIS:
            raise ValueError(f"{term}: {direction} is not left, right, up or down")
        if cells.type != SymbolType.Number or cells.number < 1:
            raise ValueError(f"{term}: {cells} is not a number of cells")
        return Move(str(car), str(direction), cells.number)

    def why_not(self, state: State, action: Move) -> str | None:
        """Return the reason why a move is not applicable; None if it is."""
        if action.car not in self.names:
            return f"there is no car {action.car}"
        index = self.names.index(action.car)
        car = self.cars[index]
        if AXIS[action.direction] != car.axis:
            kind = "horizontal" if car.axis == "h" else "vertical"
            return f"car {action.car} is {kind} and cannot go {action.direction}"
        if self.is_of_variant(action):
            return f"metric step moves one cell at a time, not {action.cells}"
        return self._why_blocked(state, action, index)

    def is_of_variant(self, action: Move) -> bool:
        """Return whether a move has several cells, which only the metric `slide` allows."""
        return self.metric == "step" and action.cells != 1

    def _why_blocked(
        self,
        state: State,
        action: Move,
        index: int,
    ) -> str | None:
        """Return the reason why a cell ahead of a moving car is not free; None if all are free.

        `index` is the index of the car.
        """
        car = self.cars[index]
        offset = self.offsets(state)[index]
        car_at = self.cars_by_cell(state)
        for distance in range(1, action.cells + 1):
            if action.direction in FORWARD:
                place = offset + car.length - 1 + distance
            else:
                place = offset - distance
            row, column = cell = car.cell(place)
            if not self.is_on_board(cell):
                return f"car {action.car} would leave the board at ({row},{column})"
            if cell in self.walls:
                return f"there is a wall at ({row},{column})"
            if cell in car_at:
                return f"car {self.names[car_at[cell]]} is at ({row},{column})"
        return None

    def why_not_goal(self, state: State) -> str | None:
        """Return a sentence with the cells of the red car and of its goal; None if the car is at
        its goal.
        """
        red = self.cars[0]
        place = self.red_place(state) + 1
        if place == self.goal:
            return None
        row, column = red.cell(place)
        goal_row, goal_column = red.cell(self.goal)
        return f"car {red.name} is at ({row},{column}) and not at ({goal_row},{goal_column})"

    def fluents(self, state: State) -> Iterator[Symbol]:
        """Yield `position(Car,Row,Column)` for each car."""
        for car, offset in self.placed_cars(self.offsets(state)):
            row, column = car.cell(offset)
            arguments = [car.name, Number(row), Number(column)]
            yield Function("position", arguments)

    def text(self, state: State) -> str:
        """Return the board row by row: names of cars, `#` for a wall, `.` for an empty cell."""
        marks = dict.fromkeys(self.walls, "#")
        for cell, index in self.cars_by_cell(state).items():
            marks[cell] = self.names[index]
        width = max(map(len, self.names))
        columns = range(1, self.columns + 1)
        rows: list[str] = []
        for row in range(1, self.rows + 1):
            marks_in_row = [marks.get((row, column), ".") for column in columns]
            words = [mark.ljust(width) for mark in marks_in_row]
            rows.append(" ".join(words).rstrip())
        return "\n".join(rows)

    def cars_by_cell(self, state: State) -> dict[Cell, int]:
        """Map each covered cell to the index of its car."""
        car_at: dict[Cell, int] = {}
        offsets = self.offsets(state)
        for index, (car, offset) in enumerate(self.placed_cars(offsets)):
            for cell in car.cells(offset):
                car_at[cell] = index
        return car_at

    def is_open(self, cell: Cell) -> bool:
        """Return True if a cell is on the board and is not a wall."""
        return self.is_on_board(cell) and cell not in self.walls

    def is_on_board(self, cell: Cell) -> bool:
        """Return True if a cell is on the board, even if it is a wall."""
        return is_on_grid(cell, self.rows, self.columns)

    @cached_property
    def _tables(self) -> list[Table]:
        make_table = _shared_table if self.shares_tables else Line.table
        return [make_table(line, self.reach) for line in self.lines]

    @cached_property
    def _red_at_goal(self) -> Memo[bool]:
        def is_red_at_goal(bits: State) -> bool:
            return self.red_place(bits) + 1 == self.goal

        return Memo(is_red_at_goal)


class Memo(dict[State, Value]):
    """A memoised function of some bits of a state: `memo[bits]` computes each value once."""

    def __init__(self, function: Callable[[State], Value]) -> None:
        self.function = function

    def __missing__(self, bits: State) -> Value:
        value = self[bits] = self.function(bits)
        return value


Table = tuple[int, Memo[tuple[int, ...]]]
"""The bits that the moves of a line depend on, and by these bits the state changes of its moves."""


class Shift(NamedTuple):
    """A move of a car within its line, as a change of the state."""

    car: int  # its index
    cells: int  # negative for a move backward: left or up
    change: int  # the difference between the states after and before the move


@dataclass(frozen=True)
class Line:
    """A row with its horizontal cars, or a column with its vertical cars.

    Its cells have indices from 0. A car on cell i sets bit `shift + i` of the state.
    """

    cars: tuple[int, ...] = field(compare=False)
    """The indices of the line's cars, from left to right or from top to bottom."""
    lengths: tuple[int, ...]
    """The lengths of the line's cars, in the order of `cars`."""
    shift: int
    size: int
    """The number of cells of the line."""
    crossing: tuple[int, ...]
    """For each cell the bit that is set if a crossing car covers the cell; 0 if no
    car can cross.
    """
    walls: int
    """The walls of the line, with bit i for cell i."""

    @cached_property
    def bits(self) -> int:
        """The mask of the bits of the state that belong to this line."""
        return self.mask(0, self.size)

    @cached_property
    def view(self) -> int:
        """The mask of all bits of the state on which the moves of this line depend."""
        return self.bits + sum(self.crossing)

    def mask(self, first: int, length: int) -> int:
        """Return the bits of a car, from the index of its first cell and its number of cells."""
        return ((1 << length) - 1) << self.shift + first

    def first_cells(self, state: State) -> tuple[int, ...]:
        """Return the index of the first cell of each car of the line, in the order of `cars`."""
        return self._first_cells[state & self.bits]

    @cached_property
    def _first_cells(self) -> Memo[tuple[int, ...]]:
        return Memo(lambda bits: tuple(self._find_cars(bits)))

    def _find_cars(self, bits: State) -> Iterator[int]:
        """Yield the index of the first cell of each car; `bits` has the covered
        cells of the line.
        """
        rest = bits >> self.shift
        passed = 0
        for length in self.lengths:
            gap = (rest & -rest).bit_length() - 1  # the zeros below the lowest 1
            yield passed + gap
            rest >>= gap + length
            passed += gap + length

    def moves(self, state: State, reach: int) -> Iterator[Shift]:
        """Yield the moves of the line's cars, car by car; backward before forward, near before far.

        `reach` is the greatest number of cells of a move.
        """
        obstacles = self._obstacles(state)
        for car, length, first in zip(
            self.cars, self.lengths, self.first_cells(state), strict=True
        ):
            mask = self.mask(first, length)
            for cells in range(1, reach + 1):
                if obstacles >> first + 1 - cells & 1:
                    break
                yield Shift(car, -cells, (mask >> cells) - mask)
            for cells in range(1, reach + 1):
                if obstacles >> first + length + cells & 1:
                    break
                yield Shift(car, cells, (mask << cells) - mask)

    def _obstacles(self, state: State) -> int:
        """Return the cells of the line that no car can move to, with bit i + 1 for cell i.

        These are walls, covered cells, and the two places just beyond the ends of the line.
        """
        cells = self.walls
        cells |= (state & self.bits) >> self.shift
        for index, bit in enumerate(self.crossing):
            if state & bit:
                cells |= 1 << index
        cells |= 1 << self.size
        return cells << 1 | 1

    def table(self, reach: int) -> Table:
        """Return the table of the line's moves, for moves of up to `reach` cells."""

        def changes(view: State) -> tuple[int, ...]:
            return tuple(shift.change for shift in self.moves(view, reach))

        return self.view, Memo(changes)


_shared_table = lru_cache(maxsize=4096)(Line.table)

_LineKey = tuple[str, int]  # the axis of a line and its number


def _make_lines(problem: RushHour) -> tuple[Line, ...]:
    """Return the lines that have cars; each line has bits of the state of its own."""
    members = _cars_by_line(problem)
    sizes = _sizes_of_lines(problem)
    if not problem.shares_tables:
        sizes = {key: size for key, size in sizes.items() if key in members}
    shifts: dict[_LineKey, int] = {}
    used_bits = 0
    for key, size in sizes.items():
        shifts[key] = used_bits
        used_bits += size
    lines: list[Line] = []
    for key, size in sizes.items():
        if key in members:
            cars = members[key]
            line = Line(
                cars=tuple(cars),
                lengths=tuple(problem.cars[index].length for index in cars),
                shift=shifts[key],
                size=size,
                crossing=_crossing_bits(key, size, shifts),
                walls=_wall_bits(key, size, problem.walls),
            )
            lines.append(line)
    return tuple(lines)


def _cars_by_line(problem: RushHour) -> Mapping[_LineKey, list[int]]:
    """Group the indices of the cars by line; each group is in the order of the cars on the line."""
    members: dict[_LineKey, list[int]] = {}
    by_offset = sorted(range(len(problem.cars)), key=problem.start.__getitem__)
    for index in by_offset:
        car = problem.cars[index]
        key = (car.axis, car.line)
        members.setdefault(key, []).append(index)
    return members


def _sizes_of_lines(problem: RushHour) -> dict[_LineKey, int]:
    """Map each line of the board to its number of cells: rows first, then columns."""
    sizes: dict[_LineKey, int] = {}
    for row in range(1, problem.rows + 1):
        sizes["h", row] = problem.columns
    for column in range(1, problem.columns + 1):
        sizes["v", column] = problem.rows
    return sizes


def _crossing_bits(
    key: _LineKey,
    size: int,
    shifts: Mapping[_LineKey, int],
) -> tuple[int, ...]:
    """Return, for each cell of a line, the bit of the same cell in the crossing line.

    The bit is 0 if the crossing line has no cars. `shifts` has the first bit of each line with
    cars, and `size` is the number of cells.
    """
    axis, line = key
    other_axis = "v" if axis == "h" else "h"
    bits: list[int] = []
    for place in range(1, size + 1):
        shift = shifts.get((other_axis, place))
        if shift is None:
            bits.append(0)
        else:
            bits.append(1 << shift + line - 1)
    return tuple(bits)


def _wall_bits(
    key: _LineKey,
    size: int,
    walls: frozenset[Cell],
) -> int:
    """Return the walls of a line: bit i is set if cell i is a wall. `size` is its
    number of cells.
    """
    bits = 0
    for index in range(size):
        cell = cell_on_line(*key, index + 1)
        if cell in walls:
            bits |= 1 << index
    return bits
