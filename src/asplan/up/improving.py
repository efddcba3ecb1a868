"""Ever better plans: the first that is found, then those on the way to one that is proven best."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from threading import Event, Thread

from unified_planning.engines import PlanGenerationResult, PlanGenerationResultStatus

from asplan.result import Result
from asplan.run import Report
from asplan.up import beside
from asplan.up.answers import answer
from asplan.up.questions import Question
from asplan.validation import check

INTERMEDIATE = PlanGenerationResultStatus.INTERMEDIATE


class _Enough(Exception):
    """Nobody waits for plans any more."""


def improved(
    question: Question, timeout: float | None, report: Report, name: str
) -> Iterator[PlanGenerationResult]:
    """A result whenever a better plan is known, the last one with its final status.

    Raises as `Question.ask` does. The work ends when the iterator is closed.
    """
    work = _Improving(question, timeout, report, name)
    thread = Thread(target=work.run, daemon=True)
    thread.start()
    try:
        while True:
            found = work.found.get()
            if isinstance(found, BaseException):
                raise found
            yield found
            if found.status is not INTERMEDIATE:
                return
    finally:
        work.over.set()
        thread.join()


@dataclass
class _Improving:
    """The work, in a thread of its own.

    Attributes
    ----------
    best
        The best plan so far, with what its metric is worth.
    """

    question: Question
    timeout: float | None
    report: Report
    name: str
    found: SimpleQueue[PlanGenerationResult | BaseException] = field(default_factory=SimpleQueue)
    over: Event = field(default_factory=Event)
    best: tuple[int, PlanGenerationResult] | None = None
    start: float = field(default_factory=time.monotonic)

    def run(self) -> None:
        """Put what is found into the queue."""
        try:
            last = self._improve()
        except _Enough:
            return
        except BaseException as error:
            self.found.put(error)
            return
        self.found.put(last)

    def _improve(self) -> PlanGenerationResult:
        question = self.question
        first = replace(question, options=question.first())
        plain = replace(first, settings=replace(question.settings, optimal=False))
        result = beside.ask(plain, self.timeout, self._heard)
        if result.plan is None or not question.wants_proof:
            return answer(plain, result, self.name)
        self._better(result)
        left = self.timeout
        if left is not None:
            left = max(0.1, left - (time.monotonic() - self.start))
        result = beside.ask(question, left, self._heard)
        last = answer(question, result, self.name)
        if self.best is None or (last.plan is not None and self._value(result) <= self.best[0]):
            return last
        known = {**(self.best[1].metrics or {}), "lower_bound": (last.metrics or {})["lower_bound"]}
        return replace(last, plan=self.best[1].plan, metrics=known)

    def _heard(self, result: Result) -> None:
        if self.over.is_set():
            raise _Enough
        self.report(result)
        self._better(result)

    def _better(self, result: Result) -> None:
        """Tell of a plan, if it is better than those before and the check accepts it."""
        if result.plan is None or (self.best and self.best[0] <= self._value(result)):
            return
        if result.validated is None:
            found = check(self.question.source(), result.plan)
            result = replace(result, plans=(found.plan,), validated=found.how)
        told = replace(answer(self.question, result, self.name), status=INTERMEDIATE)
        self.best = self._value(result), told
        self.found.put(told)

    def _value(self, result: Result) -> int:
        """What the metric of the problem says of the plan."""
        assert result.plan is not None
        if self.question.optimized == "cost":
            return result.cost[0] if result.cost else 0
        steps = self.question.optimized == "steps"
        return len(result.plan) if steps else len(result.plan.actions)
