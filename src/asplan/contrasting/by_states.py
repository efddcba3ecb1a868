"""The outlook of a plan from the states of a model."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field

from asplan.contrasting.outlook import Outlook
from asplan.core.budget import Budget, OutOfBudget
from asplan.core.plan import Plan
from asplan.enumeration.graph import Edge, Path, PlanGraph, Value, find_rests

_UNEXPLORED = -1


@dataclass
class GraphSearch:
    """A search on the graph of the plans of a model.

    Attributes
    ----------
    graph
        The graph of the plans; its edges count steps.
    plan
        The user's plan, which must be valid.
    explored
        The length up to which all plans are in the graph.
    """

    graph: PlanGraph
    plan: Plan
    explored: int = _UNEXPLORED
    _rests: dict[int, Value] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """True if all plans that are shorter than the user's are in the graph."""
        return self.explored >= len(self.plan) - 1

    def limit(self, budget: Budget) -> None:
        """Set the budget of the searches that follow."""
        self.graph.budget = budget

    def measure(self) -> Outlook:
        """Find the lengths of shortest plans, as far as the budget allows."""
        with suppress(OutOfBudget):
            self._explore()
        self._rests = find_rests(self.graph)
        nodes = self._nodes()
        lengths = [self._length(k, nodes[k]) if k < len(nodes) else None for k in self._times()]
        if self.is_complete:
            lengths = [len(self.plan) if length is None else length for length in lengths]
        lengths[-1] = len(self.plan)
        first = lengths[0]
        least = self.explored + 1 if first is None else first
        best = None
        if first is not None and first < len(self.plan):
            kept = max(k for k, length in enumerate(lengths) if length == first)
            best = Plan((*self.plan.steps[:kept], *self._rest_of(nodes[kept])))
        return Outlook(tuple(lengths), least, best)

    def find_shorter(self, forbidden: Collection[str]) -> Plan | None:
        """Return a shortest plan without forbidden actions, if it is shorter than the user's.

        Raise `OutOfBudget` if not all shorter plans are in the graph.
        """
        if not self.is_complete:
            raise OutOfBudget
        layer = [Path(0)]
        seen = {0}
        for _ in range(len(self.plan)):
            for path in layer:
                if path.node in self.graph.goals:
                    return Plan(path.steps())
            layer = [after for path in layer for after in self._longer(path, forbidden, seen)]
        return None

    def _longer(self, path: Path, forbidden: Collection[str], seen: set[int]) -> list[Path]:
        """Return the paths that prolong `path` by one step, to a node that is not in `seen`.

        Steps with an action in `forbidden` are left out.
        """
        longer: list[Path] = []
        for edge in self.graph.edges.get(path.node, ()):
            if edge.target not in seen and not any(act in forbidden for act in edge.actions):
                seen.add(edge.target)
                longer.append(Path(edge.target, actions=edge.actions, before=path))
        return longer

    def _explore(self) -> None:
        """Explore the graph up to all plans that are shorter than the user's."""
        last = len(self.plan) - 1
        while (value := self.graph.next_value()) is not None and value <= last:
            self.explored = max(self.explored, value - 1)
            self.graph.explore(value)
            self.explored = value
        self.explored = last

    def _times(self) -> range:
        return range(len(self.plan) + 1)

    def _nodes(self) -> list[int]:
        """Return the nodes that the user's plan visits, as far as they are explored."""
        nodes = [0]
        for step in self.plan:
            edges = self.graph.edges.get(nodes[-1], ())
            after = next((edge.target for edge in edges if _has_actions(edge, step)), None)
            if after is None and step:
                break
            nodes.append(nodes[-1] if after is None else after)
        return nodes

    def _length(self, time: int, node: int) -> int | None:
        """Return the length of a shortest plan that visits a node at `time`; None if unknown."""
        rest = self._rests.get(node)
        if rest is None or time + rest[0] > self.explored + 1:
            return None
        return min(time + rest[0], len(self.plan))

    def _rest_of(self, node: int) -> list[tuple[str, ...]]:
        """Return the steps of a shortest path from a node to a goal."""
        steps: list[tuple[str, ...]] = []
        while self._rests[node][0] > 0:
            useful = [edge for edge in self.graph.edges[node] if edge.target in self._rests]
            edge = min(useful, key=self._rest_after)
            steps.append(edge.actions)
            node = edge.target
        return steps

    def _rest_after(self, edge: Edge) -> Value:
        """Return the steps and the cost of a best path from the target of an edge to a goal.

        The cost also has that of the edge, so that edges with the same rest can be compared.
        """
        steps, cost = self._rests[edge.target]
        return steps, cost + edge.value[1]


def _has_actions(edge: Edge, step: Collection[str]) -> bool:
    return sorted(edge.actions) == sorted(step)
