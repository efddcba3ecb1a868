"""Brain Twist: a tetrahedron whose vertices turn, and which can be turned inside out.

`facts` reads an instance, `model` is what it means, `tetrahedron` says what moves where.
"""

from __future__ import annotations

from asplan.domains.base import Domain
from asplan.domains.brain_twist.facts import read, recognises
from asplan.domains.brain_twist.model import BrainTwist, Move
from asplan.domains.brain_twist.tetrahedron import ARRANGEMENTS, CYCLES

DOMAIN = Domain(
    name="brain_twist",
    signatures=frozenset({("on", 3)}),
    variants={"goal": tuple(ARRANGEMENTS), "rotation": tuple(CYCLES)},
    model=read,
    default_encoding=lambda model: "frontier",
    reversible=True,
    recognises=recognises,
)

__all__ = ["DOMAIN", "BrainTwist", "Move"]
