"""Checks of plans, made on the PDDL text of a problem."""

from collections.abc import Iterator
from fractions import Fraction

from unified_planning.engines import ValidationResult, ValidationResultStatus
from unified_planning.engines.results import FailedValidationReason, LogLevel, LogMessage
from unified_planning.plans import ActionInstance, SequentialPlan, TimeTriggeredPlan

from asplan.core.errors import AsplanError
from asplan.core.text import decimal_text
from asplan.problem.kinds import TemporalTask
from asplan.up.questions import NAME, UpQuestion
from asplan.up.referee import (
    Referee,
    State,
    find_action,
    referee_of,
)

_DECIMALS = 12
"""The number of decimals of times in a written plan."""


def validate_timed(question: UpQuestion, plan: TimeTriggeredPlan) -> ValidationResult:
    """Check whether a plan with times reaches the goal; the metric's value is the makespan."""
    source = question.source()
    assert isinstance(source, TemporalTask)
    try:
        lines = list(_plan_lines(question, plan))
        passage = source.execute(source.read_plan(lines, "plan"))
    except (AsplanError, KeyError) as error:
        return _invalid(str(error))
    metric = next(iter(question.problem.quality_metrics), None)
    metrics = None if metric is None else {metric: passage.makespan}
    return ValidationResult(ValidationResultStatus.VALID, NAME, [], metrics)


def _plan_lines(question: UpQuestion, plan: TimeTriggeredPlan) -> Iterator[str]:
    """Yield the lines of a plan as in planning competitions, such as `0.5: (move a b) [2]`."""
    for start, instance, duration in plan.timed_actions:
        words = " ".join(question.pddl_words(instance))
        line = f"{decimal_text(Fraction(start), _DECIMALS)}: ({words})"
        if duration is not None:
            line += f" [{decimal_text(Fraction(duration), _DECIMALS)}]"
        yield line


def validate_sequential(question: UpQuestion, plan: SequentialPlan) -> ValidationResult:
    """Check whether a sequential plan reaches the goal, and evaluate the metric."""
    referee = referee_of(question)
    state = referee.initial
    cost = 0
    for number, instance in enumerate(plan.actions, 1):
        reason = _why_inapplicable(question, referee, state, instance)
        if reason is not None:
            return _invalid(
                f"action {number}, {instance}, does not apply: {reason}",
                FailedValidationReason.INAPPLICABLE_ACTION,
                instance,
            )
        action = find_action(question, referee, instance)
        cost += referee.cost(state, action)
        state = referee.apply(state, action)
    if not referee.is_goal(state):
        reason = referee.why_not_goal(state) or referee.why_no_plan(state)
        message = "the goal does not hold at the end" + (f": {reason}" if reason else "")
        return _invalid(message, FailedValidationReason.UNSATISFIED_GOALS)
    value = _evaluate_metric(question, referee, state, cost, len(plan.actions))
    metrics = None if value is None else {question.problem.quality_metrics[0]: value}
    return ValidationResult(ValidationResultStatus.VALID, NAME, [], metrics)


def _why_inapplicable(
    question: UpQuestion,
    referee: Referee,
    state: State,
    instance: ActionInstance,
) -> str | None:
    """Return the reason why an action is not applicable in a state; None if it is."""
    try:
        return referee.why_not(state, find_action(question, referee, instance))
    except KeyError:
        return "the problem has no such action or object"
    except ValueError as error:
        return str(error)


def _evaluate_metric(
    question: UpQuestion,
    referee: Referee,
    state: State,
    cost: int,
    length: int,
) -> Fraction | int | None:
    """Return the value of the question's metric for a plan that ends in `state`.

    `cost` is the sum of the actions' costs, and `length` the number of actions. Return None if
    there is no metric.
    """
    optimized = question.optimized
    unit = question.text.unit
    if optimized == "actions":
        return length
    if optimized == "metric":
        return referee.worth(state)
    if optimized == "cost":
        if not question.text.has_numbers:
            return cost * unit
        worth = referee.worth(state)
        return None if worth is None else worth * unit
    return None


def _invalid(
    message: str,
    reason: FailedValidationReason | None = None,
    action: ActionInstance | None = None,
) -> ValidationResult:
    return ValidationResult(
        ValidationResultStatus.INVALID,
        NAME,
        [LogMessage(LogLevel.INFO, message)],
        None,
        reason,
        inapplicable_action=action,
    )
