"""Rush Hour: cars on a board slide along their own line until the red car is at its goal.

A state is a tuple with one offset per car: the row (vertical) or column (horizontal) of its first
cell. All that does not change (lines, lengths, walls) is in the problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from clingo import Function, Number, Symbol, SymbolType

from asplan.domains.base import Domain
from asplan.facts import Facts

State = tuple[int, ...]
Cell = tuple[int, int]

RED = Function("r")
AXIS = {"left": "h", "right": "h", "up": "v", "down": "v"}
FORWARD = {"right", "down"}
METRICS = ("step", "slide")


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
    """One board. `goal` is the offset of the red car, which is the first of the cars."""

    rows: int
    columns: int
    walls: frozenset[Cell]
    cars: tuple[Car, ...]
    initial: State
    goal: int
    metric: str = "step"

    def actions(self, state: State) -> Iterator[Move]:
        """Car by car, backward before forward, near before far."""
        taken = self._taken(state)
        reach = 1 if self.metric == "step" else max(self.rows, self.columns)
        for car, offset in zip(self.cars, state, strict=True):
            for direction in ("left", "right") if car.axis == "h" else ("up", "down"):
                for cells in range(1, reach + 1):
                    cell = car.ahead(offset, direction, cells)
                    if cell in taken or not self._is_open(cell):
                        break
                    yield Move(str(car.name), direction, cells)

    def apply(self, state: State, action: Move) -> State:
        """Move one car."""
        index = self._index(action.car)
        assert index is not None, f"no car {action.car}"
        change = action.cells if action.direction in FORWARD else -action.cells
        return (*state[:index], state[index] + change, *state[index + 1 :])

    def is_goal(self, state: State) -> bool:
        """Whether the red car is where it is to go."""
        return state[0] == self.goal

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
        car, offset = self.cars[index], state[index]
        if AXIS[action.direction] != car.axis:
            kind = "horizontal" if car.axis == "h" else "vertical"
            return f"car {action.car} is {kind} and cannot go {action.direction}"
        if self.metric == "step" and action.cells != 1:
            return f"metric step moves one cell at a time, not {action.cells}"
        taken = self._taken(state)
        for distance in range(1, action.cells + 1):
            row, column = cell = car.ahead(offset, action.direction, distance)
            if not self._is_on_board(cell):
                return f"car {action.car} would leave the board at ({row},{column})"
            if cell in self.walls:
                return f"there is a wall at ({row},{column})"
            if cell in taken:
                return f"car {taken[cell].name} is at ({row},{column})"
        return None

    def fluents(self, state: State) -> Iterator[Symbol]:
        """`position(Car,Row,Column)` for every car."""
        for car, offset in zip(self.cars, state, strict=True):
            row, column = car.cell(offset)
            yield Function("position", [car.name, Number(row), Number(column)])

    def text(self, state: State) -> str:
        """The board row by row: car names, `#` for a wall, `.` for an empty cell."""
        taken = self._taken(state)
        width = max(len(str(car.name)) for car in self.cars)

        def mark(cell: Cell) -> str:
            return str(taken[cell].name) if cell in taken else "#" if cell in self.walls else "."

        columns = range(1, self.columns + 1)
        return "\n".join(
            " ".join(mark((row, column)).ljust(width) for column in columns).rstrip()
            for row in range(1, self.rows + 1)
        )

    def _index(self, name: str) -> int | None:
        names = [str(car.name) for car in self.cars]
        return names.index(name) if name in names else None

    def _taken(self, state: State) -> dict[Cell, Car]:
        pairs = zip(self.cars, state, strict=True)
        return {cell: car for car, offset in pairs for cell in car.cells(offset)}

    def _is_on_board(self, cell: Cell) -> bool:
        return 1 <= cell[0] <= self.rows and 1 <= cell[1] <= self.columns

    def _is_open(self, cell: Cell) -> bool:
        return self._is_on_board(cell) and cell not in self.walls


def read(facts: Facts, constants: Mapping[str, str]) -> RushHour:
    """The problem that the facts of an instance describe.

    Raises
    ------
    InputError
        The facts make no sense; the message names the first that does not.
    """
    rows, columns = _read_grid(facts)
    cars, places = _read_cars(facts)
    walls = {_numbers(fact, fact.arguments, facts): fact for fact in facts.named("no", 2)}
    for wall, fact in walls.items():
        if not (1 <= wall[0] <= rows and 1 <= wall[1] <= columns):
            raise facts.error("the wall is not on the board", fact)
    problem = RushHour(
        rows=rows,
        columns=columns,
        walls=frozenset(walls),
        cars=cars,
        initial=tuple(places[car.name][0] for car in cars),
        goal=_read_goal(facts, cars[0], rows, columns),
        metric=constants.get("metric", METRICS[0]),
    )
    _check_cells(problem, facts, {name: fact for name, (_, fact) in places.items()})
    return problem


def _read_grid(facts: Facts) -> Cell:
    cells = {_numbers(fact, fact.arguments, facts): fact for fact in facts.named("grid", 2)}
    if not cells:
        raise facts.error("has no grid", mend="add, for example, grid(1..6,1..6).")
    for (row, column), fact in cells.items():
        if row < 1 or column < 1:
            raise facts.error("rows and columns count from 1", fact)
    rows, columns = max(r for r, _ in cells), max(c for _, c in cells)
    if len(cells) < rows * columns:
        row, column = next(
            (r, c) for r in range(1, rows + 1) for c in range(1, columns + 1) if (r, c) not in cells
        )
        raise facts.error(
            f"the grid has a hole at ({row},{column})",
            next(iter(cells.values())),
            mend="a grid is a full rectangle; impassable cells are no(Row,Column)",
        )
    return rows, columns


def _read_cars(facts: Facts) -> tuple[tuple[Car, ...], dict[Symbol, tuple[int, Symbol]]]:
    """The cars, red first, and for each its offset and the fact that gives it."""
    shapes = _unique(facts, facts.named("car", 3), argument=0)
    if RED not in shapes:
        raise facts.error("has no car r", mend="the red car is car(r,Length,h or v)")
    positions = _unique(facts, _positions(facts), argument=1)
    for name, fact in positions.items():
        if name not in shapes:
            raise facts.error(f"there is no car {name}", fact)
    cars, places = [], {}
    for name in sorted(shapes, key=lambda name: (name != RED, name)):
        length, axis = _shape(facts, shapes[name])
        if name not in positions:
            raise facts.error(f"car {name} has no position", shapes[name])
        fact = positions[name]
        row, column = _numbers(fact, fact.arguments[2:], facts)
        line, offset = (row, column) if axis == "h" else (column, row)
        cars.append(Car(name, length, axis, line))
        places[name] = offset, fact
    return tuple(cars), places


def _positions(facts: Facts) -> list[Symbol]:
    found = facts.named("position", 4)
    for fact in found:
        if fact.arguments[0] != Number(0):
            raise facts.error("an instance gives positions at time 0 only", fact)
    return found


def _shape(facts: Facts, fact: Symbol) -> tuple[int, str]:
    _, length, axis = fact.arguments
    if length.type != SymbolType.Number or length.number < 1:
        raise facts.error(f"the length {length} is not a number from 1", fact)
    if str(axis) not in ("h", "v"):
        raise facts.error(f"the orientation {axis} is neither h nor v", fact)
    return length.number, str(axis)


def _read_goal(facts: Facts, red: Car, rows: int, columns: int) -> int:
    last = (columns if red.axis == "h" else rows) - red.length + 1
    goals = facts.named("goal", 3)
    for fact in goals:
        if fact.arguments[0] != RED:
            raise facts.error("only the red car r may have a goal", fact)
        row, column = _numbers(fact, fact.arguments[1:], facts)
        line, offset = (row, column) if red.axis == "h" else (column, row)
        if line != red.line:
            raise facts.error("the goal is not on the line of the red car", fact)
        if not 1 <= offset <= last:
            raise facts.error("at the goal the red car would leave the board", fact)
        if len(goals) > 1:
            raise facts.error(f"a second goal; the first is {goals[0]}", goals[1])
        return offset
    return last


def _check_cells(problem: RushHour, facts: Facts, given: Mapping[Symbol, Symbol]) -> None:
    taken: dict[Cell, Car] = {}
    for car, offset in zip(problem.cars, problem.initial, strict=True):
        fact = given[car.name]
        for row, column in (car.cell(offset), car.cell(offset + car.length - 1)):
            if not problem._is_on_board((row, column)):
                raise facts.error(f"car {car.name} is off the board at ({row},{column})", fact)
        for row, column in car.cells(offset):
            if (row, column) in problem.walls:
                raise facts.error(f"car {car.name} is on a wall at ({row},{column})", fact)
            if other := taken.get((row, column)):
                both = f"cars {other.name} and {car.name} are both at ({row},{column})"
                raise facts.error(both, fact)
            taken[row, column] = car


def _unique(facts: Facts, found: list[Symbol], argument: int) -> dict[Symbol, Symbol]:
    """The facts by the car they speak of, which is one of their arguments."""
    by_car: dict[Symbol, Symbol] = {}
    for fact in found:
        car = fact.arguments[argument]
        if car in by_car:
            raise facts.error(f"car {car} has another one already: {by_car[car]}", fact)
        by_car[car] = fact
    return by_car


def _numbers(fact: Symbol, arguments: list[Symbol], facts: Facts) -> Cell:
    for argument in arguments:
        if argument.type != SymbolType.Number:
            raise facts.error(f"{argument} is no number", fact)
    row, column = (argument.number for argument in arguments)
    return row, column


def default_encoding(problem: RushHour) -> str:
    """Position by origin: the fastest over the shipped instances, and it knows every length."""
    return "origin"


DOMAIN = Domain(
    name="rush_hour",
    signatures=frozenset({("grid", 2), ("car", 3), ("position", 4)}),
    constants={"metric": METRICS},
    problem=read,
    default_encoding=default_encoding,
)
