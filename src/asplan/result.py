"""What an engine answers: an outcome, plans, and what the answer rests on.

>>> Plan((("move(a,left,1)",), ("move(r,right,1)",))).actions
('move(a,left,1)', 'move(r,right,1)')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import PurePath
from typing import Any


class Outcome(StrEnum):
    """The four things that may be said; never a bare yes or no."""

    OPTIMAL = "optimal"
    PLAN = "plan"
    UNSOLVABLE = "unsolvable"
    UNKNOWN = "unknown"


class Stop(StrEnum):
    """The limits that can end a run before it has an answer."""

    TIME = "time"
    MEMORY = "memory"
    HORIZON = "horizon"
    INTERRUPT = "interrupt"


@dataclass(frozen=True)
class Plan:
    """Steps 1, 2, …; each holds the actions of that step as terms (several in a parallel plan)."""

    steps: tuple[tuple[str, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self.steps)

    def __str__(self) -> str:
        width = len(str(len(self.steps)))
        lines = (f"{t:{width}}. {'  '.join(step)}" for t, step in enumerate(self.steps, 1))
        return "\n".join(lines)

    @property
    def actions(self) -> tuple[str, ...]:
        """All actions in order."""
        return tuple(action for step in self.steps for action in step)


@dataclass(frozen=True)
class Seconds:
    """Wall-clock time of the engine; `total` includes reading the files and validation."""

    total: float = 0.0
    ground: float = 0.0
    solve: float = 0.0


@dataclass(frozen=True)
class StepStatistics:
    """What one horizon cost: the grounding of its parts and the solve call on it."""

    horizon: int
    ground: float
    solve: float
    conflicts: int
    choices: int


@dataclass(frozen=True)
class Statistics:
    """Effort, accumulated over all calls; what an engine does not count is None.

    ASP and SMT count calls, choices, conflicts and restarts; `atoms` and `rules` give the size of
    the ground program at the end. Search counts states: `generated` successors, `queued`
    additions to the open list, `expanded` states taken out of it, `peak_open` its largest size.
    """

    calls: int | None = None
    choices: int | None = None
    conflicts: int | None = None
    restarts: int | None = None
    atoms: int | None = None
    rules: int | None = None
    generated: int | None = None
    queued: int | None = None
    expanded: int | None = None
    peak_open: int | None = None
    steps: tuple[StepStatistics, ...] = ()

    def counted(self) -> dict[str, Any]:
        """The fields that were counted, as plain data."""
        return {k: v for k, v in asdict(self).items() if v is not None and v != ()}


@dataclass(frozen=True, repr=False)
class Result:
    """One answer, complete enough to be printed, stored, drawn and compared.

    An unfinished engine reports the same type: what is proven so far, with outcome `unknown`.
    `horizon` is the number of steps of the plan; every horizon below `lower_bound` is refuted
    (or cannot hold a plan). `plans` holds one plan, or up to N with `models=N`.
    """

    outcome: Outcome = Outcome.UNKNOWN
    reason: str = ""
    stopped: Stop | None = None
    horizon: int | None = None
    lower_bound: int = 0
    cost: tuple[int, ...] | None = None
    plans: tuple[Plan, ...] = ()
    atoms: tuple[str, ...] = ()
    validated: str | None = None
    seconds: Seconds = Seconds()
    statistics: Statistics = Statistics()
    files: tuple[str, ...] = ()
    domain: str | None = None
    encoding: str | None = None
    engine: str = "asp"
    mode: str = "incremental"
    constants: Mapping[str, str] = field(default_factory=dict)

    @property
    def plan(self) -> Plan | None:
        """The plan, or the first of several; None where there is none."""
        return self.plans[0] if self.plans else None

    @property
    def instance(self) -> str:
        """The name of the first file without its folder and suffix."""
        return PurePath(self.files[0]).stem if self.files else ""

    def __str__(self) -> str:
        """The plan, numbered, and the outcome in words."""
        return "\n".join(filter(None, [str(self.plan or ""), f"{self.outcome}: {self.reason}"]))

    def __repr__(self) -> str:
        what = " ".join(filter(None, [self.domain, self.instance]))
        horizon = "" if self.horizon is None else f", {self.horizon} steps"
        return f"<Result {what}: {self.outcome}{horizon} ({self.reason})>"

    def _repr_html_(self) -> str | None:
        """The animation of the plan, for a notebook; None where it cannot be drawn."""
        from asplan.render.notebook import player

        return player(self)
