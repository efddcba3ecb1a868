"""The parts of an engine: its options, its run, and its entry in the registry.

An engine is a function from a `Run` to a `Result`. `Run.result` makes all of its results, so all
engines use one clock and stop for the same reasons. The options are a dataclass; each field has its
form on the command line.

>>> @dataclass(frozen=True)
... class Example(EngineOptions):
...     threads: int | None = option("Solve with this many threads.", kind=int, least=1)
>>> Example.forms()["threads"].help
'Solve with this many threads.'
"""

from __future__ import annotations

import time
from collections.abc import (
    Callable,
    Sequence,
)
from dataclasses import (
    dataclass,
    field,
    replace,
)
from functools import cached_property, partial
from typing import (
    Any,
    Generic,
    TypeAlias,
    TypeVar,
)

from asplan.core.budget import Budget, Reporter, ignore_report, never
from asplan.core.errors import UsageError
from asplan.core.limits import Limits, Stop
from asplan.core.registry import Later
from asplan.core.text import LARGEST
from asplan.problem import Problem
from asplan.result import (
    Outcome,
    Phase,
    Result,
    Seconds,
    Statistics,
)

ALIKE = ("origin", "turns", "forall")  # encodings whose steps are alike and read one step back


@dataclass(frozen=True)
class Form:
    """The form of an option on the command line.

    Attributes
    ----------
    kind
        The type of its value: `int`, `str`, or `bool` for a flag.
    least, most
        The bounds of a number.
    choices
        The possible values; empty if all are.
    words
        True if the value is the words after `--`.
    section
        The section of the help.
    expert
        True if only `--help-all` shows it.
    hidden
        True if no help shows it.
    """

    help: str
    kind: type = str
    least: int = 0
    most: int = LARGEST
    choices: Sequence[str] = ()
    metavar: str | None = None
    words: bool = False
    section: str = "Engines"
    expert: bool = True
    hidden: bool = False

    def check(
        self,
        name: str,
        value: object,
    ) -> None:
        """Raise `UsageError` at a value that the option cannot have."""
        if self.choices and value not in self.choices:
            choices = f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
            raise UsageError(f"{name}={value!r}: {name} is {choices}")
        if self.kind is int and not self._is_in_range(value):
            bounds = f"{self.least} to {self.most}"
            if self.most == LARGEST:
                bounds = f"from {self.least}"
            raise UsageError(f"{name}={value!r}: {name} is a number {bounds}")

    def _is_in_range(self, value: object) -> bool:
        return type(value) is int and self.least <= value <= self.most


OptionField: TypeAlias = Any  # the value of a field is of the type that its class declares


def option(
    help: str,
    default: OptionField = None,
    **form: OptionField,
) -> OptionField:
    """Return a field of an engine's options; None means that the engine decides."""
    return field(default=default, metadata={"form": Form(help, **form)})


def goal_option(
    help: str,
    **form: OptionField,
) -> OptionField:
    """Return a field of an objective, which the short help shows."""
    return option(help, section="What to find", expert=False, **form)


def optimal_option() -> OptionField:
    """Return the field of an objective over plans of any length.

    In tasks with numbers it is the objective over plans with the fewest steps.
    """
    about = "Prove that no plan has fewer actions, or costs less, or has a better metric."
    return goal_option(about, choices=("actions", "cost", "metric"))


