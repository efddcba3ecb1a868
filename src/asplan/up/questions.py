"""What asplan is asked about a problem of unified-planning, and how it is asked."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any

from unified_planning.exceptions import UPUnsupportedProblemTypeError, UPUsageError
from unified_planning.model import AbstractProblem, Problem
from unified_planning.model.metrics import MinimizeActionCosts, MinimizeSequentialPlanLength

import asplan
from asplan.core.errors import AsplanError, nearest
from asplan.core.limits import Stop
from asplan.engines import OLD_NAMES
from asplan.engines.run import Report
from asplan.problem import Inputs, load_source
from asplan.problem import Problem as PddlProblem
from asplan.result import Result
from asplan.up.writing import PddlText, refusal, to_pddl

_OPTIMIZED = {MinimizeActionCosts: "cost", MinimizeSequentialPlanLength: "actions"}
"""What the metrics count; makespan, the only other one, counts steps."""

_PROGRAMS = ("asp", "sat", "portfolio", "auto")
"""The engines that work on an encoding, so that they know of parallel steps."""


@dataclass(frozen=True)
class EngineSettings:
    """The settings of `asplan.up.Engine`; raises `UPUsageError` for a value of another type."""

    engine: str = "asp"
    optimal: bool = True
    partial_order: bool | None = None
    memory_limit: int | None = None
    search_beside: bool = True

    def __post_init__(self) -> None:
        for name in ("optimal", "search_beside", "partial_order"):
            value = getattr(self, name)
            if not isinstance(value, bool) and (name, value) != ("partial_order", None):
                raise UPUsageError(f"{name}={value!r}: True or False is wanted")
        if type(self.memory_limit) not in (int, type(None)):
            raise UPUsageError(
                f"memory_limit={self.memory_limit!r}: a number of megabytes is wanted"
            )


def refuse_unknown(settings: Mapping[str, object]) -> None:
    """Raise `UPUsageError` for settings that nobody knows, with what may have been meant."""
    known = [field.name for field in fields(EngineSettings)]
    for name in settings:
        hint = nearest(name, known, noun="settings")
        raise UPUsageError(f"asplan has no setting {name!r}; {hint}")


@dataclass(frozen=True)
class Question:
    """A problem, what its metric counts, and the options of `asplan.solve` that suit it."""

    problem: Problem
    settings: EngineSettings
    text: PddlText
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

    def solve(
        self, timeout: float | None, report: Report, options: Mapping[str, Any] | None = None
    ) -> Result:
        """Solve it in a child process, which ends as soon as `report` raises.

        Raises `UPUsageError` where asplan refuses the problem or the options.
        """
        chosen = {
            "engine": self.settings.engine,
            "time_limit": timeout,
            "memory_limit": self.settings.memory_limit,
            **(self.options if options is None else options),
        }
        with self.files() as files:
            try:
                result = asplan.solve(*files, isolate=True, progress=report, **chosen)
            except AsplanError as error:
                raise UPUsageError(f"asplan: {error}") from error
        if result.stopped is Stop.INTERRUPT:
            raise KeyboardInterrupt
        return result

    @contextmanager
    def files(self) -> Iterator[tuple[str, str]]:
        """The domain and the problem as files, for as long as they are needed."""
        with tempfile.TemporaryDirectory(prefix="asplan-up-") as folder:
            yield self.text.put_into(folder)

    def source(self) -> PddlProblem:
        """The problem as plans are checked by it, apart from all translation."""
        with self.files() as files:
            source = load_source(Inputs(files))
        assert source is not None
        return source

    def for_any_plan(self) -> Question:
        """The same with the options that find any plan soon."""
        options: dict[str, Any] = {}
        if self.settings.engine in _PROGRAMS:
            options = {"first": True} | ({"steps": "forall"} if self.partial_order else {})
        return replace(self, options=options)


def question_about(problem: AbstractProblem, settings: EngineSettings) -> Question:
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
    question = Question(problem, settings, to_pddl(problem), optimized)
    if (question.partial_order or optimized == "steps") and (
        settings.engine not in (*_PROGRAMS, *OLD_NAMES)
    ):
        raise UPUsageError(
            f"asplan's engine {settings.engine} knows nothing of parallel steps, which make "
            f"makespan and partial-order plans; {', '.join(_PROGRAMS)} do"
        )
    if question.partial_order and optimized in ("cost", "actions"):
        raise UPUsageError(
            "asplan makes partial-order plans of parallel steps, so for the metric makespan or "
            "for none"
        )
    if not question.wants_proof:
        return question.for_any_plan()
    options = {"steps": "forall"} if optimized == "steps" else {"optimal": optimized}
    return replace(question, options=options)
