"""The check of a plan, on the PDDL text of its problem, apart from all translation."""

from __future__ import annotations

from typing import Any

from unified_planning.engines import ValidationResult, ValidationResultStatus
from unified_planning.engines.results import FailedValidationReason, LogLevel, LogMessage
from unified_planning.plans import ActionInstance, SequentialPlan

from asplan.up.names import Names
from asplan.up.plans import words_of
from asplan.up.questions import Question


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
