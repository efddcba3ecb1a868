"""Rush Hour boards as others write them: strings of cells, cards of numbers, and tuples.

A *board* is a string of cells, row by row, as in Fogleman's database: `A` is the red car, other
capital letters are other cars, `o` or `.` is empty, `x` a wall. In our facts the red car is `r`; so
that a car `R` does not clash with it, the two letters change places: `A` is `r` and `R` is `a`. All
others keep theirs in small.

>>> board_text(parse_board("BBooooooAAoooooooooooooooooooooooooo"))
'BBooooooAAoooooooooooooooooooooooooo'

A *card* has numbers that count from 0. Its first line is the size, the second the row and column of
the goal cell, and each line after them a car: `row column h|v length`, the red car first. The goal
is a cell that the red car must *cover*; it covers the cell first with the end that is nearer, so
that is where our facts put its goal.

*Tuples* are the facts of the report's version 2 (docs/report.md): `position(0,Car,h|v,Fixed,C1,C2)`
has a car's line and the other coordinate of each of its cells.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import isqrt
from pathlib import Path
from string import ascii_uppercase

from clingo import Function

from asplan.core.errors import InputError, Location
from asplan.core.text import whole
from asplan.domains.base import Converted, Notation, Shape
from asplan.domains.reading import MOST_CELLS, Cell, Entry, converted, entries
from asplan.domains.rush_hour.facts import read
from asplan.domains.rush_hour.model import Car, RushHour

EMPTY, WALL = "o.", "x"
_SWAPPED = {"A": "r", "R": "a"}
_NAMES = {letter: _SWAPPED.get(letter, letter.lower()) for letter in ascii_uppercase}
_LETTERS = {name: letter for letter, name in _NAMES.items()}


def instance_text(problem: RushHour) -> str:
    width = max(map(len, problem.names))
    lines = [f"grid(1..{problem.rows},1..{problem.columns})."]
    for name, car, offset in zip(problem.names, problem.cars, problem.start, strict=True):
        row, column = car.cell(offset)
        shape = f"car({name},{car.length},{car.axis}).".ljust(width + 12)
        lines.append(f"{shape}position(0,{name},{row},{column}).")
    if problem.walls:
        lines.append(" ".join(f"no({row},{column})." for row, column in sorted(problem.walls)))
    if problem.goal != problem.far_end:
        row, column = problem.cars[0].cell(problem.goal)
        lines.append(f"goal(r,{row},{column}).")
    return "\n".join(lines) + "\n"


def parse_board(
    text: str, columns: int | None = None, at: Location | None = None, metric: str = "step"
) -> RushHour:
    """The board that a string shows; without a width it is a square; `at` is its place."""
    if not columns:
        columns = isqrt(len(text))
        if columns * columns != len(text) or not text:
            what = f"a board of {len(text)} cells is no square"
            raise InputError(what, at=at, hint="give its width: --columns N")
    if len(text) % columns:
        raise InputError(f"{len(text)} cells are not rows of {columns}", at=at)
    cells: dict[str, list[int]] = {}
    for index, letter in enumerate(text):
        if letter not in EMPTY + WALL + ascii_uppercase:
            raise InputError(f"{letter!r} is no cell of a board", at=_moved(at, index))
        cells.setdefault(letter, []).append(index)
    if "A" not in cells:
        raise InputError("the board has no red car A", at=at)
    found = [_lettered_car(c, cells[c], columns, at) for c in cells if c in ascii_uppercase]
    found.sort(key=lambda it: (str(it[0].name) != "r", it[0].name))
    walls = (_cell(index, columns) for index in cells.get(WALL, []))
    return _board(len(text) // columns, columns, walls, found, metric)


def _board(
    rows: int, columns: int, walls: Iterable[Cell], cars: Sequence[tuple[Car, int]], metric: str
) -> RushHour:
    """The board of some cars, the red one first, each with its offset; its goal is the usual."""
    shapes, start = zip(*cars, strict=True)
    problem = RushHour(rows, columns, frozenset(walls), shapes, start, 1, metric)
    return replace(problem, goal=problem.far_end)


def _lettered_car(
    letter: str, cells: list[int], columns: int, at: Location | None
) -> tuple[Car, int]:
    """A car and the offset of its first cell."""
    first, *rest = cells
    if not rest:
        raise InputError(f"car {letter} has only one cell", at=_moved(at, first))
    stride = 1 if rest[0] == first + 1 else columns
    row, column = _cell(first, columns)
    expected = list(range(first, first + len(cells) * stride, stride))
    if cells != expected or (stride == 1 and column + len(cells) - 1 > columns):
        raise InputError(f"the cells of car {letter} are not in one line", at=_moved(at, first))
    axis, line, offset = ("h", row, column) if stride == 1 else ("v", column, row)
    return Car(Function(_NAMES[letter]), len(cells), axis, line), offset


def _cell(index: int, columns: int) -> Cell:
    return index // columns + 1, index % columns + 1


def _moved(at: Location | None, cells: int) -> Location | None:
    return Location(at.file, at.line, at.column + cells) if at else None


def board_text(problem: RushHour) -> str:
    """The string that shows a board; cars without a single letter get letters that are free."""
    if problem.goal != problem.far_end:
        raise InputError("a board as a string has its goal at the end of the red car's line")
    taken = {_LETTERS[name] for name in problem.names if name in _LETTERS}
    free = iter(letter for letter in ascii_uppercase if letter not in taken)
    marks = dict.fromkeys(problem.walls, WALL)
    for name, car, offset in zip(problem.names, problem.cars, problem.start, strict=True):
        letter = _LETTERS.get(name) or next(free, None)
        if letter is None:
            raise InputError(f"{len(problem.cars)} cars are more than there are letters")
        if car.length == 1:
            raise InputError(f"a board as a string has no cars of one cell, as {name} is")
        marks |= dict.fromkeys(car.cells(offset), letter)
    size = problem.rows * problem.columns
    return "".join(marks.get(_cell(index, problem.columns), "o") for index in range(size))


def parse_card(lines: Sequence[str], file: str, metric: str = "step") -> RushHour:
    """The board of a card; raises `InputError` with the line that makes no sense."""
    numbered = ((Location(file, n, 1), line.split()) for n, line in enumerate(lines, 1))
    words = [(at, line) for at, line in numbered if line]
    if len(words) < 3:
        what = "a card has a size, a goal and at least the red car"
        raise InputError(what, at=Location(file, 1, 1))
    (size_at, size), (goal_at, goal), *cars = words
    rows, columns = _numbers(size * 2 if len(size) == 1 else size, 2, "size", size_at)
    if rows * columns > MOST_CELLS:
        what = f"{rows} by {columns} cells are more than the {MOST_CELLS} that a board may have"
        raise InputError(what, at=size_at)
    if len(cars) > rows * columns:
        raise InputError(f"{len(cars)} cars are more than the board has cells", at=size_at)
    goal_cell = _numbers(goal, 2, "goal row and column", goal_at)
    width = len(str(len(cars)))
    found = [
        _numbered_car(words, f"c{index:0{width}}" if index else "r", at)
        for index, (at, words) in enumerate(cars)
    ]
    red, start = found[0]
    line, place = goal_cell if red.axis == "h" else reversed(goal_cell)
    if line + 1 != red.line:
        raise InputError("the goal is not on the line of the red car", at=goal_at)
    # The offset nearest to the start at which the car covers the cell.
    nearest = min(max(start, place + 2 - red.length), place + 1)
    problem = replace(_board(rows, columns, (), found, metric), goal=nearest)
    _check_cells(problem, [at for at, _ in cars])
    return problem


def _numbered_car(words: list[str], name: str, at: Location) -> tuple[Car, int]:
    if len(words) != 4 or words[2] not in ("h", "v"):
        raise InputError("a car is given as: row column h|v length", at=at)
    row, column, length = _numbers([words[0], words[1], words[3]], 3, "numbers of a car", at)
    if length < 1:
        raise InputError(f"the length {length} is not a number from 1", at=at)
    line, offset = (row, column) if words[2] == "h" else (column, row)
    return Car(Function(name), length, words[2], line + 1), offset + 1


_FACT = re.compile(
    r"(?:grid\((?:1\.\.)?(\d+),(?:1\.\.)?(\d+)\)|no\((\d+),(\d+)\)|car\([a-z]\w*\)|"
    r"position\(0,([a-z]\w*),([hv]),(\d+),(\d+),(\d+)(?:,(\d+))?\))\."
)


def parse_tuples(lines: Iterable[str], file: str) -> RushHour:
    """The board of facts with tuples; raises `InputError` with the line that makes no sense."""
    rows, columns, walls = 0, 0, set[Cell]()
    cars: dict[str, tuple[Car, int, Location]] = {}
    for number, line in enumerate(lines, 1):
        at, text = Location(file, number, 1), re.sub(r"\s|%.*", "", line)
        if rest := _FACT.sub("", text):
            raise InputError(f"no fact of a board with tuples: {rest}", at=at)
        for row, column, x, y, name, axis, fixed, *cells in _FACT.findall(text):
            if row:
                rows, columns = max(rows, int(row)), max(columns, int(column))
            elif x:
                walls.add((int(x), int(y)))
            elif name:
                first, *others = [int(cell) for cell in cells if cell]
                if name in cars or others != list(range(first + 1, first + 1 + len(others))):
                    raise InputError(f"car {name} is not in one place", at=at)
                cars[name] = Car(Function(name), len(others) + 1, axis, int(fixed)), first, at
    if "r" not in cars or not 0 < rows * columns <= MOST_CELLS:
        raise InputError("there is no grid or no red car r", at=Location(file, 1, 1))
    found = [cars.pop("r"), *(cars[name] for name in sorted(cars))]
    problem = _board(rows, columns, walls, [(car, first) for car, first, _ in found], "step")
    _check_cells(replace(problem, goal=1), [at for *_, at in found])
    return problem


def tuples_text(problem: RushHour) -> str:
    """The facts of a board with tuples; `InputError` if it has another goal than the usual."""
    if problem.goal != problem.far_end:
        raise InputError("a board with tuples has its goal at the end of the red car's line")
    lines = [f"grid(1..{problem.rows},1..{problem.columns})."]
    for car, offset in zip(problem.cars, problem.start, strict=True):
        cells = ",".join(map(str, range(offset, offset + car.length)))
        lines.append(f"car({car.name}).  position(0,{car.name},{car.axis},{car.line},{cells}).")
    lines += [f"no({row},{column})." for row, column in sorted(problem.walls)]
    return "\n".join(lines) + "\n"


def _check_cells(problem: RushHour, places: Sequence[Location]) -> None:
    taken: dict[Cell, Location] = {}
    for car, offset, at in zip(problem.cars, problem.start, places, strict=True):
        ends = car.cell(offset), car.cell(offset + car.length - 1)
        if not all(map(problem.is_on_board, ends)):
            raise InputError("the car is off the board", at=at)
        for cell in car.cells(offset):
            if cell in taken:
                raise InputError(f"the car is on that of line {taken[cell].line}", at=at)
            if cell in problem.walls:
                raise InputError("the car is on a wall", at=at)
            taken[cell] = at
    if problem.goal > problem.far_end:
        raise InputError("at the goal the red car would leave the board", at=places[0])


def _numbers(words: list[str], count: int, what: str, at: Location) -> list[int]:
    numbers = [number for word in words if (number := whole(word)) is not None]
    if len(words) != count or len(numbers) != count:
        raise InputError(f"no {what}: {' '.join(words)}", at=at)
    return numbers


def card_text(problem: RushHour) -> str:
    """The card of a board; `InputError` if it has walls, which cards have not."""
    if problem.walls:
        raise InputError("a card has no walls")
    rows, columns = problem.rows, problem.columns
    red, start = problem.cars[0], problem.start[0]
    # The goal cell is the one under the end of the red car that comes there first.
    goal = red.cell(problem.goal + (red.length - 1 if start < problem.goal else 0))
    lines = [f"{rows}" if rows == columns else f"{rows} {columns}", f"{goal[0] - 1} {goal[1] - 1}"]
    for car, offset in zip(problem.cars, problem.start, strict=True):
        row, column = car.cell(offset)
        lines.append(f"{row - 1} {column - 1} {car.axis} {car.length}")
    return "\n".join(lines) + "\n"


def _is_board(line: str) -> bool:
    """Whether a line has a board, perhaps after a number of moves, or is the header of a table."""
    words = line.split()
    if "board" in words:
        return True
    counted = len(words) > 1 and whole(words[0]) is not None
    cells = words[1] if counted else words[0] if words else ""
    return len(cells) > 3 and set(cells) <= set(EMPTY + WALL + ascii_uppercase)


def _read_boards(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    def facts_of(entry: Entry) -> str:
        return instance_text(parse_board(entry.text, shape.columns, entry.at))

    return converted(entries(lines, file, "board"), facts_of, "slide")


def _is_card(line: str) -> bool:
    words = line.split()
    return 0 < len(words) <= 2 and all(whole(word) is not None for word in words)


def _read_one(
    parse: Callable[[list[str], str], RushHour], lines: Iterable[str], file: str, shape: Shape
) -> Iterator[Converted | InputError]:
    try:
        facts = instance_text(parse(list(lines), file))
    except InputError as error:
        yield error
    else:
        yield Converted(1, f"% {Path(file).name}\n\n{facts}")


BOARD = Notation(
    "Rush Hour boards as strings, one a line",
    _is_board,
    _read_boards,
    lambda facts: board_text(read(facts, {})) + "\n",
)
CARD = Notation(
    "a Rush Hour card: size, goal cell, cars",
    _is_card,
    partial(_read_one, parse_card),
    lambda facts: card_text(read(facts, {})),
)
TUPLES = Notation(
    "facts with all cells of a car: position(0,Car,h|v,Fixed,C1,C2)",
    lambda line: re.match(r"\s*position\(0,\w+,[hv],", line) is not None,
    partial(_read_one, parse_tuples),
    lambda facts: tuples_text(read(facts, {})),
)
