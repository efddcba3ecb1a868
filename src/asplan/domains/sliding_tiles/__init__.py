"""Sliding tiles: the 8-, 15- and 24-puzzle, and every other rectangle with one blank.

`facts` reads an instance, `model` is what it means, `heuristics` estimate how far a state is from
the goal.
"""

from __future__ import annotations

from asplan.domains.base import Domain
from asplan.domains.sliding_tiles.facts import read
from asplan.domains.sliding_tiles.heuristics import HEURISTICS
from asplan.domains.sliding_tiles.model import BLANK, Move, SlidingTiles, State


def default_encoding(problem: SlidingTiles) -> str:
    """The frontier encoding packs boards of up to 25 cells."""
    return "frontier" if len(problem.initial) <= 25 else "moves"


DOMAIN = Domain(
    name="sliding_tiles",
    signatures=frozenset({("grid", 2), ("tile", 1), ("position", 4)}),
    constants={},
    problem=read,
    default_encoding=default_encoding,
    heuristics=HEURISTICS,
    reversible=True,
)

__all__ = ["BLANK", "DOMAIN", "Move", "SlidingTiles", "State"]
