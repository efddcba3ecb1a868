"""The answer of an engine: its outcome, plans, proven bounds and statistics.

>>> Result(outcome=Outcome.PLAN, reason="found", horizon=1, plans=(Plan((("up",),)),))
<Result : plan, 1 step (found)>
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar, overload

from asplan.core.choices import Mode, Objective
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputWarning
from asplan.core.limits import Stop
from asplan.core.plan import NotebookData, Plan
from asplan.core.text import amount

if TYPE_CHECKING:
    from fractions import Fraction

    from asplan.core.proof import Proof


class Outcome(StrEnum):
    """The outcome of a run: a proven optimum, a plan, a proof that no plan exists, or unknown."""

    OPTIMAL = "optimal"
    PLAN = "plan"
    UNSOLVABLE = "unsolvable"
    UNKNOWN = "unknown"


class Phase(StrEnum):
    """The phase of a run: the work that a report of progress is about."""

    PREPARING = "preparing"
    GROUNDING = "grounding"
    SOLVING = "solving"


class Refuter(StrEnum):
    """The method of a proof that plans do not exist."""

    SOLVER = "solver"  # the engine's solver, horizon by horizon
    PROGRAM = "program"  # the program states it, or has no answer set from some step on
    STATES = "states"  # a search through the states
    INVARIANT = "invariant"  # a set of states that no step leaves
    RELAXATION = "relaxation"  # a relaxed problem without deletions
    MODEL = "model"  # an argument of the domain's model
    METHODS = "methods"  # other methods of a race


class Reliance(StrEnum):
    """An assumption of a proof, which asplan does not check."""

    MONOTONE = "monotone"  # the fact asplan(monotone)
    LEAST = "least"  # the fact asplan(least(N))
    EXHAUSTED = "exhausted"  # the fact asplan(exhausted(t))
    HEURISTIC = "heuristic"  # the heuristic never overestimates
    CONVERSION = "conversion"  # the program in parts has the plans of the single-shot program
    TRANSLATION = "translation"  # the ASP program has the plans of the task or temporal program


@dataclass(frozen=True)
class Evidence:
    """The methods of a proof, the assumptions that it relies on, and the proof in words.

    The words are empty unless no plan exists.
    """

    by: tuple[Refuter, ...] = ()
    relies_on: tuple[Reliance, ...] = ()
    claim: str = ""

    def relying_on(self, *assumptions: Reliance) -> Evidence:
        """Return the evidence with further assumptions."""
        return replace(self, relies_on=tuple(dict.fromkeys([*self.relies_on, *assumptions])))

    def with_methods(self, *methods: Refuter) -> Evidence:
        """Return the evidence with further methods."""
        return replace(self, by=tuple(dict.fromkeys([*self.by, *methods])))


LEAST = {
    Objective.STEPS: "shortest",
    Objective.ACTIONS: "fewest actions",
    Objective.COST: "least cost",
    Objective.METRIC: "best metric",
}
"""The meaning of the outcome `optimal`, for each objective."""


@dataclass(frozen=True)
class Seconds:
    """Seconds of wall-clock time. `total` includes the reading of files and the check of plans."""

    total: float = 0.0
    ground: float = 0.0
    solve: float = 0.0


@dataclass(frozen=True)
class StepStatistics:
    """The effort for one horizon: seconds, and the solver's conflicts and choices."""

    horizon: int
    ground: float
    solve: float
    conflicts: int
    choices: int


