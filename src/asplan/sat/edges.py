"""`#edge`: the edges whose conditions hold may not go round in a circle.

As with loops, a clause is written only when a model has a circle: one of its edges has to go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field

from asplan.asp.ground import Ground
from asplan.graphs import components
from asplan.sat.completion import Completion


@dataclass
class Edges:
    """The edges of a program: for each pair of nodes the solver's literals of their conditions."""

    completion: Completion
    _edges: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, ground: Ground) -> None:
        """Take over the edges of a completed step."""
        for start, end, condition in ground.edges:
            self._edges[start, end].append(self.completion.all_of(condition))

    def violated(self, model: Set[int]) -> Iterator[list[int]]:
        """A clause for a circle in each part of the graph that goes round."""
        present = {
            edge: literal
            for edge, literals in self._edges.items()
            for literal in literals
            if literal in model
        }
        nodes = list(dict.fromkeys(node for edge in present for node in edge))
        index = {node: n for n, node in enumerate(nodes)}
        after: list[list[int]] = [[] for _ in nodes]
        for start, end in present:
            after[index[start]].append(index[end])
        for part in components(after):
            if len(part) > 1 or part[0] in after[part[0]]:
                circle = _circle(after, set(part))
                ways = zip(circle, circle[1:] + circle[:1], strict=True)
                yield [-present[nodes[a], nodes[b]] for a, b in ways]


def _circle(after: list[list[int]], part: Set[int]) -> list[int]:
    """The nodes of a shortest circle through one node of a strongly connected part."""
    start = min(part)
    before = {start: start}
    level = [start]
    while True:
        found: list[int] = []
        for node in level:
            for child in after[node]:
                if child == start:
                    way = [node]
                    while way[-1] != start:
                        way.append(before[way[-1]])
                    return way[::-1]
                if child in part and child not in before:
                    before[child] = node
                    found.append(child)
        level = found
