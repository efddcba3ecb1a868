"""Reads the facts of a sliding-tiles instance, and says what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping

from clingo import Function, Symbol

from asplan.domains.reading import at_start, by_object, read_cell, read_grid, read_number
from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles
from asplan.facts import Facts


def read(facts: Facts, constants: Mapping[str, str]) -> SlidingTiles:
    """The problem that the facts of an instance describe.

    Raises
    ------
    InputError
        The facts make no sense; the message names the first that does not.
    """
    rows, columns = read_grid(
        facts,
        example="grid(1..4,1..4).",
        hint="a grid is a full rectangle, and its blank a cell without a tile",
    )
    board = SlidingTiles(rows, columns, (), ())
    tiles = _read_tiles(facts, rows * columns - 1)
    places = _read_places(facts, board, at_start(facts, "position", 4, "positions"), 1)
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
    tiles = {read_number(facts, f, f.arguments[0]): f for f in facts.named("tile", 1)}
    if last < 1:
        raise facts.error("has a grid of one cell, so no tile can slide")
    for tile, fact in tiles.items():
        if not 1 <= tile <= last:
            raise facts.error(f"the tiles of this board are 1 to {last}", fact)
    for tile in range(1, last + 1):
        if tile not in tiles:
            raise facts.error(
                f"has no tile {tile}: a board of {last + 1} cells has {last} tiles and one blank",
                hint=f"write tile(1..{last}). and a position for each",
            )
    return tiles


def _read_places(
    facts: Facts, board: SlidingTiles, found: list[Symbol], argument: int
) -> dict[int, int]:
    """For each tile its place; every tile and every cell at most once."""
    places: dict[int, int] = {}
    cells: dict[int, Symbol] = {}
    for name, fact in by_object(facts, found, argument, "tile").items():
        if Function("tile", [name]) not in facts:
            raise facts.error(f"there is no tile {name}", fact)
        cell = read_cell(facts, fact)
        if not board.is_on_board(cell):
            raise facts.error("this cell is not on the board", fact)
        index = board.index(cell)
        if index in cells:
            raise facts.error(f"this cell is taken by {cells[index]}", fact)
        cells[index] = fact
        places[name.number] = index
    return places
