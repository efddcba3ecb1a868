"""What asplan is asked about a problem of unified-planning, and how it is asked."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any

from unified_planning.exceptions import UPUnsupportedProblemTypeError, UPUsageError
from unified_planning.model import AbstractProblem, Problem
from unified_planning.model.metrics import (
    MinimizeActionCosts,
    MinimizeMakespan,
    MinimizeSequentialPlanLength,
)

import asplan
from asplan.engines import OLD_NAMES
from asplan.engines.run import Report
from asplan.errors import AsplanError, nearest
from asplan.limits import Stop
from asplan.problem import Inputs, load_source
from asplan.problem import Problem as Source
from asplan.result import Result
from asplan.up.writing import Written, refusal, written

_OPTIMIZED = {MinimizeActionCosts: "cost", MinimizeSequentialPlanLength: "actions"}
_PROGRAMS = ("asp", "sat", "portfolio", "auto")
"""The engines that work on an encoding, so that they know of parallel steps."""


@dataclass(frozen=True)
class Settings:
    """What an engine was told when it was made.

    Attributes
    ----------
    engine
        An engine of asplan.
    optimal
        Whether what the metric of a problem asks for is proven; without a metric it has no use.
    partial_order
        Whether plans are partial-order plans; None for those of the metric makespan alone.
    memory_limit
        Megabytes.
    search_beside
        Whether a search through the states joins in after a while; see `beside`.
    """

    engine: str = "asp"
    optimal: bool = True
    partial_order: bool | None = None
    memory_limit: int | None = None
    search_beside: bool = True

    def __post_init__(self) -> None:
        """Raise `UPUsageError` for a value that a setting cannot have."""
        words = {"optimal": self.optimal, "search_beside": self.search_beside}
        if self.partial_order is not None:
            words["partial_order"] = self.partial_order
        for name, value in words.items():
            if not isinstance(value, bool):
                raise UPUsageError(f"{name}={value!r}: True or False is wanted")
        limit = self.memory_limit
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int)):
            raise UPUsageError(f"memory_limit={limit!r}: a number of megabytes is wanted")


def refuse_unknown(settings: Mapping[str, object]) -> None:
    """Raise `UPUsageError` for settings that nobody knows, with what may have been meant."""
    known = [field.name for field in fields(Settings)]
    for name in settings:
        raise UPUsageError(
            f"asplan has no setting {name!r}; {nearest(name, known, noun='settings')}"
        )


@dataclass(frozen=True)
class Question:
    """A problem, and the options of `asplan.solve` that suit its metric."""

    problem: Problem
    settings: Settings
    written: Written
    optimized: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def partial_order(self) -> bool:
        """Whether the plan is to be a partial-order plan."""
        wanted = self.settings.partial_order
        return self.optimized == "steps" if wanted is None else wanted

    @property
    def wants_proof(self) -> bool:
        """Whether a plan is an answer only if it is proven to be a best one."""
        return self.optimized is not None and self.settings.optimal

    def ask(
        self, timeout: float | None, report: Report, options: Mapping[str, Any] | None = None
    ) -> Result:
        """Ask, if not told otherwise with the options that suit the metric.

        The work is done in a child process, which ends as soon as `report` raises.

        Raises
        ------
        UPUsageError
            asplan refuses the problem or the options.
        KeyboardInterrupt
            Somebody interrupted it.
        """
        with self.files() as files:
            kept = {"time_limit": timeout, "memory_limit": self.settings.memory_limit}
            chosen = {"engine": self.settings.engine, **kept}
            chosen |= self.options if options is None else options
            result = _solve(*files, isolate=True, progress=report, **chosen)
        if result.stopped is Stop.INTERRUPT:
            raise KeyboardInterrupt
        return result

    @contextmanager
    def files(self) -> Iterator[tuple[str, str]]:
        """The domain and the problem as files, for as long as they are needed."""
        with tempfile.TemporaryDirectory(prefix="asplan-up-") as folder:
            yield self.written.put_into(folder)

    def source(self) -> Source:
        """The problem as plans are checked by it, apart from all translation."""
        with self.files() as files:
            source = load_source(Inputs(files))
        assert source is not None
        return source

    def first(self) -> Mapping[str, Any]:
        """The options that find any plan soon."""
        steps = {"steps": "forall"} if self.partial_order else {}
        return {**steps, "first": True} if self.settings.engine in _PROGRAMS else {}


def question(problem: AbstractProblem, settings: Settings) -> Question:
    """Look at a problem and write it down.

    Raises
    ------
    UPUnsupportedProblemTypeError
        asplan does not take such problems; the message names what it cannot do.
    UPUsageError
        The problem has several metrics, or costs that cannot be; or the settings contradict it.
    """
    if why := refusal(problem.kind):
        raise UPUnsupportedProblemTypeError(why)
    assert isinstance(problem, Problem)
    if len(problem.quality_metrics) > 1:
        raise UPUsageError("asplan takes one quality metric, and the problem has several")
    metric = next(iter(problem.quality_metrics), None)
    optimized = None if metric is None else _OPTIMIZED.get(type(metric), "steps")
    assert optimized != "steps" or isinstance(metric, MinimizeMakespan)
    asked = Question(problem, settings, written(problem), optimized)
    _check(asked)
    if not asked.wants_proof:
        return replace(asked, options=asked.first())
    options = {"steps": "forall"} if optimized == "steps" else {"optimal": optimized}
    return replace(asked, options=options)


def _check(asked: Question) -> None:
    """Raise `UPUsageError` where steps are wanted of what knows of none."""
    engine, programs = asked.settings.engine, ", ".join(_PROGRAMS)
    parallel = asked.partial_order or asked.optimized == "steps"
    if parallel and engine not in (*_PROGRAMS, *OLD_NAMES):
        raise UPUsageError(
            f"asplan's engine {engine} knows nothing of parallel steps, which make makespan and "
            f"partial-order plans; {programs} do"
        )
    if asked.partial_order and asked.optimized in ("cost", "actions"):
        raise UPUsageError(
            "asplan makes partial-order plans of parallel steps, so for the metric makespan or "
            "for none"
        )


def _solve(*files: str, **options: Any) -> Result:
    try:
        return asplan.solve(*files, **options)
    except AsplanError as error:
        raise UPUsageError(f"asplan: {error}") from error
