"""Brain Twist: a tetrahedron whose vertices turn, and which can be turned inside out.

`facts` reads an instance, `model` is what it means, `tetrahedron` says what moves where.
"""

from __future__ import annotations

from asplan.domains.base import Domain
from asplan.domains.brain_twist.model import ARRANGEMENTS, CYCLES, TILES
from asplan.domains.generator import Generator
from asplan.facts import Facts
from asplan.registry import function_at, items_at


def recognises(facts: Facts) -> bool:
    """Whether on/3 speaks of this puzzle: some fact has one of its tiles."""
    return any(str(fact.arguments[1]) in TILES for fact in facts.named("on", 3))


DOMAIN = Domain(
    name="brain_twist",
    signatures=frozenset({("on", 3)}),
    variants={"goal": tuple(ARRANGEMENTS), "rotation": tuple(CYCLES)},
    model=function_at("asplan.domains.brain_twist.facts:read"),
    default_encoding=lambda model: "frontier",
    reversible=True,
    recognises=recognises,
    generator=Generator(
        about="scrambled puzzles that take a number of moves",
        options=items_at("asplan.domains.brain_twist.generator:OPTIONS"),
        wish=function_at("asplan.domains.brain_twist.generator:make_wish"),
        attempt=function_at("asplan.domains.brain_twist.generator:attempt"),
    ),
)

__all__ = ["DOMAIN"]
