"""What the search algorithms share: the counts, and results that claim no more than is proven."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from asplan.core.errors import UsageError
from asplan.domains.base import Domain
from asplan.domains.heuristic import Estimate, Heuristic
from asplan.domains.model import Model, plan_along, refuse_free
from asplan.engines.run import OutOfTime, Run
from asplan.result import LEAST, Outcome, Result, Seconds, Statistics
from asplan.statespace.model import ProgramModel
from asplan.statespace.space import state_space

Item = TypeVar("Item")

CHUNK = 4096  # states that are expanded at most between two looks at the clock
_LOOK_EVERY = 0.02  # seconds between looks at the clock; an estimate may take milliseconds

_REPORT_EVERY = 0.25

_PIECE = 0.5
"""Seconds of a piece that is expanded; large ones take little more than small ones."""


@dataclass
class Search:
    """One search: the model, and the effort so far.

    `ground_seconds` is what it took to ground the program, where its own states are searched. Every
    plan has at least `bound` steps, and costs at least `lower_cost`. `path` holds the states from
    an initial one to a goal, once a plan is found; the counts are those of `Statistics`.
    """

    run: Run[Any]
    domain: Domain
    model: Model[Any, Any]
    start: float = field(default_factory=time.monotonic)
    ground_seconds: float = 0.0
    bound: int = 0
    lower_cost: int = 0
    path: Sequence[Any] = ()
    generated: int = 0
    queued: int = 0
    expanded: int = 0
    peak_open: int = 0

    def __post_init__(self) -> None:
        wanted: str | None = getattr(self.run.options, "optimal", None)
        if wanted is not None and wanted != "steps" and self.model.acts_together:
            raise UsageError(
                f"--optimal {wanted}: search through the states of a program counts steps, and a "
                "step may hold several actions",
                hint="--engine asp looks at what the program minimizes",
            )
        if wanted == "cost":
            refuse_free(self.model)
        if wanted == "metric" and not self.model.has_costs:
            what = "--optimal metric: search adds up what actions cost, and here are other numbers"
            raise UsageError(what, hint="--engine asp looks at them")
        self.optimized = wanted or ("actions" if self.domain.parallel else "steps")
        self.is_priced = self.optimized in ("cost", "metric")
        self.successors = self.model.successors
        self._priced_successors = self.model.priced_successors
        self.is_goal = self.model.is_goal
        self.deepest = self.run.deepest
        self._next_report = self.start + _REPORT_EVERY
        self._chunk = CHUNK // 256
        self._last_look, self._pause, self._next_look = self.start, 1, 1

    def heuristic(self) -> Heuristic:
        return self.domain.heuristic(self.run.options.heuristic, self.model, self.is_priced)

    def estimate(self, heuristic: Heuristic) -> Estimate:
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
            now = time.monotonic()
            is_soon = now - self._last_look < _LOOK_EVERY
            self._pause = min(2 * self._pause, CHUNK) if is_soon else max(self._pause // 2, 1)
            self._last_look, self._next_look = now, self.expanded + self._pause
            self.tick(doing)

    def expand(self, state: Any) -> list[Any]:
        after = list(self.successors(state))
        self.generated += len(after)
        return after

    def priced(self, state: Any) -> list[tuple[Any, int]]:
        """The states that follow, counted, each with what is paid for it: 1 for a step."""
        if not self.is_priced:
            return [(after, 1) for after in self.expand(state)]
        found = list(self._priced_successors(state))
        self.generated += len(found)
        return found

    def open_has(self, size: int) -> None:
        if size > self.peak_open:
            self.peak_open = size

    def tick(self, doing: str) -> None:
        """Look at the clock, as `Run.look` does, and say what is being done."""
        self.run.look()
        now = time.monotonic()
        if now > self._next_report:
            self._next_report = now + _REPORT_EVERY
            self.settle()
            self.run.tell(f"{doing}, {self.expanded} states expanded", optimized=self.optimized)

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
        self.path = states
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
        self.settle()
        return self.run.result(
            outcome=Outcome.OPTIMAL if optimal else Outcome.PLAN,
            reason=reason,
            horizon=length,
            cost=plan.cost,
            plans=(plan,),
        )

    def unsolvable(self, reason: str) -> Result:
        self.settle()
        return self.run.unsolvable(reason)

    def too_deep(self) -> Result:
        """The result where there is no plan of at most as many steps as the maximal horizon."""
        self.run.lower_bound = self.bound = int(self.deepest) + 1
        return self.run.too_deep()

    def effort(self) -> tuple[Seconds, Statistics]:
        solving = round(time.monotonic() - self.start, 6)
        return Seconds(ground=round(self.ground_seconds, 6), solve=solving), Statistics(
            generated=self.generated,
            queued=self.queued,
            expanded=self.expanded,
            peak_open=self.peak_open,
        )


Algorithm = Callable[[Search], Result]


def search(algorithm: Algorithm, run: Run[Any]) -> Result:
    began = reported = time.monotonic()
    starts, doing = 0, "looking for the initial states"

    def look() -> None:
        nonlocal starts, reported
        starts += 1
        run.look()
        if time.monotonic() - reported > _REPORT_EVERY:
            reported = time.monotonic()
            run.tell(doing, statistics=Statistics(queued=starts))

    try:
        domain, model = state_space(run.problem, look)
    except OutOfTime:
        return run.out_of_time(doing)
    searched = Search(run, domain, model, ground_seconds=time.monotonic() - began)
    run.effort = searched.effort
    if not model.initials:
        return searched.unsolvable("there is no initial state")
    own = model if isinstance(model, ProgramModel) else None
    if own is not None:  # it may work for long on some states
        own.heed = partial(searched.tick, "looking at what may happen together")
    try:
        result = algorithm(searched)
    except (OutOfTime, MemoryError) as end:
        searched.settle()
        doing = f"searching, {searched.expanded} states expanded"
        result = (run.out_of_time if isinstance(end, OutOfTime) else run.out_of_memory)(doing)
    finally:
        if own is not None:
            del own.heed
    return replace(result, optimized=searched.optimized)