@dataclass(frozen=True)
class Statistics:
    """The effort of a run; None for a count that the engine does not have.

    ASP and SMT count calls, choices, conflicts and restarts; `atoms` and `rules` are the size of
    the last ground program. Search counts states: `generated` successors, `queued` additions to the
    open list, `expanded` states taken out of it, and `peak_open`, its largest size. `configuration`
    is the configuration of clasp and the reason for it, unless it is the usual one. `steps` has the
    solve calls.
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

    def counts(self) -> dict[str, Any]:  # plain data of several types
        """Return the fields that have a value, as plain data."""
        return {name: value for name, value in asdict(self).items() if value not in (None, ())}


Written = TypeVar("Written")


class Texts(Sequence[Written]):
    """A sequence of texts that `write` makes at the first access.

    Most plans are not drawn, so their texts are never made.
    """

    def __init__(self, write: Callable[[], Iterable[Written]]) -> None:
        self._write = write

    @cached_property
    def _texts(self) -> tuple[Written, ...]:
        return tuple(self._write())

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> Written: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Written, ...]: ...

    def __getitem__(self, index: int | slice) -> Written | tuple[Written, ...]:
        return self._texts[index]

    def __reduce__(self) -> tuple[object, ...]:
        # A worker sends texts to its parent: the terms of clingo belong to one process.
        return tuple, (self._texts,)


@dataclass(frozen=True)
class Trajectory:
    """The states that a plan passes, as text, and other data for showing them."""

    facts: Sequence[str] = ()
    """The facts of the instance, or of the base part if the program has no instance."""
    states: Sequence[tuple[str, ...]] = ()
    """The fluents at time 0, 1, …, one state more than the plan has steps. They come from the
    model, or from shown atoms `holds(Fluent,t)`, or are the program's fluents without their times.
    Empty if the fluents are unknown."""
    boards: tuple[str, ...] = ()
    """The first and the last state as lines of text, if the domain can draw them."""
    timed: tuple[tuple[int | None, tuple[str, ...]], ...] = ()
    """The shown atoms of a program without actions, as (time, atoms); untimed ones last."""
    times: tuple[Fraction, ...] = ()
    """The start of each state in a plan whose actions have times; a state lasts from one happening
    to the next, and the first state comes before all happenings."""
    values: tuple[tuple[int | None, tuple[str, ...]], ...] = ()
    """The values of theory variables, as (time, texts such as `x=3`); untimed ones last."""
    theory: str = ""
    """The name of the tool that interprets the program's theory atoms, such as `clingcon`."""
    changing: Sequence[str] = ()
    """The predicates with a time argument, as NAME/ARITY, whose facts hold at one time only."""
    columns: Sequence[tuple[str, int, int]] = ()
    """Guesses from the names of variables: a predicate of cells, the index of its column among the
    two numbers of a cell (0 or 1), and the number of rules that suggest it."""
    rules: str | None = None
    """The file of drawing rules for the domain or the encoding, if there is one."""


@dataclass(frozen=True)
class Opinion:
    """The verdict of a domain's model on plans of a user's program for an instance of the domain.

    `agrees` is None if the plan's actions are not the domain's, so that the model cannot judge it.
    """

    domain: str
    agrees: bool | None
    variants: Mapping[str, str] = field(default_factory=dict)
    """The constants of an unusual variant of the game in which the plans are valid."""


@dataclass(frozen=True)
class Improvement:
    """A plan that is better than all before: seconds until it was found, length and cost."""

    seconds: float
    actions: int
    cost: int | None = None
    """The cost of its actions, if they have costs."""


@dataclass(frozen=True)
class Listing:
    """The claims about a list of plans.

    Attributes
    ----------
    is_complete
        True if it is proven that the list has all plans within `bound`.
    is_exhausted
        True if it is proven that no other plan exists.
    is_cut
        True if a limit ended the search.
    bound
        The greatest length (or cost) of a plan to list; None without one.
    known_to
        The greatest length (or cost) up to which all plans are known; None if there is none.
    by_cost
        True if plans are ordered by their costs, rather than by their lengths.
    """

    is_complete: bool = False
    is_exhausted: bool = False
    is_cut: bool = False
    bound: int | None = None
    known_to: int | None = None
    by_cost: bool = False


@dataclass(frozen=True)
class Diversity:
    """The distances between plans that were chosen to differ, and the claims about the choice.

    Attributes
    ----------
    distance
        The distance: `actions`, `states` or `order`.
    wanted
        The number of plans that the caller wants. There are fewer if no others differ.
    minimum
        The least distance between two of the plans; None for a single plan.
    bound
        A proven bound: no choice of the same number of plans has a greater least distance. Only
        plans within the bound on the length count, and only choices that include a best plan.
    is_proven
        True if `minimum` equals `bound`.
    compared
        The number of plans from which these were chosen.
    matrix
        The distance between each two plans.
    """

    distance: str
    wanted: int
    minimum: float | None = None
    bound: float = 1.0
    is_proven: bool = False
    compared: int = 0
    matrix: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, repr=False)
