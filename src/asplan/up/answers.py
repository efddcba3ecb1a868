"""What asplan found and proved, in the words of unified-planning."""

from __future__ import annotations

from unified_planning.engines import PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.engines.results import LogLevel, LogMessage
from unified_planning.plans import Plan

from asplan.result import Outcome, Result, Stop
from asplan.up.plans import partial_order, sequential
from asplan.up.questions import Question

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


def plan_of(question: Question, result: Result) -> Plan | None:
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
