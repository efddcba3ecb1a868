"""Sessions for single-shot programs, and the choice of a session for a program."""

from collections.abc import Iterable
from typing import Any

from asplan.engines.asp.session import Pin, Session
from asplan.program.incremental import Program, base


class FreshSession(Session):
    """A session for a single-shot program, with a new control for each horizon.

    It has no control before something is grounded. Horizons below the least one of the program are
    that one.
    """

    def _open_first(self) -> None:
        assert self.program.horizon is not None
        self._horizon = self.program.horizon
        self.grounded = -1

    def ground_first(self) -> None:
        """Ground the program for its least horizon."""
        self.ground_step(self._horizon.least)

    def ground_to(self, horizon: int) -> None:
        """Ground the program for a horizon."""
        self.ground_step(horizon)

    def steps_to(self, horizon: int) -> Iterable[int]:
        """Return the horizon alone, unless it is grounded."""
        return [] if self.grounded == self._at_least(horizon) else [horizon]

    def ground_step(self, t: int) -> None:
        """Ground the program for a horizon in a new control, unless it is grounded."""
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
        """Do nothing: the program demands the goal at its horizon."""

    drop = forbid = demand

    def settle(self, assumptions: Iterable[Pin] = ()) -> None:
        """Do nothing: no later step builds on this horizon."""


def session_of(
    program: Program,
    *arguments: Any,  # noqa: ANN401  those of `Session`
    **more: Any,  # noqa: ANN401  those of `Session`
) -> Session:
    """Return a session for a program of either kind, with the arguments of `Session`."""
    kind = Session if program.horizon is None else FreshSession
    return kind(program, *arguments, **more)
