"""The searches of the textbook on random graphs, beside distances by Bellman and Ford."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from hypothesis import given, settings
from hypothesis import strategies as st

from asplan.core.search import (
    Frontier,
    OpenCounts,
    Priority,
    a_star,
    best_first,
    breadth_first,
    greedy,
    path_through,
    path_to,
)
from conftest import examples

NODES = 8
Moves = dict[int, dict[int, int]]


@dataclass(frozen=True)
class Graph:
    """A graph as a space; `moves` has the cost of each move by its source and its target."""

    moves: Moves
    initials: tuple[int, ...]
    goals: frozenset[int]

    def priced_successors(self, state: int) -> Iterable[tuple[int, int]]:
        return self.moves[state].items()

    def is_goal(self, state: int) -> bool:
        return state in self.goals

    def expand(self, layer: Iterable[int]) -> set[int]:
        return {after for state in layer for after in self.moves[state]}

    def distances(self, sources: Iterable[int], price: Callable[[int], int]) -> list[float]:
        """The distance of each node from the nearest source, by relaxing all moves again."""
        distances: list[float] = [0 if node in sources else inf for node in range(NODES)]
        for _ in range(NODES):
            for source, targets in self.moves.items():
                for target, cost in targets.items():
                    distances[target] = min(distances[target], distances[source] + price(cost))
        return distances

    def reverse(self) -> Graph:
        moves: Moves = {node: {} for node in range(NODES)}
        for source, targets in self.moves.items():
            for target, cost in targets.items():
                moves[target][source] = cost
        return Graph(moves, tuple(self.goals), frozenset(self.initials))


nodes = st.integers(0, NODES - 1)
graphs = st.builds(
    Graph,
    st.fixed_dictionaries(
        {node: st.dictionaries(nodes, st.integers(0, 4), max_size=3) for node in range(NODES)}
    ),
    st.sets(nodes, min_size=1, max_size=2).map(lambda starts: tuple(sorted(starts))),
    st.frozensets(nodes, max_size=2),
)


def by_distance(distances: list[float]) -> list[set[int]]:
    """The nodes at distance 0, 1, … in order."""
    far = max((d for d in distances if d < inf), default=-1)
    return [{n for n in range(NODES) if distances[n] == d} for d in range(int(far) + 1)]


@settings(max_examples=examples(300), deadline=None)
@given(graphs)
def test_layers_are_the_distances(graph: Graph) -> None:
    layers = list(breadth_first(graph.initials, graph.expand))
    assert layers == by_distance(graph.distances(graph.initials, lambda cost: 1))


@settings(max_examples=examples(300), deadline=None)
@given(graphs)
def test_two_layers_are_enough_if_moves_can_be_undone(graph: Graph) -> None:
    back = graph.reverse().moves
    both = Graph(
        {node: {**graph.moves[node], **back[node]} for node in range(NODES)},
        graph.initials,
        graph.goals,
    )
    expected = list(breadth_first(both.initials, both.expand))
    assert list(breadth_first(both.initials, both.expand, reversible=True)) == expected


def test_a_frontier_counts_its_states() -> None:
    frontier = Frontier("a")
    assert (frontier.layer, frontier.states) == ({"a"}, 1)
    frontier.advance(set("ab"))
    assert (frontier.layer, frontier.states) == ({"b"}, 2)
    frontier.advance(set("ab"))
    assert (frontier.layer, frontier.states) == (set(), 2)


@settings(max_examples=examples(200), deadline=None)
@given(graphs)
def test_a_path_leads_back_through_the_layers(graph: Graph) -> None:
    layers = list(breadth_first(graph.initials, graph.expand))

    def predecessor(layer: set[int], state: int) -> int:
        return next(before for before in layer if state in graph.moves[before])

    for last in layers[-1]:
        path = path_through(layers, last, predecessor)
        assert path[-1] == last
        assert all(state in layer for state, layer in zip(path, layers, strict=True))
        assert all(after in graph.moves[before] for before, after in pairwise(path))


PRIORITIES: dict[str, Priority] = {
    "first in, first out": a_star,
    "larger g": lambda g, h: (g + h, -g),
    "smaller g": lambda g, h: (g + h, g, h),
}


@settings(max_examples=examples(300), deadline=None)
@given(graphs, st.sampled_from(sorted(PRIORITIES)), st.sampled_from([0.0, 0.5, 1.0]))
def test_a_star_finds_a_cheapest_path(graph: Graph, ties: str, share: float) -> None:
    """Any share of the distance to a goal is admissible; rounded down it need not be consistent."""
    away = graph.reverse().distances(graph.goals, int)

    def estimate(state: int) -> float:
        return away[state] if away[state] == inf else share * away[state] // 1

    least = min(away[state] for state in graph.initials)
    lowest: list[float] = []

    def visit(f: float, g: int) -> bool:
        lowest.append(f)
        return True

    counts = OpenCounts()
    tree = best_first(graph, estimate, PRIORITIES[ties], visit, counts)
    assert max(lowest, default=0) <= least
    assert len(tree.costs) <= counts.queued
    assert counts.peak_open <= counts.queued
    if least == inf:
        assert tree.goal is None
        assert tree.path() == []
        return
    path = tree.path()
    assert path[0] in graph.initials
    assert path[-1] in graph.goals
    assert least == sum(graph.moves[before][after] for before, after in pairwise(path))


@settings(max_examples=examples(200), deadline=None)
@given(graphs)
def test_without_a_goal_all_least_costs_are_found(graph: Graph) -> None:
    endless = Graph(graph.moves, graph.initials, frozenset())
    tree = best_first(endless, lambda state: 0)
    expected = graph.distances(graph.initials, int)
    assert tree.costs == {node: d for node, d in enumerate(expected) if d < inf}
    for state in tree.costs:
        assert path_to(state, tree.parents.__getitem__)[0] in graph.initials


def test_greedy_search_follows_the_estimate_alone() -> None:
    graph = Graph({0: {1: 1, 2: 9}, 1: {3: 1}, 2: {3: 9}, 3: {}}, (0,), frozenset({3}))
    tree = best_first(graph, {0: 3, 1: 2, 2: 1, 3: 0}.__getitem__, greedy)
    assert tree.path() == [0, 2, 3]
    assert best_first(graph, lambda state: 0).path() == [0, 1, 3]


def test_a_visitor_may_leave_a_state_unexpanded() -> None:
    graph = Graph({0: {1: 1}, 1: {2: 1}, 2: {}}, (0,), frozenset({2}))
    tree = best_first(graph, lambda state: 0, visit=lambda f, g: g < 1)
    assert (tree.goal, tree.costs) == (None, {0: 0, 1: 1})
