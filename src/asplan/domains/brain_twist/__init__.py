"""Brain Twist: a tetrahedron whose vertices turn, and which can be turned inside out.

`facts` reads an instance, `model` is what it means, `tetrahedron` says what moves where.
"""

from __future__ import annotations

from typing import Any

from asplan.domains.base import Domain
from asplan.domains.brain_twist.model import ARRANGEMENTS, CYCLES, TILES
from asplan.domains.generator import Generator
from asplan.facts import Facts
from asplan.registry import Later, LaterItems


def recognises(facts: Facts) -> bool:
    """Whether on/3 speaks of this puzzle: some fact has one of its tiles."""
    return any(str(fact.arguments[1]) in TILES for fact in facts.named("on", 3))


def _facts() -> Any:
    from asplan.domains.brain_twist import facts

    return facts


def _generator() -> Any:
    from asplan.domains.brain_twist import generator

    return generator


DOMAIN = Domain(
    name="brain_twist",
    signatures=frozenset({("on", 3)}),
    variants={"goal": tuple(ARRANGEMENTS), "rotation": tuple(CYCLES)},
    model=Later(lambda: _facts().read),
    default_encoding=lambda model: "frontier",
    reversible=True,
    recognises=recognises,
    generator=Generator(
        about="scrambled puzzles that take a number of moves",
        options=LaterItems(lambda: _generator().OPTIONS),
        wish=Later(lambda: _generator().make_wish),
        attempt=Later(lambda: _generator().attempt),
    ),
)

__all__ = ["DOMAIN"]
