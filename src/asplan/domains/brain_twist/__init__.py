"""Brain Twist: a tetrahedron whose vertices turn, and which can be turned inside out.

`model` says what moves where, and reads instances; `generator` makes puzzles.
"""

from __future__ import annotations

from typing import Any

from asplan.core.registry import Later, LaterItems
from asplan.domains.base import Domain
from asplan.domains.brain_twist.model import ARRANGEMENTS, CYCLES, TILES, read
from asplan.domains.generator import Generator


def _generator() -> Any:
    from asplan.domains.brain_twist import generator

    return generator


DOMAIN = Domain(
    name="brain_twist",
    signatures=frozenset({("on", 3)}),
    variants={"goal": tuple(ARRANGEMENTS), "rotation": tuple(CYCLES)},
    model=read,
    default_encoding=lambda model: "frontier",
    reversible=True,
    recognises=lambda facts: any(str(f.arguments[1]) in TILES for f in facts.named("on", 3)),
    generator=Generator(
        about="scrambled puzzles that take a number of moves",
        options=LaterItems(lambda: _generator().OPTIONS),
        wish=Later(lambda: _generator().make_wish),
        attempt=Later(lambda: _generator().attempt),
    ),
)
