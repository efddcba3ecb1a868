"""Brain Twist: a tetrahedron whose vertices turn, and which can be turned inside out.

`model` says what moves where, reads instances, and makes puzzles.
"""

from __future__ import annotations

from asplan.domains.base import Domain
from asplan.domains.brain_twist import model
from asplan.domains.generator import Generator

DOMAIN = Domain(
    name="brain_twist",
    signatures=frozenset({("on", 3)}),
    variants={"goal": tuple(model.ARRANGEMENTS), "rotation": tuple(model.CYCLES)},
    model=model.read,
    default_encoding=lambda puzzle: "frontier",
    reversible=True,
    recognises=lambda facts: any(str(f.arguments[1]) in model.TILES for f in facts.named("on", 3)),
    generator=Generator(
        about="scrambled puzzles that take a number of moves",
        options=model.OPTIONS,
        wish=model.make_wish,
        attempt=model.attempt,
    ),
)
