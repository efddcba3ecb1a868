"""Sliding tiles: the 8-, 15- and 24-puzzle, and every other rectangle with one blank.

`model` has the states and moves of a board, and `facts` reads an instance. `heuristics`, with the
tables of `patterns`, estimate the distance of a state to the goal. `notation` reads and writes rows
of tiles, and `generator` makes boards. Each module is imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from asplan.core.registry import Later, LaterItems
from asplan.core.text import parse_natural
from asplan.domains.base import Domain, Notation

if TYPE_CHECKING:
    from asplan.domains.heuristic import Heuristic


def _facts() -> ModuleType:
    from asplan.domains.sliding_tiles import facts

    return facts


def _notation() -> ModuleType:
    from asplan.domains.sliding_tiles import notation

    return notation


def _heuristics() -> Sequence[Heuristic]:
    from asplan.domains.sliding_tiles.heuristics import HEURISTICS

    return HEURISTICS


def _generator() -> ModuleType:
    from asplan.domains.sliding_tiles import generator

    return generator


def _looks_like_tiles(line: str) -> bool:
    words = line.split()
    if "tiles" in words:
        return True
    if len(words) < 3:
        return False
    return all(parse_natural(word) is not None for word in words)


TILES = Notation(
    about="sliding tiles row by row, one board a line",
    recognises=_looks_like_tiles,
    read=Later(lambda: _notation().read_rows),
    write=Later(lambda: _notation().tiles_text),
)

DOMAIN = Domain(
    name="sliding_tiles",
    signatures=frozenset({("grid", 2), ("tile", 1), ("position", 4)}),
    optional=frozenset({("goal", 3)}),
    model=Later(lambda: _facts().read),
    # The frontier encoding packs boards of up to 25 cells.
    default_encoding=lambda model: "frontier" if len(model.initial) <= 25 else "moves",
    heuristics=LaterItems(_heuristics),
    reversible=True,
    notations={"tiles": TILES},
    generator=lambda: _generator().GENERATOR,
)
