"""Boards of sliding tiles to measure on, from tables in the folder ASPLAN_DATA.

`KORF` has random fifteen-puzzles of Korf, the goal with the blank first; `EIGHT` an eight-puzzle
for each number of moves that one can need, the goal with the blank last.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

from asplan.domains.reading import entries
from asplan.domains.sliding_tiles.model import SlidingTiles
from asplan.domains.sliding_tiles.notation import parse_tiles
from lib.measuring import data

KORF, EIGHT = "sliding_tiles/korf.tsv", "sliding_tiles/eight.tsv"


@dataclass(frozen=True)
class Board:
    """A board, its number in its table, and the fewest moves."""

    number: int
    moves: int
    problem: SlidingTiles


def read_boards(table: str) -> list[Board]:
    """The boards of a table, those with the fewest moves first."""
    path, first = data(table), 0 if table == KORF else 1
    with path.open(encoding="utf-8") as lines:
        found = [
            Board(number, entry.moves or 0, _problem(parse_tiles(entry.text, at=entry.at), first))
            for number, entry in enumerate(entries(lines, path.name, "tiles", spaced=True), 1)
        ]
    return sorted(found, key=lambda board: board.moves)


def _problem(cells: tuple[int, ...], first: int) -> SlidingTiles:
    """A square board whose goal has the tile `first` in its first cell."""
    goal = tuple((tile, tile - first) for tile in range(1, len(cells)))
    return SlidingTiles(isqrt(len(cells)), isqrt(len(cells)), cells, goal)
