"""Brain Twist: a tetrahedron whose vertices turn, and which can be turned inside out.

`turns` has the turns and the solved arrangements, `model` the states and moves of a puzzle. `facts`
reads an instance, and `generator` makes puzzles. Each module is imported when it is first used.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from asplan.core.registry import Later
from asplan.domains.base import Domain

if TYPE_CHECKING:
    from asplan.core.facts import Facts


def _facts() -> ModuleType:
    from asplan.domains.brain_twist import facts

    return facts


def _generator() -> ModuleType:
    from asplan.domains.brain_twist import generator

    return generator


def _names_a_tile(facts: Facts) -> bool:
    """Return whether the facts have an atom on(Time,Tile,Position) whose tile exists.

    The test is needed because other games use the predicate on/3, too.
    """
    from asplan.domains.brain_twist.turns import TILES

    names = [fact.arguments[1] for fact in facts.named("on", 3)]
    return any(str(name) in TILES for name in names)


DOMAIN = Domain(
    name="brain_twist",
    signatures=frozenset({("on", 3)}),
    variants={
        "goal": ("faces", "points"),
        "rotation": ("fixed", "free"),
    },
    model=Later(lambda: _facts().read),
    default_encoding=lambda puzzle: "frontier",
    reversible=True,
    recognises=_names_a_tile,
    generator=lambda: _generator().GENERATOR,
)
