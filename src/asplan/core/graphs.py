"""Directed graphs: reachable nodes, strongly connected components; and disjoint sets."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)


class DisjointSets(Generic[Node]):
    """Sets of nodes that can be joined, each with one node as its root.

    Union-find with path halving: Tarjan and van Leeuwen, Worst-case Analysis of Set Union
    Algorithms, 1984. A node is in a set of its own until it is joined.

    >>> sets = DisjointSets[str]()
    >>> sets.join("a", "b")
    >>> sets.find("a") == sets.find("b") != sets.find("c")
    True
    """

    def __init__(self) -> None:
        self._parent: dict[Node, Node] = {}

    def __iter__(self) -> Iterator[Node]:
        return iter(tuple(self._parent))

    def find(self, node: Node) -> Node:
        """Return the root of the set of a node."""
        parent = self._parent
        while (up := parent.setdefault(node, node)) != node:
            parent[node] = parent[up]
            node = parent[node]
        return node

    def join(self, one: Node, other: Node) -> None:
        """Make one set of the sets of two nodes."""
        self._parent[self.find(one)] = self.find(other)


def closure(starts: Iterable[Node], after: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """Return the nodes that are reachable from some nodes, these included."""
    reached = set(starts)
    waiting = list(reached)
    while waiting:
        new = set(after(waiting.pop())) - reached
        reached |= new
        waiting += new
    return reached


def components(after: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the strongly connected components of a graph, successors first.

    `after` has the successors of each node; nodes count from 0. Tarjan, Depth-First Search and
    Linear Graph Algorithms, 1972. Without recursion, as tasks have thousands of operators.
    """
    index = [0] * len(after)  # the order of discovery, from 1; 0 for an undiscovered node
    low = [0] * len(after)
    is_placed = [False] * len(after)
    stack: list[int] = []
    count = 0
    for root in range(len(after)):
        path = [] if index[root] else [root]
        rest: dict[int, Iterator[int]] = {}
        while path:
            node = path[-1]
            if node not in rest:
                count += 1
                index[node] = count
                low[node] = count
                stack.append(node)
                rest[node] = iter(after[node])
            child = next(rest[node], None)
            if child is not None:
                if not index[child]:
                    path.append(child)
                elif not is_placed[child]:
                    low[node] = min(low[node], index[child])
                continue
            path.pop()
            if path:
                low[path[-1]] = min(low[path[-1]], low[node])
            if low[node] == index[node]:
                yield _pop_component(stack, node, is_placed)


def _pop_component(stack: list[int], root: int, is_placed: list[bool]) -> list[int]:
    """Remove the component of a root from the top of the stack."""
    part: list[int] = []
    while not is_placed[root]:
        member = stack.pop()
        is_placed[member] = True
        part.append(member)
    return part


def components_of(after: Mapping[Node, Iterable[Node]]) -> Iterator[list[Node]]:
    """Yield the strongly connected components of a graph whose nodes are the keys of `after`."""
    nodes = list(after)
    number = {node: n for n, node in enumerate(nodes)}
    successors = [[number[other] for other in after[node] if other in number] for node in nodes]
    for part in components(successors):
        yield [nodes[n] for n in part]
