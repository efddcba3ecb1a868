"""The type of rules that wait until there is a plan (see `transitions.display`)."""

from collections.abc import Iterable
from typing import Protocol

from asplan.clingo import Symbol
from asplan.program.syntax import Signature


class DisplayRules(Protocol):
    """Rules that only derive shown atoms."""

    @property
    def reads(self) -> frozenset[Signature]:
        """The predicates that the rules read."""

    def atoms(self, horizon: int, given: Iterable[Symbol]) -> tuple[Symbol, ...]:
        """Return the shown atoms that follow from the true atoms of the predicates in `reads`."""
