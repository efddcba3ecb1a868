"""The whole state space of a problem: everything that can be reached from the initial state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from asplan.domains.base import Domain
from asplan.domains.model import Model, expand_of, initials_of, successors_of, unexplored_reason
from asplan.errors import AsplanError
from asplan.search.parts import Role, roles
from asplan.shown import Shown

Progress = Callable[[str], None]


class Unexplored(AsplanError):
    """The states are not there to be counted."""

    exit_status = 1


class TooManyStates(AsplanError):
    """The state space is larger than allowed."""

    exit_status = 1


@dataclass(frozen=True)
class Analysis(Shown):
    """Counts over the reachable states. A distance is the fewest moves to the nearest goal state.

    Attributes
    ----------
    moves
        All moves from all states; divided by the states it is the branching factor.
    least_moves, most_moves
        The fewest and the most moves from one state.
    distance
        That of the initial state, of several the least; None if no goal state can be reached.
    distances
        For each distance the number of states that have it.
    depths
        For each number of moves from the initial state the states that are first reached by it.
    dead_ends
        The states from which no goal state can be reached.
    hardest
        A state with the largest distance; None if there is no goal state.
    shortest_plans
        How many different shortest plans there are, counted exactly.
    roles
        What each part of the instance, such as a car, does on shortest plans; empty where the
        domain names no parts, or no goal state can be reached.
    """

    states: int
    goal_states: int
    moves: int
    least_moves: int
    most_moves: int
    distance: int | None
    distances: tuple[int, ...]
    depths: tuple[int, ...]
    dead_ends: int
    hardest: Any
    shortest_plans: int
    roles: tuple[Role, ...] = ()

    @property
    def is_hardest(self) -> bool:
        """Whether no state is farther from the goals than the initial one."""
        return self.distance is not None and self.distance == len(self.distances) - 1

    @property
    def branching(self) -> float:
        """The mean number of moves from a state."""
        return self.moves / self.states if self.states else 0.0


def analyse(
    domain: Domain,
    model: Model[Any, Any],
    max_states: int | None = None,
    progress: Progress = lambda doing: None,
) -> Analysis:
    """Explore a whole state space.

    Raises
    ------
    TooManyStates
        It has more than `max_states`.
    Unexplored
        The model only stands for the instance, and has none of its states.
    """
    refuse_unexplored(model)
    layers = _layers(model, max_states, progress)
    progress("measuring distances to the goals")
    states = [state for layer in layers for state in layer]
    goals = [state for state in states if model.is_goal(state)]
    backward = _backward(domain, model, states)
    distances = distances_to(goals, backward)
    successors = successors_of(model)
    degrees = [len(list(successors(state))) for state in states]
    histogram = Counter(distances.values())
    return Analysis(
        states=len(states),
        goal_states=len(goals),
        moves=sum(degrees),
        least_moves=min(degrees, default=0),
        most_moves=max(degrees, default=0),
        distance=_nearest(model, distances),
        distances=tuple(histogram[away] for away in range(len(histogram))),
        depths=tuple(map(len, layers)),
        dead_ends=len(states) - len(distances),
        hardest=max(distances, key=distances.__getitem__) if distances else None,
        shortest_plans=_count_shortest(model, distances),
        roles=_roles(domain, model, distances, progress),
    )


def refuse_unexplored(model: Model[Any, Any]) -> None:
    """Raise `Unexplored` where the states of a model tell nothing of those of the instance."""
    if why := unexplored_reason(model):
        raise Unexplored(f"the state space was not explored: {why}")


def _roles(
    domain: Domain, model: Model[Any, Any], distances: dict[Any, int], progress: Progress
) -> tuple[Role, ...]:
    if domain.parts is None or model.initial not in distances:
        return ()
    return tuple(roles(domain.parts, model, distances, progress))


def _layers(model: Model[Any, Any], max_states: int | None, progress: Progress) -> list[set[Any]]:
    """The reachable states by their number of moves from the initial state."""
    expand, layers = expand_of(model), [set(initials_of(model))]
    seen = set(layers[0])
    while True:
        progress(f"{len(seen)} states within {len(layers) - 1} moves")
        fresh = set(expand(layers[-1])) - seen
        if not fresh:
            return layers
        seen |= fresh
        if max_states is not None and len(seen) > max_states:
            raise TooManyStates(
                f"more than {max_states} states can be reached, {len(seen)} within "
                f"{len(layers)} moves",
                mend="--max-states N allows more; a million states take about half a gigabyte",
            )
        layers.append(fresh)


def _backward(
    domain: Domain, model: Model[Any, Any], states: Iterable[Any]
) -> Callable[[Any], Iterable[Any]]:
    """The function from a state to the states before it."""
    successors = successors_of(model)
    if domain.reversible:
        return successors
    before: dict[Any, list[Any]] = {}
    for state in states:
        for after in successors(state):
            before.setdefault(after, []).append(state)
    return lambda state: before.get(state, [])


def distances_to(goals: list[Any], backward: Callable[[Any], Iterable[Any]]) -> dict[Any, int]:
    """The distance of every state that has one, breadth first from all goals at once."""
    found = dict.fromkeys(goals, 0)
    layer, away = goals, 0
    while layer:
        away += 1
        layer = [
            before
            for before in {before for state in layer for before in backward(state)}
            if before not in found
        ]
        found.update(dict.fromkeys(layer, away))
    return found


def _nearest(model: Model[Any, Any], distances: dict[Any, int]) -> int | None:
    """The least distance of an initial state; None if none has one."""
    known = (distances[state] for state in initials_of(model) if state in distances)
    return min(known, default=None)


def _count_shortest(model: Model[Any, Any], distances: dict[Any, int]) -> int:
    """The number of shortest plans: dynamic programming along moves that come nearer to a goal."""
    away = _nearest(model, distances)
    if away is None:
        return 0
    successors = successors_of(model)
    ways = {state: 1 for state in initials_of(model) if distances.get(state) == away}
    for left in range(away - 1, -1, -1):
        following: Counter[Any] = Counter()
        for state, count in ways.items():
            for after in successors(state):
                if distances.get(after) == left:
                    following[after] += count
        ways = following
    return sum(ways.values())
