"""A search through the states beside the engine, for what takes long.

ASP finds plans, but where there is none it can go on for ever, horizon after horizon. A search that
has seen all states knows. So it joins in after some seconds, in a process of its own, with a memory
of its own; whoever has an answer first ends the other.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Thread

from unified_planning.exceptions import UPUsageError

from asplan.result import Outcome, Result
from asplan.run import Report
from asplan.up.questions import Question

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
