"""Breadth first from both ends at once: the smaller of the two frontiers goes on.

Source: Pohl, Bi-directional Search, Machine Intelligence 6, 1971.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from asplan.domains.model import goals_of
from asplan.errors import UsageError
from asplan.result import Result
from asplan.search.blind import next_layer, refuted, same_of, trace
from asplan.search.search import Search


@dataclass
class _Side:
    """The layers from one end, and all their states."""

    layers: list[set[Any]]
    seen: set[Any]


def bidirectional(search: Search) -> Result:
    """Meet in the middle.

    After a layers from the start and b from the goals without a meeting every plan has more than
    a + b steps, so the first meeting gives a shortest plan.

    Raises
    ------
    UsageError
        The domain's moves cannot be undone, or it does not list its goal states.
    """
    goals = set(_goals(search))
    ahead, behind = (_Side([ends], set(ends)) for ends in ({search.model.initial}, goals))
    search.queued = 1 + len(goals)
    while not (met := ahead.layers[-1] & behind.layers[-1]):
        search.bound += 1
        if search.bound > search.deepest:
            return search.too_deep()
        search.open_has(len(ahead.layers[-1]) + len(behind.layers[-1]))
        smaller = min(ahead, behind, key=lambda side: len(side.layers[-1]))
        smaller.layers.append(next_layer(search, smaller.layers[-1], smaller.seen))
        if not smaller.layers[-1]:
            return search.unsolvable(_separate(smaller is ahead, len(smaller.seen)))
    middle = same_of(met)
    first, second = (trace(search, side.layers, middle) for side in (ahead, behind))
    return search.found(first + second[-2::-1], proven=True, reason=refuted(search))


def _goals(search: Search) -> list[Any]:
    goals = goals_of(search.model)
    name = search.domain.name
    if not search.domain.reversible:
        raise UsageError(
            f"engine bidirectional needs moves that can be undone; not so in {name}",
            mend="use --engine bfs",
        )
    if goals is None:
        raise UsageError(
            f"engine bidirectional needs a list of the goal states; {name} has too many",
            mend="use --engine bfs",
        )
    return goals


def _separate(from_start: bool, count: int) -> str:
    if from_start:
        return f"none of the {count} reachable states is a goal"
    return f"none of the {count} states from which a goal can be reached is the initial one"
