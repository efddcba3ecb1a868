"""What asplan is asked about a problem of unified-planning, and the answers in its words."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from itertools import chain, pairwise
from typing import Any

from unified_planning import plans
from unified_planning.engines import (
    PlanGenerationResult,
    PlanGenerationResultStatus,
    ValidationResult,
    ValidationResultStatus,
)
from unified_planning.engines.results import FailedValidationReason, LogLevel, LogMessage
from unified_planning.exceptions import UPUnsupportedProblemTypeError, UPUsageError
from unified_planning.model import AbstractProblem, Problem, metrics
from unified_planning.plans import ActionInstance, Plan

import asplan
from asplan.core.errors import AsplanError, nearest
from asplan.core.limits import Stop
from asplan.core.text import decimal_text
from asplan.engines import OLD_NAMES
from asplan.engines.asp.controller import FAST
from asplan.engines.run import Report
from asplan.problem import Inputs, load_source
from asplan.problem import Problem as PddlProblem
from asplan.result import Outcome, Result
from asplan.up.object_fluents import Mapped, without_object_fluents
from asplan.up.writing import PddlNaming, PddlText, has_demands, refusal, to_pddl

_OPTIMIZED = {
    metrics.MinimizeActionCosts: "cost",
    metrics.MinimizeSequentialPlanLength: "actions",
    metrics.MinimizeExpressionOnFinalState: "metric",
    metrics.MaximizeExpressionOnFinalState: "metric",
    metrics.Oversubscription: "metric",
}
"""What the metrics count; makespan, the only other one, counts steps."""

# The engines that work on an encoding, so that they know of parallel steps.
_PROGRAMS = ("asp", "sat", "portfolio", "auto")
NAME = "asplan"  # of the engine, as unified-planning knows it
_FOR_EVER = 1e9  # seconds to make a plan better where there is no limit


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
            why = f"memory_limit={self.memory_limit!r}: a number of megabytes is wanted"
            raise UPUsageError(why)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> EngineSettings:
        """Those that are given; raises `UPUsageError` for one that nobody knows."""
        known = [field.name for field in fields(cls)]
        for name in settings:
            if name not in known:
                hint = nearest(name, known, noun="settings")
                raise UPUsageError(f"asplan has no setting {name!r}; {hint}")
        return cls(**settings)


@dataclass(frozen=True)
class Question:
    """A problem, what its metric counts, and options; `back` maps actions of `compiled`."""

    problem: Problem
    compiled: Problem
    back: Mapped | None
    settings: EngineSettings
    text: PddlText
    optimized: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def partial_order(self) -> bool:
        wanted = self.settings.partial_order
        if self.text.has_time:
            return False
        return self.optimized == "steps" if wanted is None else wanted

    @property
    def wants_proof(self) -> bool:
        return self.optimized is not None and self.settings.optimal

    def solve(
        self, timeout: float | None, report: Report, options: Mapping[str, Any] | None = None
    ) -> Result:
        """Solve it in a child process, which ends as soon as `report` raises."""
        limits = {"time_limit": timeout, "memory_limit": self.settings.memory_limit}
        given = self.options if options is None else options
        chosen = {"engine": self.settings.engine, **limits, **given}
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

    def compile(self, instance: ActionInstance) -> ActionInstance:
        """An action of the problem as the text has it; it stays if the problem has none such."""
        if self.back is None or instance.action not in self.problem.actions:
            return instance
        own = self.compiled.action(instance.action.name)
        return ActionInstance(own, instance.actual_parameters)

    def for_any_plan(self) -> Question:
        """The same with the options that find any plan soon."""
        options: dict[str, Any] = {}
        if self.text.has_time:
            options = {"first": True}
        elif self.settings.engine in _PROGRAMS:
            options = {"first": True} | ({"steps": "forall"} if self.partial_order else {})
            options |= {"steps": "rolled"} if self.text.has_numbers else {}
            # With a schedule of its own clingo looks alone.
            if self.settings.engine == "asp" and not self.settings.search_beside:
                options["schedule"] = FAST
        return replace(self, options=options)

    def for_better_plans(self, timeout: float | None) -> Question | None:
        """The same with options that make the first plan ever better; None where that cannot be."""
        is_more = self.text.has_time or self.text.has_numbers or has_demands(self.problem.kind)
        wanted = self.optimized in ("cost", "actions") and self.settings.optimal
        if is_more or not wanted or self.settings.engine not in _PROGRAMS:
            return None
        seconds = _FOR_EVER if timeout is None else timeout
        return replace(self, options={**self.for_any_plan().options, "improve": seconds})


def question_about(problem: AbstractProblem, settings: EngineSettings) -> Question:
    """Look at a problem and write it down; unified-planning's errors where it cannot be solved."""
    if why := refusal(problem.kind):
        raise UPUnsupportedProblemTypeError(why)
    assert isinstance(problem, Problem)
    if len(problem.quality_metrics) > 1:
        raise UPUsageError("asplan takes one quality metric, and the problem has several")
    metric = next(iter(problem.quality_metrics), None)
    optimized = None if metric is None else _OPTIMIZED.get(type(metric), "steps")
    compiled, back = without_object_fluents(problem)
    question = Question(problem, compiled, back, settings, to_pddl(compiled), optimized)
    is_parallel = question.partial_order or optimized == "steps"
    if is_parallel and settings.engine not in (*_PROGRAMS, *OLD_NAMES):
        raise UPUsageError(
            f"asplan's engine {settings.engine} knows nothing of parallel steps, which make "
            f"makespan and partial-order plans; {', '.join(_PROGRAMS)} do"
        )
    if question.partial_order and optimized in ("cost", "actions"):
        raise UPUsageError(
            "asplan makes partial-order plans of parallel steps, so for the metric makespan or "
            "for none"
        )
    if question.text.has_time and optimized in ("cost", "actions"):
        raise UPUsageError("for problems with time asplan takes the metric makespan, or none")
    if not question.wants_proof:
        return question.for_any_plan()
    if question.text.has_time:
        return question
    options = {"steps": "forall"} if optimized == "steps" else {"optimal": optimized}
    if question.text.has_numbers and optimized != "steps":
        # Of the metric is proven only that no plan of as few steps has a better one.
        options = {"steps": "sequential"} if optimized == "actions" else {"optimal": "metric"}
    return replace(question, options=options)


