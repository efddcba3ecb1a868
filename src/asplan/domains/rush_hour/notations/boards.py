"""Rush Hour boards as strings of cells, row by row, as in Fogleman's database.

`A` is the red car, other capital letters are other cars, `o` or `.` is empty, `x` a wall. In our
facts the red car is `r`; so that a car `R` does not clash with it, the two letters change places:
`A` is `r` and `R` is `a`. All others keep theirs in small.

>>> print(board_text(parse_board("BBooooooAAoooooooooooooooooooooooooo")))
BBooooooAAoooooooooooooooooooooooooo
"""

from __future__ import annotations

from math import isqrt
from string import ascii_uppercase

from clingo import Function, Symbol

from asplan.domains.rush_hour.model import Car, RushHour
from asplan.errors import InputError, Location
from asplan.numbers import whole

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
            f"a board of {len(text)} cells is no square", at=at, mend="give its width: --columns N"
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
