"""Sliding tiles: the 8-, 15- and 24-puzzle, and every other rectangle with one blank.

`facts` reads an instance, `model` is what it means, `notation` reads and writes rows of tiles.
`heuristics` estimate how far a state is from the goal: `walking` and `patterns`, whose tables
`retrograde` fills, are sums over the tiles (`sums`), as the Manhattan distance is.
"""

from __future__ import annotations

from typing import Any

from asplan.domains.base import Domain, Notation
from asplan.domains.generator import Generator
from asplan.registry import function_at, items_at
from asplan.text import whole


def default_encoding(model: Any) -> str:
    """The frontier encoding packs boards of up to 25 cells."""
    return "frontier" if len(model.initial) <= 25 else "moves"


def _looks_like_tiles(line: str) -> bool:
    words = line.split()
    return "tiles" in words or (len(words) > 2 and all(whole(word) is not None for word in words))


TILES = Notation(
    "sliding tiles row by row, one board a line",
    _looks_like_tiles,
    function_at("asplan.domains.sliding_tiles.notation:read_rows"),
    function_at("asplan.domains.sliding_tiles.notation:tiles_text"),
)

DOMAIN = Domain(
    name="sliding_tiles",
    signatures=frozenset({("grid", 2), ("tile", 1), ("position", 4)}),
    optional=frozenset({("goal", 3)}),
    model=function_at("asplan.domains.sliding_tiles.facts:read"),
    default_encoding=default_encoding,
    heuristics=items_at("asplan.domains.sliding_tiles.heuristics:HEURISTICS"),
    reversible=True,
    notations={"tiles": TILES},
    generator=Generator(
        about="boards that take a number of moves",
        options=items_at("asplan.domains.sliding_tiles.generator:OPTIONS"),
        wish=function_at("asplan.domains.sliding_tiles.generator:make_wish"),
        attempt=function_at("asplan.domains.sliding_tiles.generator:attempt"),
    ),
)

__all__ = ["DOMAIN"]
