"""The solver for single-shot programs: it grounds the program anew for each horizon."""

from collections.abc import Iterable

from asplan.engines.asp.solver import ClingoSolver, Pin
from asplan.program.incremental import base


class AnewSolver(ClingoSolver):
    """A solver for a single-shot program, with a new control for each horizon.

    It has no control before the first ground call. A horizon below the program's least horizon is
    replaced by the least one.
    """

    def _open_first(self) -> None:
        assert self.program.horizon is not None
        self._horizon = self.program.horizon
        self.grounded = -1

    def ground_first(self) -> None:
        """Ground the program for its least horizon."""
        self.ground_step(self._horizon.least)

    def steps_to(self, horizon: int) -> Iterable[int]:
        """Return `[horizon]`; an empty list if this horizon is grounded already."""
        return [] if self.grounded == self._at_least(horizon) else [horizon]

    def ground_step(self, t: int) -> None:
        """Ground the program for the horizon t in a new control, unless this is done already."""
        horizon = self._at_least(t)
        if horizon == self.grounded:
            return
        self.grounded = horizon
        value = str(self._horizon.value(horizon))
        self._open({**self._constants, self._horizon.constant: value})
        self.ground([base()])

    def _at_least(self, horizon: int) -> int:
        return max(horizon, self._horizon.least)

    def demand(self, t: int) -> None:
        """Do nothing: a single-shot program always demands its goal."""

    drop = forbid = demand

    def settle(self, assumptions: Iterable[Pin] = ()) -> None:
        """Do nothing: no step is added to a grounded single-shot program."""
