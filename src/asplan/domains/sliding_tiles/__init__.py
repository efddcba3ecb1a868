"""Sliding tiles: the 8-, 15- and 24-puzzle, and every other rectangle with one blank.

`model` is what an instance means, and reads it, and rows of tiles. `heuristics`, with the tables of
`patterns`, estimate how far a state is from the goal; `generator` makes boards.
"""

from typing import Any

from asplan.core.registry import Later, LaterItems
from asplan.core.text import whole
from asplan.domains.base import Domain, Notation


def _looks_like_tiles(line: str) -> bool:
    words = line.split()
    return "tiles" in words or (len(words) > 2 and all(whole(word) is not None for word in words))


def _model() -> Any:
    from asplan.domains.sliding_tiles import model

    return model


def _heuristics() -> Any:
    from asplan.domains.sliding_tiles.heuristics import HEURISTICS

    return HEURISTICS


def _generator() -> Any:
    from asplan.domains.sliding_tiles import generator

    return generator


TILES = Notation(
    "sliding tiles row by row, one board a line",
    _looks_like_tiles,
    Later(lambda: _model().read_rows),
    Later(lambda: _model().tiles_text),
)

DOMAIN = Domain(
    name="sliding_tiles",
    signatures=frozenset({("grid", 2), ("tile", 1), ("position", 4)}),
    optional=frozenset({("goal", 3)}),
    model=Later(lambda: _model().read),
    # The frontier encoding packs boards of up to 25 cells.
    default_encoding=lambda model: "frontier" if len(model.initial) <= 25 else "moves",
    heuristics=LaterItems(_heuristics),
    reversible=True,
    notations={"tiles": TILES},
    generator=lambda: _generator().GENERATOR,
)
