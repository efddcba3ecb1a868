"""Rush Hour: cars on a board slide along their own line until the red car is at its goal.

`facts` reads an instance, `model` is what it means, `heuristics` estimate how far a state is from
the goal; `notation` reads and writes boards as others do, `smt` has the formulas for Z3;
`generator` makes boards.
"""

from typing import Any

from asplan.core.registry import Later, LaterItems
from asplan.domains.base import Domain, Parts


def _facts() -> Any:
    from asplan.domains.rush_hour import facts

    return facts


def _notation() -> Any:
    from asplan.domains.rush_hour import notation

    return notation


def _heuristics() -> Any:
    from asplan.domains.rush_hour.heuristics import HEURISTICS

    return HEURISTICS


def _smt() -> Any:
    from asplan.domains.rush_hour import smt

    return smt


def _generator() -> Any:
    from asplan.domains.rush_hour import generator

    return generator


DOMAIN = Domain(
    name="rush_hour",
    signatures=frozenset({("grid", 2), ("car", 3), ("position", 4)}),
    optional=frozenset({("no", 2), ("goal", 3)}),
    variants={"metric": ("step", "slide")},
    short_forms={"metric": "Say what one move is; short for -c metric=…"},
    model=Later(lambda: _facts().read),
    default_encoding=Later(lambda: _facts().default_encoding),
    heuristics=LaterItems(_heuristics),
    reversible=True,
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
