"""A foreign notation for sliding tiles: a line of numbers, row by row, with 0 for the blank."""

from collections.abc import Iterable, Iterator, Sequence
from math import isqrt

from asplan.core.errors import InputError, Location
from asplan.core.facts import Facts
from asplan.core.text import parse_natural
from asplan.domains.base import Converted, Shape
from asplan.domains.reading import Entry, cell_at, converted, entries
from asplan.domains.sliding_tiles.facts import read
from asplan.domains.sliding_tiles.model import BLANK, State


def parse_tiles(
    text: str,
    columns: int | None = None,
    at: Location | None = None,
) -> State:
    """Read a state from the numbers of its tiles, row by row; raise `InputError` for anything else.

    `columns` is the width of the board; by default the board is a square. `at` is the place of the
    text, for errors.
    """
    tiles = _parse_numbers(text, at)
    size = len(tiles)
    if sorted(tiles) != list(range(size)) or size < 2:
        raise InputError(f"the {size} tiles must be 0 to {size - 1}, each once", at=at)
    if columns:
        shape = f"rows of {columns}"
        has_shape = size % columns == 0
    else:
        shape = "a square"
        has_shape = isqrt(size) ** 2 == size
    if not has_shape:
        raise InputError(f"{size} tiles do not form {shape}", at=at, hint="use --columns N")
    return tiles


def _parse_numbers(text: str, at: Location | None) -> State:
    """Read numbers separated by spaces or commas."""
    numbers: list[int] = []
    for word in text.replace(",", " ").split():
        number = parse_natural(word)
        if number is None:
            raise InputError(f"{word!r} is not a tile", at=at)
        numbers.append(number)
    return tuple(numbers)


def tiles_facts(
    tiles: State,
    columns: int | None = None,
    blank_first: bool = False,
) -> str:
    """Return the facts of an instance whose initial state is `tiles`.

    `columns` is the width of the board; by default the board is a square. If `blank_first` is set,
    the goal is 0 1 2 … instead of 1 2 … 0.
    """
    columns = columns or isqrt(len(tiles))
    rows = len(tiles) // columns
    last = len(tiles) - 1
    lines = [
        f"grid(1..{rows},1..{columns}).",
        f"tile(1..{last}).",
    ]
    lines += _tile_facts("position(0,{},{},{}).", tiles, columns)
    if blank_first:
        lines += _tile_facts("goal({},{},{}).", range(len(tiles)), columns)
    return "\n".join(lines) + "\n"


def _tile_facts(
    form: str,
    tiles: Sequence[int],
    columns: int,
) -> list[str]:
    """Return lines of facts: one line for each row of the board that has tiles, one fact for each
    tile.

    `form` is the format of a fact, with places for tile, row and column.
    """
    lines: dict[int, list[str]] = {}
    for index, tile in enumerate(tiles):
        if tile != BLANK:
            row, column = cell_at(index, columns)
            fact = form.format(tile, row, column)
            lines.setdefault(row, []).append(fact)
    return [" ".join(line) for line in lines.values()]


def tiles_text(facts: Facts) -> str:
    """Return the initial state of an instance as a line of tiles; the goal is not written."""
    tiles = read(facts, {}).initial
    return " ".join(map(str, tiles)) + "\n"


def read_rows(
    lines: Iterable[str],
    file: str,
    shape: Shape,
) -> Iterator[Converted | InputError]:
    """Yield the instances of a file that has one board a line, or an error for each
    invalid line.
    """

    def facts_of(entry: Entry) -> str:
        tiles = parse_tiles(entry.text, shape.columns, entry.at)
        return tiles_facts(tiles, shape.columns, shape.blank_first)

    boards = entries(lines, file, "tiles", spaced=True)
    return converted(boards, facts_of, "move")
