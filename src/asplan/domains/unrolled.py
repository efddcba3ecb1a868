"""What a domain tells an SMT engine: formulas for a number of states, or for one state more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol


class Formula(Protocol):
    """A formula for a fixed number of states, whose models are plans that fit in."""

    @property
    def constraints(self) -> Iterable[Any]:
        """All that must hold."""

    @property
    def moves(self) -> Any:
        """The term to be minimized: how many moves are made."""

    def states_of(self, solution: Any) -> list[Any]:
        """The states from the initial one to the goal in a solution."""


class Sized(Protocol):
    """Makes a formula for any number of states."""

    def unsolvable(self) -> str | None:
        """Why no plan exists, where that is plain without a solver; else None."""

    def formula(self, states: int) -> Formula:
        """The formula for a number of states."""


class Grown(Protocol):
    """Grows by one state at a time."""

    def unsolvable(self) -> str | None:
        """Why no plan exists, where that is plain without a solver; else None."""

    def add_state(self) -> Iterable[Any]:
        """The constraints of one more state, and of the move that leads to it."""

    def goal(self) -> Any:
        """That the goal holds in the last state."""

    def states_of(self, solution: Any) -> list[Any]:
        """The states in a solution."""


Unrolled = Callable[[Any, Any], Sized | Grown]
"""From the module z3 and a model of the domain."""
