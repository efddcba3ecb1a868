"""Translation of sums of weighted literals into clauses."""

from collections.abc import Sequence
from itertools import accumulate

from asplan.engines.sat.solver import TRUE, Sat

Weighted = Sequence[tuple[int, int]]  # literals, each with its weight


class Diagram:
    """A decision diagram of a sum of literals with positive weights, as clauses of a SAT solver.

    Node (i, k) is true if the true literals from the i-th on weigh at least k. If literal i with
    weight w is true, the node equals node (i+1, k-w), else node (i+1, k). Six clauses for each node
    keep unit propagation arc-consistent (Eén and Sörensson, Translating Pseudo-Boolean Constraints
    into SAT, 2006). All bounds of a sum share nodes, so there are at most as many nodes as the
    number of literals times the greatest bound.
    """

    def __init__(
        self,
        sat: Sat,
        weighted: Weighted,
    ) -> None:
        self._sat = sat
        self._always = sum(weight for literal, weight in weighted if literal == TRUE)
        open_pairs = (pair for pair in weighted if abs(pair[0]) != TRUE)
        pairs = sorted(open_pairs, key=lambda pair: -pair[1])
        self._pairs = pairs
        self._left = [0, *accumulate(weight for _, weight in reversed(pairs))][::-1]
        self._nodes: list[dict[int, int]] = [{} for _ in range(len(pairs) + 1)]
        self._choices: dict[tuple[int, int, int], int] = {}

    def at_least(self, value: int) -> int:
        """Return a literal that is true if and only if the sum is at least `value`."""
        bound = value - self._always
        bounds = self._new_bounds(bound)
        for level in range(len(bounds) - 1, -1, -1):
            self._add_nodes(level, bounds[level])
        return self._nodes[0][bound]

    def _new_bounds(self, bound: int) -> list[list[int]]:
        """Return for each level i the bounds k of the nodes (i, k) that node (0, bound) lacks."""
        levels = [[bound]]
        for (_, weight), nodes, left in zip(self._pairs, self._nodes, self._left, strict=False):
            below: dict[int, None] = {}
            for k in levels[-1]:
                if 0 < k <= left and k not in nodes:
                    below[k] = None
                    below[k - weight] = None
            levels.append(list(below))
        return levels

    def _add_nodes(
        self,
        level: int,
        bounds: Sequence[int],
    ) -> None:
        """Add the nodes of a level for some bounds; the next level must have its nodes already."""
        nodes = self._nodes[level]
        for k in bounds:
            if k <= 0:
                nodes[k] = TRUE
            elif k > self._left[level]:
                nodes[k] = -TRUE
            elif k not in nodes:
                nodes[k] = self._node(level, k)

    def _node(
        self,
        level: int,
        bound: int,
    ) -> int:
        literal, weight = self._pairs[level]
        below = self._nodes[level + 1]
        key = literal, below[bound - weight], below[bound]
        if key not in self._choices:
            self._choices[key] = _choice(self._sat, *key)
        return self._choices[key]


def _choice(
    sat: Sat,
    condition: int,
    then: int,
    otherwise: int,
) -> int:
    """Return a literal that equals `then` if the condition is true, and else `otherwise`.

    All are literals of the solver; `otherwise` must imply `then`.
    """
    if then == otherwise:
        return then
    if then == TRUE and otherwise == -TRUE:
        return condition
    node = sat.new()
    for clause in (
        [-node, -condition, then],
        [-node, condition, otherwise],
        [-node, then],
        [node, -condition, -then],
        [node, condition, -otherwise],
        [node, -otherwise],
    ):
        if TRUE not in clause:
            sat.add([literal for literal in clause if literal != -TRUE])
    return node
