"""A summary of all plans of an instance: their numbers, and what the shortest ones share.

All numbers are exact; they are computed on the graph of the plans, by dynamic programming.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import field
from functools import cached_property

from asplan.core.budget import ENDLESS, Budget, Reporter, ignore_report
from asplan.core.dataclass import dataclass
from asplan.core.text import amount
from asplan.domains.model import DomainModel
from asplan.enumeration.graph import Level, PlanGraph
from asplan.statespace.analysis import TooManyStates

_MOST_ORDERED = 200
"""The most actions shared by all shortest plans for which their order is found."""

Pair = tuple[str, str]


@dataclass(frozen=True)
class Strand:
    """An edge of a braid, the graph of all shortest plans.

    `actions` are the actions of the step, and `plans` is the number of shortest plans with it.
    """

    source: int
    target: int
    actions: tuple[str, ...]
    plans: int


@dataclass(frozen=True)
class Braid:
    """The graph of all shortest plans: a node is a state, and an edge is a step with its actions.

    Attributes
    ----------
    layers
        The nodes at time 0, 1, ….
    strands
        The edges.
    plans
        The number of shortest plans, each of which is a path from the first layer to the last.
    """

    layers: tuple[tuple[int, ...], ...]
    strands: tuple[Strand, ...]
    plans: int

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The actions of the shortest plans, each once, in the order of their first steps."""
        found: dict[str, None] = {}
        for strand in self.strands:
            found |= dict.fromkeys(strand.actions)
        return tuple(found)

    def nodes_without(self, action: str) -> set[int]:
        """Return the nodes that can be reached from the start without the given action."""
        reached = set(self.layers[0])
        for strand in self.strands:
            if strand.source in reached and action not in strand.actions:
                reached.add(strand.target)
        return reached

    def is_needed(self, action: str) -> bool:
        """Return whether every shortest plan has an action."""
        return self.nodes_without(action).isdisjoint(self.layers[-1])


@dataclass(frozen=True)
class PlanSummary:
    """The numbers of the plans of an instance, and the common actions of its shortest plans.

    Attributes
    ----------
    counts
        The number of plans of each length, from the shortest on; empty if there is no plan.
    states
        The number of states that were searched.
    always
        The actions that every shortest plan has, in the order of their steps.
    sometimes
        The actions that some shortest plans have, and others do not.
    never
        The actions that the search has found, but no shortest plan has.
    order
        Pairs (a, b) of actions in `always`: a comes before b in every shortest plan. Pairs that
        follow by transitivity are left out. Empty if `always` has more than 200 actions.
    braid
        The shortest plans as a graph; None if there is no plan.
    waits
        True if steps without actions are possible. Then plans that differ only in the times of
        empty steps are counted separately.
    """

    counts: dict[int, int] = field(default_factory=dict)
    states: int = 0
    always: tuple[str, ...] = ()
    sometimes: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    order: tuple[Pair, ...] = ()
    braid: Braid | None = None
    waits: bool = False


def summarize_plans(
    model: DomainModel,
    within: int = 0,
    max_states: int | None = None,
    progress: Reporter[str] = ignore_report,
    budget: Budget = ENDLESS,
) -> PlanSummary:
    """Count the plans of a model that are up to `within` steps longer than a shortest one.

    Raise `TooManyStates` if the count needs more than `max_states` states.
    """
    graph = PlanGraph(model, budget=budget)
    while not graph.goals and (value := graph.next_value()) is not None:
        _explore(graph, value, max_states, progress)
    if not graph.goals:
        return PlanSummary(states=graph.nodes)
    length = min(graph.least[goal] for goal in graph.goals)
    for bound in range(length, length + within + 1):
        _explore(graph, bound, max_states, progress)
    progress("counting the plans")
    numbers = _count_plans(Level(graph, length + within))
    braid = _find_braid(Level(graph, length))
    always = [action for action in braid.actions if braid.is_needed(action)]
    steps = {edge.actions for edges in graph.edges.values() for edge in edges}
    known = {action for step in steps for action in step}
    ordered = always if len(always) <= _MOST_ORDERED else []
    return PlanSummary(
        counts=dict(enumerate(numbers, length)),
        states=graph.nodes,
        always=tuple(always),
        sometimes=tuple(action for action in braid.actions if action not in always),
        never=tuple(sorted(known - set(braid.actions))),
        order=tuple(_find_order(braid, ordered)),
        braid=braid,
        waits=() in steps,
    )


def _explore(
    graph: PlanGraph,
    bound: int,
    max_states: int | None,
    progress: Reporter[str],
) -> None:
    graph.explore(bound)
    progress(f"{amount(graph.nodes, 'state')} within {amount(bound, 'step')}")
    if max_states is not None and graph.nodes > max_states:
        raise TooManyStates(
            f"more than {amount(max_states, 'state')} are within {amount(bound, 'step')}",
            hint="--max-states N allows more",
        )


def _count_plans(level: Level) -> list[int]:
    """Return the number of plans of each length, from the shortest to the bound of a level."""
    graph = level.graph
    ways = {0: 1}
    counts: list[int] = []
    for time in range(level.bound + 1):
        counts.append(sum(number for node, number in ways.items() if node in graph.goals))
        longer: Counter[int] = Counter()
        for node, number in ways.items():
            for edge in graph.edges[node]:
                rest = level.rests.get(edge.target)
                if rest is not None and time + 1 + rest[0] <= level.bound:
                    longer[edge.target] += number
        ways = longer
    return counts[level.rests[0][0] :]


def _find_braid(level: Level) -> Braid:
    """Return the braid of the shortest plans; the bound of the level is their length."""
    graph = level.graph
    layers: list[list[int]] = [[0]]
    before: Counter[int] = Counter({0: 1})  # beginnings of plans that lead to a node
    useful: list[tuple[int, tuple[str, ...], int]] = []
    for time in range(level.bound):
        following: dict[int, None] = {}
        for node in layers[-1]:
            for edge in graph.edges[node]:
                rest = level.rests.get(edge.target)
                if rest is not None and time + 1 + rest[0] <= level.bound:
                    useful.append((node, edge.actions, edge.target))
                    before[edge.target] += before[node]
                    following[edge.target] = None
        layers.append(list(following))
    after = _count_ends(layers[-1], useful)
    strands = (
        Strand(
            source,
            target,
            actions,
            before[source] * after[target],
        )
        for source, actions, target in useful
    )
    return Braid(
        tuple(map(tuple, layers)),
        tuple(strands),
        after[0],
    )


def _count_ends(
    last: Collection[int],
    useful: Collection[tuple[int, tuple[str, ...], int]],
) -> Counter[int]:
    """Return the number of paths from each node of a braid to its last layer.

    `useful` has the edges of the braid as (source, actions, target), layer by layer.
    """
    after: Counter[int] = Counter(dict.fromkeys(last, 1))
    for source, _, target in reversed(list(useful)):
        after[source] += after[target]
    return after


def _find_order(braid: Braid, actions: Collection[str]) -> Iterator[Pair]:
    """Yield the pairs of needed actions with a fixed order, unless they follow by transitivity."""
    later: dict[str, set[str]] = defaultdict(set)
    for first in actions:
        early = braid.nodes_without(first)
        sooner = set[str]()
        for strand in braid.strands:
            if strand.source in early:
                sooner.update(strand.actions)
        later[first] = set(actions) - sooner - {first}
    for first in actions:
        between = {other for middle in later[first] for other in later[middle]}
        yield from ((first, second) for second in actions if second in later[first] - between)
