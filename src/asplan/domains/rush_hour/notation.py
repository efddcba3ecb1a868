"""Writes a Rush Hour board as the facts of an instance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isqrt
from pathlib import Path
from string import ascii_uppercase

from clingo import Function, Symbol

from asplan.domains.base import Converted, Notation, Shape
from asplan.domains.reading import MOST_CELLS, entries, headed
from asplan.domains.rush_hour.facts import read
from asplan.domains.rush_hour.model import Car, RushHour
from asplan.errors import InputError, Location
from asplan.facts import Facts
from asplan.text import amount, whole


def instance_text(problem: RushHour) -> str:
    """The facts of a board; reading them gives the same board again."""
    red, start = problem.cars[0], problem.start
    width = max(map(len, problem.names))
    lines = [f"grid(1..{problem.rows},1..{problem.columns})."]
    for name, car, offset in zip(problem.names, problem.cars, start, strict=True):
        row, column = car.cell(offset)
        shape = f"car({name},{car.length},{car.axis}).".ljust(width + 12)
        lines.append(f"{shape}position(0,{name},{row},{column}).")
    if problem.walls:
        lines.append(" ".join(f"no({row},{column})." for row, column in sorted(problem.walls)))
    if problem.goal != problem.far_end:
        row, column = red.cell(problem.goal)
        lines.append(f"goal(r,{row},{column}).")
    return "\n".join(lines) + "\n"


# Rush Hour boards as strings of cells, row by row, as in Fogleman's database.
#
# `A` is the red car, other capital letters are other cars, `o` or `.` is empty, `x` a wall. In our
# facts the red car is `r`; so that a car `R` does not clash with it, the two letters change places:
# `A` is `r` and `R` is `a`. All others keep theirs in small.
#
# >>> print(board_text(parse_board("BBooooooAAoooooooooooooooooooooooooo")))
# BBooooooAAoooooooooooooooooooooooooo


EMPTY, WALL = "o.", "x"
_SWAPPED = {"A": "r", "R": "a"}
_LETTERS = {_SWAPPED.get(letter, letter.lower()): letter for letter in ascii_uppercase}


def parse_board(
    text: str, columns: int | None = None, at: Location | None = None, metric: str = "step"
) -> RushHour:
    """The board that a string shows; without a width it is a square.

    Raises
    ------
    InputError
        With the place of the first cell that makes no sense, if `at` is where the string begins.
    """
    columns = columns or _side(text, at)
    if len(text) % columns:
        raise InputError(f"{len(text)} cells are not rows of {columns}", at=at)
    cells: dict[str, list[int]] = {}
    for index, letter in enumerate(text):
        if letter not in EMPTY + WALL + ascii_uppercase:
            raise InputError(f"{letter!r} is no cell of a board", at=_move(at, index))
        cells.setdefault(letter, []).append(index)
    if "A" not in cells:
        raise InputError("the board has no red car A", at=at)
    found = {
        _name(letter): _car(letter, cells[letter], columns, at)
        for letter in cells
        if letter in ascii_uppercase
    }
    names = sorted(found, key=lambda name: (name != _name("A"), name))
    red = found[names[0]][0]
    rows = len(text) // columns
    return RushHour(
        rows=rows,
        columns=columns,
        walls=frozenset(_place(index, columns) for index in cells.get(WALL, [])),
        cars=tuple(found[name][0] for name in names),
        start=tuple(found[name][1] for name in names),
        goal=(columns if red.axis == "h" else rows) - red.length + 1,
        metric=metric,
    )


def looks_like_a_board(line: str) -> bool:
    """Whether a line has a board, perhaps after a number of moves, or is the header of a table."""
    words = line.split()
    if "board" in words:
        return True
    counted = len(words) > 1 and whole(words[0]) is not None
    cells = words[1] if counted else words[0] if words else ""
    return len(cells) > 3 and set(cells) <= set(EMPTY + WALL + ascii_uppercase)


def board_text(problem: RushHour) -> str:
    """The string that shows a board.

    Cars whose name is no single letter get letters that are free.

    Raises
    ------
    InputError
        The board says what a string cannot: another goal than the end of the line, a car of one
        cell, more than 26 cars.
    """
    if problem.goal != problem.far_end:
        raise InputError("a board as a string has its goal at the end of the red car's line")
    cells = ["o"] * (problem.rows * problem.columns)
    for row, column in problem.walls:
        cells[(row - 1) * problem.columns + column - 1] = WALL
    for letter, car, offset in zip(_letters(problem), problem.cars, problem.start, strict=True):
        if car.length == 1:
            raise InputError(f"a board as a string has no cars of one cell, as {car.name} is")
        for row, column in car.cells(offset):
            cells[(row - 1) * problem.columns + column - 1] = letter
    return "".join(cells)


def _letters(problem: RushHour) -> list[str]:
    names = [str(car.name) for car in problem.cars]
    taken = {_LETTERS[name] for name in names if name in _LETTERS}
    free = iter(letter for letter in ascii_uppercase if letter not in taken)
    try:
        return [_LETTERS.get(name) or next(free) for name in names]
    except StopIteration:
        raise InputError(f"{len(names)} cars are more than there are letters") from None


def _name(letter: str) -> Symbol:
    return Function(_SWAPPED.get(letter, letter.lower()))


def _side(text: str, at: Location | None) -> int:
    side = isqrt(len(text))
    if side * side != len(text) or not text:
        raise InputError(
            f"a board of {len(text)} cells is no square", at=at, hint="give its width: --columns N"
        )
    return side


def _car(letter: str, cells: list[int], columns: int, at: Location | None) -> tuple[Car, int]:
    """A car and the offset of its first cell."""
    first, *rest = cells
    if not rest:
        raise InputError(f"car {letter} has only one cell", at=_move(at, first))
    stride = 1 if rest[0] == first + 1 else columns
    row, column = _place(first, columns)
    expected = list(range(first, first + len(cells) * stride, stride))
    if cells != expected or (stride == 1 and column + len(cells) - 1 > columns):
        raise InputError(f"the cells of car {letter} are not in one line", at=_move(at, first))
    axis, line, offset = ("h", row, column) if stride == 1 else ("v", column, row)
    return Car(_name(letter), len(cells), axis, line), offset


def _place(index: int, columns: int) -> tuple[int, int]:
    return index // columns + 1, index % columns + 1


def _move(at: Location | None, cells: int) -> Location | None:
    return Location(at.file, at.line, at.column + cells) if at else None


# Rush Hour cards as text files: sizes and places as numbers that count from 0.
#
# The first line is the size, the second the row and column of the goal cell, and each line after
# them is a car: `row column h|v length`, the red car first. The goal is a cell that the red car must
# *cover*; on its way it covers the cell first with the end that is nearer, so that is where our
# facts put its goal.


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
        _cards_car(words, "r" if i == 0 else f"c{i:0{width}}", _at(file, number))
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


def _cards_car(words: list[str], name: str, at: Location) -> tuple[Car, int]:
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


# Converts whole files from the notations of Rush Hour boards, and instances into them.


def read_boards(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    """The instances in a file with a board a line."""
    for entry in entries(lines, file, "board"):
        try:
            facts = instance_text(parse_board(entry.text, shape.columns, entry.at))
        except InputError as error:
            yield error
        else:
            shortest = (
                None if entry.moves is None else f"shortest plan {amount(entry.moves, 'slide')}"
            )
            yield Converted(entry.at.line, headed(facts, entry, shortest))


def read_card(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    """The instance that a card is."""
    try:
        facts = instance_text(parse_card(list(lines), file))
    except InputError as error:
        yield error
    else:
        yield Converted(1, f"% {Path(file).name}\n\n{facts}")


def write_board(facts: Facts) -> str:
    """An instance as a board."""
    return board_text(read(facts, {})) + "\n"


def write_card(facts: Facts) -> str:
    """An instance as a card."""
    return card_text(read(facts, {}))


# Rush Hour boards as others write them: strings of cells, and cards of numbers.
#
# `boards` and `cards` each know one notation, `facts` writes instances, `converting` whole files.


def _looks_like_a_card(line: str) -> bool:
    words = line.split()
    return 0 < len(words) <= 2 and all(whole(word) is not None for word in words)


BOARD = Notation(
    "Rush Hour boards as strings, one a line",
    looks_like_a_board,
    read_boards,
    write_board,
)
CARD = Notation(
    "a Rush Hour card: size, goal cell, cars",
    _looks_like_a_card,
    read_card,
    write_card,
)