_STOPPED = {
    Stop.TIME: PlanGenerationResultStatus.TIMEOUT,
    Stop.MEMORY: PlanGenerationResultStatus.MEMOUT,
}


def answer(question: Question, result: Result) -> PlanGenerationResult:
    """The result in unified-planning's words: seconds, size of the plan, and what is proven."""
    unit = question.text.unit
    bound = result.lower_cost * unit if question.optimized == "cost" else result.lower_bound
    metrics = {"engine_internal_time": str(result.seconds.total), "lower_bound": str(bound)}
    if result.plan is not None:
        metrics |= {"steps": str(len(result.plan)), "actions": str(len(result.plan.actions))}
        if result.metric is not None:
            metrics["metric"] = decimal_text(result.metric)
        if result.cost is not None:
            metrics["cost"] = str(result.cost[0] * unit)
    logs = [LogMessage(LogLevel.WARNING, str(warning)) for warning in result.warnings]
    logs.append(LogMessage(LogLevel.INFO, f"{result.outcome}: {result.reason}"))
    plan, status = _plan(question, result), _status(question, result)
    return PlanGenerationResult(status, plan, NAME, metrics=metrics, log_messages=logs)


def _status(question: Question, result: Result) -> PlanGenerationResultStatus:
    # SOLVED_OPTIMALLY and UNSOLVABLE_PROVEN are said of what was proven only.
    if result.outcome is Outcome.UNSOLVABLE:
        return PlanGenerationResultStatus.UNSOLVABLE_PROVEN
    counted = "actions" if question.options.get("steps") == "sequential" else result.optimized
    if result.outcome is Outcome.OPTIMAL and counted == question.optimized:
        return PlanGenerationResultStatus.SOLVED_OPTIMALLY
    if result.stopped in _STOPPED and (question.wants_proof or result.validated is None):
        return _STOPPED[result.stopped]
    if result.validated is not None:
        return PlanGenerationResultStatus.SOLVED_SATISFICING
    return PlanGenerationResultStatus.UNSOLVABLE_INCOMPLETELY


