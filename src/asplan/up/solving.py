"""Solving with an engine of asplan, and with a search through the states that runs beside it.

ASP finds plans. But if there is none, it may try one horizon after another for ever, and it is slow
to prove least costs. The engine `auto` has its own state search, but proves no costs. So after some
seconds a state search is started in another process, with its own memory limit.
"""

from contextlib import suppress
from dataclasses import replace
from math import inf
from threading import Event, Thread

from unified_planning.exceptions import UPUsageError

from asplan.core.budget import ENDLESS, Abandoned, Budget, Reporter
from asplan.engines.scheduling import Entrant, Start
from asplan.result import Outcome, Result
from asplan.up.questions import Options, UpQuestion

MEMORY = 1000
"""The megabytes that the state search may use."""


def budget_of(timeout: float | None) -> Budget:
    """Return a budget that ends `timeout` seconds from now; an endless one for None."""
    return ENDLESS if timeout is None else ENDLESS.within(timeout)


def seconds_left(budget: Budget) -> float | None:
    """Return the seconds that a budget has left, at least 0.1; None if it is endless."""
    return None if budget.deadline == inf else max(0.1, budget.remaining)


def _search_options(question: UpQuestion) -> Options | None:
    """Return the options of the state search that runs beside the engine; None if there is none."""
    settings = question.settings
    if settings.engine != "asp" or question.text.has_time or not settings.search_beside:
        return None
    if question.optimized in ("cost", "actions", "metric"):
        return {"engine": "astar", "optimal": question.optimized, "memory_limit": MEMORY}
    return {"engine": "bfs", "memory_limit": MEMORY}


BESIDE = Entrant(_search_options, Start(race=2.0))
"""The state search beside the engine, with its start after some seconds."""


def solve(
    question: UpQuestion,
    timeout: float | None,
    report: Reporter[Result],
    start: Start | None = None,
) -> Result:
    """Return the first answer, of the engine or of a state search that runs beside it.

    Parameters
    ----------
    timeout
        The time limit in seconds, or None.
    report
        Receives partial results; an exception that it raises ends the work.
    start
        The time at which the state search starts; by default the time `BESIDE`.
    """
    options = BESIDE.who(question)
    if options is None:
        return question.solve(timeout, report)
    search = _StateSearch(question, options, timeout, start or BESIDE.start)

    def report_progress(result: Result) -> None:
        report(search.improve_bounds(result))
        if search.answer is not None:
            raise Abandoned

    search.begin()
    try:
        result = question.solve(timeout, report_progress)
        return search.improve_bounds(result)
    except Abandoned:
        if search.answer is None:  # the caller's report raised it
            raise
        return search.answer
    finally:
        search.end()


class _StateSearch:
    """A state search in a thread, which starts after some seconds.

    `answer` is its result if this answers the question, else None.
    """

    def __init__(
        self,
        question: UpQuestion,
        options: Options,
        timeout: float | None,
        start: Start,
    ) -> None:
        self.answer: Result | None = None
        self._question = question
        self._options = options
        self._budget = budget_of(timeout)
        self._patience = start.race
        self._progress = Result()
        self._ended = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def begin(self) -> None:
        """Start the thread, which waits before it searches."""
        self._thread.start()

    def end(self) -> None:
        """Cancel the search and wait for the end of its thread."""
        self._ended.set()
        self._thread.join()

    def improve_bounds(self, result: Result) -> Result:
        """Return a result with the engine's or the state search's lower bound, the greater one.

        The result is unchanged unless the question asks for a plan of proven least cost or of
        proven fewest actions.
        """
        if not self._question.wants_proof:
            return result
        if self._question.optimized == "cost":
            lower_cost = max(result.lower_cost, self._progress.lower_cost)
            return replace(result, lower_cost=lower_cost)
        if self._question.optimized == "actions":
            lower_bound = max(result.lower_bound, self._progress.lower_bound)
            return replace(result, lower_bound=lower_bound)
        return result

    def _run(self) -> None:
        if self._ended.wait(self._patience):
            return
        # If the search cannot solve the problem, the engine goes on alone.
        with suppress(Abandoned, UPUsageError):
            left = seconds_left(self._budget)
            result = self._question.solve(left, self._note_progress, self._options)
            if result.outcome in self._settling_outcomes():
                self.answer = result

    def _note_progress(self, result: Result) -> None:
        if self._ended.is_set():
            raise Abandoned
        self._progress = result

    def _settling_outcomes(self) -> set[Outcome]:
        """Return the outcomes of the state search that answer the question.

        The state search has no parallel steps, so it cannot answer questions about parallel plans.
        """
        outcomes = {Outcome.UNSOLVABLE}
        if not self._question.partial_order and self._question.optimized != "steps":
            outcomes.add(Outcome.OPTIMAL)
            if not self._question.wants_proof:
                outcomes.add(Outcome.PLAN)
        return outcomes
