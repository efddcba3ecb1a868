"""Reading of Rush Hour instances: makes the model from the facts, and chooses the
default encoding.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import comb
from typing import Generic, NamedTuple, TypeVar

from asplan.clingo import Function, Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.core.facts import Facts
from asplan.domains.reading import Cell, at_start, by_object, is_on_grid, read_cell, read_grid
from asplan.domains.rush_hour.model import METRICS, Car, RushHour, cell_on_line, line_and_place

RED = Function("r")


def read(facts: Facts, constants: Mapping[str, str]) -> RushHour:
    """Make the model of an instance; raise `InputError` at the place of an invalid fact."""
    rows, columns = read_grid(
        facts,
        example="grid(1..6,1..6).",
        hint="a grid is a full rectangle; impassable cells are no(Row,Column)",
    )
    placed_cars = _read_cars(facts)
    wall_facts = facts.named("no", 2)
    walls = {read_cell(facts, fact): fact for fact in wall_facts}
    for cell, fact in walls.items():
        if not is_on_grid(cell, rows, columns):
            raise facts.error("the wall is not on the board", fact)
    goal = _read_goal(facts, placed_cars[0].car, rows, columns)
    metric = constants.get("metric", METRICS[0])
    problem = make_problem(rows, columns, walls, placed_cars, goal, metric)
    _check_cars(problem, facts, placed_cars)
    return problem


Source = TypeVar("Source")


class PlacedCar(NamedTuple, Generic[Source]):
    """A car with its offset at time 0, and its source for errors: a fact, or a place in a file."""

    car: Car
    offset: int
    source: Source


def make_problem(
    rows: int,
    columns: int,
    walls: Iterable[Cell],
    placed_cars: Sequence[PlacedCar[Source]],
    goal: int | None = None,
    metric: str = METRICS[0],
) -> RushHour:
    """Make the model of a board; `placed_cars` begins with the red car.

    `goal` is the offset of the red car at its goal; by default the far end of its line.
    """
    if goal is None:
        goal = placed_cars[0].car.far_end(rows, columns)
    return RushHour(
        rows=rows,
        columns=columns,
        walls=frozenset(walls),
        cars=tuple(placed.car for placed in placed_cars),
        start=tuple(placed.offset for placed in placed_cars),
        goal=goal,
        metric=metric,
    )


def _read_cars(facts: Facts) -> list[PlacedCar[Symbol]]:
    """Read the cars, the red one first and the others by name."""
    car_facts = by_object(facts, facts.named("car", 3), 0, "car")
    if RED not in car_facts:
        raise facts.error("has no car r", hint="the red car is car(r,Length,h or v)")
    position_facts = at_start(facts, "position", 4, "positions")
    positions = by_object(facts, position_facts, 1, "car")
    for name, fact in positions.items():
        if name not in car_facts:
            raise facts.error(f"there is no car {name}", fact)
    names = sorted(car_facts, key=lambda name: (name != RED, name))
    placed_cars: list[PlacedCar[Symbol]] = []
    for name in names:
        position = positions.get(name)
        placed_cars.append(_read_car(facts, car_facts[name], position))
    return placed_cars


def _read_car(
    facts: Facts,
    fact: Symbol,
    position: Symbol | None,
) -> PlacedCar[Symbol]:
    name, length, axis_term = fact.arguments
    axis = str(axis_term)
    if length.type != SymbolType.Number or length.number < 1:
        raise facts.error(f"the length must be a whole number of at least 1, not {length}", fact)
    if axis not in ("h", "v"):
        raise facts.error(f"the orientation {axis} is neither h nor v", fact)
    if position is None:
        raise facts.error(f"car {name} has no position", fact)
    cell = read_cell(facts, position)
    line, offset = line_and_place(axis, cell)
    car = Car(name, length.number, axis, line)
    return PlacedCar(car, offset, position)


def _read_goal(
    facts: Facts,
    red: Car,
    rows: int,
    columns: int,
) -> int:
    """Return the offset of the red car at its goal; without a goal fact, the far
    end of its line.
    """
    far_end = red.far_end(rows, columns)
    goals = facts.named("goal", 3)
    if not goals:
        return far_end
    fact = goals[0]
    if fact.arguments[0] != RED:
        raise facts.error("only the red car r may have a goal", fact)
    cell = read_cell(facts, fact)
    line, offset = line_and_place(red.axis, cell)
    if line != red.line:
        raise facts.error("the goal is not on the line of the red car", fact)
    if not 1 <= offset <= far_end:
        raise facts.error("at the goal the red car would leave the board", fact)
    if len(goals) > 1:
        raise facts.error(f"a second goal; the first is {goals[0]}", goals[1])
    return offset


@dataclass(frozen=True)
class Misplacement:
    """A cell that a car covers but must not: off the board, a wall, or a cell of another car."""

    car: int
    """The index of the misplaced car."""
    cell: Cell
    other: int | None = None
    """The index of the other car that covers the cell; None if there is none."""


def find_misplacement(problem: RushHour) -> Misplacement | None:
    """Return the first cell that a car must not cover at time 0; None if all cars
    are placed well.
    """
    car_at: dict[Cell, int] = {}
    for index, (car, offset) in enumerate(problem.placed_cars()):
        # The ends first: a car off the board may be too long to list its cells.
        for place in (offset, offset + car.length - 1):
            end = car.cell(place)
            if not problem.is_on_board(end):
                return Misplacement(index, end)
        for cell in car.cells(offset):
            if cell in problem.walls or cell in car_at:
                return Misplacement(index, cell, car_at.get(cell))
            car_at[cell] = index
    return None


def _check_cars(
    problem: RushHour,
    facts: Facts,
    placed_cars: list[PlacedCar[Symbol]],
) -> None:
    misplacement = find_misplacement(problem)
    if misplacement is None:
        return
    row, column = misplacement.cell
    name = problem.names[misplacement.car]
    fact = placed_cars[misplacement.car].source
    if misplacement.other is not None:
        other = problem.names[misplacement.other]
        raise facts.error(f"cars {other} and {name} are both at ({row},{column})", fact)
    where = "on a wall" if misplacement.cell in problem.walls else "off the board"
    raise facts.error(f"car {name} is {where} at ({row},{column})", fact)


WORDS = 64  # open cells that fit into the two words a side of `encodings/rush_hour/frontier.lp`
MANY = 3_000_000  # estimated states from which `order` is faster; docs/rush_hour_speed.md


def default_encoding(problem: RushHour) -> str:
    """Return `frontier` for a board with few cells and few estimated states, else `order`."""
    open_cells = problem.rows * problem.columns - len(problem.walls)
    if open_cells <= WORDS and estimated_states(problem) <= MANY:
        return "frontier"
    return "order"


class _Stretch(NamedTuple):
    """A run of cells of a line between two walls (or ends of the line)."""

    axis: str
    line: int
    places: range


def estimated_states(problem: RushHour) -> float:
    """Estimate the number of legal states; the reachable ones are a part of them.

    A stretch is a run of cells without a wall in one line. If its k cars leave s cells free, they
    have C(s+k, k) arrangements. A cell where two stretches cross must not be covered by both. Its
    share of the arrangements follows from two assumptions: the cars of a stretch cover each of its
    cells equally often, and all crossings are independent.
    """
    covered = Counter[_Stretch]()  # the cells that the cars of a stretch cover
    cars = Counter[_Stretch]()
    for car, offsets in zip(problem.cars, problem.ranges, strict=True):
        end = offsets.stop + car.length - 1
        places = range(offsets.start, end)
        stretch = _Stretch(car.axis, car.line, places)
        covered[stretch] += car.length
        cars[stretch] += 1
    arrangements = 1
    for stretch, count in cars.items():
        free = len(stretch.places) - covered[stretch]
        arrangements *= comb(free + count, count)
    legal_share = 1.0
    down = _coverage(covered, "v")
    for cell, across in _coverage(covered, "h").items():
        legal_share *= 1 - across * down.get(cell, 0.0)
    return arrangements * legal_share


def _coverage(
    covered: Mapping[_Stretch, int],
    axis: str,
) -> dict[Cell, float]:
    """Return for each cell the share of arrangements of its stretch in which a car covers the cell.

    Only stretches of one axis (h or v) are considered. `covered` has the number of cells that the
    cars of each stretch cover.
    """
    shares: dict[Cell, float] = {}
    for stretch, number in covered.items():
        if stretch.axis == axis:
            for place in stretch.places:
                cell = cell_on_line(axis, stretch.line, place)
                shares[cell] = number / len(stretch.places)
    return shares
