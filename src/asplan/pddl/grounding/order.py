"""The order of variables: what an operator asks for stands before what it changes.

Searches break ties by this order. Where variables depend on each other in a cycle, those on which
the fewest others that are left have an influence come first, and those of the goal last (Helmert,
The Fast Downward Planning System, Journal of Artificial Intelligence Research 26, 2006, section 5).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

import numpy as np

from asplan.core.graphs import components
from asplan.pddl.grounding.ground import Numbers, ramps

_MOST = 2_000_000
"""Pairs of what an operator needs and what it changes; of more some operators are left out."""

_GOAL = 100_000
"""What an influence on a variable of the goal counts more."""


def causal_order(
    needs: Numbers, changes: Numbers, reads: Numbers, goal: Iterable[int], count: int
) -> list[int]:
    """The order of `count` variables.

    `needs` and `changes` are pairs of an operator and a variable, in the order of operators;
    `reads` are pairs of a variable and one that its conditions or axioms read.
    """
    edges: list[dict[int, int]] = [{} for _ in range(count)]
    sources, targets = np.concatenate((_influences(needs, changes), reads[::-1]), axis=1)
    keys, weights = np.unique(sources * count + targets, return_counts=True)
    for key, weight in zip(keys.tolist(), weights.tolist(), strict=True):
        source, target = divmod(key, count)
        if source != target:
            edges[source][target] = weight
    wanted = set(goal)
    # Seen from the last variable, so that those without influences stay in their order.
    last = count - 1
    parts = list(components([sorted(last - v for v in after) for after in reversed(edges)]))
    ordered = (sorted(last - v for v in part) for part in reversed(parts))
    return [v for part in ordered for v in _acyclic(part, edges, wanted)]


def _influences(needs: Numbers, changes: Numbers) -> Numbers:
    """Pairs of a variable that an operator needs and one that it changes."""
    operators = max(int(rows[0, -1]) + 1 if rows.size else 0 for rows in (needs, changes))
    first = np.searchsorted(changes[0], np.arange(operators + 1))
    counts = np.diff(first)[needs[0]]
    if (total := int(counts.sum())) > _MOST:
        some = needs[0] % -(-total // _MOST) == 0
        needs, counts = needs[:, some], counts[some]
    places = ramps(counts) + np.repeat(first[needs[0]], counts)
    return np.stack((np.repeat(needs[1], counts), changes[1, places]))


def _acyclic(
    part: Sequence[int], edges: Sequence[Mapping[int, int]], goal: set[int]
) -> Iterator[int]:
    """A strongly connected component, variable by variable."""
    weights = dict.fromkeys(part, 0)

    def inside(variable: int) -> Iterator[tuple[int, int]]:
        for target, count in edges[variable].items():
            if target in weights:
                yield target, count + _GOAL * (target in goal)

    for variable in part:
        for target, weight in inside(variable):
            weights[target] += weight
    heap = [(weight, variable) for variable, weight in weights.items()]
    heapify(heap)
    while heap:
        weight, variable = heappop(heap)
        if weights.get(variable) != weight:
            continue
        yield variable
        del weights[variable]
        for target, less in inside(variable):
            weights[target] -= less
            heappush(heap, (weights[target], target))
