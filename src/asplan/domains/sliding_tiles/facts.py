"""Reading of sliding-tiles instances: checks the facts and makes the model from them."""

from collections.abc import Mapping

from asplan.clingo import Function, Symbol
from asplan.core.facts import Facts
from asplan.domains.reading import (
    at_start,
    by_object,
    index_of,
    is_on_grid,
    read_cell,
    read_grid,
    read_number,
)
from asplan.domains.sliding_tiles.model import BLANK, SlidingTiles


def read(facts: Facts, constants: Mapping[str, str]) -> SlidingTiles:
    """Make the model of an instance; raise `InputError` at the place of an invalid fact."""
    rows, columns = read_grid(
        facts,
        example="grid(1..4,1..4).",
        hint="a grid is a full rectangle, and its blank a cell without a tile",
    )
    size = rows * columns
    tiles = _read_tiles(facts, size - 1)
    positions = at_start(facts, "position", 4, "positions")
    cell_of = _read_cells(facts, positions, 1, rows, columns)
    for tile, fact in tiles.items():
        if tile not in cell_of:
            raise facts.error(f"tile {tile} has no position", fact)
    tile_at = {cell: tile for tile, cell in cell_of.items()}
    initial = tuple(tile_at.get(cell, BLANK) for cell in range(size))
    goal_facts = facts.named("goal", 3)
    goal_of = _read_cells(facts, goal_facts, 0, rows, columns)
    if not goal_of:
        goal_of = {tile: tile - 1 for tile in tiles}
    goal = tuple(sorted(goal_of.items()))
    return SlidingTiles(rows, columns, initial, goal)


def _read_tiles(facts: Facts, last: int) -> dict[int, Symbol]:
    """Return the facts of the tiles, by number.

    Raises `InputError` unless the numbers are exactly 1 to `last`.
    """
    tiles: dict[int, Symbol] = {}
    for fact in facts.named("tile", 1):
        number = read_number(facts, fact, fact.arguments[0])
        tiles[number] = fact
    if last < 1:
        raise facts.error("has a grid of one cell, so no tile can slide")
    for tile, fact in tiles.items():
        if not 1 <= tile <= last:
            raise facts.error(f"this board has only the tiles 1 to {last}", fact)
    for tile in range(1, last + 1):
        if tile not in tiles:
            what = f"has no tile {tile}: a board of {last + 1} cells has {last} tiles and one blank"
            raise facts.error(what, hint=f"write tile(1..{last}). and a position for each")
    return tiles


def _read_cells(
    facts: Facts,
    tile_facts: list[Symbol],
    argument: int,
    rows: int,
    columns: int,
) -> dict[int, int]:
    """Map each tile to the index of its cell; raise `InputError` if a tile or a cell occurs twice.

    `argument` is the index of the tile among the arguments of a fact.
    """
    cell_of: dict[int, int] = {}
    fact_at: dict[int, Symbol] = {}
    fact_of = by_object(facts, tile_facts, argument, "tile")
    for name, fact in fact_of.items():
        if Function("tile", [name]) not in facts:
            raise facts.error(f"there is no tile {name}", fact)
        cell = read_cell(facts, fact)
        if not is_on_grid(cell, rows, columns):
            raise facts.error("this cell is not on the board", fact)
        index = index_of(cell, columns)
        if index in fact_at:
            raise facts.error(f"this cell is taken by {fact_at[index]}", fact)
        fact_at[index] = fact
        cell_of[name.number] = index
    return cell_of
