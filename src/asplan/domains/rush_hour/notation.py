"""Foreign notations for Rush Hour boards: strings of cells, cards of numbers, and tuples.

A *board* is a string of cells, row by row, as in Fogleman's database. `A` is the red car, other
capital letters are other cars, `o` or `.` is an empty cell, `x` a wall. In the facts of asplan the
red car is `r`. A car `R` must not clash with it, so two letters change places: `A` becomes `r` and
`R` becomes `a`. All other letters become small.

>>> board_text(parse_board("BBooooooAAoooooooooooooooooooooooooo"))
'BBooooooAAoooooooooooooooooooooooooo'

A *card* has numbers that count from 0. Its first line is the size, its second line the row and
column of the goal cell. Each further line is a car, the red car first: `row column h|v length`. At
the goal the red car *covers* the goal cell. It covers the cell first with its nearer end, which
gives the goal in the facts of asplan.

*Tuples* are the facts of version 2 of the report (docs/report.md). A car is
`position(0,Car,h|v,Fixed,C1,C2)`: its line, and the other coordinate of each of its cells. Tuples
are read as text, with one or more facts a line, and as the ground facts of an instance.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isqrt
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple

from asplan.clingo import Function, Symbol, SymbolType
from asplan.core.errors import InputError, Location
from asplan.core.facts import Facts
from asplan.core.text import parse_natural
from asplan.domains.base import Converted, Notation, Shape
from asplan.domains.reading import MOST_CELLS, Cell, Entry, cell_at, converted, entries
from asplan.domains.rush_hour.facts import (
    RED,
    PlacedCar,
    Source,
    find_misplacement,
    make_problem,
    read,
)
from asplan.domains.rush_hour.model import METRICS, Car, RushHour, line_and_place

EMPTY = "o."
WALL = "x"
CELLS = EMPTY + WALL + ascii_uppercase
_SWAPPED = {"A": "r", "R": "a"}
_NAMES = {letter: _SWAPPED.get(letter, letter.lower()) for letter in ascii_uppercase}
_LETTERS = {name: letter for letter, name in _NAMES.items()}

RED_LETTER = "A"
RED_NAME = "r"


def instance_text(problem: RushHour) -> str:
    """Return the facts of a board as text, one car a line."""
    width = max(map(len, problem.names))
    lines = [f"grid(1..{problem.rows},1..{problem.columns})."]
    for car, offset in problem.placed_cars():
        row, column = car.cell(offset)
        shape = f"car({car.name},{car.length},{car.axis})."
        position = f"position(0,{car.name},{row},{column})."
        lines.append(shape.ljust(width + 12) + position)
    if problem.walls:
        lines.append(" ".join(_wall_facts(problem)))
    if problem.goal != problem.far_end:
        row, column = problem.cars[0].cell(problem.goal)
        lines.append(f"goal(r,{row},{column}).")
    return "\n".join(lines) + "\n"


def _wall_facts(problem: RushHour) -> list[str]:
    return [f"no({row},{column})." for row, column in sorted(problem.walls)]


def _red_first(placed: PlacedCar[Source]) -> tuple[bool, Symbol]:
    """Return the key that sorts the red car first and the others by name."""
    return placed.car.name != RED, placed.car.name


# Boards as strings


def parse_board(
    text: str,
    columns: int | None = None,
    at: Location | None = None,
    metric: str = METRICS[0],
) -> RushHour:
    """Read a board from its string; raise `InputError` at the place of an invalid cell.

    Parameters
    ----------
    text
        The cells, row by row.
    columns
        The width of the board; by default the board is a square.
    at
        The place of the text, for errors.
    metric
        The metric of the model.
    """
    columns = columns or _side_of_square(text, at)
    if len(text) % columns:
        raise InputError(f"{len(text)} cells do not make rows of {columns}", at=at)
    indices: dict[str, list[int]] = {}
    for index, letter in enumerate(text):
        if letter not in CELLS:
            raise InputError(f"{letter!r} is not a cell of a board", at=_advance(at, index))
        indices.setdefault(letter, []).append(index)
    if RED_LETTER not in indices:
        raise InputError("the board has no red car A", at=at)
    letters = [letter for letter in indices if letter in ascii_uppercase]
    placed_cars = [_parse_letter(letter, indices[letter], columns, at) for letter in letters]
    placed_cars.sort(key=_red_first)
    wall_indices = indices.get(WALL, [])
    walls = [cell_at(index, columns) for index in wall_indices]
    rows = len(text) // columns
    return make_problem(rows, columns, walls, placed_cars, metric=metric)


def _side_of_square(text: str, at: Location | None) -> int:
    side = isqrt(len(text))
    if side * side != len(text) or not text:
        what = f"a board of {len(text)} cells is not square"
        raise InputError(what, at=at, hint="give its width: --columns N")
    return side


def _parse_letter(
    letter: str,
    indices: list[int],
    columns: int,
    at: Location | None,
) -> PlacedCar[Location | None]:
    """Return the car that a letter stands for, given the indices of its cells in ascending order.

    `at` is the place of the whole text, for errors.
    """
    place = _advance(at, indices[0])
    if len(indices) == 1:
        raise InputError(f"car {letter} has only one cell", at=place)
    first, second, *_ = indices
    axis = "h" if second == first + 1 else "v"
    cells = [cell_at(index, columns) for index in indices]
    line, offset = line_and_place(axis, cells[0])
    name = Function(_NAMES[letter])
    car = Car(name, len(indices), axis, line)
    if cells != car.cells(offset):
        raise InputError(f"the cells of car {letter} are not in one line", at=place)
    return PlacedCar(car, offset, place)


def _advance(at: Location | None, cells: int) -> Location | None:
    """Return the place of the cell with index `cells` in a text that begins at `at`.

    None if `at` is None.
    """
    if at is None:
        return None
    return Location(at.file, at.line, at.column + cells)


def board_text(problem: RushHour) -> str:
    """Write a board as a string; a car whose name is not a letter gets a free letter.

    Raises `InputError` if the goal is not the end of the red car's line, for a car of one cell, and
    for more cars than letters.
    """
    if problem.goal != problem.far_end:
        raise InputError(
            "in a board as a string, the goal must be at the end of the red car's line"
        )
    taken = {_LETTERS[name] for name in problem.names if name in _LETTERS}
    free_letters = iter(letter for letter in ascii_uppercase if letter not in taken)
    marks = dict.fromkeys(problem.walls, WALL)
    for car, offset in problem.placed_cars():
        letter = _LETTERS.get(str(car.name)) or next(free_letters, None)
        if letter is None:
            raise InputError(f"{len(problem.cars)} cars are more than there are letters")
        if car.length == 1:
            raise InputError(
                f"a board as a string cannot have a car of one cell, such as {car.name}"
            )
        marks |= dict.fromkeys(car.cells(offset), letter)
    size = problem.rows * problem.columns
    cells = [cell_at(index, problem.columns) for index in range(size)]
    return "".join(marks.get(cell, "o") for cell in cells)


# Cards


class _Line(NamedTuple):
    """The words of a line that is not empty, and the place of the line."""

    words: list[str]
    at: Location


def parse_card(
    lines: Sequence[str],
    file: str,
    metric: str = METRICS[0],
) -> RushHour:
    """Read the board of a card; raise `InputError` at the line that is invalid."""
    word_lines: list[_Line] = []
    for number, line in enumerate(lines, 1):
        at = Location(file, number, 1)
        if words := line.split():
            word_lines.append(_Line(words, at))
    if len(word_lines) < 3:
        what = "a card has a size, a goal and at least the red car"
        raise InputError(what, at=Location(file, 1, 1))
    size_line, goal_line, *car_lines = word_lines
    rows, columns = _parse_size(size_line, len(car_lines))
    goal_cell = _parse_goal_cell(goal_line)
    placed_cars = _parse_cars(car_lines)
    goal = _goal_offset(goal_cell, placed_cars[0], goal_line.at)
    problem = make_problem(rows, columns, (), placed_cars, goal, metric)
    _check_cars(problem, placed_cars)
    return problem


def _parse_size(line: _Line, cars: int) -> tuple[int, int]:
    """Read the numbers of rows and columns, or the side of a square.

    Raises `InputError` if the board is too large, or has fewer cells than `cars`, the number of
    cars.
    """
    words = line.words
    if len(words) == 1:
        words = words * 2
    rows, columns = _parse_numbers(words, 2, "size", line.at)
    if rows * columns > MOST_CELLS:
        what = f"a board has at most {MOST_CELLS} cells, not {rows} by {columns}"
        raise InputError(what, at=line.at)
    if cars > rows * columns:
        raise InputError(f"{cars} cars are more than the board has cells", at=line.at)
    return rows, columns


def _parse_goal_cell(line: _Line) -> Cell:
    row, column = _parse_numbers(line.words, 2, "goal row and column", line.at)
    return row + 1, column + 1


def _parse_cars(lines: Sequence[_Line]) -> list[PlacedCar[Location]]:
    """Read the cars; all but the red one are named by number, as `c01`, `c02`, and so on."""
    digits = len(str(len(lines)))
    placed_cars: list[PlacedCar[Location]] = []
    for number, line in enumerate(lines):
        name = f"c{number:0{digits}}" if number > 0 else RED_NAME
        placed_cars.append(_parse_car(line, name))
    return placed_cars


def _parse_car(line: _Line, name: str) -> PlacedCar[Location]:
    expected = "a car is given as: row column h|v length"
    if len(line.words) != 4:
        raise InputError(expected, at=line.at)
    row_word, column_word, axis, length_word = line.words
    if axis not in ("h", "v"):
        raise InputError(expected, at=line.at)
    words = [row_word, column_word, length_word]
    row, column, length = _parse_numbers(words, 3, "numbers of a car", line.at)
    if length < 1:
        raise InputError(
            f"the length must be a whole number of at least 1, not {length}", at=line.at
        )
    cell = (row + 1, column + 1)
    car_line, offset = line_and_place(axis, cell)
    car = Car(Function(name), length, axis, car_line)
    return PlacedCar(car, offset, line.at)


def _goal_offset(
    cell: Cell,
    red: PlacedCar[Location],
    at: Location,
) -> int:
    """Return the offset of the red car at the goal: the nearest one that covers the goal cell."""
    line, place = line_and_place(red.car.axis, cell)
    if line != red.car.line:
        raise InputError("the goal is not on the line of the red car", at=at)
    first_covering = place - red.car.length + 1
    last_covering = place
    return min(max(red.offset, first_covering), last_covering)


def _parse_numbers(
    words: list[str],
    count: int,
    what: str,
    at: Location,
) -> list[int]:
    numbers: list[int] = []
    for word in words:
        number = parse_natural(word)
        if number is not None:
            numbers.append(number)
    if len(words) != count or len(numbers) != count:
        raise InputError(f"no {what}: {' '.join(words)}", at=at)
    return numbers


def card_text(problem: RushHour) -> str:
    """Write a board as a card; raise `InputError` if it has walls, which a card cannot express."""
    if problem.walls:
        raise InputError("a card cannot have walls, but this board does")
    red = problem.cars[0]
    # The goal cell of a card is where the red car's front end stops.
    goal_place = problem.goal
    if problem.start[0] < problem.goal:
        goal_place += red.length - 1
    goal_row, goal_column = red.cell(goal_place)
    size = f"{problem.rows}"
    if problem.columns != problem.rows:
        size += f" {problem.columns}"
    lines = [size, f"{goal_row - 1} {goal_column - 1}"]
    for car, offset in problem.placed_cars():
        row, column = car.cell(offset)
        lines.append(f"{row - 1} {column - 1} {car.axis} {car.length}")
    return "\n".join(lines) + "\n"


def _check_cars(problem: RushHour, placed_cars: Sequence[PlacedCar[Location]]) -> None:
    """Raise `InputError` for a car that overlaps another, or is on a wall or off the board.

    An error is also raised if the red car would be off the board at its goal.
    """
    misplacement = find_misplacement(problem)
    if misplacement is not None:
        at = placed_cars[misplacement.car].source
        if misplacement.other is not None:
            other_line = placed_cars[misplacement.other].source.line
            raise InputError(f"the car overlaps the car of line {other_line}", at=at)
        if misplacement.cell in problem.walls:
            raise InputError("the car is on a wall", at=at)
        raise InputError("the car is off the board", at=at)
    if problem.goal > problem.far_end:
        what = "at the goal the red car would leave the board"
        raise InputError(what, at=placed_cars[0].source)


# Tuples

_FACT = re.compile(
    r"""(?: grid\( (?:1\.\.)? (?P<rows>\d+) , (?:1\.\.)? (?P<columns>\d+) \)
        | no\( (?P<wall_row>\d+) , (?P<wall_column>\d+) \)
        | car\( [a-z]\w* \)
        | position\( 0 , (?P<car>[a-z]\w*) , (?P<axis>[hv]) , (?P<line>\d+) ,
                     (?P<places>\d+ , \d+ (?:,\d+)?) \)
        ) \.""",
    re.VERBOSE,
)


@dataclass
class _Tuples:
    """A board under construction, to which facts with tuples add cells, walls and cars."""

    rows: int = 0
    columns: int = 0
    walls: set[Cell] = field(default_factory=set)
    placed_cars: dict[str, PlacedCar[Location]] = field(default_factory=dict)

    def add(self, fact: re.Match[str], at: Location) -> None:
        """Add the cell, wall or car of a fact, given as a match of `_FACT`.

        Raises `InputError` for an invalid car.
        """
        if fact["rows"]:
            self.add_cell(int(fact["rows"]), int(fact["columns"]))
        elif fact["wall_row"]:
            row = int(fact["wall_row"])
            column = int(fact["wall_column"])
            self.walls.add((row, column))
        elif fact["car"]:
            words = fact["places"].split(",")
            places = [int(word) for word in words]
            self.add_car(Function(fact["car"]), fact["axis"], int(fact["line"]), places, at)

    def add_cell(self, row: int, column: int) -> None:
        """Enlarge the board, if necessary, so that it has a cell."""
        self.rows = max(self.rows, row)
        self.columns = max(self.columns, column)

    def add_car(
        self,
        name: Symbol,
        axis: str,
        line: int,
        places: Sequence[int],
        at: Location,
    ) -> None:
        """Add a car, given by its line and the places of its cells on the line.

        Raises `InputError` if the car was added before, or if its cells are not adjacent.
        """
        offset = places[0]
        length = len(places)
        adjacent_places = list(range(offset, offset + length))
        if str(name) in self.placed_cars or list(places) != adjacent_places:
            raise InputError(f"car {name} is not in one place", at=at)
        car = Car(name, length, axis, line)
        self.placed_cars[str(name)] = PlacedCar(car, offset, at)

    def problem(self, file: str) -> RushHour:
        """Return the model of the board.

        Raises `InputError` if there is no grid or no red car, and for overlaps. `file` is the name
        of the file, for errors.
        """
        size = self.rows * self.columns
        if RED_NAME not in self.placed_cars or not 0 < size <= MOST_CELLS:
            raise InputError("there is no grid or no red car r", at=Location(file, 1, 1))
        placed_cars = sorted(self.placed_cars.values(), key=_red_first)
        problem = make_problem(self.rows, self.columns, self.walls, placed_cars)
        _check_cars(problem, placed_cars)
        return problem


def parse_tuples(lines: Iterable[str], file: str) -> RushHour:
    """Read the board of facts with tuples; raise `InputError` at a line with anything else."""
    board = _Tuples()
    for number, line in enumerate(lines, 1):
        at = Location(file, number, 1)
        text = re.sub(r"\s|%.*", "", line)
        if rest := _FACT.sub("", text):
            raise InputError(f"not a fact of a board with tuples: {rest}", at=at)
        for fact in _FACT.finditer(text):
            board.add(fact, at)
    return board.problem(file)


_TRANSLATED = {("grid", 2), ("no", 2), ("car", 1), ("position", 6), ("position", 7)}
_HELPERS = {("time", 1), ("orientation", 1)}  # of the report's program


def translate_tuples(facts: Facts) -> str:
    """Return the usual facts, as text, of an instance that gives its cars as tuples.

    Facts of other predicates stay as they are. Raises `InputError` for an invalid fact, and if cars
    are given both as tuples and in the usual way.
    """
    if facts.signatures() & {("car", 3), ("position", 4)}:
        hint = "write all cars as position(0,Car,h or v,Fixed,C1,C2,…), or none"
        raise facts.error("has cars both as tuples and by their origin", hint=hint)
    tuples = [*facts.named("position", 6), *facts.named("position", 7)]
    file = facts.files[0] if facts.files else ""
    board = _Tuples()
    for fact in facts.named("grid", 2):
        row, column = _numbers_of(facts, fact, fact.arguments)
        board.add_cell(row, column)
    for fact in facts.named("no", 2):
        row, column = _numbers_of(facts, fact, fact.arguments)
        board.walls.add((row, column))
    for fact in tuples:
        _, name, axis, *numbers = fact.arguments
        if str(fact.arguments[0]) != "0" or str(axis) not in ("h", "v"):
            raise facts.error("a tuple is position(0,Car,h or v,Fixed,C1,C2,…)", fact)
        line, *places = _numbers_of(facts, fact, numbers)
        board.add_car(name, str(axis), line, places, facts.at(fact) or Location(file, 1, 1))
    kept = [
        f"{fact}."
        for (name, arity, _), group in facts.groups.items()
        if (name, arity) not in _TRANSLATED | _HELPERS
        for fact in group
    ]
    return "\n".join([instance_text(board.problem(file)), *kept])


def _numbers_of(facts: Facts, fact: Symbol, terms: Sequence[Symbol]) -> list[int]:
    """Return some terms of a fact as numbers; raise `InputError` if one is not a number."""
    if any(term.type != SymbolType.Number for term in terms):
        raise facts.error("its coordinates must be numbers", fact)
    return [term.number for term in terms]


def tuples_text(problem: RushHour) -> str:
    """Write a board as facts with tuples.

    Raises `InputError` if the goal is not the end of the red car's line.
    """
    if problem.goal != problem.far_end:
        raise InputError(
            "in a board with tuples, the goal must be at the end of the red car's line"
        )
    lines = [f"grid(1..{problem.rows},1..{problem.columns})."]
    for car, offset in problem.placed_cars():
        places = range(offset, offset + car.length)
        text = ",".join(map(str, places))
        position = f"position(0,{car.name},{car.axis},{car.line},{text})."
        lines.append(f"car({car.name}).  {position}")
    lines += _wall_facts(problem)
    return "\n".join(lines) + "\n"


# The notations as files


def _is_board(line: str) -> bool:
    """Return whether a line is a board or the header of a table.

    A number of moves may come before the board.
    """
    words = line.split()
    if not words:
        return False
    if "board" in words:
        return True
    has_count = len(words) > 1 and parse_natural(words[0]) is not None
    cells = words[1] if has_count else words[0]
    return len(cells) > 3 and set(cells) <= set(CELLS)


def _read_boards(
    lines: Iterable[str],
    file: str,
    shape: Shape,
) -> Iterator[Converted | InputError]:
    def facts_of(entry: Entry) -> str:
        problem = parse_board(entry.text, shape.columns, entry.at)
        return instance_text(problem)

    return converted(entries(lines, file, "board"), facts_of, "slide")


def _is_card(line: str) -> bool:
    words = line.split()
    if len(words) not in (1, 2):
        return False
    return all(parse_natural(word) is not None for word in words)


def _is_tuples(line: str) -> bool:
    return re.match(r"\s*position\(0,\w+,[hv],", line) is not None


def _read_one(
    parse: Callable[[list[str], str], RushHour],
    lines: Iterable[str],
    file: str,
    shape: Shape,
) -> Iterator[Converted | InputError]:
    """Yield the instance of a file with a single board, or the error of `parse`."""
    try:
        problem = parse(list(lines), file)
        facts = instance_text(problem)
    except InputError as error:
        yield error
    else:
        yield Converted(1, f"% {Path(file).name}\n\n{facts}")


BOARD = Notation(
    about="Rush Hour boards as strings, one a line",
    recognises=_is_board,
    read=_read_boards,
    write=lambda facts: board_text(read(facts, {})) + "\n",
)
CARD = Notation(
    about="a Rush Hour card: size, goal cell, cars",
    recognises=_is_card,
    read=partial(_read_one, parse_card),
    write=lambda facts: card_text(read(facts, {})),
)
TUPLES = Notation(
    about="facts with all cells of a car: position(0,Car,h|v,Fixed,C1,C2)",
    recognises=_is_tuples,
    read=partial(_read_one, parse_tuples),
    write=lambda facts: tuples_text(read(facts, {})),
)
