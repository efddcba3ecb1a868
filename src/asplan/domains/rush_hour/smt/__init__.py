"""Rush Hour for the SMT solver Z3.

`positions` is the published model, `cells` a second one that is faster; `board` is what both know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from asplan.domains.rush_hour.model import RushHour
from asplan.domains.rush_hour.smt.board import board_of
from asplan.domains.rush_hour.smt.cells import Cells
from asplan.domains.rush_hour.smt.positions import Positions
from asplan.errors import UsageError


@dataclass(frozen=True)
class Published:
    """The published model, for any number of states."""

    z3: Any
    model: RushHour
    alternate: bool

    def unsolvable(self) -> str | None:
        """A wall may stand between the red car and its goal."""
        return board_of(self.model).unsolvable()

    def formula(self, states: int) -> Positions:
        """The constraints for a number of states."""
        return Positions(self.z3, self.model, states, self.alternate)


def positions(z3: Any, model: RushHour) -> Published:
    """The published model."""
    return Published(z3, model, alternate=False)


def alternating(z3: Any, model: RushHour) -> Published:
    """The published model with its optional constraint: no vehicle moves twice running.

    Raises
    ------
    UsageError
        The metric is step, where a vehicle may have to move twice running.
    """
    if model.metric == "step":
        raise UsageError("engine smt-alternating is for --metric slide")
    return Published(z3, model, alternate=True)


__all__ = ["Cells", "alternating", "positions"]