@dataclass(frozen=True)
class EngineOptions:
    """The base of the options of all engines, and the options of an engine without any."""

    @property
    def encodings(self) -> tuple[str, ...]:
        """The encodings that suit best, the best first."""
        return ()

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` if options contradict each other or the limits."""

    @classmethod
    def forms(cls) -> dict[str, Form]:
        """Return the forms of the options by name."""
        fields = cls.__dataclass_fields__
        return {name: f.metadata["form"] for name, f in fields.items() if "form" in f.metadata}


class Shared:
    """A lower bound that the runs on a problem share; here there is only one run."""

    def proven(self) -> int:
        """Return the greatest bound that another run has proven."""
        return 0

    def raise_to(self, bound: int) -> None:
        """Share a bound."""


Chosen = TypeVar("Chosen", bound=EngineOptions)

ResultField: TypeAlias = Any  # the fields of a result are of many types


@dataclass
class Run(Generic[Chosen]):
    """A run of an engine on a problem.

    Attributes
    ----------
    report
        Receives partial results; their `reason` is the present activity.
    start
        The start by `time.monotonic()`; reading the files counts.
    is_abandoned
        A function that returns True once nobody waits for the result.
    has_chosen_encoding
        True if the user named the encoding.
    lower_bound, lower_cost
        The proven bounds: horizons below the first are refuted, and no plan costs less.
    effort
        A function that returns the time and the counts so far.
    activity, phase
        The present activity, in words, and its phase.
    shared
        The bound that other runs share.
    """

    problem: Problem
    options: Chosen
    limits: Limits = Limits()
    report: Reporter[Result] = ignore_report
    start: float = field(default_factory=time.monotonic)
    lower_bound: int = 0
    lower_cost: int = 0
    effort: Callable[[], tuple[Seconds, Statistics]] = lambda: (Seconds(), Statistics())
    activity: str = "planning"
    phase: Phase = Phase.PREPARING
    shared: Shared = Shared()
    is_abandoned: Callable[[], bool] = never
    has_chosen_encoding: bool = False

    @cached_property
    def budget(self) -> Budget:
        """The budget of the run, up to its time limit."""
        return Budget(self.limits.deadline(self.start), self.is_abandoned)

    @property
    def deepest(self) -> float:
        """The maximal horizon; infinity without a limit."""
        return float("inf") if self.limits.max_horizon is None else self.limits.max_horizon

    @property
    def is_reported(self) -> bool:
        """True if somebody receives the reports."""
        return self.report is not ignore_report

    def result(self, **fields: ResultField) -> Result:
        """Return a result with the bounds and the effort so far, and further fields."""
        seconds, statistics = self.effort()
        progress = {
            "lower_bound": self.lower_bound,
            "lower_cost": self.lower_cost,
            "seconds": seconds,
            "statistics": statistics,
        }
        return Result(**{**progress, **fields})

    def announce(
        self,
        activity: str,
        phase: Phase = Phase.PREPARING,
        **fields: ResultField,
    ) -> None:
        """Begin an activity in a phase, and report it without the statistics of single steps."""
        self.activity = activity
        self.phase = phase
        if self.is_reported:
            partial = self.result(reason=activity, phase=phase, **fields)
            self.report(replace(partial, statistics=replace(partial.statistics, steps=())))

    def out_of_time(
        self,
        activity: str = "",
        **fields: ResultField,
    ) -> Result:
        """Return the result at the time limit."""
        reason = self.limits.time_reason(activity)
        return self.result(**{"stopped": Stop.TIME, "reason": reason, **fields})

    def out_of_memory(self, activity: str, **fields: ResultField) -> Result:
        """Return the result if memory is used up."""
        reason = f"out of memory while {activity}"
        return self.result(**{"stopped": Stop.MEMORY, "reason": reason, **fields})

    def unsolvable(
        self,
        why: str,
        **fields: ResultField,
    ) -> Result:
        """Return the result if no plan exists."""
        reason = f"no plan exists: {why}"
        return self.result(outcome=Outcome.UNSOLVABLE, reason=reason, refutation=why, **fields)

    def too_deep(self) -> Result:
        """Return the result if no plan is within the maximal horizon."""
        reason = f"maximal horizon {self.limits.max_horizon} reached"
        return self.result(stopped=Stop.HORIZON, reason=reason)


@dataclass(frozen=True)
class Engine:
    """An entry of the registry.

    Attributes
    ----------
    run
        The function from a run to a result.
    options
        The class of its options.
    needs_model
        True if it works on the model in Python.
    about
        A description in one line.
    forks
        True if it starts processes.
    from_text
        True if PDDL tasks are not translated for it.
    searches
        True if it works on a model in Python or on the states of a program.
    knows_theories
        True if it interprets theory atoms.
    grounds_anew
        True if it takes programs that are grounded anew for each horizon.
    """

    run: Callable[[Run[Any]], Result]  # Any: the options of this engine
    options: type[EngineOptions]
    needs_model: bool
    about: str
    forks: bool = False
    from_text: bool = False
    searches: bool = False
    knows_theories: bool = False
    grounds_anew: bool = False

    def load(self) -> None:
        """Import the modules of the engine, so that processes forked later need not."""
        work = self.run.func if isinstance(self.run, partial) else self.run
        if isinstance(work, Later):
            work.load()
