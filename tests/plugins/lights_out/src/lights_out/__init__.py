"""Lights Out: a press switches a lamp and its neighbours; all lamps are to be out.

`facts` reads an instance, `model` is what it means, `heuristics` estimate how many presses are
left, `notation` reads and writes rows of lamps.
"""

from __future__ import annotations

from pathlib import Path

from asplan.domains import Domain
from lights_out.facts import read
from lights_out.heuristics import HEURISTICS
from lights_out.notation import LAMPS

DOMAIN = Domain(
    name="lights_out",
    signatures=frozenset({("grid", 2), ("lit", 2)}),
    model=read,
    variants={"wrap": ("no", "yes")},
    short_forms={"wrap": "Lights Out: whether lamps on opposite edges are neighbours."},
    heuristics=HEURISTICS,
    reversible=True,
    notations={"lamps": LAMPS},
    colours={"o": "bold yellow"},
    folder=Path(__file__).parent,
)

__all__ = ["DOMAIN"]
