"""Sums of weighted literals as clauses."""

from collections.abc import Sequence
from itertools import accumulate

from asplan.engines.sat.solver import TRUE, Sat

Weighted = Sequence[tuple[int, int]]  # literals, each with its weight


class Diagram:
    """A decision diagram of the sum of some literals, each with its weight, above 0.

    A node (i, k) says that the literals from the i-th on weigh at least k: a choice by the i-th
    between two nodes of the next level, of which the one without implies the one with. With six
    clauses a node propagation finds all that follows (Eén and Sörensson, Translating
    Pseudo-Boolean Constraints into SAT, 2006). All bounds of a sum share their nodes, of which
    there are at most as many as literals times the greatest bound.
    """

    def __init__(self, sat: Sat, weighted: Weighted) -> None:
        self._sat = sat
        self._always = sum(weight for literal, weight in weighted if literal == TRUE)
        pairs = sorted((p for p in weighted if abs(p[0]) != TRUE), key=lambda pair: -pair[1])
        self._pairs = pairs
        self._left = [0, *accumulate(weight for _, weight in reversed(pairs))][::-1]
        self._nodes: list[dict[int, int]] = [{} for _ in range(len(pairs) + 1)]
        self._choices: dict[tuple[int, int, int], int] = {}

    def at_least(self, value: int) -> int:
        """A literal that is true exactly where the true ones weigh so much."""
        levels = [[value - self._always]]
        for (_, weight), known, left in zip(self._pairs, self._nodes, self._left, strict=False):
            new = [k for k in levels[-1] if 0 < k <= left and k not in known]
            levels.append(list(dict.fromkeys(k for n in new for k in (n, n - weight))))
        for level in range(len(levels) - 1, -1, -1):
            nodes, left = self._nodes[level], self._left[level]
            for k in levels[level]:
                if k <= 0 or k > left:
                    nodes[k] = TRUE if k <= 0 else -TRUE
                elif k not in nodes:
                    literal, weight = self._pairs[level]
                    below = self._nodes[level + 1]
                    key = literal, below[k - weight], below[k]
                    if key not in self._choices:
                        self._choices[key] = _choice(self._sat, *key)
                    nodes[k] = self._choices[key]
        return self._nodes[0][value - self._always]


def _choice(sat: Sat, condition: int, then: int, otherwise: int) -> int:
    """A literal that is `then` where the condition holds, else `otherwise`, which implies it."""
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
