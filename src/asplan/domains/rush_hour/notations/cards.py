"""Rush Hour cards as text files: sizes and places as numbers that count from 0.

The first line is the size, the second the row and column of the goal cell, and each line after
them is a car: `row column h|v length`, the red car first. The goal is a cell that the red car must
*cover*; on its way it covers the cell first with the end that is nearer, so that is where our
facts put its goal.
"""

from __future__ import annotations

from collections.abc import Sequence

from clingo import Function

from asplan.domains.reading import MOST_CELLS
from asplan.domains.rush_hour.model import Car, RushHour
from asplan.errors import InputError, Location
from asplan.numbers import whole


def parse_card(lines: Sequence[str], file: str, metric: str = "step") -> RushHour:
    """The board of a card.

    Raises
    ------
    InputError
        With the line that makes no sense.
    """
    rows_of_words = [(n, line.split()) for n, line in enumerate(lines, 1) if line.strip()]
    if len(rows_of_words) < 3:
        raise InputError("a card has a size, a goal and at least the red car", at=_at(file, 1))
    (size_at, size), (goal_at, goal), *cars = rows_of_words
    rows, columns = _numbers(size * 2 if len(size) == 1 else size, 2, "size", _at(file, size_at))
    if rows * columns > MOST_CELLS:
        what = f"{rows} by {columns} cells are more than the {MOST_CELLS} that a board may have"
        raise InputError(what, at=_at(file, size_at))
    if len(cars) > rows * columns:
        what = f"{len(cars)} cars are more than the board has cells"
        raise InputError(what, at=_at(file, size_at))
    goal_row, goal_column = _numbers(goal, 2, "goal row and column", _at(file, goal_at))
    width = len(str(len(cars)))
    found = [
        _car(words, "r" if i == 0 else f"c{i:0{width}}", _at(file, number))
        for i, (number, words) in enumerate(cars)
    ]
    red, start = found[0]
    line, place = (goal_row, goal_column) if red.axis == "h" else (goal_column, goal_row)
    if line + 1 != red.line:
        raise InputError("the goal is not on the line of the red car", at=_at(file, goal_at))
    problem = RushHour(
        rows=rows,
        columns=columns,
        walls=frozenset(),
        cars=tuple(car for car, _ in found),
        start=tuple(offset for _, offset in found),
        goal=_covering(place + 1, start, red.length),
        metric=metric,
    )
    _check(problem, [_at(file, number) for number, _ in cars])
    return problem


def card_text(problem: RushHour) -> str:
    """The card of a board; `InputError` if it has walls, which cards have not."""
    if problem.walls:
        raise InputError("a card has no walls")
    size = (
        f"{problem.rows}"
        if problem.rows == problem.columns
        else f"{problem.rows} {problem.columns}"
    )
    red, start = problem.cars[0], problem.start[0]
    # The goal cell is the one under the end of the red car that comes there first.
    place = problem.goal + (red.length - 1 if start < problem.goal else 0)
    goal_row, goal_column = red.cell(place)
    lines = [size, f"{goal_row - 1} {goal_column - 1}"]
    for car, offset in zip(problem.cars, problem.start, strict=True):
        row, column = car.cell(offset)
        lines.append(f"{row - 1} {column - 1} {car.axis} {car.length}")
    return "\n".join(lines) + "\n"


def _covering(cell: int, start: int, length: int) -> int:
    """The offset nearest to the start at which the car covers a cell of its line."""
    return min(max(start, cell - length + 1), cell)


def _car(words: list[str], name: str, at: Location) -> tuple[Car, int]:
    if len(words) != 4 or words[2] not in ("h", "v"):
        raise InputError("a car is given as: row column h|v length", at=at)
    row, column, length = _numbers([words[0], words[1], words[3]], 3, "numbers of a car", at)
    if length < 1:
        raise InputError(f"the length {length} is not a number from 1", at=at)
    if words[2] == "h":
        return Car(Function(name), length, "h", row + 1), column + 1
    return Car(Function(name), length, "v", column + 1), row + 1


def _check(problem: RushHour, places: list[Location]) -> None:
    taken: dict[tuple[int, int], int] = {}
    for index, (car, offset) in enumerate(zip(problem.cars, problem.start, strict=True)):
        ends = car.cell(offset), car.cell(offset + car.length - 1)
        if not all(map(problem.is_on_board, ends)):
            raise InputError("the car is off the board", at=places[index])
        for cell in car.cells(offset):
            if cell in taken:
                other = places[taken[cell]].line
                raise InputError(f"the car is on that of line {other}", at=places[index])
            taken[cell] = index
    if not problem.is_on_board(problem.cars[0].cell(problem.goal + problem.cars[0].length - 1)):
        raise InputError("at the goal the red car would leave the board", at=places[0])


def _numbers(words: list[str], count: int, what: str, at: Location) -> list[int]:
    numbers = [number for word in words if (number := whole(word)) is not None]
    if len(words) != count or len(numbers) != count:
        raise InputError(f"no {what}: {' '.join(words)}", at=at)
    return numbers


def _at(file: str, line: int) -> Location:
    return Location(file, line, 1)
