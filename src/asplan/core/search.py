"""The searches of textbooks, breadth first and best first, through states of any kind.

Engines, analyses, games and generators share these searches. A state is any hashable value.

Sources: Russell and Norvig, Artificial Intelligence: A Modern Approach, chapter 3; Hart, Nilsson
and Raphael, A Formal Basis for the Heuristic Determination of Minimum Cost Paths, 1968.

>>> ring = {0: [1, 5], 1: [0, 2], 2: [1, 3], 3: [2, 4], 4: [3, 5], 5: [4, 0]}
>>> layers = breadth_first([0], lambda layer: {after for state in layer for after in ring[state]})
>>> [sorted(layer) for layer in layers]
[[0], [1, 5], [2, 4], [3]]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any, Generic, Protocol, TypeVar

State = TypeVar("State", bound=Hashable)
Item = TypeVar("Item")

Expand = Callable[[AbstractSet[State]], set[State]]
"""A function that returns the successors of all states in a layer, as a new set."""

Priority = Callable[[int, float], tuple[float, ...]]
"""A function that returns the key of a state in the open list: the least key is expanded first.

Its arguments are the cost g of the path to the state and the estimate h of the remaining cost. The
key is (g + h,) for A*, (g + w * h,) for weighted A*, and (h,) for greedy search. Further numbers in
the key break ties.
"""


class Frontier(Generic[State]):
    """The frontier of a breadth-first search: the states at one distance from the nearest start.

    `reversible` promises that every move can be undone by one move. Then a successor is new or in
    one of the last two layers, so that only these two layers are remembered.

    Attributes
    ----------
    layer
        The states of the frontier.
    states
        The number of states at this distance and at all smaller ones.
    """

    def __init__(
        self,
        starts: Iterable[State],
        reversible: bool = False,
    ) -> None:
        self.layer = set(starts)
        self.states = len(self.layer)
        self._seen = set() if reversible else set(self.layer)
        self._reversible = reversible

    def advance(self, successors: set[State]) -> None:
        """Replace the layer by the new states in `successors`; this set may be changed."""
        if self._reversible:
            fresh = successors
            fresh.difference_update(self._seen, self.layer)
            self._seen = self.layer
        else:
            fresh = successors - self._seen
            self._seen |= fresh
        self.layer = fresh
        self.states += len(fresh)


def breadth_first(
    starts: Iterable[State],
    expand: Expand[State],
    reversible: bool = False,
) -> Iterator[set[State]]:
    """Yield the states at distance 0, 1, … from the nearest start, until no state is new.

    `reversible` promises that every move can be undone by one move, which saves memory. A search
    that has to pause within a layer uses a `Frontier` instead.
    """
    frontier = Frontier(starts, reversible)
    while frontier.layer:
        yield frontier.layer
        frontier.advance(expand(frontier.layer))


def path_through(
    layers: Sequence[Item],
    last: State,
    predecessor: Callable[[Item, State], State],
) -> list[State]:
    """Return a path through all layers to the state `last` in the last layer, found backwards.

    `predecessor` returns a state in a given layer that has a given state as its successor. So a
    search need not remember from where it reached each state.
    """
    states = [last]
    for layer in reversed(layers[:-1]):
        states.append(predecessor(layer, states[-1]))
    return states[::-1]


def path_to(
    last: State,
    parent: Callable[[State], State | None],
) -> list[State]:
    """Return the path from a start to the state `last`.

    `parent` returns the state before another one on the path, and None for a start.
    """
    states: list[State] = []
    state: State | None = last
    while state is not None:
        states.append(state)
        state = parent(state)
    return states[::-1]


class SearchSpace(Protocol[State]):
    """A state space: initial states, successors with the costs of moves, and a goal test."""

    @property
    def initials(self) -> Iterable[State]:
        """The initial states."""

    def priced_successors(self, state: State) -> Iterable[tuple[State, int]]:
        """Return each successor of a state with the cost of the move to it."""

    def is_goal(self, state: State) -> bool:
        """Return True if the goal holds in a state."""


@dataclass(kw_only=True)
class OpenCounts:
    """Counts of a search's open list: the states queued so far, and its largest size."""

    queued: int = 0
    peak_open: int = 0


@dataclass
class Tree(Generic[State]):
    """The states that a best-first search has reached, with the cheapest path to each.

    Attributes
    ----------
    costs
        The least cost of a path to each state.
    parents
        The state before each state on the cheapest path to it; None for a start.
    goal
        The goal state that ended the search; None if none was reached.
    """

    costs: dict[State, int] = field(default_factory=dict)
    parents: dict[State, State | None] = field(default_factory=dict)
    goal: State | None = None

    def path(self) -> list[State]:
        """Return the path from a start to the goal state; an empty list if there is no goal."""
        return [] if self.goal is None else path_to(self.goal, self.parents.__getitem__)


def a_star(g: int, h: float) -> tuple[float, ...]:
    """Return the key of A*, f = g + h; the path found is cheapest if no estimate is too large."""
    return (g + h,)


def greedy(g: int, h: float) -> tuple[float, ...]:
    """Return the key of greedy search: the estimate h alone."""
    return (h,)


def _expand_all(f: float, g: int) -> bool:
    return True


def best_first(
    space: SearchSpace[State],
    estimate: Callable[[State], float],
    priority: Priority = a_star,
    visit: Callable[[float, int], bool] = _expand_all,
    counts: OpenCounts | None = None,
) -> Tree[State]:
    """Expand the open state with the least key until it is a goal, or no state is left.

    A state that is reached again at less cost is queued again. States with equal keys are expanded
    first in, first out, but the starts before all others.

    Parameters
    ----------
    space
        The states to search.
    estimate
        The estimate h of the cost from a state to the nearest goal; infinite for a dead end.
    priority
        The function that returns the key of a state. The search ends if the first number of the
        least key is infinite.
    visit
        A function that is called for each state that leaves the open list, with the first number of
        its key and its g. The state is expanded if it returns True. An exception ends the search.
    counts
        The counts that the search keeps up to date.
    """
    tree = Tree(dict.fromkeys(space.initials, 0), dict.fromkeys(space.initials))
    costs = tree.costs
    counts = counts or OpenCounts()
    number = count()
    open_list: list[tuple[Any, ...]] = []  # Any: a key, the number of the entry, g, and the state
    for state in costs:
        f, *ties = priority(0, estimate(state))
        heappush(open_list, (f, *[-inf] * len(ties), next(number), 0, state))
    counts.queued = len(open_list)
    while open_list:
        counts.peak_open = max(counts.peak_open, len(open_list))
        f, *_, g, state = heappop(open_list)
        if g > costs[state]:
            continue  # a cheaper path was found since
        if f == inf:
            break  # all that are left are dead ends
        if not visit(f, g):
            continue
        if space.is_goal(state):
            tree.goal = state
            break
        for after, cost in space.priced_successors(state):
            total = g + cost
            if total < costs.get(after, inf):
                costs[after] = total
                tree.parents[after] = state
                key = priority(total, estimate(after))
                heappush(open_list, (*key, next(number), total, after))
                counts.queued += 1
    return tree
