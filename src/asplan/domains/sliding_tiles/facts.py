"""Reads the facts of an instance, and rows of tiles: `1 2 3 4 5 0 7 8 6`, 0 for the blank."""

from collections.abc import Iterable, Iterator, Mapping
from math import isqrt

from clingo import Function, Symbol

from asplan.core.errors import InputError, Location
from asplan.core.facts import Facts
from asplan.core.text import whole
from asplan.domains import reading
from asplan.domains.base import Converted, Shape
from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles


def read(facts: Facts, constants: Mapping[str, str]) -> SlidingTiles:
    rows, columns = reading.read_grid(
        facts,
        example="grid(1..4,1..4).",
        hint="a grid is a full rectangle, and its blank a cell without a tile",
    )
    board = SlidingTiles(rows, columns, (), ())
    tiles = _read_tiles(facts, rows * columns - 1)
    places = _read_places(facts, board, reading.at_start(facts, "position", 4, "positions"), 1)
    for tile in tiles:
        if tile not in places:
            raise facts.error(f"tile {tile} has no position", tiles[tile])
    cells = {index: tile for tile, index in places.items()}
    goal = _read_places(facts, board, facts.named("goal", 3), 0)
    return SlidingTiles(
        rows,
        columns,
        initial=tuple(cells.get(index, BLANK) for index in range(rows * columns)),
        goal=tuple(sorted((goal or {tile: tile - 1 for tile in tiles}).items())),
    )


def _read_tiles(facts: Facts, last: int) -> dict[int, Symbol]:
    tiles = {reading.read_number(facts, f, f.arguments[0]): f for f in facts.named("tile", 1)}
    if last < 1:
        raise facts.error("has a grid of one cell, so no tile can slide")
    for tile, fact in tiles.items():
        if not 1 <= tile <= last:
            raise facts.error(f"the tiles of this board are 1 to {last}", fact)
    for tile in range(1, last + 1):
        if tile not in tiles:
            what = f"has no tile {tile}: a board of {last + 1} cells has {last} tiles and one blank"
            raise facts.error(what, hint=f"write tile(1..{last}). and a position for each")
    return tiles


def _read_places(
    facts: Facts, board: SlidingTiles, found: list[Symbol], argument: int
) -> dict[int, int]:
    """For each tile its place; every tile and every cell at most once."""
    places: dict[int, int] = {}
    cells: dict[int, Symbol] = {}
    for name, fact in reading.by_object(facts, found, argument, "tile").items():
        if Function("tile", [name]) not in facts:
            raise facts.error(f"there is no tile {name}", fact)
        cell = reading.read_cell(facts, fact)
        if not board.is_on_board(cell):
            raise facts.error("this cell is not on the board", fact)
        index = board.index(cell)
        if index in cells:
            raise facts.error(f"this cell is taken by {cells[index]}", fact)
        cells[index] = fact
        places[name.number] = index
    return places


Cells = tuple[int, ...]


def parse_tiles(text: str, columns: int | None = None, at: Location | None = None) -> Cells:
    """The tiles row by row; without a width the board is a square."""
    words = text.replace(",", " ").split()
    numbers = [whole(word) for word in words]
    if None in numbers:
        raise InputError(f"{words[numbers.index(None)]!r} is no tile", at=at)
    cells = tuple(number for number in numbers if number is not None)
    if sorted(cells) != list(range(len(cells))) or len(cells) < 2:
        raise InputError(f"{len(cells)} tiles are not 0 to {len(cells) - 1}, each once", at=at)
    width = columns or isqrt(len(cells))
    if len(cells) % width or (columns is None and width * width != len(cells)):
        shape = f"rows of {columns}" if columns else "a square"
        raise InputError(f"{len(cells)} tiles are not {shape}", at=at, hint="use --columns N")
    return cells


def tiles_facts(cells: Cells, columns: int | None = None, blank_first: bool = False) -> str:
    """The facts of a row of tiles; `blank_first` has the goal 0 1 2 … instead of 1 2 … 0."""
    columns = columns or isqrt(len(cells))
    rows, last = len(cells) // columns, len(cells) - 1
    lines = [f"grid(1..{rows},1..{columns}).", f"tile(1..{last})."]
    lines += _placed("position(0,{},{},{}).", cells, columns)
    if blank_first:
        lines += _placed("goal({},{},{}).", range(len(cells)), columns)
    return "\n".join(lines) + "\n"


def tiles_text(facts: Facts) -> str:
    """The row of tiles that an instance places, as a line; the goal is not part of it."""
    return " ".join(map(str, read(facts, {}).initial)) + "\n"


def _placed(form: str, cells: Iterable[int], columns: int) -> list[str]:
    """A fact for each tile, a row of the board a line."""
    lines: dict[int, list[str]] = {}
    for index, tile in enumerate(cells):
        row, column = index // columns + 1, index % columns + 1
        if tile:
            lines.setdefault(row, []).append(form.format(tile, row, column))
    return [" ".join(line) for line in lines.values()]


def read_rows(lines: Iterable[str], file: str, shape: Shape) -> Iterator[Converted | InputError]:
    """The instances in a file with a row of tiles a line."""

    def facts_of(entry: reading.Entry) -> str:
        cells = parse_tiles(entry.text, shape.columns, entry.at)
        return tiles_facts(cells, shape.columns, shape.blank_first)

    return reading.converted(reading.entries(lines, file, "tiles", spaced=True), facts_of, "move")
