"""Sums of weighted literals as clauses: a decision diagram, a literal for each of its nodes.

A node (i, k) says that the literals from the i-th on weigh at least k together. It is a choice by
the i-th literal between two nodes of the next level, and as more literals only add weight, the one
without implies the one with. Six clauses a node let a solver see by propagation alone whatever
follows from the sum (Eén and Sörensson, Translating Pseudo-Boolean Constraints into SAT, 2006).
There are at most as many nodes as literals times the least value.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from asplan.sat.solver import TRUE, Sat


def at_least(sat: Sat, value: int, weighted: Iterable[tuple[int, int]]) -> int:
    """A literal that is true exactly where the true ones of some literals weigh so much.

    `weighted` has pairs of a literal and its weight, which is positive.
    """
    pairs = list(weighted)
    value -= sum(weight for literal, weight in pairs if literal == TRUE)
    pairs = sorted((p for p in pairs if abs(p[0]) != TRUE), key=lambda pair: -pair[1])
    left = [0, *accumulate(weight for _, weight in reversed(pairs))][::-1]

    def settled(level: int, wanted: int) -> bool:
        return wanted <= 0 or left[level] < wanted

    levels: list[list[int]] = [[value]]
    for level, (_, weight) in enumerate(pairs):
        open_ones = (wanted for wanted in levels[-1] if not settled(level, wanted))
        levels.append(sorted({w for wanted in open_ones for w in (wanted, wanted - weight)}))
    below: dict[int, int] = {}
    for level in range(len(levels) - 1, -1, -1):
        known: dict[tuple[int, int], int] = {}
        here: dict[int, int] = {}
        for wanted in levels[level]:
            if settled(level, wanted):
                here[wanted] = TRUE if wanted <= 0 else -TRUE
                continue
            literal, weight = pairs[level]
            ways = below[wanted - weight], below[wanted]
            if ways not in known:
                known[ways] = _choice(sat, literal, *ways)
            here[wanted] = known[ways]
        below = here
    return below[value]


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
