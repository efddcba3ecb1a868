"""Plans, proofs and checks of asplan in unified-planning's words, and its plans in asplan's."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from unified_planning.engines import (
    PlanGenerationResult,
    PlanGenerationResultStatus,
    ValidationResult,
    ValidationResultStatus,
)
from unified_planning.engines.results import FailedValidationReason, LogLevel, LogMessage
from unified_planning.plans import ActionInstance, PartialOrderPlan, Plan, SequentialPlan

from asplan.core.limits import Stop
from asplan.result import Outcome, Result
from asplan.up.questions import Question
from asplan.up.writing import PddlNames

_STOPPED = {
    Stop.TIME: PlanGenerationResultStatus.TIMEOUT,
    Stop.MEMORY: PlanGenerationResultStatus.MEMOUT,
}


def answer(question: Question, result: Result, name: str) -> PlanGenerationResult:
    """The result as unified-planning has them, from the engine of a name.

    The metrics are the seconds, the size of the plan, and the bound that is proven so far: of what
    the metric counts, and of steps where there is no metric.
    """
    unit = question.text.unit
    bound = result.lower_cost * unit if question.optimized == "cost" else result.lower_bound
    metrics = {"engine_internal_time": str(result.seconds.total), "lower_bound": str(bound)}
    if result.plan is not None:
        metrics |= {"steps": str(len(result.plan)), "actions": str(len(result.plan.actions))}
        if result.cost is not None:
            metrics["cost"] = str(result.cost[0] * unit)
    logs = [LogMessage(LogLevel.WARNING, str(warning)) for warning in result.warnings]
    logs.append(LogMessage(LogLevel.INFO, f"{result.outcome}: {result.reason}"))
    plan = _plan(question, result)
    return PlanGenerationResult(
        _status(question, result), plan, name, metrics=metrics, log_messages=logs
    )


def _status(question: Question, result: Result) -> PlanGenerationResultStatus:
    """The status; `SOLVED_OPTIMALLY` and `UNSOLVABLE_PROVEN` are said of what was proven only."""
    if result.outcome is Outcome.UNSOLVABLE:
        return PlanGenerationResultStatus.UNSOLVABLE_PROVEN
    if result.outcome is Outcome.OPTIMAL and result.optimized == question.optimized:
        return PlanGenerationResultStatus.SOLVED_OPTIMALLY
    if result.stopped in _STOPPED and (question.wants_proof or result.validated is None):
        return _STOPPED[result.stopped]
    if result.validated is not None:
        return PlanGenerationResultStatus.SOLVED_SATISFICING
    return PlanGenerationResultStatus.UNSOLVABLE_INCOMPLETELY


def _plan(question: Question, result: Result) -> Plan | None:
    """The plan, if there is one that was checked.

    In a partial-order plan the actions of each step come before those of the next, and are in no
    order among themselves. That is right where they are independent: for steps `forall`.
    """
    plan, names, problem = result.plan, question.text.names, question.problem
    if plan is None or result.validated is None:
        return None
    constant = problem.environment.expression_manager.ObjectExp

    def instance(text: str) -> ActionInstance:
        word, *words = text.strip("()").split()  # PDDL writes `(move a b)`
        return ActionInstance(names.item(word), tuple(constant(names.item(w)) for w in words))

    steps = [[instance(plan.name(action)) for action in step] for step in plan if step]
    if not question.partial_order:
        return SequentialPlan([a for step in steps for a in step], problem.environment)
    later = {action: list(after) for step, after in pairwise([*steps, []]) for action in step}
    return PartialOrderPlan(later, problem.environment)


def words_of(action: ActionInstance, names: PddlNames) -> list[str]:
    """An action and its arguments as PDDL calls them; KeyError for what is not in the problem."""
    objects = [parameter.object() for parameter in action.actual_parameters]
    return [names.known(item) for item in (action.action, *objects)]


def validation(question: Question, plan: SequentialPlan, name: str) -> ValidationResult:
    """Whether a plan reaches the goal, and what it costs; if not, what stands against it.

    That is checked on the PDDL text of the problem, apart from all translation.
    """
    model: Any = question.source().referee

    def refusal(message: str, reason: FailedValidationReason, **fields: Any) -> ValidationResult:
        logs = [LogMessage(LogLevel.INFO, message)]
        status = ValidationResultStatus.INVALID
        return ValidationResult(status, name, logs, None, reason, **fields)

    state, cost = model.initial, 0
    for number, instance in enumerate(plan.actions, 1):
        try:
            word, *words = words_of(instance, question.text.names)
            action = model.action(word, tuple(words))
            why = model.why_not(state, action)
        except KeyError:
            why = "the problem has no such action or object"
        except ValueError as error:
            why = str(error)
        if why is not None:
            message = f"action {number}, {instance}, does not apply: {why}"
            reason = FailedValidationReason.INAPPLICABLE_ACTION
            return refusal(message, reason, inapplicable_action=instance)
        cost += model.cost(state, action)
        state = model.apply(state, action)
    if not model.is_goal(state):
        why = model.why_not_goal(state)
        message = "the goal does not hold at the end" + (f": {why}" if why else "")
        return refusal(message, FailedValidationReason.UNSATISFIED_GOALS)
    value = {"cost": cost * question.text.unit, "actions": len(plan.actions)}
    found = value.get(question.optimized or "")
    metrics = None if found is None else {question.problem.quality_metrics[0]: found}
    return ValidationResult(ValidationResultStatus.VALID, name, [], metrics)
