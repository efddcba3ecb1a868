"""Questions to asplan: a problem of unified-planning together with the settings of the engine."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, fields, replace
from typing import Any

from unified_planning.exceptions import UPUnsupportedProblemTypeError, UPUsageError
from unified_planning.model import AbstractProblem, Problem, metrics
from unified_planning.plans import ActionInstance

import asplan
from asplan.core.budget import Reporter
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, nearest
from asplan.core.limits import Stop
from asplan.engines import OLD_NAMES
from asplan.engines.asp.schedules import FAST
from asplan.problem import Inputs, load_source
from asplan.problem.kinds import TranslatedTask
from asplan.result import Result
from asplan.up.features import find_refusal, has_demands
from asplan.up.naming import PddlNaming
from asplan.up.object_fluents import MapBack, without_object_fluents
from asplan.up.writing import PddlText, to_pddl

NAME = "asplan"
"""The name of the engine in unified-planning."""

Options = Mapping[str, object]
"""Keyword arguments of `asplan.solve`."""

_OBJECTIVES = {
    metrics.MinimizeActionCosts: "cost",
    metrics.MinimizeSequentialPlanLength: "actions",
    metrics.MinimizeExpressionOnFinalState: "metric",
    metrics.MaximizeExpressionOnFinalState: "metric",
    metrics.Oversubscription: "metric",
}
"""The objective of each metric by asplan's name; makespan, the only other metric, is `steps`."""

_PARALLEL_ENGINES = ("asp", "sat", "portfolio", "auto")
"""The engines that use an encoding, and so support several actions in a step."""

_FOREVER = 1e9
"""The seconds for which a plan is improved if there is no time limit."""


@dataclass(frozen=True)
class EngineSettings:
    """The settings of `asplan.up.Engine`.

    Raises
    ------
    UPUsageError
        A value has the wrong type.
    """

    engine: str = "asp"
    optimal: bool = True
    partial_order: bool | None = None
    memory_limit: int | None = None
    search_beside: bool = True
    number_of_plans: int | None = None
    quality: float | None = None
    loopless: bool = False

    def __post_init__(self) -> None:
        for name in ("optimal", "search_beside", "partial_order", "loopless"):
            value = getattr(self, name)
            is_unset = name == "partial_order" and value is None
            if not isinstance(value, bool) and not is_unset:
                raise UPUsageError(f"{name}={value!r}: pass True or False")
        if type(self.memory_limit) not in (int, type(None)):
            message = f"memory_limit={self.memory_limit!r}: pass a number of megabytes"
            raise UPUsageError(message)
        if type(self.number_of_plans) not in (int, type(None)):
            message = f"number_of_plans={self.number_of_plans!r}: pass a number of at least 1"
            raise UPUsageError(message)
        if type(self.quality) not in (int, float, type(None)):
            raise UPUsageError(f"quality={self.quality!r}: pass a factor of at least 1")

    @property
    def lists_plans(self) -> bool:
        """True if an anytime planner lists the best plans, instead of better and better ones."""
        return self.number_of_plans is not None or self.quality is not None

    @classmethod
    def from_names(cls, settings: Mapping[str, Any]) -> EngineSettings:  # of any type, from users
        """Make settings from a mapping of names to values; raise `UPUsageError` for an unknown
        name.
        """
        known = [field.name for field in fields(cls)]
        for name in settings:
            if name not in known:
                hint = nearest(name, known, noun="settings")
                raise UPUsageError(f"asplan has no setting {name!r}; {hint}")
        return cls(**settings)


