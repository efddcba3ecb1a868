"""The check whether a heuristic is consistent and admissible on a state space."""

from collections.abc import Iterator, Sequence

from asplan.core.dataclass import dataclass
from asplan.domains.heuristic import Estimate
from asplan.statespace.analysis import AnyModel, Space, explore


@dataclass(frozen=True)
class Consistency:
    """The result of checking a heuristic.

    Attributes
    ----------
    states, moves
        The number of reachable states, and of moves between them.
    broken
        A sentence about the first violation of consistency; empty if there is none.
    too_high
        A sentence about the first state whose estimate exceeds the least number of moves to a goal;
        empty if there is none. States are in the order of a breadth-first search.
    """

    states: int
    moves: int
    broken: str = ""
    too_high: str = ""


def check_consistency(model: AnyModel, estimate: Estimate, most: int) -> Consistency:
    """Check a heuristic on all reachable states of a model.

    Raise `TooManyStates` if more than `most` states can be reached. `estimate` is the heuristic.
    """
    space = explore(model, most)
    values = [estimate(state) for state in space.states]
    return Consistency(
        states=len(space.states),
        moves=len(space.moves),
        broken=next(_find_broken(model, space, values), ""),
        too_high=next(_find_too_high(model, space, values), ""),
    )


def _find_broken(
    model: AnyModel,
    space: Space,
    values: Sequence[float],
) -> Iterator[str]:
    """Yield a sentence for each violation of consistency.

    A violation is a goal state with an estimate other than 0, or a move that lowers the estimate by
    more than 1. `values` has the estimate of each state.
    """
    for goal in space.goals:
        if values[goal]:
            yield f"it is {values[goal]:g} at the goal state {_name(model, space, goal)}"
    for move in space.moves:
        before = values[move.source]
        after = values[move.target]
        if before > after + 1:
            (action, *_) = model.terms(move.action)
            where = _name(model, space, move.source)
            yield f"{action} lowers it from {before:g} to {after:g} in the state {where}"


def _find_too_high(
    model: AnyModel,
    space: Space,
    values: Sequence[float],
) -> Iterator[str]:
    """Yield a sentence for each state whose estimate exceeds the fewest moves to a goal."""
    for state, distance in enumerate(space.distances):
        if distance is not None and values[state] > distance:
            where = _name(model, space, state)
            yield f"it is {values[state]:g}, and {distance} moves are enough, in the state {where}"


def _name(model: AnyModel, space: Space, state: int) -> str:
    return " ".join(map(str, model.fluents(space.states[state])))
