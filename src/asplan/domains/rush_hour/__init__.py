"""Rush Hour: cars on a board slide along their own line until the red car is at its goal.

`model` has the states and moves of a board, and `facts` reads an instance. `heuristics` estimate
the distance of a state to the goal. `notation` reads and writes foreign notations, `smt` makes
formulas for Z3, and `generator` makes boards. Each module is imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from asplan.core.registry import Later, LaterItems
from asplan.domains.base import Domain, Parts

if TYPE_CHECKING:
    from asplan.core.facts import Facts
    from asplan.domains.heuristic import Heuristic


def _facts() -> ModuleType:
    from asplan.domains.rush_hour import facts

    return facts


def _notation() -> ModuleType:
    from asplan.domains.rush_hour import notation

    return notation


def _translate(facts: Facts) -> str | None:
    """Return the usual facts, as text, of a board whose cars are given as tuples; None for other
    facts.
    """
    has_tuples = facts.named("position", 6) or facts.named("position", 7)
    if not has_tuples or not facts.named("grid", 2):
        return None
    translated: str = _notation().translate_tuples(facts)
    return translated


def _heuristics() -> Sequence[Heuristic]:
    from asplan.domains.rush_hour.heuristics import HEURISTICS

    return HEURISTICS


def _smt() -> ModuleType:
    from asplan.domains.rush_hour import smt

    return smt


def _generator() -> ModuleType:
    from asplan.domains.rush_hour import generator

    return generator


DOMAIN = Domain(
    name="rush_hour",
    signatures=frozenset({("grid", 2), ("car", 3), ("position", 4)}),
    optional=frozenset({("no", 2), ("goal", 3)}),
    variants={"metric": ("step", "slide")},
    short_forms={"metric": "Choose the unit of a move; short for -c metric=…"},
    model=Later(lambda: _facts().read),
    default_encoding=Later(lambda: _facts().default_encoding),
    heuristics=LaterItems(_heuristics),
    reversible=True,
    translate=_translate,
    notations={
        "board": lambda: _notation().BOARD,
        "card": lambda: _notation().CARD,
        "tuples": lambda: _notation().TUPLES,
    },
    smt={
        "smt": Later(lambda: _smt().Published),
        "smt-alternating": Later(lambda: _smt().alternating),
        "smt-cells": Later(lambda: _smt().Cells),
    },
    colours={"r": "bold red"},
    parts=Parts(
        noun="car",
        names=lambda model: model.names,
        moved=lambda move: move.car,
        without=lambda model: model.without_each(),
    ),
    generator=lambda: _generator().GENERATOR,
)
