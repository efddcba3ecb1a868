"""A rating of an instance by its shortest plans and its dead ends.

The number of shortest plans is counted on the graph of the plans. Plans with the same actions in
another order are the same for `is_unique`: all paths to a node of a shortest plan then have the
same actions, because two different beginnings have the same rest.
"""

from __future__ import annotations

from dataclasses import field

from asplan.core.budget import Budget, OutOfBudget
from asplan.core.dataclass import dataclass
from asplan.domains.heuristic import Estimate
from asplan.domains.model import DomainModel
from asplan.enumeration.graph import Level, PlanGraph, estimate_nothing
from asplan.statespace.dead_ends import DeadEnds, count_dead_ends

MOST_STATES = 200_000
"""The most states that a rating searches; the eight-puzzle has 181,440."""

Actions = tuple[str, ...]


@dataclass(frozen=True)
class ShortestPlans:
    """The shortest plans of an instance.

    Attributes
    ----------
    length
        Their number of steps.
    number
        The number of shortest plans.
    is_unique
        True if all of them have the same actions, and differ only in the order.
    """

    length: int
    number: int
    is_unique: bool


@dataclass(frozen=True)
class Rating:
    """The shortest plans and the dead ends of an instance; None if it has too many states."""

    plans: ShortestPlans | None
    dead_ends: DeadEnds | None

    @property
    def is_unique(self) -> bool:
        """True if it is proven that all shortest plans have the same actions."""
        return self.plans is not None and self.plans.is_unique


def rate(
    model: DomainModel,
    estimate: Estimate | None = None,
    most: int = MOST_STATES,
) -> Rating:
    """Rate an instance by its model; search at most `most` states for each part of the rating.

    `estimate` is an admissible estimate of the steps to a goal.
    """
    return Rating(count_shortest(model, estimate, most), count_dead_ends(model, most))


def count_shortest(
    model: DomainModel,
    estimate: Estimate | None = None,
    most: int = MOST_STATES,
) -> ShortestPlans | None:
    """Count the shortest plans of a model.

    Return None if there is no plan, or if the count needs more than `most` states.
    """
    graph = PlanGraph(model, estimate=estimate or estimate_nothing)
    graph.budget = _NodeBudget(graph=graph, most=most)
    try:
        least = _find_least(graph)
    except OutOfBudget:
        return None
    return None if least is None else _count(Level(graph, least))


@dataclass(eq=False)
class _NodeBudget(Budget):
    """A budget for the exploration of `graph`, which ends at more than `most` nodes."""

    graph: PlanGraph = field(kw_only=True)
    most: int = field(kw_only=True)

    def check(self) -> None:
        """Raise `OutOfBudget` if the graph has too many nodes."""
        super().check()
        if self.graph.nodes > self.most:
            raise OutOfBudget


def _find_least(graph: PlanGraph) -> int | None:
    """Explore a graph up to its shortest plans; return their length, None without a plan."""
    least: int | None = None
    while least is None and (value := graph.next_value()) is not None:
        graph.explore(value)
        ends = [graph.least[goal] for goal in graph.goals if graph.least[goal] <= value]
        least = min(ends, default=None)
    return least


@dataclass
class _Beginnings:
    """The beginnings of shortest plans that lead to a node.

    `number` is the number of beginnings. `actions` are their actions, sorted, if all beginnings
    have the same; None if these differ.
    """

    number: int
    actions: Actions | None


def _count(level: Level) -> ShortestPlans:
    """Count the paths of a level that has only shortest plans, step by step."""
    here = {0: _Beginnings(1, ())}
    for time in range(level.bound):
        here = _go_on(level, here, time + 1)
    ends = [ways for node, ways in here.items() if node in level.graph.goals]
    actions = {ways.actions for ways in ends}
    is_unique = len(actions) == 1 and None not in actions
    return ShortestPlans(level.bound, sum(ways.number for ways in ends), is_unique)


def _go_on(level: Level, before: dict[int, _Beginnings], time: int) -> dict[int, _Beginnings]:
    """Return the beginnings of shortest plans with `time` steps, by the node that they lead to.

    `before` has the beginnings with one step less.
    """
    after: dict[int, _Beginnings] = {}
    for node, ways in before.items():
        for edge in level.graph.edges[node]:
            rest = level.rests.get(edge.target)
            if rest is None or time + rest[0] > level.bound:
                continue
            actions = None if ways.actions is None else _add(ways.actions, edge.actions)
            known = after.setdefault(edge.target, _Beginnings(0, actions))
            known.number += ways.number
            if known.actions != actions:
                known.actions = None
    return after


def _add(actions: Actions, more: Actions) -> Actions:
    return tuple(sorted([*actions, *more]))
