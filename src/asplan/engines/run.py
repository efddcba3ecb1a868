"""The parts of an engine: its options, its run, and its entry in the registry.

An engine is a function from a `Run` to a `Result`. It makes all of its results by `Run.result`, so
all engines use one clock and name limits in the same words. The options are a dataclass; the
metadata of each field describe the option on the command line.

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
    """The form of an option on the command line: its help text and its possible values.

    Attributes
    ----------
    kind
        The type of its value: `int`, `str`, or `bool` for a flag.
    least, most
        The least and the greatest value of a number.
    choices
        The possible values; empty if every value is possible.
    metavar
        The placeholder of the value in the help, such as `N`.
    words
        True if the value consists of all words after `--` on the command line.
    section
        The section of the help that lists the option.
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
        """Raise `UsageError` if the option, called `name`, cannot have this value."""
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
    """Return a dataclass field for an engine's option.

    `help` and `form` are the fields of its `Form`. The default None lets the engine decide.
    """
    return field(default=default, metadata={"form": Form(help, **form)})


def goal_option(
    help: str,
    **form: OptionField,
) -> OptionField:
    """Return the field of an option about which plan to find; `--help` shows it."""
    return option(help, section="What to find", expert=False, **form)


def optimal_option() -> OptionField:
    """Return the field of the option `--optimal`, an objective over plans of any length.

    In tasks with numbers, it compares only plans with the fewest steps.
    """
    about = "Prove that no plan has fewer actions, or costs less, or has a better metric."
    return goal_option(about, choices=("actions", "cost", "metric"))


@dataclass(frozen=True)
class EngineOptions:
    """The base class of all engine options.

    An engine without options of its own uses it directly.
    """

    @property
    def encodings(self) -> tuple[str, ...]:
        """The names of the encodings that suit these options, the best first."""
        return ()

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` if options contradict each other or the limits."""

    @classmethod
    def forms(cls) -> dict[str, Form]:
        """Return the command-line form of each option, by the name of its field."""
        fields = cls.__dataclass_fields__
        return {name: f.metadata["form"] for name, f in fields.items() if "form" in f.metadata}


class Shared:
    """The lower bound on plan length that parallel runs on one problem share.

    This base class serves a run that is alone: it shares nothing.
    """

    def proven(self) -> int:
        """Return the greatest lower bound that another run has proven; 0 if there is none."""
        return 0

    def raise_to(self, bound: int) -> None:
        """Share the proof of this run that every plan has at least `bound` steps."""


Chosen = TypeVar("Chosen", bound=EngineOptions)

ResultField: TypeAlias = Any  # the fields of a result are of many types


@dataclass
class Run(Generic[Chosen]):
    """A run of an engine on a problem.

    Attributes
    ----------
    report
        A function that receives partial results while the engine works. The `reason` of such a
        result is the present activity.
    start
        The start by `time.monotonic()`, before the files were read.
    lower_bound
        Every plan is proven to have at least this many steps.
    lower_cost
        Every plan is proven to cost at least this much.
    effort
        A function that returns the seconds and the solver's statistics so far.
    activity, phase
        The present activity, in words, and its phase.
    shared
        The lower bound that parallel runs on the problem share.
    is_abandoned
        A function that returns True once nobody waits for the result.
    has_chosen_encoding
        True if the user named the encoding.
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
        """The time budget: it is spent at the time limit, or once the run is abandoned."""
        return Budget(self.limits.deadline(self.start), self.is_abandoned)

    @property
    def deepest(self) -> float:
        """The maximal horizon; infinity without a limit."""
        return float("inf") if self.limits.max_horizon is None else self.limits.max_horizon

    @property
    def is_reported(self) -> bool:
        """True if partial results are received, so that it is worth making them."""
        return self.report is not ignore_report

    def result(self, **fields: ResultField) -> Result:
        """Return a result with the bounds and the effort so far; further `fields` override them."""
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
        """Begin an activity in a phase, and report it, with further fields, as a partial result.

        The report leaves out the statistics of single steps, which grow with the horizon.
        """
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
        """Return the result of a run that the time limit has stopped during an activity."""
        reason = self.limits.time_reason(activity)
        return self.result(**{"stopped": Stop.TIME, "reason": reason, **fields})

    def out_of_memory(self, activity: str, **fields: ResultField) -> Result:
        """Return the result of a run that has run out of memory during an activity."""
        reason = f"out of memory while {activity}"
        return self.result(**{"stopped": Stop.MEMORY, "reason": reason, **fields})

    def unsolvable(
        self,
        why: str,
        **fields: ResultField,
    ) -> Result:
        """Return the result of a proof that no plan exists; `why` is the proof in words."""
        reason = f"no plan exists: {why}"
        return self.result(outcome=Outcome.UNSOLVABLE, reason=reason, refutation=why, **fields)

    def too_deep(self) -> Result:
        """Return the result of a run that found no plan up to the maximal horizon."""
        reason = f"maximal horizon {self.limits.max_horizon} reached"
        return self.result(stopped=Stop.HORIZON, reason=reason)


@dataclass(frozen=True)
class Engine:
    """An engine as the registry knows it: its function, its options and its abilities.

    Attributes
    ----------
    run
        The function from a run to a result.
    options
        The class of its options.
    needs_model
        True if it works only on a domain's model in Python.
    about
        A description in one line.
    forks
        True if it starts processes.
    from_text
        True if it reads the text of a PDDL task, which is then not translated to ASP.
    searches
        True if it searches states: those of a domain's model in Python, or those of a program.
    knows_theories
        True if it interprets theory atoms.
    grounds_anew
        True if it can solve programs that have to be grounded anew for each horizon.
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
        """Import the engine's modules now, so that processes forked later do not import them."""
        work = self.run.func if isinstance(self.run, partial) else self.run
        if isinstance(work, Later):
            work.load()
