"""Sliding tiles: the 8-, 15- and 24-puzzle, and every other rectangle with one blank.

`facts` reads an instance, `model` is what it means, `notation` reads and writes rows of tiles.
`heuristics` estimate how far a state is from the goal: `walking` and `patterns`, whose tables
`retrograde` fills, are sums over the tiles (`sums`), as the Manhattan distance is.
"""

from __future__ import annotations

from asplan.domains.base import Domain
from asplan.domains.sliding_tiles.facts import read
from asplan.domains.sliding_tiles.heuristics import HEURISTICS
from asplan.domains.sliding_tiles.model import BLANK, Move, SlidingTiles, State
from asplan.domains.sliding_tiles.notation import TILES


def default_encoding(model: SlidingTiles) -> str:
    """The frontier encoding packs boards of up to 25 cells."""
    return "frontier" if len(model.initial) <= 25 else "moves"


DOMAIN = Domain(
    name="sliding_tiles",
    signatures=frozenset({("grid", 2), ("tile", 1), ("position", 4)}),
    optional=frozenset({("goal", 3)}),
    model=read,
    default_encoding=default_encoding,
    heuristics=HEURISTICS,
    reversible=True,
    notations={"tiles": TILES},
)

__all__ = ["BLANK", "DOMAIN", "Move", "SlidingTiles", "State"]
