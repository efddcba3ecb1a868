"""A session for a single-shot program: each horizon is grounded anew, in a clingo of its own.

A horizon is grounded when something is asked of it: atoms, or an answer. What only serves one
clingo that goes from horizon to horizon, as externals do, is not done.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clingo import Control

from asplan.engines.asp.session import Pin, Session
from asplan.program.incremental import Program, base


class FreshSession(Session):
    """A session whose control is that of one horizon, and is made anew for the next."""

    def _begin(self) -> None:
        assert self.program.horizon is not None
        self._horizon = self.program.horizon
        self._at, self._grounded = self._horizon.least, -1

    @property
    def control(self) -> Control:
        """The control of the present horizon, grounded."""
        if self._grounded != self._at:
            self._grounded = self._at
            value = str(self._horizon.value(self._at))
            self._control = self._open({**self._constants, self._horizon.constant: value})
            self.ground([base()])
        return self._control

    @control.setter
    def control(self, control: Control) -> None:
        self._control = control

    def ground_first(self) -> None:
        """Begin with the least horizon."""
        self._at = self._horizon.least

    def ground_step(self, t: int) -> None:
        """Go on to a horizon; those below the least are not asked for."""
        self._at = max(t, self._horizon.least)

    def demand(self, t: int) -> None:
        """The goal is demanded at the present horizon, always."""

    drop = forbid = demand

    def _set(self, option: str, value: object) -> None:
        self.control  # noqa: B018  a new one has nothing set
        super()._set(option, value)

    def settle(self, assumptions: Iterable[Pin] = ()) -> None:
        """Each horizon stands by itself."""


def session_of(program: Program, *arguments: Any, **more: Any) -> Session:
    """A session for a program of either kind; the arguments are those of `Session`."""
    kind = Session if program.horizon is None else FreshSession
    return kind(program, *arguments, **more)
