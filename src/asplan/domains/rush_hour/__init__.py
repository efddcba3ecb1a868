"""Rush Hour: cars on a board slide along their own line until the red car is at its goal.

`facts` reads an instance, `model` is what it means, `lines` how its states are written;
`heuristics` and `abstraction` estimate how far a state is from the goal, `size` how many there are;
`notations` reads and writes boards as others do, `smt` has the models for Z3, `generator` makes
boards.
"""

from __future__ import annotations

from asplan.domains.base import Domain, Parts
from asplan.domains.generator import Census, Generator
from asplan.domains.rush_hour.model import METRICS
from asplan.domains.rush_hour.notation import BOARD, CARD
from asplan.registry import function_at, items_at

DOMAIN = Domain(
    name="rush_hour",
    signatures=frozenset({("grid", 2), ("car", 3), ("position", 4)}),
    optional=frozenset({("no", 2), ("goal", 3)}),
    variants={"metric": METRICS},
    short_forms={"metric": "What one move is; short for -c metric=…"},
    model=function_at("asplan.domains.rush_hour.facts:read"),
    default_encoding=function_at("asplan.domains.rush_hour.facts:default_encoding"),
    heuristics=items_at("asplan.domains.rush_hour.heuristics:HEURISTICS"),
    reversible=True,
    notations={"board": BOARD, "card": CARD},
    smt={
        "smt": function_at("asplan.domains.rush_hour.smt:positions"),
        "smt-alternating": function_at("asplan.domains.rush_hour.smt:alternating"),
        "smt-cells": function_at("asplan.domains.rush_hour.smt:Cells"),
    },
    colours={"r": "bold red"},
    parts=Parts(
        noun="car",
        names=lambda model: model.names,
        moved=lambda move: move.car,
        without=lambda model: model.without_each(),
    ),
    generator=Generator(
        about="boards whose start is the hardest of all that can be reached",
        options=items_at("asplan.domains.rush_hour.generator:OPTIONS"),
        wish=function_at("asplan.domains.rush_hour.generator:make_wish"),
        attempt=function_at("asplan.domains.rush_hour.generator:attempt"),
        census=Census(
            about="all boards without walls, space by space",
            options=frozenset({"size", "row", "lengths"}),
            parts=function_at("asplan.domains.rush_hour.generator.census:parts"),
            count=function_at("asplan.domains.rush_hour.generator.census:count"),
        ),
    ),
)

__all__ = ["DOMAIN"]
