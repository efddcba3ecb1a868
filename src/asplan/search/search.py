"""What the search algorithms share: the counts, and results that claim no more than is proven."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

from asplan.domains.base import Domain, Model, successors_of
from asplan.domains.heuristic import Heuristic
from asplan.domains.way import plan_along
from asplan.options import EngineOptions, option
from asplan.result import Outcome, Result, Seconds, Statistics
from asplan.run import Run

Item = TypeVar("Item")

CHUNK = 4096
"""States that are expanded between two looks at the clock."""

_REPORT_EVERY = 0.25


@dataclass(frozen=True)
class Guided(EngineOptions):
    """Of algorithms that a heuristic guides."""

    heuristic: str | None = option("For search engines; see asplan list.", metavar="NAME")


@dataclass(frozen=True)
class BestFirst(Guided):
    """Of A*."""

    tie_breaking: str | None = option(
        "For A*, among equal f: larger-g (default), none or smaller-g-then-h.", metavar="NAME"
    )


class OutOfTime(Exception):
    """The deadline has passed."""


@dataclass
class Search:
    """One search: the model, and the effort so far.

    Attributes
    ----------
    bound
        Every plan has at least so many steps.
    generated, queued, expanded, peak_open
        As in `Statistics`.
    """

    run: Run[Any]
    domain: Domain
    model: Model[Any, Any]
    start: float = field(default_factory=time.monotonic)
    bound: int = 0
    generated: int = 0
    queued: int = 0
    expanded: int = 0
    peak_open: int = 0

    def __post_init__(self) -> None:
        self.successors = successors_of(self.model)
        self.is_goal = self.model.is_goal
        self.deepest = self.run.deepest
        self._next_report = self.start + _REPORT_EVERY

    def heuristic(self) -> Heuristic:
        """The heuristic that was asked for, or the domain's default."""
        return self.domain.heuristic(self.run.options.heuristic, self.model)

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
        if self.run.left < 0:
            raise OutOfTime
        now = time.monotonic()
        if now > self._next_report:
            self._next_report = now + _REPORT_EVERY
            self.run.lower_bound = self.bound
            self.run.tell(f"{doing}, {self.expanded} states expanded")

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
        return self.run.result(
            outcome=Outcome.OPTIMAL if optimal else Outcome.PLAN,
            reason=reason,
            horizon=length,
            lower_bound=length if optimal else self.bound,
            plans=(plan_along(self.model, states),),
        )

    def unsolvable(self, reason: str) -> Result:
        """The result where it is proven that there is no plan."""
        return self.result(outcome=Outcome.UNSOLVABLE, reason=f"no plan exists: {reason}")

    def too_deep(self) -> Result:
        """The result where there is no plan of at most as many steps as the maximal horizon."""
        self.run.lower_bound = self.bound = int(self.deepest) + 1
        return self.run.too_deep()

    def result(self, **fields: Any) -> Result:
        """A result with the bound and the counts so far."""
        return self.run.result(**{"lower_bound": self.bound, **fields})

    def effort(self) -> tuple[Seconds, Statistics]:
        """What was spent so far."""
        return Seconds(solve=round(time.monotonic() - self.start, 6)), Statistics(
            generated=self.generated,
            queued=self.queued,
            expanded=self.expanded,
            peak_open=self.peak_open,
        )


Algorithm = Callable[[Search], Result]


def engine(algorithm: Algorithm) -> Callable[[Run[Any]], Result]:
    """Make an algorithm an engine, which keeps its limits."""

    def solve(run: Run[Any]) -> Result:
        search = Search(run, *run.problem.modelled())
        run.effort = search.effort
        try:
            return algorithm(search)
        except OutOfTime:
            run.lower_bound = search.bound
            return run.out_of_time(_so_far(search))
        except MemoryError:
            run.lower_bound = search.bound
            return run.out_of_memory(_so_far(search))

    return solve


def _so_far(search: Search) -> str:
    return f"searching, {search.expanded} states expanded"
