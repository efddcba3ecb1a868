"""Better and better plans, until one is proven best.

The first plan is found quickly. If possible, it is improved by replacing windows, which are parts
of the plan, by cheaper ones. Otherwise the search for a best plan yields better plans on its way.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import inf
from queue import SimpleQueue
from threading import Event, Thread

from unified_planning.engines import PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.model.metrics import Oversubscription

from asplan.core.budget import Abandoned, Reporter
from asplan.engines.scheduling import AT_ONCE
from asplan.result import Result
from asplan.up.answers import make_result
from asplan.up.questions import UpQuestion
from asplan.up.solving import budget_of, seconds_left, solve
from asplan.validation import check


def improve_plans(
    question: UpQuestion, timeout: float | None, report: Reporter[Result]
) -> Iterator[PlanGenerationResult]:
    """Yield a result for each better plan; the last result has the final status.

    The work is done in a thread. It ends when the iterator is closed.
    """
    work = _Improvement(question, timeout, report)
    thread = Thread(target=work.run, daemon=True)
    thread.start()
    try:
        while True:
            result = work.results.get()
            if isinstance(result, BaseException):
                raise result
            yield result
            if result.status is not PlanGenerationResultStatus.INTERMEDIATE:
                return
    finally:
        work.cancelled.set()
        thread.join()


class _Improvement:
    """The search for better plans, run in a thread.

    `results` receives a result for each better plan and at last the final result, or an error.
    """

    def __init__(
        self,
        question: UpQuestion,
        timeout: float | None,
        report: Reporter[Result],
    ) -> None:
        self.results: SimpleQueue[PlanGenerationResult | BaseException] = SimpleQueue()
        self.cancelled = Event()
        self._question = question
        self._timeout = timeout
        self._report = report
        self._budget = budget_of(timeout)
        self._best: PlanGenerationResult | None = None
        self._best_value: float | Fraction = inf

    def run(self) -> None:
        """Search, and put all results into the queue; the last one is the final
        result or an error.
        """
        try:
            self.results.put(self._find_final())
        except BaseException as error:
            self.results.put(error)

    def _find_final(self) -> PlanGenerationResult:
        better = self._question.for_better_plans(self._timeout)
        if better is not None:
            # Windows of a plan seldom prove anything, so the state search begins at once.
            result = solve(better, self._timeout, self._note_progress, start=AT_ONCE)
            return self._finish(result)
        settings = replace(self._question.settings, optimal=False)
        any_plan = replace(self._question.for_any_plan(), settings=settings)
        result = solve(any_plan, self._timeout, self._note_progress)
        if result.plan is None or not self._question.wants_proof:
            return make_result(any_plan, result)
        self._offer(result)
        left = seconds_left(self._budget)
        return self._finish(solve(self._question, left, self._note_progress))

    def _note_progress(self, result: Result) -> None:
        if self.cancelled.is_set():
            raise Abandoned
        self._report(result)
        self._offer(result)

    def _offer(self, result: Result) -> None:
        """Put a plan into the queue if the plan is valid and better than all plans before."""
        if result.plan is None:
            return
        if self._best is not None and self._best_value <= _value_of(self._question, result):
            return
        if result.validated is None:
            checked = check(self._question.source(), result.plan)
            result = replace(result, plans=(checked.plan,), validated=checked.how)
        status = PlanGenerationResultStatus.INTERMEDIATE
        self._best = replace(make_result(self._question, result), status=status)
        self._best_value = _value_of(self._question, result)
        self.results.put(self._best)

    def _finish(self, result: Result) -> PlanGenerationResult:
        """Return the final result; its plan is the best one that was found."""
        final = make_result(self._question, result)
        if self._best is None:
            return final
        is_best = final.plan is not None and _value_of(self._question, result) <= self._best_value
        if is_best:
            return final
        lower_bound = (final.metrics or {})["lower_bound"]
        metrics = {**(self._best.metrics or {}), "lower_bound": lower_bound}
        return replace(final, plan=self._best.plan, metrics=metrics)


def _value_of(question: UpQuestion, result: Result) -> float | Fraction:
    """Return the value that the question minimizes, for the plan of a result.

    The value is the cost, the negative value of an oversubscription metric, or the number of steps
    or actions.
    """
    assert result.plan is not None
    if question.optimized == "cost":
        return result.cost[0] if result.cost else 0
    metric = next(iter(question.problem.quality_metrics), None)
    if isinstance(metric, Oversubscription):
        return inf if result.metric is None else -result.metric
    return len(result.plan) if question.optimized == "steps" else len(result.plan.actions)
