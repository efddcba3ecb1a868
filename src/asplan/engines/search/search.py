"""The counts, reports and results that all search algorithms share."""

import time
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Sequence,
)
from collections.abc import Set as AbstractSet
from contextlib import (
    contextmanager,
)
from dataclasses import (
    dataclass,
    field,
    replace,
)
from itertools import islice
from typing import Any, TypeVar

from asplan.core.budget import ENDLESS, Budget, OutOfBudget, Pace
from asplan.core.choices import Objective
from asplan.core.errors import UsageError
from asplan.core.search import OpenCounts
from asplan.domains.base import Domain
from asplan.domains.heuristic import Estimate, Heuristic
from asplan.domains.model import (
    DomainModel,
    DomainState,
    plan_along,
    require_costs,
)
from asplan.engines.run import Run
from asplan.result import (
    LEAST,
    Evidence,
    Outcome,
    Refuter,
    Result,
    Seconds,
    Statistics,
)
from asplan.statespace.model import ProgramModel
from asplan.statespace.space import state_space

Item = TypeVar("Item")

CHUNK = 4096  # states that are expanded at most between two checks of the clock
_LOOK_EVERY = 0.02  # seconds between checks of the clock; an estimate may take milliseconds

_REPORT_EVERY = 0.25

_INITIAL_STATES = "looking for the initial states"

_PIECE = 0.5
"""The seconds that the expansion of a piece of a layer may take, long beside its overhead."""


