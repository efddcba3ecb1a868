"""What the search algorithms share: the counts, and results that claim no more than is proven."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypeVar

from asplan.domains.base import Domain
from asplan.domains.heuristic import Estimate, Heuristic
from asplan.domains.model import (
    Model,
    acts_together,
    initials_of,
    plan_along,
    priced_successors_of,
    refuse_free,
    successors_of,
)
from asplan.engines.run import Run
from asplan.errors import UsageError
from asplan.result import LEAST, Outcome, Result, Seconds, Statistics
from asplan.statespace.space import state_space

Item = TypeVar("Item")

CHUNK = 4096
"""States that are expanded at most between two looks at the clock."""

STARTING = "looking for the initial states"
"""What is being done before the search begins."""

_LOOK_EVERY = 0.02
"""Seconds between two looks at the clock, as near as may be: some estimates take milliseconds."""

_REPORT_EVERY = 0.25

_PIECE = 0.5
"""Seconds that the expansion of a piece may take. Where states are evaluated together, pieces of
sixteen may take a twentieth, and those of thousands little more, so this must not be short."""


class OutOfTime(Exception):
    """The deadline has passed."""


@dataclass
class Search:
    """One search: the model, and the effort so far.

    Attributes
    ----------
    optimized
        What is made least: `steps`, `actions` or `cost`.
    ground_seconds
        What it took to ground the program, where its own states are searched.
    bound, lower_cost
        Every plan has at least so many steps, and costs at least so much.
    way
        The states from an initial one to a goal, once a plan is found.
    generated, queued, expanded, peak_open
        As in `Statistics`.
    """

    run: Run[Any]
    domain: Domain
    model: Model[Any, Any]
    start: float = field(default_factory=time.monotonic)
    ground_seconds: float = 0.0
    bound: int = 0
    lower_cost: int = 0
    way: Sequence[Any] = ()
    generated: int = 0
    queued: int = 0
    expanded: int = 0
    peak_open: int = 0

    def __post_init__(self) -> None:
        self.optimized = self._optimized()
        self.successors = successors_of(self.model)
        self._priced_successors = priced_successors_of(self.model)
        self.is_goal = self.model.is_goal
        self.deepest = self.run.deepest
        self._next_report = self.start + _REPORT_EVERY
        self._chunk = CHUNK // 256
        self._last_look, self._pause, self._next_look = self.start, 1, 1

    def _optimized(self) -> str:
        wanted: str | None = getattr(self.run.options, "optimal", None)
        if wanted is not None and wanted != "steps" and acts_together(self.model):
            raise UsageError(
                f"--optimal {wanted}: search through the states of a program counts steps, and a "
                "step may hold several actions",
                hint="--engine asp looks at what the program minimizes",
            )
        if wanted == "cost":
            refuse_free(self.model)
        return wanted or ("actions" if self.domain.parallel else "steps")

    @property
    def is_priced(self) -> bool:
        """Whether what actions cost is made least."""
        return self.optimized == "cost"

    def heuristic(self) -> Heuristic:
        """The heuristic that was asked for, or the domain's default."""
        return self.domain.heuristic(self.run.options.heuristic, self.model, self.is_priced)

    def estimate(self, heuristic: Heuristic) -> Estimate:
        """A heuristic's estimate of what is made least."""
        make = heuristic.priced if self.is_priced else heuristic.make
        assert make is not None
        return make(self.model)

    def no_less_than(self, f: float) -> None:
        """Every plan has at least so many steps, or costs at least so much."""
        if self.is_priced:
            self.lower_cost = max(self.lower_cost, int(f))
        else:
            self.bound = max(self.bound, int(f))

    def take_out(self, doing: str) -> None:
        """Count a state that is taken out of the open list; now and then look at the clock."""
        self.expanded += 1
        if self.expanded >= self._next_look:
            self._look(doing)

    def _look(self, doing: str) -> None:
        """Look at the clock, and settle after how many states to look again."""
        now = time.monotonic()
        is_soon = now - self._last_look < _LOOK_EVERY
        self._pause = min(2 * self._pause, CHUNK) if is_soon else max(self._pause // 2, 1)
        self._last_look, self._next_look = now, self.expanded + self._pause
        self.tick(doing)

    def expand(self, state: Any) -> list[Any]:
        """The states that follow, counted."""
        after = list(self.successors(state))
        self.generated += len(after)
        return after

    def ways(self, state: Any) -> list[tuple[Any, int]]:
        """The states that follow, counted, each with what is paid for it: 1 for a step."""
        if not self.is_priced:
            return [(after, 1) for after in self.expand(state)]
        found = list(self._priced_successors(state))
        self.generated += len(found)
        return found

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
            self.settle()
            self.run.tell(f"{doing}, {self.expanded} states expanded", optimized=self.optimized)

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Let a model that may work for long on some states look at the clock, too."""
        model: Any = self.model
        heeds = hasattr(model, "heed")
        if heeds:
            model.heed = lambda: self.tick("looking at what may happen together")
        try:
            yield
        finally:
            if heeds:
                del model.heed

    def settle(self) -> None:
        """Let the run know what is proven."""
        self.run.lower_bound, self.run.lower_cost = self.bound, self.lower_cost

    def chunks(self, items: Iterable[Item], doing: str) -> Iterator[list[Item]]:
        """Cut items into pieces, with a look at the clock after each; slow ones get smaller."""
        rest = iter(items)
        while piece := list(islice(rest, self._chunk)):
            began = time.monotonic()
            yield piece
            spent = time.monotonic() - began
            if spent > _PIECE:
                self._chunk = max(self._chunk // 4, 1)
            elif spent < _PIECE / 2 and len(piece) == self._chunk:
                self._chunk = min(2 * self._chunk, CHUNK)
            self.tick(doing)

    def found(self, states: Sequence[Any], proven: bool, reason: str = "") -> Result:
        """The result for a way from the initial state to a goal."""
        self.way = states
        length, plan = len(states) - 1, plan_along(self.model, states)
        if length == 0:
            reason = "the goal holds at the start"
        elif proven:
            reason = f"{LEAST[self.optimized]}: {reason}"
        optimal = proven or (length <= self.bound and not self.is_priced)
        if optimal and self.is_priced:
            assert plan.cost is not None
            self.lower_cost = plan.cost[0]
        elif optimal:
            self.bound = length
        return self.result(
            outcome=Outcome.OPTIMAL if optimal else Outcome.PLAN,
            reason=reason,
            horizon=length,
            cost=plan.cost,
            plans=(plan,),
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
        self.settle()
        return self.run.result(**fields)

    def effort(self) -> tuple[Seconds, Statistics]:
        """What was spent so far."""
        solving = round(time.monotonic() - self.start, 6)
        return Seconds(ground=round(self.ground_seconds, 6), solve=solving), Statistics(
            generated=self.generated,
            queued=self.queued,
            expanded=self.expanded,
            peak_open=self.peak_open,
        )


Algorithm = Callable[[Search], Result]


@dataclass
class _Starting:
    """Looks at the clock, and reports, for each initial state that is found."""

    run: Run[Any]
    found: int = 0
    reported: float = field(default_factory=time.monotonic)

    def __call__(self) -> None:
        self.found += 1
        if self.run.left < 0:
            raise OutOfTime
        if time.monotonic() - self.reported > _REPORT_EVERY:
            self.reported = time.monotonic()
            self.run.tell(STARTING, statistics=Statistics(queued=self.found))


def search(algorithm: Algorithm, run: Run[Any]) -> Result:
    """Search with an algorithm, within the limits."""
    began = time.monotonic()
    try:
        domain, model = state_space(run.problem, _Starting(run))
    except OutOfTime:
        return run.out_of_time(STARTING)
    searched = Search(run, domain, model, ground_seconds=time.monotonic() - began)
    run.effort = searched.effort
    if not initials_of(model):
        return searched.unsolvable("there is no initial state")
    try:
        with searched.heeded():
            result = algorithm(searched)
    except OutOfTime:
        searched.settle()
        result = run.out_of_time(_so_far(searched))
    except MemoryError:
        searched.settle()
        result = run.out_of_memory(_so_far(searched))
    return replace(result, optimized=searched.optimized)


def _so_far(search: Search) -> str:
    return f"searching, {search.expanded} states expanded"
