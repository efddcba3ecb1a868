"""Brain Twist: a tetrahedron whose vertices turn, and which can be turned inside out.

`model` says what moves where, reads instances, and makes puzzles.
"""

from typing import Any

from asplan.core.registry import Later
from asplan.domains.base import Domain


def _model() -> Any:
    from asplan.domains.brain_twist import model

    return model


DOMAIN = Domain(
    name="brain_twist",
    signatures=frozenset({("on", 3)}),
    variants={"goal": ("faces", "points"), "rotation": ("fixed", "free")},
    model=Later(lambda: _model().read),
    default_encoding=lambda puzzle: "frontier",
    reversible=True,
    recognises=lambda facts: any(
        str(f.arguments[1]) in _model().TILES for f in facts.named("on", 3)
    ),
    generator=lambda: _model().GENERATOR,
)
