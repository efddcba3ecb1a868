"""Directed graphs: what can be reached, and what is strongly connected; and disjoint sets."""

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
    """All that can be reached from some nodes, these included."""
    found = set(starts)
    waiting = list(found)
    while waiting:
        new = set(after(waiting.pop())) - found
        found |= new
        waiting += new
    return found


def components(after: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The strongly connected components of a graph; what a node leads to comes before it.

    Nodes are counted from 0, and for each of them those after it are given.
    Tarjan, Depth-First Search and Linear Graph Algorithms, 1972; without recursion, which tasks
    with thousands of operators would not survive.
    """
    index, low = [0] * len(after), [0] * len(after)
    placed = [False] * len(after)
    stack: list[int] = []
    count = 0
    for root in range(len(after)):
        path = [] if index[root] else [root]
        rest: dict[int, Iterator[int]] = {}
        while path:
            node = path[-1]
            if node not in rest:
                count += 1
                index[node] = low[node] = count
                stack.append(node)
                rest[node] = iter(after[node])
            if (child := next(rest[node], None)) is not None:
                if not index[child]:
                    path.append(child)
                elif not placed[child]:
                    low[node] = min(low[node], index[child])
                continue
            path.pop()
            if path:
                low[path[-1]] = min(low[path[-1]], low[node])
            if low[node] == index[node]:
                part = [stack.pop()]
                while part[-1] != node:
                    part.append(stack.pop())
                for member in part:
                    placed[member] = True
                yield part


def components_of(after: Mapping[Node, Iterable[Node]]) -> Iterator[list[Node]]:
    """The same of nodes of any kind, from those that are given to others among them."""
    nodes = list(after)
    number = {node: n for n, node in enumerate(nodes)}
    for part in components([[number[b] for b in after[node] if b in number] for node in nodes]):
        yield [nodes[n] for n in part]
