"""What is being done and proven, for the stream that a caller of unified-planning gives."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from threading import Event, Thread
from typing import IO, Any
from warnings import warn

from unified_planning.engines import (
    AnytimeGuarantee,
    Credits,
    OptimalityGuarantee,
    PlanGenerationResult,
    PlanGenerationResultStatus,
    ValidationResult,
)
from unified_planning.engines.engine import Engine as Base
from unified_planning.engines.mixins import (
    AnytimePlannerMixin,
    OneshotPlannerMixin,
    PlanValidatorMixin,
)
from unified_planning.exceptions import UPUsageError
from unified_planning.model import AbstractProblem, ProblemKind
from unified_planning.plans import Plan, PlanKind, SequentialPlan

from asplan.engines.run import Report, ignore_report
from asplan.result import Outcome, Result
from asplan.up import engine as beside
from asplan.up.plans import answer, checked
from asplan.up.questions import Question, Settings, question, refuse_unknown
from asplan.up.writing import supported_kind
from asplan.validation import check

Streams = IO[str] | tuple[IO[str], IO[str]] | None
"""One stream, or one for output and one for errors."""


def teller(streams: Streams) -> Report:
    """A report that writes a line whenever there is something new."""
    if streams is None:
        return ignore_report
    stream = streams[0] if isinstance(streams, tuple) else streams
    said = ""

    def tell(result: Result) -> None:
        nonlocal said
        bound = result.lower_cost or result.lower_bound
        line = f"asplan: {result.reason}" + (f" (lower bound {bound})" if bound else "")
        if result.reason and line != said:
            stream.write(line + "\n")
            said = line

    return tell


# A search through the states beside the engine, for what takes long.
#
# ASP finds plans, but where there is none it can go on for ever, horizon after horizon. A search that
# has seen all states knows. So it joins in after some seconds, in a process of its own, with a memory
# of its own; whoever has an answer first ends the other.


PATIENCE = 2.0
"""Seconds before the search starts."""

MEMORY = 1000
"""Megabytes that it may take."""


class _Found(Exception):
    """The search has an answer."""

    def __init__(self, result: Result) -> None:
        self.result = result


class _Enough(Exception):
    """Nobody waits for the search any more."""


def ask(question: Question, timeout: float | None, report: Report) -> Result:
    """The first answer of the engine and of the search; raises as `Question.ask` does."""
    if question.settings.engine != "asp" or not question.settings.search_beside:
        return question.ask(timeout, report)
    search = _Search(question, timeout)

    def look(result: Result) -> None:
        report(result)
        search.look()

    try:
        return question.ask(timeout, look)
    except _Found as found:
        return found.result
    finally:
        search.end()


@dataclass
class _Search:
    """A search that has a thread to wait for it."""

    question: Question
    timeout: float | None
    start: float = field(default_factory=time.monotonic)
    result: Result | None = None
    _thread: Thread | None = None
    _over: Event = field(default_factory=Event)

    def look(self) -> None:
        """Start when the time has come; raise `_Found` when there is an answer."""
        if self._thread is None and time.monotonic() - self.start > PATIENCE:
            self._thread = Thread(target=self._run, daemon=True)
            self._thread.start()
        if self.result is not None and self._answers(self.result):
            raise _Found(self.result)

    def end(self) -> None:
        """End the search, if it runs."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        past = time.monotonic() - self.start
        left = None if self.timeout is None else max(0.1, self.timeout - past)
        counts = self.question.optimized in ("cost", "actions")
        options = {"optimal": self.question.optimized} if counts else {}
        engine = {"engine": "astar" if counts else "bfs", "memory_limit": MEMORY}
        with suppress(_Enough, UPUsageError):  # then the engine goes on alone
            self.result = self.question.ask(left, self._heard, {**engine, **options})

    def _heard(self, result: Result) -> None:
        if self._over.is_set():
            raise _Enough

    def _answers(self, result: Result) -> bool:
        """Whether a result of the search answers the question; it knows nothing of makespan."""
        if result.outcome is Outcome.UNSOLVABLE:
            return True
        if self.question.partial_order or self.question.optimized == "steps":
            return False
        wanted = [Outcome.OPTIMAL] if self.question.wants_proof else [Outcome.OPTIMAL, Outcome.PLAN]
        return result.outcome in wanted


