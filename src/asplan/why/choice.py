"""Which constraints a relaxed plan may break."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from asplan.errors import UsageError
from asplan.why.question import Pin
from asplan.why.relaxing import Constraint


@dataclass(frozen=True)
class Choice:
    """Which constraints a relaxed plan may break: places FILE:LINE of soft and of hard ones."""

    soft: tuple[str, ...] = ()
    hard: tuple[str, ...] = ()

    def kept(self, constraints: Sequence[Constraint]) -> list[Pin]:
        """What keeps the constraints that are to be kept: those of the goal, and the hard ones.

        Raises
        ------
        UsageError
            There is no constraint at a place.
        """
        soft = {c for place in self.soft for c in _at(place, constraints)}
        hard = {c for place in self.hard for c in _at(place, constraints)}
        return [(c.kept, True) for c in constraints if c in hard or (c.rule.goal and c not in soft)]


def _at(place: str, constraints: Sequence[Constraint]) -> list[Constraint]:
    file, _, line = place.rpartition(":")
    found = [
        c
        for c in constraints
        if line.isdigit()
        and c.statement.location.begin.line <= int(line) <= c.statement.location.end.line
        and PurePath(c.rule.at.file).parts[-len(PurePath(file).parts) :] == PurePath(file).parts
    ]
    if not found:
        known = ", ".join(
            dict.fromkeys(f"{PurePath(c.rule.at.file).name}:{c.rule.at.line}" for c in constraints)
        )
        raise UsageError(
            f"{place}: there is no constraint at this place",
            mend=f"constraints stand at {known}" if known else "the program has no constraints",
        )
    return found
