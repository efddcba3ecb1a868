"""Rush Hour: cars on a board slide along their own line until the red car is at its goal.

`facts` reads an instance, `model` is what it means, `lines` how its states are written;
`heuristics` and `abstraction` estimate how far a state is from the goal, `size` how many there are.
"""

from __future__ import annotations

from asplan.domains.base import Domain
from asplan.domains.rush_hour.facts import read
from asplan.domains.rush_hour.heuristics import HEURISTICS
from asplan.domains.rush_hour.model import METRICS, Car, Move, RushHour
from asplan.domains.rush_hour.size import default_encoding

DOMAIN = Domain(
    name="rush_hour",
    signatures=frozenset({("grid", 2), ("car", 3), ("position", 4)}),
    constants={"metric": METRICS},
    problem=read,
    default_encoding=default_encoding,
    heuristics=HEURISTICS,
    reversible=True,
)

__all__ = ["DOMAIN", "Car", "Move", "RushHour"]