def _plan(question: Question, result: Result) -> Plan | None:
    """The plan, if there is one that was checked.

    In a partial-order plan the actions of a step come before those of the next, in no order among
    themselves. That is right where they are independent: for steps `forall`.
    """
    plan, names, problem = result.plan, question.text.names, question.problem
    back = question.back or (lambda own: own)
    if plan is None or result.validated is None:
        return None
    constant = problem.environment.expression_manager.ObjectExp

    def instance(text: str) -> ActionInstance:
        word, *words = text.strip("()").split()  # PDDL writes `(move a b)`
        own = ActionInstance(names.items[word], tuple(constant(names.items[w]) for w in words))
        mapped = back(own)
        assert mapped is not None  # no action is left out
        return mapped

    if question.text.has_time:
        pairs = zip(plan.actions, chain.from_iterable(plan.times), strict=True)
        timed = [(start, instance(plan.name(a)), takes) for a, (start, takes) in pairs]
        return plans.TimeTriggeredPlan(timed, problem.environment)
    steps = [[instance(plan.name(action)) for action in step] for step in plan if step]
    if not question.partial_order:
        return plans.SequentialPlan([a for step in steps for a in step], problem.environment)
    later = {action: list(after) for step, after in pairwise([*steps, []]) for action in step}
    return plans.PartialOrderPlan(later, problem.environment)


def words_of(action: ActionInstance, names: PddlNaming) -> list[str]:
    """An action and its arguments as PDDL calls them; KeyError for what is not in the problem."""
    objects = [parameter.object() for parameter in action.actual_parameters]
    return [names.names[item] for item in (action.action, *objects)]


def timed_validation(question: Question, plan: plans.TimeTriggeredPlan) -> ValidationResult:
    """Whether a plan with times reaches the goal by the PDDL text; if not, why not."""
    source, lines = question.source(), list[str]()
    assert source.plan_files is not None
    assert source.executes is not None
    try:
        for start, action, takes in plan.timed_actions:
            words = " ".join(words_of(question.compile(action), question.text.names))
            took = "" if takes is None else f" [{decimal_text(Fraction(takes), 12)}]"
            lines.append(f"{decimal_text(Fraction(start), 12)}: ({words}){took}")
        passage = source.executes(source.plan_files.read(lines, "plan"))
    except (AsplanError, KeyError) as error:
        logs = [LogMessage(LogLevel.INFO, str(error))]
        return ValidationResult(ValidationResultStatus.INVALID, NAME, logs)
    metric = next(iter(question.problem.quality_metrics), None)
    metrics = None if metric is None else {metric: passage.makespan}
    return ValidationResult(ValidationResultStatus.VALID, NAME, [], metrics)


def validation(question: Question, plan: plans.SequentialPlan) -> ValidationResult:
    """Whether a plan reaches the goal by the PDDL text, and what it costs; if not, why not."""
    model: Any = question.source().referee

    def refusal(message: str, reason: FailedValidationReason, **fields: Any) -> ValidationResult:
        logs = [LogMessage(LogLevel.INFO, message)]
        status = ValidationResultStatus.INVALID
        return ValidationResult(status, NAME, logs, None, reason, **fields)

    state, cost = model.initial, 0
    for number, instance in enumerate(plan.actions, 1):
        try:
            word, *words = words_of(question.compile(instance), question.text.names)
            action = model.action(word, tuple(words))
            why = model.why_not(state, action)
        except (KeyError, ValueError) as error:
            no_such = "the problem has no such action or object"
            why = no_such if isinstance(error, KeyError) else str(error)
        if why is not None:
            message = f"action {number}, {instance}, does not apply: {why}"
            reason = FailedValidationReason.INAPPLICABLE_ACTION
            return refusal(message, reason, inapplicable_action=instance)
        cost += model.cost(state, action)
        state = model.apply(state, action)
    if not model.is_goal(state):
        why = model.why_not_goal(state) or model.why_no_plan(state)
        message = "the goal does not hold at the end" + (f": {why}" if why else "")
        return refusal(message, FailedValidationReason.UNSATISFIED_GOALS)
    value = {"cost": cost * question.text.unit, "actions": len(plan.actions)}
    if question.text.has_numbers or question.optimized == "metric":
        worth = model.worth(state)
        value |= {"cost": worth and worth * question.text.unit, "metric": worth}
    found = value.get(question.optimized or "")
    metrics = None if found is None else {question.problem.quality_metrics[0]: found}
    return ValidationResult(ValidationResultStatus.VALID, NAME, [], metrics)
