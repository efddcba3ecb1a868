"""Plans of asplan as those of unified-planning, and the other way round."""

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
from unified_planning.model import Problem
from unified_planning.plans import ActionInstance, PartialOrderPlan, SequentialPlan
from unified_planning.plans import Plan as UpPlan

from asplan.limits import Stop
from asplan.plan import Plan
from asplan.result import Outcome, Result
from asplan.up.questions import Question
from asplan.up.writing import Names


def sequential(problem: Problem, plan: Plan, names: Names) -> SequentialPlan:
    """The actions one after the other."""
    actions = [action for step in _instances(problem, plan, names) for action in step]
    return SequentialPlan(actions, problem.environment)


def partial_order(problem: Problem, plan: Plan, names: Names) -> PartialOrderPlan:
    """The actions of each step before those of the next, and in no order among themselves.

    That is right where the actions of a step are independent: for steps `forall`.
    """
    steps = [step for step in _instances(problem, plan, names) if step]
    later = {action: list(after) for step, after in pairwise([*steps, []]) for action in step}
    return PartialOrderPlan(later, problem.environment)


def _instances(problem: Problem, plan: Plan, names: Names) -> list[list[ActionInstance]]:
    return [[_instance(problem, plan.name(action), names) for action in step] for step in plan]


def _instance(problem: Problem, text: str, names: Names) -> ActionInstance:
    """The action that PDDL writes `(move a b)`."""
    word, *words = text.strip("()").split()
    terms = map(problem.environment.expression_manager.ObjectExp, map(names.item, words))
    return ActionInstance(names.item(word), tuple(terms))


def words_of(action: ActionInstance, names: Names) -> list[str]:
    """An action and its arguments as PDDL calls them; KeyError for what is not in the problem."""
    objects = [parameter.object() for parameter in action.actual_parameters]
    return [names.known(item) for item in (action.action, *objects)]


# What asplan found and proved, in the words of unified-planning.


_STOPPED = {
    Stop.TIME: PlanGenerationResultStatus.TIMEOUT,
    Stop.MEMORY: PlanGenerationResultStatus.MEMOUT,
}


def answer(question: Question, result: Result, name: str) -> PlanGenerationResult:
    """The result as unified-planning has them."""
    return PlanGenerationResult(
        _status(question, result),
        plan_of(question, result),
        name,
        metrics=measured(question, result),
        log_messages=[
            *(LogMessage(LogLevel.WARNING, warning) for warning in result.warnings),
            LogMessage(LogLevel.INFO, f"{result.outcome}: {result.reason}"),
        ],
    )


def plan_of(question: Question, result: Result) -> UpPlan | None:
    """The plan, if there is one that was checked."""
    if result.plan is None or result.validated is None:
        return None
    make = partial_order if question.partial_order else sequential
    return make(question.problem, result.plan, question.written.names)


def measured(question: Question, result: Result) -> dict[str, str]:
    """What is known in numbers: the seconds, the size of the plan, and the bound proven so far.

    The bound is of what the metric counts, and of steps where there is no metric.
    """
    unit, optimized = question.written.unit, question.optimized or "steps"
    bound = result.lower_cost * unit if optimized == "cost" else result.lower_bound
    found = {"engine_internal_time": str(result.seconds.total), "lower_bound": str(bound)}
    if result.plan is not None:
        found |= {"steps": str(len(result.plan)), "actions": str(len(result.plan.actions))}
        if result.cost is not None:
            found["cost"] = str(result.cost[0] * unit)
    return found


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


# The check of a plan, on the PDDL text of its problem, apart from all translation.


def checked(question: Question, plan: SequentialPlan, name: str) -> ValidationResult:
    """Whether a plan reaches the goal, and what it costs; if not, what stands against it."""
    model: Any = question.source().referee
    state, cost = model.initial, 0
    for number, instance in enumerate(plan.actions, 1):
        try:
            action = _action(model, instance, question.written.names)
            why = model.why_not(state, action)
        except ValueError as error:
            why = str(error)
        if why is not None:
            said = f"action {number}, {instance}, does not apply: {why}"
            reason = FailedValidationReason.INAPPLICABLE_ACTION
            return _invalid(name, said, reason, inapplicable_action=instance)
        cost += model.cost(state, action)
        state = model.apply(state, action)
    if not model.is_goal(state):
        why = model.why_not_goal(state)
        said = "the goal does not hold at the end" + (f": {why}" if why else "")
        return _invalid(name, said, FailedValidationReason.UNSATISFIED_GOALS)
    value = {"cost": cost * question.written.unit, "actions": len(plan.actions)}
    found = value.get(question.optimized or "")
    metrics = None if found is None else {question.problem.quality_metrics[0]: found}
    return ValidationResult(ValidationResultStatus.VALID, name, [], metrics)


def _action(model: Any, instance: ActionInstance, names: Names) -> Any:
    """The action of the PDDL text; ValueError if it has none such."""
    try:
        word, *words = words_of(instance, names)
    except KeyError:
        raise ValueError("the problem has no such action or object") from None
    return model.action(word, tuple(words))


def _invalid(
    name: str, said: str, reason: FailedValidationReason, **fields: Any
) -> ValidationResult:
    logs = [LogMessage(LogLevel.INFO, said)]
    status = ValidationResultStatus.INVALID
    return ValidationResult(status, name, logs, None, reason, **fields)