@dataclass(frozen=True)
class UpQuestion:
    """A problem with its PDDL text, its objective, and options for asplan.

    `compiled` is the problem without object-valued fluents; `text` describes the compiled problem.
    `map_back` maps actions of the compiled problem to actions of the original one. `optimized` is
    the objective as `Result` names it, None without a metric.
    """

    problem: Problem
    compiled: Problem
    map_back: MapBack | None
    settings: EngineSettings
    text: PddlText
    optimized: str | None = None
    options: Options = field(default_factory=dict)

    @property
    def partial_order(self) -> bool:
        """True if the answer is a partial-order plan, made of parallel steps."""
        if self.text.has_time:
            return False
        if self.settings.partial_order is None:
            return self.optimized == "steps"
        return self.settings.partial_order

    @property
    def wants_proof(self) -> bool:
        """True if the answer must be a plan that is proven best."""
        return self.optimized is not None and self.settings.optimal

    def solve(
        self,
        timeout: float | None,
        report: Reporter[Result],
        options: Options | None = None,
    ) -> Result:
        """Solve the problem in a child process; an exception raised by `report` ends it.

        `options` replace the options of the question, if they are given.
        """
        arguments: dict[str, Any] = {  # for parameters of many types
            "engine": self.settings.engine,
            "time_limit": timeout,
            "memory_limit": self.settings.memory_limit,
            **(self.options if options is None else options),
        }
        with self.files() as files:
            try:
                result = asplan.solve(
                    *files,
                    isolate=True,
                    progress=report,
                    **arguments,
                )
            except AsplanError as error:
                raise UPUsageError(f"asplan: {error}") from error
        if result.stopped is Stop.INTERRUPT:
            raise KeyboardInterrupt
        return result

    @contextmanager
    def files(self) -> Iterator[tuple[str, str]]:
        """Write domain and problem into temporary files; yield their paths."""
        with tempfile.TemporaryDirectory(prefix="asplan-up-") as folder:
            yield self.text.put_into(folder)

    def source(self) -> TranslatedTask:
        """Load the PDDL text as a task whose plans are checked on the text itself, without
        translation.
        """
        with self.files() as files:
            source = load_source(Inputs(files))
        assert source is not None
        return source

    def compile(self, instance: ActionInstance) -> ActionInstance:
        """Return the compiled form of an action of the problem.

        An action that does not belong to the problem is returned unchanged.
        """
        if self.map_back is None or instance.action not in self.problem.actions:
            return instance
        action = self.compiled.action(instance.action.name)
        return ActionInstance(action, instance.actual_parameters)

    def pddl_words(self, instance: ActionInstance) -> list[str]:
        """Return the PDDL names of an action and its arguments.

        Raises
        ------
        KeyError
            The problem has no such action or object.
        """
        return words_of(self.compile(instance), self.text.names)

    def for_any_plan(self) -> UpQuestion:
        """Return the question with options for finding any plan quickly."""
        options: dict[str, object] = {}
        is_encoded = self.settings.engine in _PARALLEL_ENGINES
        if self.text.has_time or is_encoded:
            options["first"] = True
        if is_encoded and not self.text.has_time:
            if self.partial_order:
                options["steps"] = "forall"
            if self.text.has_numbers:
                options["steps"] = "rolled"
            # With an explicit schedule the engine runs no state search of its own.
            if self.settings.engine == "asp" and not self.settings.search_beside:
                options["schedule"] = FAST
        return replace(self, options=options)

    def for_better_plans(self, timeout: float | None) -> UpQuestion | None:
        """Return the question with options for improving the first plan; None if that is
        impossible.
        """
        has_more = self.text.has_time or self.text.has_numbers or has_demands(self.problem.kind)
        is_additive = self.optimized in ("cost", "actions") and self.settings.optimal
        is_encoded = self.settings.engine in _PARALLEL_ENGINES
        if has_more or not is_additive or not is_encoded:
            return None
        seconds = _FOREVER if timeout is None else timeout
        return replace(self, options={**self.for_any_plan().options, "improve": seconds})


def words_of(action: ActionInstance, names: PddlNaming) -> list[str]:
    """Return the PDDL names of an action and of its arguments; raise `KeyError` for
    unknown ones.
    """
    objects = [parameter.object() for parameter in action.actual_parameters]
    return [names.names[item] for item in (action.action, *objects)]


def make_question(problem: AbstractProblem, settings: EngineSettings) -> UpQuestion:
    """Make the question for a problem: translate it to PDDL, and choose options for its metric.

    Raises
    ------
    UPUnsupportedProblemTypeError
        asplan does not support this kind of problem.
    UPUsageError
        The settings do not fit the metric or the problem.
    """
    refusal = find_refusal(problem.kind)
    if refusal:
        raise UPUnsupportedProblemTypeError(refusal)
    assert isinstance(problem, Problem)
    if len(problem.quality_metrics) > 1:
        raise UPUsageError("asplan takes one quality metric, but the problem has several")
    metric = next(iter(problem.quality_metrics), None)
    optimized = None if metric is None else _OBJECTIVES.get(type(metric), "steps")
    compiled, map_back = without_object_fluents(problem)
    question = UpQuestion(problem, compiled, map_back, settings, to_pddl(compiled), optimized)
    _check_settings(question)
    if not question.wants_proof:
        return question.for_any_plan()
    return replace(question, options=_proof_options(question))


def _check_settings(question: UpQuestion) -> None:
    """Raise `UPUsageError` if the settings do not fit the metric or the problem."""
    engine = question.settings.engine
    is_parallel = question.partial_order or question.optimized == "steps"
    if is_parallel and engine not in (*_PARALLEL_ENGINES, *OLD_NAMES):
        raise UPUsageError(
            f"engine {engine} has no parallel steps, which makespan and partial-order plans "
            f"need; use {' or '.join(_PARALLEL_ENGINES)}"
        )
    is_additive = question.optimized in ("cost", "actions")
    if question.partial_order and is_additive:
        raise UPUsageError(
            "asplan makes partial-order plans only for the metric makespan or for none"
        )
    if question.text.has_time and is_additive:
        raise UPUsageError("for problems with time asplan takes the metric makespan, or none")


def _proof_options(question: UpQuestion) -> dict[str, object]:
    """Return options for asplan with which a plan is proven best.

    With numbers, a plan is proven best only among the plans with the fewest steps.
    """
    if question.text.has_time:
        return {}
    if question.optimized == "steps":
        return {"steps": "forall"}
    if not question.text.has_numbers:
        return {"optimal": question.optimized}
    if question.optimized == "actions":
        return {"steps": "sequential"}
    return {"optimal": "metric"}
