"""Translation of asplan's results to results of unified-planning."""

from collections.abc import Callable, Sequence
from itertools import chain, pairwise

from unified_planning.engines import PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.engines.results import LogLevel, LogMessage
from unified_planning.plans import (
    ActionInstance,
    PartialOrderPlan,
    Plan,
    SequentialPlan,
    TimeTriggeredPlan,
)

from asplan.core.limits import Stop
from asplan.core.text import decimal_text
from asplan.result import Outcome, Result
from asplan.up.questions import NAME, UpQuestion

_STATUS_OF_LIMIT = {
    Stop.TIME: PlanGenerationResultStatus.TIMEOUT,
    Stop.MEMORY: PlanGenerationResultStatus.MEMOUT,
}


def make_result(question: UpQuestion, result: Result) -> PlanGenerationResult:
    """Return a result of asplan as a result of unified-planning.

    The metrics of this result are seconds, the size of the plan, and the lower bound.
    """
    logs = [LogMessage(LogLevel.WARNING, str(warning)) for warning in result.warnings]
    logs.append(LogMessage(LogLevel.INFO, f"{result.outcome}: {result.reason}"))
    return PlanGenerationResult(
        _status_of(question, result),
        _plan_of(question, result),
        NAME,
        metrics=_metrics_of(question, result),
        log_messages=logs,
    )


def _metrics_of(question: UpQuestion, result: Result) -> dict[str, str]:
    unit = question.text.unit
    bound = result.lower_cost * unit if question.optimized == "cost" else result.lower_bound
    metrics = {
        "engine_internal_time": str(result.seconds.total),
        "lower_bound": str(bound),
    }
    if result.plan is not None:
        metrics["steps"] = str(len(result.plan))
        metrics["actions"] = str(len(result.plan.actions))
        if result.metric is not None:
            metrics["metric"] = decimal_text(result.metric)
        if result.cost is not None:
            metrics["cost"] = str(result.cost[0] * unit)
    return metrics


def _status_of(question: UpQuestion, result: Result) -> PlanGenerationResultStatus:
    """Return the status of a result; it claims optimality only if asplan has proven that."""
    if result.outcome is Outcome.UNSOLVABLE:
        return PlanGenerationResultStatus.UNSOLVABLE_PROVEN
    # Each step of a sequential plan is one action.
    is_sequential = question.options.get("steps") == "sequential"
    optimized = "actions" if is_sequential else result.optimized
    if result.outcome is Outcome.OPTIMAL and optimized == question.optimized:
        return PlanGenerationResultStatus.SOLVED_OPTIMALLY
    has_plan = result.validated is not None
    if result.stopped in _STATUS_OF_LIMIT and (question.wants_proof or not has_plan):
        return _STATUS_OF_LIMIT[result.stopped]
    if has_plan:
        return PlanGenerationResultStatus.SOLVED_SATISFICING
    return PlanGenerationResultStatus.UNSOLVABLE_INCOMPLETELY


def _plan_of(question: UpQuestion, result: Result) -> Plan | None:
    """Return the plan of a result as a plan of unified-planning; None if it has no checked plan."""
    plan = result.plan
    if plan is None or result.validated is None:
        return None
    environment = question.problem.environment
    read_action = _action_reader(question)
    if question.text.has_time:
        times = chain.from_iterable(plan.times)
        timed_actions = [
            (start, read_action(plan.name(action)), duration)
            for action, (start, duration) in zip(plan.actions, times, strict=True)
        ]
        return TimeTriggeredPlan(timed_actions, environment)
    steps = []
    for step in plan:
        if step:
            steps.append([read_action(plan.name(action)) for action in step])
    if question.partial_order:
        return PartialOrderPlan(_order_steps(steps), environment)
    return SequentialPlan(list(chain.from_iterable(steps)), environment)


def _action_reader(question: UpQuestion) -> Callable[[str], ActionInstance]:
    """Return a function from an action's PDDL text, such as `(move a b)`, to the
    problem's action.
    """
    items = question.text.names.items
    constant = question.problem.environment.expression_manager.ObjectExp

    def read_action(text: str) -> ActionInstance:
        name, *arguments = text.strip("()").split()
        parameters = tuple(constant(items[argument]) for argument in arguments)
        instance = ActionInstance(items[name], parameters)
        if question.map_back is None:
            return instance
        original = question.map_back(instance)
        assert original is not None  # the compiler adds no action
        return original

    return read_action


def _order_steps(
    steps: Sequence[list[ActionInstance]],
) -> dict[ActionInstance, list[ActionInstance]]:
    """Map each action to its successors in a partial order: the actions of the next step.

    The actions of one step are not ordered. They are independent, because the steps are made with
    the encoding `forall`.
    """
    successors: dict[ActionInstance, list[ActionInstance]] = {}
    for step, next_step in pairwise([*steps, []]):
        for action in step:
            successors[action] = list(next_step)
    return successors
