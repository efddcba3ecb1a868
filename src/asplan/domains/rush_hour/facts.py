"""Reads the facts of a Rush Hour instance, says what is wrong with them, and picks its encoding."""

from collections import Counter
from collections.abc import Mapping
from math import comb, prod

from clingo import Function, Symbol, SymbolType

from asplan.core.facts import Facts
from asplan.domains.reading import Cell, at_start, by_object, read_cell, read_grid
from asplan.domains.rush_hour.model import METRICS, Car, RushHour

RED = Function("r")


def read(facts: Facts, constants: Mapping[str, str]) -> RushHour:
    rows, columns = read_grid(
        facts,
        example="grid(1..6,1..6).",
        hint="a grid is a full rectangle; impassable cells are no(Row,Column)",
    )
    cars, start, given = _read_cars(facts)
    walls = {read_cell(facts, fact): fact for fact in facts.named("no", 2)}
    for (row, column), fact in walls.items():
        if not (1 <= row <= rows and 1 <= column <= columns):
            raise facts.error("the wall is not on the board", fact)
    goal = _read_goal(facts, cars[0], rows, columns)
    metric = constants.get("metric", METRICS[0])
    problem = RushHour(rows, columns, frozenset(walls), cars, start, goal, metric)
    _check_cells(problem, facts, given)
    return problem


def _read_cars(facts: Facts) -> tuple[tuple[Car, ...], tuple[int, ...], list[Symbol]]:
    """The cars, red first, and for each its offset and the fact that gives it."""
    shapes = by_object(facts, facts.named("car", 3), 0, "car")
    if RED not in shapes:
        raise facts.error("has no car r", hint="the red car is car(r,Length,h or v)")
    positions = by_object(facts, at_start(facts, "position", 4, "positions"), 1, "car")
    for name, fact in positions.items():
        if name not in shapes:
            raise facts.error(f"there is no car {name}", fact)
    cars, start, given = [], [], []
    for name in sorted(shapes, key=lambda name: (name != RED, name)):
        _, length, axis = shapes[name].arguments
        if length.type != SymbolType.Number or length.number < 1:
            raise facts.error(f"the length {length} is not a number from 1", shapes[name])
        if str(axis) not in ("h", "v"):
            raise facts.error(f"the orientation {axis} is neither h nor v", shapes[name])
        if name not in positions:
            raise facts.error(f"car {name} has no position", shapes[name])
        row, column = read_cell(facts, positions[name])
        line, offset = (row, column) if str(axis) == "h" else (column, row)
        cars.append(Car(name, length.number, str(axis), line))
        start.append(offset)
        given.append(positions[name])
    return tuple(cars), tuple(start), given


def _read_goal(facts: Facts, red: Car, rows: int, columns: int) -> int:
    last = (columns if red.axis == "h" else rows) - red.length + 1
    goals = facts.named("goal", 3)
    for fact in goals:
        if fact.arguments[0] != RED:
            raise facts.error("only the red car r may have a goal", fact)
        row, column = read_cell(facts, fact)
        line, offset = (row, column) if red.axis == "h" else (column, row)
        if line != red.line:
            raise facts.error("the goal is not on the line of the red car", fact)
        if not 1 <= offset <= last:
            raise facts.error("at the goal the red car would leave the board", fact)
        if len(goals) > 1:
            raise facts.error(f"a second goal; the first is {goals[0]}", goals[1])
        return offset
    return last


def _check_cells(problem: RushHour, facts: Facts, given: list[Symbol]) -> None:
    taken: dict[Cell, Car] = {}
    for car, offset, fact in zip(problem.cars, problem.start, given, strict=True):
        for row, column in (car.cell(offset), car.cell(offset + car.length - 1)):
            if not problem.is_on_board((row, column)):
                raise facts.error(f"car {car.name} is off the board at ({row},{column})", fact)
        for row, column in car.cells(offset):
            if (row, column) in problem.walls:
                raise facts.error(f"car {car.name} is on a wall at ({row},{column})", fact)
            if other := taken.get((row, column)):
                both = f"cars {other.name} and {car.name} are both at ({row},{column})"
                raise facts.error(both, fact)
            taken[row, column] = car


WORDS = 64  # open cells that fit into the two words a side of `encodings/rush_hour/frontier.lp`
MANY = 3_000_000  # estimated states from which `order` is taken; docs/rush_hour_speed.md


def default_encoding(problem: RushHour) -> str:
    """`frontier` where the states fit, else `order`."""
    fits = problem.rows * problem.columns - len(problem.walls) <= WORDS
    return "frontier" if fits and estimated_states(problem) <= MANY else "order"


def estimated_states(problem: RushHour) -> float:
    """The estimated number of legal states; those that can be reached are a part of them.

    Of a run of cells without a wall in one line k cars leave s free: C(s+k, k) arrangements. Where
    a row's stretch crosses a column's, not both may cover the cell; all cells of a stretch are
    taken to be covered equally often, and the crossings to be independent.
    """
    covered, cars = Counter[tuple[str, int, range]](), Counter[tuple[str, int, range]]()
    for car, offsets in zip(problem.cars, problem.ranges, strict=True):
        stretch = car.axis, car.line, range(offsets.start, offsets.stop + car.length - 1)
        covered[stretch] += car.length
        cars[stretch] += 1
    ways = prod(comb(len(stretch[2]) - covered[stretch] + k, k) for stretch, k in cars.items())
    chance: dict[str, dict[Cell, float]] = {"h": {}, "v": {}}
    for (axis, line, places), number in covered.items():
        for place in places:
            cell = (line, place) if axis == "h" else (place, line)
            chance[axis][cell] = number / len(places)
    across = chance["v"]
    return ways * prod(1 - p * across.get(cell, 0.0) for cell, p in chance["h"].items())
