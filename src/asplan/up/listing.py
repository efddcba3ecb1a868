"""Lists of the best plans, as results of unified-planning.

unified-planning has no operation mode for the k best plans. Planners that find them, such as SymK,
are anytime planners with the parameter `number_of_plans`; asplan does the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from unified_planning.engines import PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.exceptions import UPUsageError

import asplan
from asplan.core.errors import AsplanError
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.result import Listing, Outcome, Result, Seconds
from asplan.up.answers import make_result
from asplan.up.features import has_demands
from asplan.up.questions import UpQuestion


def list_plans(question: UpQuestion, timeout: float | None) -> Iterator[PlanGenerationResult]:
    """Yield a result for each of the best plans, the best first; the last has the final status.

    A plan is passed on when the next one is found, or when it is known to be the last.
    """
    _refuse(question)
    start = time.monotonic()
    waiting: PlanGenerationResult | None = None
    try:
        with question.files() as files:
            plans = _open(question, files, timeout)
            for plan in plans:
                if waiting is not None:
                    yield replace(waiting, status=PlanGenerationResultStatus.INTERMEDIATE)
                seconds = Seconds(total=time.monotonic() - start)
                waiting = make_result(question, _result_of(question, plan, seconds))
    except AsplanError as error:
        raise UPUsageError(f"asplan: {error}") from error
    yield _end(question, plans.listing, waiting)


def _refuse(question: UpQuestion) -> None:
    """Raise `UPUsageError` for a problem or settings that do not work with lists of plans."""
    text = question.text
    if text.has_time or text.has_numbers or has_demands(question.problem.kind):
        raise UPUsageError(
            "asplan lists plans only of problems without numbers, time, constraints and soft goals"
        )
    if question.partial_order or question.optimized not in (None, "cost", "actions"):
        raise UPUsageError("asplan lists sequential plans, by action costs or by plan length")
    if question.settings.memory_limit is not None:
        raise UPUsageError("memory_limit does not work with number_of_plans and quality")


def _open(question: UpQuestion, files: tuple[str, str], timeout: float | None) -> asplan.Plans:
    """Return the iterator over the plans of a question."""
    settings = question.settings
    return asplan.plans(
        *files,
        number=settings.number_of_plans,
        quality=settings.quality,
        loopless=settings.loopless,
        engine=settings.engine,
        optimal="cost" if question.optimized == "cost" else None,
        time_limit=timeout,
    )


def _result_of(question: UpQuestion, plan: Plan, seconds: Seconds) -> Result:
    """Return a result of asplan with one checked plan of the list."""
    return Result(
        outcome=Outcome.PLAN,
        reason="one of the best plans",
        plans=(plan,),
        cost=plan.cost,
        horizon=len(plan),
        validated="text",
        seconds=seconds,
    )


def _end(
    question: UpQuestion,
    listing: Listing,
    last: PlanGenerationResult | None,
) -> PlanGenerationResult:
    """Return the last result of a list, with the final status."""
    statuses = PlanGenerationResultStatus
    if last is None:
        outcome = Outcome.UNSOLVABLE if listing.is_exhausted else Outcome.UNKNOWN
        stopped = Stop.TIME if listing.is_cut else None
        return make_result(question, Result(outcome=outcome, stopped=stopped))
    if listing.is_cut:
        return replace(last, status=statuses.TIMEOUT)
    is_optimal = question.optimized is not None
    return replace(
        last, status=statuses.SOLVED_OPTIMALLY if is_optimal else statuses.SOLVED_SATISFICING
    )
