"""What a program means by `occurs/2`.

What happens at step t is usually `occurs(Action,t)`, or `occurs(t,Action)`; in the style of action
languages it is `occurs(Action,t-1)`. Where the rules do not say at once which it is, the atoms of
an answer decide.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from clingo import Function, Number, Symbol, SymbolType
from clingo.ast import AST

from asplan.program.syntax import is_now
from asplan.program.unit import Unit


@dataclass(frozen=True)
class Reading:
    """Which argument of `occurs/2` is the time, and how much less it is than the step."""

    place: int
    before: int

    def step(self, atom: Symbol) -> int | None:
        """The step that an atom speaks of; None if its time is no number."""
        time = atom.arguments[self.place]
        return time.number + self.before if time.type == SymbolType.Number else None

    def action(self, atom: Symbol) -> Symbol:
        """The action in an atom."""
        return atom.arguments[1 - self.place]

    def atom(self, action: Symbol, step: int) -> Symbol:
        """The atom that an action occurs at a step."""
        time = Number(step - self.before)
        return Function("occurs", [time, action] if self.place == 0 else [action, time])


READINGS = tuple(Reading(place, before) for place in (1, 0) for before in (0, 1))


def readings(units: Iterable[Unit]) -> tuple[Reading, ...]:
    """The ways in which a program may mean `occurs/2`; only one where its rules say which.

    They do if all heads outside of `base` stand in `step(t)` and have `t`, or all have `t-1`, at
    one place.
    """
    found = [head for unit in units for head in unit.actions]
    for reading in READINGS:
        if found and all(
            part == "step" and _has(terms[reading.place], reading.before, parameter)
            for part, parameter, terms in found
        ):
            return (reading,)
    return READINGS


def _has(term: AST, before: int, parameter: str) -> bool:
    return str(term) == f"({parameter}-1)" if before else is_now(term, parameter)
