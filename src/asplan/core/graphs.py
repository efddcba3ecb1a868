"""Functions on directed graphs: reachable nodes and strongly connected components.

Also disjoint sets of nodes that can be joined.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)


class DisjointSets(Generic[Node]):
    """Disjoint sets of nodes that can be joined; one node of each set is its root.

    A node is in a set of its own until it is joined to another node. Union-find with path halving:
    Tarjan and van Leeuwen, Worst-case Analysis of Set Union Algorithms, 1984.

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
        """Return the root of the set that contains a node."""
        parent = self._parent
        while (up := parent.setdefault(node, node)) != node:
            parent[node] = parent[up]
            node = parent[node]
        return node

    def join(self, one: Node, other: Node) -> None:
        """Join the sets of two nodes into one set."""
        self._parent[self.find(one)] = self.find(other)


def closure(starts: Iterable[Node], after: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """Return all nodes that are reachable from the starts, including the starts.

    `after` returns the successors of a node.
    """
    reached = set(starts)
    waiting = list(reached)
    while waiting:
        new = set(after(waiting.pop())) - reached
        reached |= new
        waiting += new
    return reached


def components(after: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the strongly connected components of a graph; a component comes after its successors.

    `after` has the successors of each node; nodes are numbers from 0 on. Tarjan, Depth-First Search
    and Linear Graph Algorithms, 1972, without recursion, which would be too deep for large graphs.
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
    """Remove the strongly connected component of `root` from the stack's top; return its nodes.

    `is_placed` becomes True for these nodes.
    """
    part: list[int] = []
    while not is_placed[root]:
        member = stack.pop()
        is_placed[member] = True
        part.append(member)
    return part


def components_of(after: Mapping[Node, Iterable[Node]]) -> Iterator[list[Node]]:
    """Yield the strongly connected components of a graph; each comes after its successors.

    `after` maps each node to its successors.
    """
    nodes = list(after)
    number = {node: n for n, node in enumerate(nodes)}
    successors = [[number[other] for other in after[node] if other in number] for node in nodes]
    for part in components(successors):
        yield [nodes[n] for n in part]
