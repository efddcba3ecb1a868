"""What an engine answers: an outcome, plans, and what the answer rests on.

>>> Result(outcome=Outcome.PLAN, reason="found", horizon=1, plans=(Plan((("up",),)),))
<Result : plan, 1 steps (found)>
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import PurePath
from typing import Any, overload

from asplan.plan import Plan
from asplan.shown import Shown


class Outcome(StrEnum):
    """The four things that may be said; never a bare yes or no."""

    OPTIMAL = "optimal"
    PLAN = "plan"
    UNSOLVABLE = "unsolvable"
    UNKNOWN = "unknown"


LEAST = {"steps": "shortest", "actions": "fewest actions", "cost": "least cost"}
"""What `optimal` means of a plan, by what was optimized."""


class Stop(StrEnum):
    """The limits that can end a run before it has an answer."""

    TIME = "time"
    MEMORY = "memory"
    HORIZON = "horizon"
    INTERRUPT = "interrupt"


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


class Texts(Sequence[str]):
    """Terms as text, written when somebody asks for them: most plans are not drawn."""

    def __init__(self, terms: Callable[[], Iterable[object]]) -> None:
        self._terms = terms

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return tuple(map(str, self._terms()))

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> Any:
        return self._texts[index]

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker hands over text: the terms of clingo live in one process.
        return tuple, (self._texts,)


@dataclass(frozen=True)
class Trajectory:
    """What the check of a plan passed through, as text: all that is needed to show the plan.

    Attributes
    ----------
    facts
        The facts of the instance; for a program that is all in one, those of its base part.
    states
        The fluents at time 0, 1, …, one more than the plan has steps. A program without a model
        shows them as `holds(Fluent,t)`; where it does not, they are empty.
    boards
        The first and the last state as a few lines of text, where the domain can write them.
    timed
        The shown atoms of a program without `occurs/2`, by the time that they speak of; those
        without a time come last, under None.
    rules
        The file with the drawing rules of the domain or beside the encoding, if there is one.
    """

    facts: Sequence[str] = ()
    states: Sequence[tuple[str, ...]] = ()
    boards: tuple[str, ...] = ()
    timed: tuple[tuple[int | None, tuple[str, ...]], ...] = ()
    rules: str | None = None


@dataclass(frozen=True, repr=False)
class Result(Shown):
    """One answer, complete enough to be printed, stored, drawn and compared.

    An unfinished engine reports the same type: what is proven so far, with outcome `unknown`.

    Attributes
    ----------
    reason
        In words what the outcome rests on; of an unfinished engine, what is being done.
    horizon
        The number of steps of the plan.
    lower_bound
        Every horizon below it is refuted, or cannot hold a plan; where actions were counted, each
        of them is a step.
    lower_cost
        Every plan costs at least so much, where the cost of actions was minimized.
    optimized
        What `optimal` speaks of: `steps`, `actions` or `cost`.
    cost
        The value of the objective, priority by priority, in a program that has one; else what the
        actions of the plan cost, where they have costs.
    plans
        One plan, or up to N with `models=N`.
    atoms
        All shown atoms of the first answer.
    validated
        How the plan was checked: `model`, `replay`, `text` (of a PDDL task), or None.
    warnings
        What the caller should know about the input.
    trajectory
        What the check passed through; not stored.
    """

    outcome: Outcome = Outcome.UNKNOWN
    reason: str = ""
    stopped: Stop | None = None
    horizon: int | None = None
    lower_bound: int = 0
    lower_cost: int = 0
    optimized: str = "steps"
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
    warnings: tuple[str, ...] = ()
    trajectory: Trajectory | None = field(default=None, compare=False)

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
