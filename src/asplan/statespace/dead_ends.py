"""The dead ends of a state space: reachable states from which no goal can be reached."""

from __future__ import annotations

from collections import defaultdict

from asplan.core.dataclass import dataclass
from asplan.core.search import breadth_first
from asplan.domains.model import DomainState
from asplan.statespace.analysis import AnyModel, distances_to


@dataclass(frozen=True)
class DeadEnds:
    """The number of reachable states, and of dead ends among them."""

    states: int
    dead_ends: int

    @property
    def share(self) -> float:
        """The share of dead ends in all reachable states."""
        return self.dead_ends / self.states


def count_dead_ends(model: AnyModel, most: int) -> DeadEnds | None:
    """Count the dead ends of a model; return None if it has more than `most` reachable states."""
    states: set[DomainState] = set()
    for layer in breadth_first(model.initials, lambda layer: set(model.expand(layer))):
        states |= layer
        if len(states) > most:
            return None
    predecessors: dict[DomainState, list[DomainState]] = defaultdict(list)
    for state in states:
        for after in model.successors(state):
            predecessors[after].append(state)
    goals = filter(model.is_goal, states)
    alive = distances_to(goals, lambda state: predecessors.get(state, ()))
    return DeadEnds(len(states), len(states) - len(alive))
