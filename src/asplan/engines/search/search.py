"""What the search algorithms share: the counts, and results that claim no more than is proven.

Below are those without a guide: breadth first over the tree and over the graph, depth first, and
from both ends at once. Sources: Russell and Norvig, Artificial Intelligence: A Modern Approach,
chapter 3; Pohl, Bi-directional Search, Machine Intelligence 6, 1971.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from asplan.core.errors import UsageError
from asplan.core.text import amount
from asplan.domains.base import Domain
from asplan.domains.heuristic import Estimate, Heuristic
from asplan.domains.model import Model, plan_along, require_costs
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
            require_costs(self.model)
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


Node = tuple[Any, Any]  # a state and the node it was reached from; None at the root


def bfs_tree(search: Search) -> Result:
    """Breadth first without memory of states: what is reached again is searched again.

    The first plan is shortest. Without a plan it ends only where no action applies.
    """
    layer: list[Node] = [(state, None) for state in search.model.initials]
    search.queued = len(layer)
    while layer:
        search.open_has(len(layer))
        for node in layer:
            if search.is_goal(node[0]):
                return search.found(path(node), proven=True, reason=refuted(search))
        search.bound += 1
        if search.bound > search.deepest:
            return search.too_deep()
        below: list[Node] = []
        for piece in search.chunks(layer, f"at depth {search.bound}"):
            below += [(after, node) for node in piece for after in search.successors(node[0])]
            search.expanded += len(piece)
        search.generated += len(below)
        search.queued += len(below)
        layer = below
    return search.unsolvable("the tree of all paths from the start ends without a goal")


def bfs(search: Search) -> Result:
    layers: list[set[Any]] = [set(search.model.initials)]
    seen = None if search.domain.reversible else set(layers[0])
    search.queued = len(layers[0])
    while layers[-1]:
        search.open_has(len(layers[-1]))
        if goals := list(filter(search.is_goal, layers[-1])):
            states = trace(search, layers, same_of(goals))
            return search.found(states, proven=True, reason=refuted(search))
        search.bound += 1
        if search.bound > search.deepest:
            return search.too_deep()
        layers.append(next_layer(search, layers, seen))
    return search.unsolvable(f"none of the {sum(map(len, layers))} reachable states is a goal")


def same_of(states: Iterable[Any]) -> Any:
    """One of some states, the same in every run: sets of states that hold text are in no order."""
    return min(states, key=repr)


def next_layer(
    search: Search, layers: Sequence[set[Any]], seen: set[Any] | None = None
) -> set[Any]:
    """The states that follow the last layer and are in none before.

    Where moves can be undone a state that follows is new, or in one of the last two layers; else
    `seen` has the states of all layers, and gets the new ones.
    """
    expand, fresh = search.model.expand, set[Any]()
    for piece in search.chunks(layers[-1], f"at depth {search.bound}"):
        reached = expand(piece)
        search.generated += len(reached)
        search.expanded += len(piece)
        fresh.update(reached)
    if seen is None:
        fresh.difference_update(*layers[-2:])
    else:
        fresh -= seen
        seen |= fresh
    search.queued += len(fresh)
    return fresh


def trace(search: Search, layers: Sequence[set[Any]], state: Any) -> list[Any]:
    """A path through the layers to a state in the last of them, found from its end."""
    states, leading = [state], search.model.leading
    for layer in reversed(layers[:-1]):
        state = states[-1]
        if search.domain.reversible:
            states.append(next(s for s in search.successors(state) if s in layer))
        else:
            pieces = search.chunks(layer, "going back")
            states.append(same_of(s for piece in pieces for s in leading(piece, state)))
    return states[::-1]


def dfs(search: Search) -> Result:
    """Depth first, with memory of states: finds some plan, or sees that there is none."""
    limited = search.run.limits.max_horizon is not None
    starts = search.model.initials
    stack: list[tuple[Node, int]] = [((state, None), 0) for state in reversed(starts)]
    seen: dict[Any, int] = dict.fromkeys(starts, 0)
    search.queued, cut = len(stack), False
    while stack:
        search.open_has(len(stack))
        node, depth = stack.pop()
        search.take_out(f"at depth {depth}")
        if search.is_goal(node[0]):
            return search.found(path(node), proven=False, reason="the first plan, depth first")
        if depth >= search.deepest:
            cut = True
            continue
        for after in reversed(search.expand(node[0])):
            if after not in seen or (limited and depth + 1 < seen[after]):
                seen[after] = depth + 1
                stack.append(((after, node), depth + 1))
                search.queued += 1
    if cut:
        return search.too_deep()
    return search.unsolvable(f"none of the {len(seen)} reachable states is a goal")


def path(node: Node | None) -> list[Any]:
    states = []
    while node is not None:
        state, node = node
        states.append(state)
    return states[::-1]


def refuted(search: Search) -> str:
    """What a breadth-first search has proven when it finds its first plan."""
    return f"no goal within {amount(search.bound - 1, 'step')}"


def bidirectional(search: Search) -> Result:
    """Breadth first from both ends at once: the smaller of the two frontiers goes on.

    After a layers from the start and b from the goals without a meeting every plan has more than
    a + b steps, so the first meeting gives a shortest plan.
    Raises `UsageError` where moves cannot be undone, or the domain does not list its goal states.
    """
    goals, name = search.model.goals(), search.domain.name
    if goals is None or not search.domain.reversible:
        needs = f"a list of the goal states; {name} has too many"
        if not search.domain.reversible:
            needs = f"moves that can be undone; not so in {name}"
        raise UsageError(f"engine bidirectional needs {needs}", hint="use --engine bfs")
    ahead: list[set[Any]] = [{search.model.initial}]
    behind: list[set[Any]] = [set(goals)]
    search.queued = 1 + len(behind[0])
    while not (met := ahead[-1] & behind[-1]):
        search.bound += 1
        if search.bound > search.deepest:
            return search.too_deep()
        search.open_has(len(ahead[-1]) + len(behind[-1]))
        smaller = min(ahead, behind, key=lambda layers: len(layers[-1]))
        smaller.append(next_layer(search, smaller))
        if not smaller[-1]:
            what, is_not = "reachable states", "a goal"
            if smaller is behind:
                what, is_not = "states from which a goal can be reached", "the initial one"
            states = sum(map(len, smaller))
            return search.unsolvable(f"none of the {states} {what} is {is_not}")
    middle = same_of(met)
    first, second = (trace(search, layers, middle) for layers in (ahead, behind))
    return search.found(first + second[-2::-1], proven=True, reason=refuted(search))
