"""What an engine answers: an outcome, plans, and what the answer rests on.

>>> Result(outcome=Outcome.PLAN, reason="found", horizon=1, plans=(Plan((("up",),)),))
<Result : plan, 1 step (found)>
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

from asplan.core.errors import InputWarning
from asplan.core.limits import Stop
from asplan.core.plan import Plan, Shown
from asplan.core.text import amount

if TYPE_CHECKING:
    from fractions import Fraction


class Outcome(StrEnum):
    """The four things that may be said; never a bare yes or no."""

    OPTIMAL = "optimal"
    PLAN = "plan"
    UNSOLVABLE = "unsolvable"
    UNKNOWN = "unknown"


LEAST = {
    "steps": "shortest",
    "actions": "fewest actions",
    "cost": "least cost",
    "metric": "best metric",
}
"""What `optimal` means of a plan, by what was optimized."""


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
    `configuration` is that of clasp where it is not the one that asplan begins with, and why.
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
    configuration: str | None = None
    steps: tuple[StepStatistics, ...] = ()

    def counted(self) -> dict[str, Any]:
        """The fields that were counted, as plain data."""
        return {k: v for k, v in asdict(self).items() if v is not None and v != ()}


Written = TypeVar("Written")


class Texts(Sequence[Written]):
    """Text that is written when somebody asks for it: most plans are not drawn."""

    def __init__(self, write: Callable[[], Iterable[Written]]) -> None:
        self._write = write

    @cached_property
    def _texts(self) -> tuple[Written, ...]:
        return tuple(self._write())

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, index: Any) -> Any:
        return self._texts[index]

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker hands over text: the terms of clingo live in one process.
        return tuple, (self._texts,)


@dataclass(frozen=True)
class Trajectory:
    """What the check of a plan passed through, as text: all that is needed to show the plan."""

    facts: Sequence[str] = ()
    """Those of the instance; for a program that is all in one, of its base part."""
    states: Sequence[tuple[str, ...]] = ()
    """The fluents at time 0, 1, …, one more than the plan has steps: those of the model, or what
    the program shows as `holds(Fluent,t)`, or the atoms, without their time, that its states hand
    on. Empty where nothing tells them."""
    boards: tuple[str, ...] = ()
    """The first and the last state as a few lines of text, where the domain can write them."""
    timed: tuple[tuple[int | None, tuple[str, ...]], ...] = ()
    """The shown atoms of a program that names no actions, by time; those without one come last."""
    times: tuple[Fraction, ...] = ()
    """When each of the states begins, in a plan whose actions have times: from one happening to the
    next, the first being before all."""
    values: tuple[tuple[int | None, tuple[str, ...]], ...] = ()
    """The values of the variables of a theory, by time; those without one come last."""
    theory: str = ""
    """The tool whose theory atoms the program has, as `clingcon`."""
    changing: Sequence[str] = ()
    """The predicates, as NAME/ARITY, whose atoms have a time: facts of them are not for ever."""
    columns: Sequence[tuple[str, int, int]] = ()
    """Which of the two numbers of a cell is the column, 0 or 1, as the names of variables in the
    program tell: names of predicates, the number, and votes for it."""
    rules: str | None = None
    """The file with the drawing rules of the domain or beside the encoding, if there is one."""


@dataclass(frozen=True)
class Opinion:
    """What the model of a domain says of the plans of somebody's own program for its instance.

    `agrees` is None where the actions are not those of the domain, so that the model cannot tell.
    """

    domain: str
    agrees: bool | None
    variants: Mapping[str, str] = field(default_factory=dict)
    """Those of the game in which the plans are right, in so far as they are not the usual ones."""


@dataclass(frozen=True)
class Improvement:
    """A plan that was better than all before it: after how many seconds, and how good it is."""

    seconds: float
    actions: int
    cost: int | None = None
    """Of its actions, where they have costs."""


@dataclass(frozen=True, repr=False)
class Result(Shown):
    """One answer, complete enough to be printed, stored, drawn and compared.

    An unfinished engine reports the same type: what is proven so far, with outcome `unknown`.
    """

    outcome: Outcome = Outcome.UNKNOWN
    reason: str = ""
    """In words what the outcome rests on; of an unfinished engine, what is being done."""
    stopped: Stop | None = None
    horizon: int | None = None
    """The number of steps of the plan."""
    lower_bound: int = 0
    """Every horizon below it is refuted, or cannot hold a plan; where actions were counted, each
    of them is a step."""
    lower_cost: int = 0
    """Every plan costs at least so much, where the cost of actions was minimized."""
    optimized: str = "steps"
    """What `optimal` speaks of: `steps`, `actions`, `cost` or `metric`."""
    cost: tuple[int, ...] | None = None
    """The value of the objective, priority by priority, in a program that has one; else what the
    actions of the plan cost, where they have costs."""
    least_among: int | None = None
    """The cost is proven least among plans of so many steps; None where that is not proven."""
    metric: Fraction | None = None
    """What the metric of a PDDL task comes to."""
    violated: Mapping[str, int] = field(default_factory=dict)
    """How often the plan violates each preference, of those that it does."""
    plans: tuple[Plan, ...] = ()
    """One plan, or up to N with `models=N`."""
    improvements: tuple[Improvement, ...] = ()
    """The plans on the way to the best one, the first of all among them, where plans were to become
    better."""
    atoms: tuple[str, ...] = ()
    """All shown atoms of the first answer."""
    no_actions: str = ""
    """Why there is no list of actions although a horizon was found, and what to write."""
    validated: str | None = None
    """How the plan was checked: `model`, `replay`, `text` (of a PDDL task), or None."""
    beside: tuple[str, ...] = ()
    """Atoms of actions that a program without parts demands at times outside of the plan."""
    referee: Opinion | None = None
    """What the domain's own model says, where somebody's own program plans for its instance."""
    seconds: Seconds = Seconds()
    statistics: Statistics = Statistics()
    way: str = ""
    """How a program without parts is run, and what bounds its time."""
    files: tuple[str, ...] = ()
    domain: str | None = None
    encoding: str | None = None
    engine: str = "asp"
    mode: str = "incremental"
    constants: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[InputWarning, ...] = ()
    """What is most likely wrong in the input."""
    written: tuple[str, ...] = field(default=(), compare=False)
    """What to say of each file that was drawn or written; not stored."""
    trajectory: Trajectory | None = field(default=None, compare=False)
    """What the check passed through; not stored."""

    @property
    def plan(self) -> Plan | None:
        """The plan, or the first of several; None where there is none."""
        return self.plans[0] if self.plans else None

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """The fluents that hold at time 0, 1, … of the (first) plan, as text; empty if unknown.

        A result that was stored has none.
        """
        return tuple(self.trajectory.states) if self.trajectory else ()

    @property
    def is_doubtful(self) -> bool:
        """Whether a warning, if it is right, makes the answer worthless."""
        return any(warning.doubt for warning in self.warnings)

    @property
    def verdict(self) -> str:
        """The outcome, with the doubt that there is about it."""
        if not self.is_doubtful:
            return str(self.outcome)
        of_what = "" if self.outcome is Outcome.UNKNOWN else " for the program as written"
        return f"{self.outcome}{of_what}; {amount(len(self.warnings), 'warning')}"

    @property
    def instance(self) -> str:
        """The name of the first file without its folder and suffix."""
        return PurePath(self.files[0]).stem if self.files else ""

    def __str__(self) -> str:
        """The plan, numbered, and the outcome in words."""
        return "\n".join(filter(None, [str(self.plan or ""), f"{self.verdict}: {self.reason}"]))

    def __repr__(self) -> str:
        what = " ".join(filter(None, [self.domain, self.instance]))
        horizon = "" if self.horizon is None else f", {amount(self.horizon, 'step')}"
        return f"<Result {what}: {self.outcome}{horizon} ({self.reason})>"