class Result(NotebookData):
    """The answer of a run, complete enough to be printed, stored, drawn and compared.

    A running engine reports its progress as a result too, with the outcome `unknown` and the bounds
    that are proven so far.
    """

    outcome: Outcome = Outcome.UNKNOWN
    reason: str = ""
    """The reason of the outcome in words, or the current work of a running engine."""
    stopped: Stop | None = None
    horizon: int | None = None
    """The number of the last step, after which the goal holds; None without a plan."""
    lower_bound: int = 0
    """A proven bound: no plan has fewer steps; if actions are counted, each is a step."""
    lower_cost: int = 0
    """A proven bound on the cost of every plan, if the cost of actions was minimized."""
    optimized: Objective = Objective.STEPS
    """The objective."""
    cost: tuple[int, ...] | None = None
    """The value of the program's objective by priority; without one, the cost of the plan's
    actions, if they have costs."""
    least_among: int | None = None
    """The number of steps of the plans among which the cost is proven least.

    None without a proof.
    """
    metric: Fraction | None = None
    """The value of the PDDL task's metric for the plan; None without a metric."""
    violated: Mapping[str, int] = field(default_factory=dict)
    """The number of violations of each PDDL preference that the plan violates."""
    plans: tuple[Plan, ...] = ()
    """The plan; with `models=N`, up to N plans. Empty without a plan."""
    improvements: tuple[Improvement, ...] = ()
    """The better plans that improvement found, from the first plan to the best."""
    listing: Listing | None = None
    """The claims about the list of `plans`, if several plans were wanted. With `diversity`, they
    are about the plans from which these were chosen."""
    diversity: Diversity | None = None
    """The distances between the plans, if diverse plans were wanted."""
    atoms: tuple[str, ...] = ()
    """All shown atoms of the first answer set, as text."""
    no_actions: str = ""
    """The reason why a satisfiable horizon has no list of actions, and a hint."""
    validated: str | None = None
    """The kind of check: `model`, `replay`, `text` (of a PDDL task), or None."""
    beside: tuple[str, ...] = ()
    """Action atoms that a single-shot program demands at times outside of the plan, as text."""
    referee: Opinion | None = None
    """The verdict of the domain's model, if a user's program plans for the domain's instance."""
    seconds: Seconds = Seconds()
    statistics: Statistics = Statistics()
    evidence: Evidence = field(default=Evidence(), compare=False)
    """The evidence of the proof."""
    phase: Phase = field(default=Phase.PREPARING, compare=False)
    """The phase of the run, in a report of progress; not stored."""
    way: str = ""
    """The bound of the time of a single-shot program and the form of its conversion, in words."""
    files: tuple[str, ...] = ()
    domain: str | None = None
    encoding: str | None = None
    engine: str = ""
    """The engine, or `kstar` for a list of plans from a state space; empty if not known yet."""
    method: str = ""
    """The method with the answer, if the engine ran several: the winner of a race, such as `astar`
    or `sat:glucose42`, or `state search` if such a search has joined clingo and ended the run."""
    mode: Mode = Mode.INCREMENTAL
    constants: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[InputWarning, ...] = ()
    """The warnings about the input."""
    written: tuple[str, ...] = field(default=(), compare=False)
    """A message about each file that was written, such as a drawing; not stored."""
    trajectory: Trajectory | None = field(default=None, compare=False)
    """The states of the first plan; not stored."""

    @property
    def plan(self) -> Plan | None:
        """The plan, the first one if there are several; None if there is no plan."""
        return self.plans[0] if self.plans else None

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """The true fluents at time 0, 1, … of the (first) plan, as text.

        Empty if they are unknown, as in a stored result.
        """
        return tuple(self.trajectory.states) if self.trajectory else ()

    @property
    def proof(self) -> Proof:
        """The plans that are proven not to exist, with the evidence."""
        from asplan.core.proof import find_refuted, prove  # few runs need it

        refuted = find_refuted(
            self.optimized,
            self.lower_bound,
            self.lower_cost,
            has_best=self.outcome is Outcome.OPTIMAL,
            has_none=self.outcome is Outcome.UNSOLVABLE,
        )
        return prove(refuted, self.evidence.by, self.evidence.relies_on)

    @property
    def is_doubtful(self) -> bool:
        """True if a warning casts doubt on the answer."""
        return any(warning.doubt for warning in self.warnings)

    @property
    def verdict(self) -> str:
        """The outcome as text; if it is doubtful, with the number of warnings."""
        if not self.is_doubtful:
            return str(self.outcome)
        scope = "" if self.outcome is Outcome.UNKNOWN else " for the program as written"
        return f"{self.outcome}{scope}; {amount(len(self.warnings), 'warning')}"

    @property
    def instance(self) -> str:
        """The name of the first file, without folder and suffix."""
        return PurePath(self.files[0]).stem if self.files else ""

    @property
    def engine_text(self) -> str:
        """The engine as text; if another method has answered, both: `asp, answered by astar`."""
        is_other = self.method not in ("", self.engine)
        return f"{self.engine}, answered by {self.method}" if is_other else self.engine

    def __str__(self) -> str:
        """Return the numbered steps of the plan, and then the outcome with its reason."""
        return "\n".join(filter(None, [str(self.plan or ""), f"{self.verdict}: {self.reason}"]))

    def __repr__(self) -> str:
        name = " ".join(filter(None, [self.domain, self.instance]))
        horizon = "" if self.horizon is None else f", {amount(self.horizon, 'step')}"
        return f"<Result {name}: {self.outcome}{horizon} ({self.reason})>"