# Ever better plans: the first that is found, then those on the way to one that is proven best.


INTERMEDIATE = PlanGenerationResultStatus.INTERMEDIATE


class _EnoughImproving(Exception):
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
        except _EnoughImproving:
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
            raise _EnoughImproving
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


# The engine that unified-planning calls.


class Engine(Base, OneshotPlannerMixin, AnytimePlannerMixin, PlanValidatorMixin):  # type: ignore[misc]
    """asplan for unified-planning: plans once, plans ever better, and checks plans.

    Where a problem has a metric, a plan is given when it is proven to be a best one; without a
    metric, as soon as there is one. Each plan is checked before it is given.

    Parameters
    ----------
    engine
        An engine of asplan.
    optimal
        With False the first plan is given, whatever the metric.
    partial_order
        Whether plans are partial-order plans, of parallel steps; if not given, they are for the
        metric makespan.
    memory_limit
        Megabytes.
    search_beside
        Whether a search through the states joins the engine `asp` after some seconds.

    Raises
    ------
    UPUsageError
        There is no such setting, or it has no such value.
    """

    def __init__(
        self,
        engine: str = "asp",
        optimal: bool = True,
        partial_order: bool | None = None,
        memory_limit: int | None = None,
        search_beside: bool = True,
        **unknown: object,
    ) -> None:
        refuse_unknown(unknown)
        Base.__init__(self)
        OneshotPlannerMixin.__init__(self)
        AnytimePlannerMixin.__init__(self)
        self._settings = Settings(engine, optimal, partial_order, memory_limit, search_beside)

    @property
    def name(self) -> str:
        """The name of the engine."""
        return "asplan"

    @staticmethod
    def supported_kind() -> ProblemKind:
        """The kind of all problems that asplan takes."""
        return supported_kind()

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Whether asplan takes problems of a kind."""
        return bool(problem_kind <= supported_kind())

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        """Whether plans of a kind can be checked."""
        return bool(plan_kind == PlanKind.SEQUENTIAL_PLAN)

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Whether plans are as good as that; where there is a metric, they are proven best."""
        return True

    @staticmethod
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        """Whether one plan after the other is as good as that."""
        return bool(anytime_guarantee == AnytimeGuarantee.INCREASING_QUALITY)

    @staticmethod
    def get_credits(**kwargs: Any) -> Credits:
        """Who made it."""
        return Credits(
            "asplan",
            "The asplan developers",
            "",
            "",
            "MIT",
            "Planning with Answer Set Programming: shortest plans, proven and checked.",
            "asplan translates a problem into facts, solves them step by step with clingo, proves "
            "what it claims, and checks each plan on the text of the problem.",
        )

    def _solve(
        self,
        problem: AbstractProblem,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: Streams = None,
    ) -> PlanGenerationResult:
        if heuristic is not None:
            warn("asplan does not use the heuristic that it was given", stacklevel=3)
        asked = question(problem, self._settings)
        return answer(asked, beside.ask(asked, timeout, teller(output_stream)), self.name)

    def _get_solutions(
        self,
        problem: AbstractProblem,
        timeout: float | None = None,
        output_stream: Streams = None,
    ) -> Iterator[PlanGenerationResult]:
        asked = question(problem, self._settings)
        yield from improved(asked, timeout, teller(output_stream), self.name)

    def _validate(self, problem: AbstractProblem, plan: Plan) -> ValidationResult:
        assert isinstance(plan, SequentialPlan)
        return checked(question(problem, self._settings), plan, self.name)