@dataclass
class Search(OpenCounts):
    """A search through the states of a model, with its counts and proven bounds so far.

    Attributes
    ----------
    start
        The start of the search by `time.monotonic()`.
    ground_seconds
        The time to ground the program, if its states are searched.
    bound
        Every plan is proven to have at least this many steps.
    lower_cost
        Every plan is proven to cost at least this much.
    path
        The states of the plan, once there is one.
    generated, queued, expanded, peak_open
        The numbers of states that were generated as successors, put into the open list, and
        expanded; and the largest size of the open list.
    """

    run: Run[Any]  # Any: the options of any search
    domain: Domain
    model: DomainModel
    start: float = field(default_factory=time.monotonic)
    ground_seconds: float = 0.0
    bound: int = 0
    lower_cost: int = 0
    path: Sequence[DomainState] = ()
    generated: int = 0
    expanded: int = 0

    def __post_init__(self) -> None:
        objective = self.run.options.aim.objective
        if objective is not None:
            _check_objective(objective, self.model)
        self.optimized = objective or (
            Objective.ACTIONS if self.domain.parallel else Objective.STEPS
        )
        self.is_priced = self.optimized in (Objective.COST, Objective.METRIC)
        self.initials = self.model.initials
        self.successors = self.model.successors
        self.is_goal = self.model.is_goal
        self.deepest = self.run.deepest
        self._pace = Pace(_REPORT_EVERY)
        self._chunk = CHUNK // 256
        self._last_look = self.start
        self._pause = 1  # expanded states between two checks of the clock
        self._next_look = 1

    def heuristic(self) -> Heuristic:
        """Return the heuristic that the options name, or the domain's default.

        Raises `UsageError` if no heuristic has this name, or if it does not fit the objective.
        """
        name = self.run.options.heuristic
        if name is None or ".py:" not in name:
            return self.domain.heuristic(name, self.model, self.is_priced)
        from asplan.domains.own_heuristic import read_heuristic

        if self.is_priced:
            raise UsageError(f"{name} estimates moves; --optimal {self.optimized} needs costs")
        return read_heuristic(name, self.run.problem.facts)

    def estimate(self, heuristic: Heuristic) -> Estimate:
        """Return the heuristic's function from a state to its estimate.

        The estimate is the cost of the remaining steps if the objective is a cost, else their
        number.
        """
        make = heuristic.priced if self.is_priced else heuristic.make
        assert make is not None
        return make(self.model)

    def no_less_than(self, f: float) -> None:
        """Raise the lower bound to `f`, unless the bound is greater already.

        The bound is on the cost of plans if the objective is a cost, else on the number of steps.
        """
        if self.is_priced:
            self.lower_cost = max(self.lower_cost, int(f))
        else:
            self.bound = max(self.bound, int(f))

    def take_out(self, activity: str) -> None:
        """Count a state that leaves the open list; from time to time report and check the clock."""
        self.expanded += 1
        if self.expanded >= self._next_look:
            now = time.monotonic()
            is_soon = now - self._last_look < _LOOK_EVERY
            self._pause = min(2 * self._pause, CHUNK) if is_soon else max(self._pause // 2, 1)
            self._last_look = now
            self._next_look = self.expanded + self._pause
            self.tick(activity)

    def expand(self, state: DomainState) -> list[DomainState]:
        """Return the successors of a state, and count them."""
        after = list(self.successors(state))
        self.generated += len(after)
        return after

    def priced_successors(self, state: DomainState) -> list[tuple[DomainState, int]]:
        """Return the successors of a state, each with the cost of its step, and count them.

        Each step costs 1 if the objective is no cost.
        """
        if not self.is_priced:
            return [(after, 1) for after in self.expand(state)]
        pairs = list(self.model.priced_successors(state))
        self.generated += len(pairs)
        return pairs

    def expand_layer(self, layer: AbstractSet[DomainState]) -> set[DomainState]:
        """Return the successors of all states in a layer, and count them."""
        after: set[DomainState] = set()
        for piece in self.chunks(layer, f"at depth {self.bound}"):
            reached = self.model.expand(piece)
            self.generated += len(reached)
            self.expanded += len(piece)
            after.update(reached)
        return after

    def open_has(self, size: int) -> None:
        """Record the present size of the open list, if it is the largest so far."""
        if size > self.peak_open:
            self.peak_open = size

    def tick(self, activity: str) -> None:
        """Report an activity if a report is due, and check the budget."""
        self.report(activity)
        self.run.budget.check()

    def report(self, activity: str) -> None:
        """Report an activity with the counts, if a report is due."""
        if self._pace.is_due():
            self.settle()
            expanded = f"{self.expanded} states expanded"
            self.run.announce(f"{activity}, {expanded}", optimized=self.optimized)

    def settle(self) -> None:
        """Copy the proven bounds to the run."""
        self.run.lower_bound = self.bound
        self.run.lower_cost = self.lower_cost

    def chunks(
        self,
        items: Iterable[Item],
        activity: str,
    ) -> Iterator[list[Item]]:
        """Yield the items in lists of changing length, and check the clock after each list.

        If the caller takes long for a list, the next lists are shorter, else longer. `activity`
        names the work in reports.
        """
        rest = iter(items)
        while piece := list(islice(rest, self._chunk)):
            began = time.monotonic()
            yield piece
            spent = time.monotonic() - began
            if spent > _PIECE:
                self._chunk = max(self._chunk // 4, 1)
            elif spent < _PIECE / 2 and len(piece) == self._chunk:
                self._chunk = min(2 * self._chunk, CHUNK)
            self.tick(activity)

    def plan_found(
        self,
        states: Sequence[DomainState],
        proven: bool,
        reason: str = "",
    ) -> Result:
        """Return the result with a plan that goes through `states`, from the initial state on.

        `proven` is true if the search has proven the plan optimal, for the `reason`.
        """
        self.path = states
        length = len(states) - 1
        plan = plan_along(self.model, states)
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
        """Return the result of a search that has proven, for a reason, that no plan exists."""
        self.settle()
        return self.run.unsolvable(reason)

    def too_deep(self) -> Result:
        """Return the result of a search that found no plan up to the maximal horizon."""
        self.run.lower_bound = self.bound = int(self.deepest) + 1
        return self.run.too_deep()

    def effort(self) -> tuple[Seconds, Statistics]:
        """Return the seconds and the counts of states so far."""
        seconds = Seconds(
            ground=round(self.ground_seconds, 6),
            solve=round(time.monotonic() - self.start, 6),
        )
        statistics = Statistics(
            generated=self.generated,
            queued=self.queued,
            expanded=self.expanded,
            peak_open=self.peak_open,
        )
        return seconds, statistics


def _check_objective(
    objective: str,
    model: DomainModel,
) -> None:
    """Raise `UsageError` if a search through a model's states cannot prove a plan best by it."""
    if objective != "steps" and model.acts_together:
        raise UsageError(
            f"--optimal {objective}: a search proves only the fewest steps of this program, "
            "because it does not count the actions of a step",
            hint="use --engine asp, or leave --optimal out",
        )
    if objective == "cost":
        require_costs(model)
    if objective == "metric" and not model.has_costs:
        message = "search only adds up costs of actions, but the metric has other numbers"
        raise UsageError(f"--optimal metric: {message}", hint="use --engine asp")


Algorithm = Callable[[Search], Result]


def run_search(
    algorithm: Algorithm,
    run: Run[Any],  # Any: the options of any search
) -> Result:
    """Run a search algorithm through the states of a run's problem, and return its result.

    The states are those of the domain's model in Python, or those of the program.
    """
    began = time.monotonic()
    try:
        domain, model = state_space(run.problem, _InitialStates(run))
    except OutOfBudget:
        return run.out_of_time(_INITIAL_STATES)
    run.evidence = Evidence((Refuter.STATES,))
    search = Search(run, domain, model, ground_seconds=time.monotonic() - began)
    run.effort = search.effort
    if not model.initials:
        return search.unsolvable("there is no initial state")
    try:
        with _within_budget(search):
            result = algorithm(search)
    except (OutOfBudget, MemoryError) as end:
        search.settle()
        stop = run.out_of_time if isinstance(end, OutOfBudget) else run.out_of_memory
        result = stop(f"searching, {search.expanded} states expanded")
    return replace(result, optimized=search.optimized)


@contextmanager
def _within_budget(search: Search) -> Iterator[None]:
    """Make a program's model check the budget while it computes successors, in a `with` block."""
    model = search.model
    if not isinstance(model, ProgramModel):
        yield
        return
    model.budget = _Successors(search)
    try:
        yield
    finally:
        model.budget = ENDLESS


class _Successors(Budget):
    """A budget that a model checks while it computes the successors of a state, if that is slow.

    Each check also reports the progress of the search, if a report is due.
    """

    def __init__(self, search: Search) -> None:
        super().__init__(search.run.budget.deadline, search.run.is_abandoned)
        self._search = search

    def check(self) -> None:
        """Report if a report is due, and check the budget of the search."""
        self._search.tick("computing successors")


class _InitialStates(Budget):
    """A budget that the search for initial states checks once for each state that it finds.

    Each check counts a state, and reports the count if a report is due.
    """

    def __init__(self, run: Run[Any]) -> None:  # Any: the options of any search
        super().__init__(run.budget.deadline, run.is_abandoned)
        self._run = run
        self._count = 0
        self._pace = Pace(_REPORT_EVERY)

    def check(self) -> None:
        """Count a state, report if a report is due, and check the budget of the run."""
        self._count += 1
        if self._pace.is_due():
            self._run.announce(_INITIAL_STATES, statistics=Statistics(queued=self._count))
        super().check()
