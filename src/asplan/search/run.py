"""What the search algorithms share: limits, counts of states, and results that claim no more
than was proven.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any, TypeVar

from asplan.domains.base import Domain, Heuristic, Problem, successors_of
from asplan.errors import InputError
from asplan.limits import Limits
from asplan.result import Outcome, Plan, Result, Seconds, Statistics, Stop
from asplan.task import Options, Report, Task

Item = TypeVar("Item")

CHUNK = 4096
"""States that are expanded between two looks at the clock."""

_REPORT_EVERY = 0.25


class OutOfTime(Exception):
    """The deadline has passed."""


@dataclass
class Search:
    """One search: the problem, the limits, and the effort so far.

    Attributes
    ----------
    bound
        Every plan has at least so many steps.
    generated, queued, expanded, peak_open
        As in `Statistics`.
    """

    domain: Domain
    problem: Problem[Any, Any]
    options: Options
    limits: Limits
    report: Report
    start: float = field(default_factory=time.monotonic)
    bound: int = 0
    generated: int = 0
    queued: int = 0
    expanded: int = 0
    peak_open: int = 0

    def __post_init__(self) -> None:
        self.successors = successors_of(self.problem)
        self.is_goal = self.problem.is_goal
        self._next_report = self.start + _REPORT_EVERY

    @property
    def deepest(self) -> float:
        """The most steps that a plan may have."""
        return float("inf") if self.limits.max_horizon is None else self.limits.max_horizon

    def heuristic(self) -> Heuristic:
        """The heuristic that was asked for, or the domain's default."""
        return self.domain.heuristic(self.options.heuristic)

    def take_out(self, doing: str) -> None:
        """Count a state that is taken out of the open list; now and then look at the clock."""
        self.expanded += 1
        if self.expanded % CHUNK == 0:
            self.tick(doing)

    def expand(self, state: Any) -> list[Any]:
        """The states that follow, counted."""
        after = list(self.successors(state))
        self.generated += len(after)
        return after

    def open_has(self, size: int) -> None:
        """Remember the largest size of the open list."""
        if size > self.peak_open:
            self.peak_open = size

    def tick(self, doing: str) -> None:
        """Look at the clock, and say what is being done; `OutOfTime` after the deadline."""
        now = time.monotonic()
        if self.limits.seconds is not None and now - self.start > self.limits.seconds:
            raise OutOfTime
        if now > self._next_report:
            self._next_report = now + _REPORT_EVERY
            self.report(self.result(reason=f"{doing}, {self.expanded} states expanded"))

    def chunks(self, items: Iterable[Item], doing: str) -> Iterator[list[Item]]:
        """Cut items into pieces, with a look at the clock after each."""
        rest = iter(items)
        while piece := list(islice(rest, CHUNK)):
            yield piece
            self.tick(doing)

    def found(self, states: Sequence[Any], proven: bool, reason: str = "") -> Result:
        """The result for a way from the initial state to a goal."""
        length = len(states) - 1
        if length == 0:
            reason = "the goal holds at the start"
        elif proven:
            reason = f"shortest: {reason}"
        optimal = proven or length <= self.bound
        return self.result(
            outcome=Outcome.OPTIMAL if optimal else Outcome.PLAN,
            reason=reason,
            horizon=length,
            lower_bound=length if optimal else self.bound,
            plans=(plan_along(self.problem, states),),
        )

    def unsolvable(self, reason: str) -> Result:
        """The result where it is proven that there is no plan."""
        return self.result(outcome=Outcome.UNSOLVABLE, reason=f"no plan exists: {reason}")

    def too_deep(self) -> Result:
        """The result where there is no plan of at most as many steps as the maximal horizon."""
        self.bound = int(self.deepest) + 1
        reason = f"maximal horizon {self.limits.max_horizon} reached"
        return self.result(stopped=Stop.HORIZON, reason=reason)

    def result(self, **fields: Any) -> Result:
        """A result with the counts so far."""
        counts = Statistics(
            generated=self.generated,
            queued=self.queued,
            expanded=self.expanded,
            peak_open=self.peak_open,
        )
        seconds = Seconds(solve=round(time.monotonic() - self.start, 6))
        return Result(
            **{"lower_bound": self.bound, "statistics": counts, "seconds": seconds, **fields}
        )


Algorithm = Callable[[Search], Result]


def engine(algorithm: Algorithm) -> Callable[[Task, Report], Result]:
    """Make an algorithm an engine, which keeps its limits."""

    def run(task: Task, report: Report) -> Result:
        domain, problem = model_of(task)
        search = Search(domain, problem, task.options, task.limits, report)
        try:
            return algorithm(search)
        except OutOfTime:
            reason = task.limits.time_reason(_so_far(search))
            return search.result(stopped=Stop.TIME, reason=reason)
        except MemoryError:
            reason = f"out of memory while {_so_far(search)}"
            return search.result(stopped=Stop.MEMORY, reason=reason)

    return run


def model_of(task: Task) -> tuple[Domain, Problem[Any, Any]]:
    """The domain and the problem of a task.

    Raises
    ------
    InputError
        The files belong to no domain that has a model in Python.
    """
    if task.domain is None or task.problem is None:
        raise InputError(
            "the files are an instance of no domain that has a model in Python",
            mend="--engine asp needs none",
        )
    return task.domain, task.problem


def plan_along(problem: Problem[Any, Any], states: Sequence[Any]) -> Plan:
    """The plan that leads through a sequence of states."""
    successors = successors_of(problem)

    def action(before: Any, after: Any) -> Any:
        pairs = zip(problem.actions(before), successors(before), strict=True)
        return next(action for action, state in pairs if state == after)

    return Plan(tuple((str(action(before, after)),) for before, after in pairwise(states)))


def _so_far(search: Search) -> str:
    return f"searching, {search.expanded} states expanded"
