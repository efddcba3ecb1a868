"""What every engine is made of: its options, the run that it answers, and its entry.

An engine is a function from a `Run` to a `Result`. Whatever it claims on the way and at the end is
written by `Run.result`, so all engines keep one clock and stop for the same reasons. Its options
are a dataclass of its own, whose fields carry their command-line form.

>>> @dataclass(frozen=True)
... class Example(EngineOptions):
...     threads: int | None = option("Solve with this many threads.", kind=int, least=1)
>>> Example.forms()["threads"].help
'Solve with this many threads.'
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

from asplan.core.errors import UsageError
from asplan.core.limits import Limits, Stop
from asplan.core.registry import Later
from asplan.core.text import LARGEST
from asplan.problem import Problem
from asplan.result import Outcome, Result, Seconds, Statistics

ALIKE = ("origin", "turns", "forall")  # encodings whose steps are alike, looking back one


@dataclass(frozen=True)
class Form:
    """How the command line asks for an option, of a `kind`: `int`, `str`, or `bool` for a flag.

    `words` are those after `--`. The help shows it in its `section`; of those for an `expert`,
    `--help-all` tells, and of those that are `hidden` nobody.
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

    def check(self, name: str, value: Any) -> None:
        if self.choices and value not in self.choices:
            known = f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
            raise UsageError(f"{name}={value!r}: {name} is {known}")
        if self.kind is int and not (type(value) is int and self.least <= value <= self.most):
            reach = f"from {self.least}" if self.most == LARGEST else f"{self.least} to {self.most}"
            raise UsageError(f"{name}={value!r}: {name} is a number {reach}")


def option(help: str, default: Any = None, **form: Any) -> Any:
    """A field of an engine's options; None, the default, means that the engine decides."""
    return field(default=default, metadata={"form": Form(help, **form)})


def goal_option(help: str, **form: Any) -> Any:
    """A field that says what is looked for, which everybody is told of."""
    return option(help, section="What to find", expert=False, **form)


def optimal_option() -> Any:
    """A field for what is to be least over plans of any length; several engines have it.

    Of plans with numbers it is the least among those of the fewest steps.
    """
    about = "Prove that no plan has fewer actions, or costs less, or has a better metric."
    return goal_option(about, choices=("actions", "cost", "metric"))


@dataclass(frozen=True)
class EngineOptions:
    """Base of the options of all engines; by itself those of an engine that has none."""

    @property
    def encodings(self) -> tuple[str, ...]:
        return ()

    def check(self, limits: Limits) -> None:
        """Raise `UsageError` where options contradict each other or the limits."""

    @classmethod
    def forms(cls) -> dict[str, Form]:
        """The options by name, each with its command-line form."""
        fields = cls.__dataclass_fields__
        return {name: f.metadata["form"] for name, f in fields.items() if "form" in f.metadata}


Report = Callable[[Result], None]  # hears what is proven so far; its `reason` is what is being done


class OutOfTime(Exception):
    """The deadline has passed."""


class Shared:
    """A lower bound that several runs on one problem share; here by a single one."""

    def proven(self) -> int:
        return 0

    def tell(self, bound: int) -> None:
        """Tell the others of a bound."""


Chosen = TypeVar("Chosen", bound=EngineOptions)


def ignore_report(partial: object) -> None:
    """A report that nobody reads, so that none need be written."""


@dataclass
class Run(Generic[Chosen]):
    """An engine at work since `start`, by `time.monotonic()`; reading the files counts.

    Every horizon below `lower_bound` is refuted, and every plan costs at least `lower_cost`.
    `effort` is so far, `found` are fields of the result already; `shared` is what others prove,
    `doing` what was reported last.
    """

    problem: Problem
    options: Chosen
    limits: Limits = Limits()
    report: Report = ignore_report
    start: float = field(default_factory=time.monotonic)
    lower_bound: int = 0
    lower_cost: int = 0
    effort: Callable[[], tuple[Seconds, Statistics]] = lambda: (Seconds(), Statistics())
    found: Callable[[], Mapping[str, Any]] = dict
    doing: str = "planning"
    shared: Shared = Shared()

    def refuted_elsewhere(self, horizon: int) -> bool:
        """Whether somebody else has refuted a horizon."""
        return horizon < self.shared.proven()

    @property
    def deadline(self) -> float | None:
        return None if self.limits.seconds is None else self.start + self.limits.seconds

    @property
    def left(self) -> float:
        """The seconds that are left; infinity without a time limit."""
        return float("inf") if self.deadline is None else self.deadline - time.monotonic()

    @property
    def deepest(self) -> float:
        """The most steps that a plan may have."""
        return float("inf") if self.limits.max_horizon is None else self.limits.max_horizon

    def look(self) -> None:
        if self.left < 0:
            raise OutOfTime

    def result(self, **fields: Any) -> Result:
        """A result with what was proven, found and spent so far."""
        seconds, statistics = self.effort()
        known = {"lower_bound": self.lower_bound, "lower_cost": self.lower_cost, **self.found()}
        return Result(**{**known, "seconds": seconds, "statistics": statistics, **fields})

    def tell(self, doing: str, **fields: Any) -> None:
        """Report what is proven so far, if anybody listens; what each step took is left out."""
        self.doing = doing
        if self.report is not ignore_report:
            partial = self.result(**{"reason": doing, **fields})
            self.report(replace(partial, statistics=replace(partial.statistics, steps=())))

    def out_of_time(self, doing: str = "", **fields: Any) -> Result:
        reason = self.limits.time_reason(doing)
        return self.result(**{"stopped": Stop.TIME, "reason": reason, **fields})

    def out_of_memory(self, doing: str) -> Result:
        return self.result(stopped=Stop.MEMORY, reason=f"out of memory while {doing}")

    def unsolvable(self, why: str, **fields: Any) -> Result:
        """The result where it is proven that there is no plan."""
        reason = f"no plan exists: {why}"
        return self.result(outcome=Outcome.UNSOLVABLE, reason=reason, **fields)

    def too_deep(self) -> Result:
        reason = f"maximal horizon {self.limits.max_horizon} reached"
        return self.result(stopped=Stop.HORIZON, reason=reason)


@dataclass(frozen=True)
class Engine:
    """A way to answer a problem, with one line about it for people.

    It `needs_model` if it works on the model in Python, `searches` if on any, that of a program
    included, and works `from_text` if a PDDL task is not translated for it. One that `forks` starts
    processes; one that `knows_theories` gives theory atoms their meaning.
    """

    run: Callable[[Run[Any]], Result]
    options: type[EngineOptions]
    needs_model: bool
    about: str
    forks: bool = False
    from_text: bool = False
    searches: bool = False
    knows_theories: bool = False

    def load(self) -> None:
        """Import what does the work, so that processes forked later need not."""
        work = self.run.func if isinstance(self.run, partial) else self.run
        if isinstance(work, Later):
            work.load()
