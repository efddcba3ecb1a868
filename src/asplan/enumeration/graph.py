"""The graph of the plans of a model, and its paths in the order of their values.

A node is the set of states that the actions so far may lead to: one state, unless the model has
several initial states or outcomes. So each plan is one path, and each path from the start to a node
with a goal state is one plan.

A path has two values, compared in this order: its steps and its cost, or its cost and its steps.
The search for paths is best first; its estimate is the exact value of the best path from a node to
a goal. This is the eager form of K* (Aljazzar and Leue, K*: A heuristic search algorithm for
finding the k shortest paths, 2011).

Each level searches for paths from the start again, because a larger bound may open a dead end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import field
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import NamedTuple, Protocol, TypeAlias

from asplan.core.budget import ENDLESS, Budget
from asplan.core.dataclass import dataclass
from asplan.domains.heuristic import Estimate
from asplan.domains.model import DomainModel, DomainState

Value = tuple[int, int]
"""The values of a path: a level bounds the first one, and the second one breaks ties."""

ZERO: Value = (0, 0)

Uses: TypeAlias = frozenset[tuple[str, tuple[str, ...]]]
"""The landmarks that a path has reached, each with the actions of the step that reached it."""


def _add(one: Value, other: Value) -> Value:
    return one[0] + other[0], one[1] + other[1]


class Edge(NamedTuple):
    """A step of a plan: its actions, its value, and the node to which it leads."""

    actions: tuple[str, ...]
    value: Value
    target: int


@dataclass(frozen=True)
class Path:
    """A path from the start to a node; `before` is the path without its last edge.

    `uses` has the landmarks on the path, each with the actions that make it true; it is empty if no
    landmarks are wanted.
    """

    node: int
    value: Value = ZERO
    actions: tuple[str, ...] = ()
    before: Path | None = None
    uses: Uses = frozenset()

    def steps(self) -> tuple[tuple[str, ...], ...]:
        """Return the actions of all steps, the first step first."""
        *steps, _ = (path.actions for path in self._back())  # the last path is the start
        return tuple(reversed(steps))

    def passes(self, node: int) -> bool:
        """Return whether the path passes a node."""
        return any(path.node == node for path in self._back())

    def _back(self) -> Iterator[Path]:
        path: Path | None = self
        while path is not None:
            yield path
            path = path.before


def estimate_nothing(state: DomainState) -> float:
    """Return 0, the estimate of blind search."""
    return 0


@dataclass
class PlanGraph:
    """The graph of the plans, as far as it is explored.

    A path has two values: its steps and its cost, or if `by_cost` is set, its cost and its steps.
    Paths are ordered by the first value; the second one breaks ties.

    Attributes
    ----------
    model
        The model with the states.
    by_cost
        True if the first value of a path is its cost; False if the first value is its number of
        steps.
    budget
        The budget of the exploration.
    estimate
        An admissible estimate of the first value of a path from a state to a goal.
    edges
        The edges from each expanded node.
    least
        For each node, the first value of the best known path to it.
    goals
        The reached nodes that have a goal state.
    """

    model: DomainModel
    by_cost: bool = False
    budget: Budget = ENDLESS
    estimate: Estimate = estimate_nothing
    edges: dict[int, list[Edge]] = field(default_factory=dict)
    least: dict[int, int] = field(default_factory=dict)
    goals: set[int] = field(default_factory=set)
    _numbers: dict[frozenset[DomainState], int] = field(default_factory=dict)
    _nodes: list[frozenset[DomainState]] = field(default_factory=list)
    _estimates: list[float] = field(default_factory=list)
    _open: list[tuple[float, int, int]] = field(default_factory=list)  # (estimate, value, node)

    def __post_init__(self) -> None:
        """Begin with the node of all initial states."""
        self._relax(self._number(frozenset(self.model.initials)), 0)

    @property
    def nodes(self) -> int:
        """The number of nodes that were reached."""
        return len(self._nodes)

    def states_of(self, node: int) -> frozenset[DomainState]:
        """Return the states of a node."""
        return self._nodes[node]

    def next_value(self) -> int | None:
        """Return a lower bound on the steps (or the cost) of paths through open nodes.

        Return None if no node is open.
        """
        while self._open:
            total, value, node = self._open[0]
            if value <= self.least[node]:
                return int(total)
            heappop(self._open)  # a better path to the node was found since
        return None

    def explore(self, bound: int) -> None:
        """Expand all nodes that may be on a path to a goal within a bound.

        The bound is on the cost of the path if `by_cost` is set, else on its steps.
        """
        while (total := self.next_value()) is not None and total <= bound:
            self.budget.check()
            _, value, node = heappop(self._open)
            if node not in self.edges:
                edges = self._find_edges(node)
                self.edges[node] = [] if self._is_end(node) else list(edges)
            for edge in self.edges[node]:
                self._relax(edge.target, value + edge.value[0])

    def explore_all(self, most_nodes: int) -> bool:
        """Expand all nodes; stop and return False if there are more than `most_nodes`."""
        while (value := self.next_value()) is not None:
            if self.nodes > most_nodes:
                return False
            self.explore(value)
        return True

    def _is_end(self, node: int) -> bool:
        """Return whether plans end at a node: at a goal, unless actions after a goal count."""
        return node in self.goals and not self.model.is_whole

    def _find_edges(self, node: int) -> Iterator[Edge]:
        """Yield the edges from a node."""
        targets: dict[tuple[str, ...], set[DomainState]] = defaultdict(set)
        costs: dict[tuple[str, ...], int] = {}
        for state in self._nodes[node]:
            successors = self.model.successors(state)
            for action, after in zip(
                self.model.actions(state),
                successors,
                strict=True,
            ):
                terms = tuple(self.model.terms(action))
                cost = self.model.cost(state, action)
                targets[terms].add(after)
                costs[terms] = min(cost, costs.get(terms, cost))
        for terms, states in targets.items():
            cost = costs[terms]
            value = (cost, 1) if self.by_cost else (1, cost)
            yield Edge(
                terms,
                value,
                self._number(frozenset(states)),
            )

    def _number(self, states: frozenset[DomainState]) -> int:
        """Return the number of the node with these states; add the node if it is new."""
        node = self._numbers.setdefault(states, len(self._nodes))
        if node == len(self._nodes):
            self._nodes.append(states)
            self._estimates.append(min(map(self.estimate, states)))
            if any(map(self.model.is_goal, states)):
                self.goals.add(node)
        return node

    def _relax(
        self,
        node: int,
        value: int,
    ) -> None:
        """Open a node if `value`, the steps or cost of a path to it, is less than any before."""
        if value < self.least.get(node, value + 1):
            self.least[node] = value
            if self._estimates[node] < inf:
                heappush(self._open, (value + self._estimates[node], value, node))


class PathUses(Protocol):
    """The landmarks of a model, for finding the uses of a path.

    A use is a landmark that becomes true on the path, with the actions of the step that makes it
    true for the first time.
    """

    def after(
        self,
        uses: Uses,
        actions: tuple[str, ...],
        states: frozenset[DomainState],
    ) -> Uses:
        """Return the uses of a path after one more step.

        `uses` are the uses before the step, `actions` its actions, and `states` the states after.
        """


@dataclass(frozen=True)
class End:
    """The end of the paths of a level.

    `beyond` is the least number of steps (or cost) of the known paths to a goal that exceed the
    level's bound; None if there are no such paths.
    """

    beyond: int | None


class _Queue:
    """A priority queue of paths that can be continued to a goal within `bound` steps (or cost).

    It drops other paths. `beyond` is the least number of steps (or cost) with which a dropped path
    reaches a goal; None if no path was dropped.
    """

    def __init__(self, bound: int) -> None:
        self.beyond: int | None = None
        self._bound = bound
        self._number = count()
        self._waiting: list[tuple[Value, int, Path]] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def push(
        self,
        path: Path,
        total: Value,
    ) -> None:
        """Add a path; `total` is the value of the path with its best continuation to a goal."""
        if total[0] <= self._bound:
            # Of equal paths the newest comes first, so that the first path is complete soon.
            heappush(self._waiting, (total, -next(self._number), path))
        elif self.beyond is None or total[0] < self.beyond:
            self.beyond = total[0]

    def pop(self) -> Path:
        """Remove the best path and return it."""
        _, _, path = heappop(self._waiting)
        return path


@dataclass
class Level:
    """The paths from the start to goals whose number of steps (or cost) is within a bound.

    Attributes
    ----------
    graph
        The graph, which must be explored up to the bound.
    bound
        The most steps of a path, or its largest cost if the graph is `by_cost`.
    loopless
        True to leave out paths that pass a node twice.
    landmarks
        The landmarks, or None. With landmarks, a level yields only the best of the paths to a goal
        that make each landmark true by the same actions. But a `loopless` level yields all of these
        paths, because two paths to a node may then have different continuations.
    rests
        The least value of a path from each node to a goal, in the explored part of the graph.
    """

    graph: PlanGraph
    bound: int
    loopless: bool = False
    landmarks: PathUses | None = None
    rests: dict[int, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Compute `rests`."""
        self.rests = find_rests(self.graph)

    def paths(self, above: int = -1) -> Iterator[Path | End]:
        """Yield the paths with more steps (or cost) than `above`, best first; then an `End`."""
        queue = _Queue(self.bound)
        known: set[tuple[int, Uses]] = set()
        prunes = self.landmarks is not None and not self.loopless
        start = Path(0)
        if start.node in self.rests:
            queue.push(start, self.rests[start.node])
        while queue:
            self.graph.budget.check()
            path = queue.pop()
            if prunes:
                if (path.node, path.uses) in known:
                    continue
                known.add((path.node, path.uses))
            if path.node in self.graph.goals and path.value[0] > above:
                yield path
            for longer in self._continue(path):
                queue.push(longer, _add(longer.value, self.rests[longer.node]))
        yield End(queue.beyond)

    def _continue(self, path: Path) -> Iterator[Path]:
        """Yield the path extended by one edge, for each edge to a node that can reach a goal."""
        for edge in self.graph.edges[path.node]:
            if edge.target not in self.rests:
                continue
            if self.loopless and path.passes(edge.target):
                continue
            value = _add(path.value, edge.value)
            yield Path(
                edge.target,
                value,
                edge.actions,
                path,
                self._uses_after(path, edge),
            )

    def _uses_after(
        self,
        path: Path,
        edge: Edge,
    ) -> Uses:
        """Return the uses of the path that extends `path` by `edge`."""
        if self.landmarks is None:
            return path.uses
        return self.landmarks.after(
            path.uses,
            edge.actions,
            self.graph.states_of(edge.target),
        )

    def exceeds(self) -> bool:
        """Return whether a known path to a goal has more steps than the bound of this level."""
        nodes = {0} & self.rests.keys()
        for _ in range(self.bound + 1):
            targets = {edge.target for node in nodes for edge in self.graph.edges[node]}
            nodes = targets & self.rests.keys()
        return bool(nodes)

    def has_free_cycle(self) -> bool:
        """Return whether a path has a cycle without cost; the graph must be `by_cost`."""
        least = self.graph.least
        expanded = (node for node in self.rests if node in self.graph.edges)
        useful = set[int]()
        for node in expanded:
            rest, _ = self.rests[node]
            if least[node] + rest <= self.bound:
                useful.add(node)
        free: dict[int, set[int]] = {}
        for node in useful:
            edges = self.graph.edges[node]
            targets = {edge.target for edge in edges if edge.value[0] == 0}
            free[node] = targets & useful
        return _has_cycle(free)


def find_rests(graph: PlanGraph) -> dict[int, Value]:
    """Return the least value of a path from each node to a goal, by Dijkstra's search backwards."""
    if not graph.goals:
        return {}
    backward: dict[int, list[tuple[Value, int]]] = defaultdict(list)
    for node, edges in graph.edges.items():
        for edge in edges:
            backward[edge.target].append((edge.value, node))
    rests: dict[int, Value] = {}
    waiting = [(ZERO, goal) for goal in sorted(graph.goals)]
    while waiting:
        rest, node = heappop(waiting)
        if node in rests:
            continue
        rests[node] = rest
        for value, before in backward[node]:
            if before not in rests:
                heappush(waiting, (_add(value, rest), before))
    return rests


def _has_cycle(successors: dict[int, set[int]]) -> bool:
    """Return whether a graph has a cycle: remove nodes without predecessors until none is left."""
    degrees = dict.fromkeys(successors, 0)
    for targets in successors.values():
        for target in targets:
            degrees[target] += 1
    removable = [node for node, degree in degrees.items() if degree == 0]
    removed = 0
    while removable:
        removed += 1
        for target in successors[removable.pop()]:
            degrees[target] -= 1
            if degrees[target] == 0:
                removable.append(target)
    return removed < len(successors)
