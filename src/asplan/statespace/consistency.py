"""The check of a heuristic on a state space: whether it is consistent and admissible."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from asplan.domains.heuristic import Estimate
from asplan.statespace.analysis import AnyModel, Space, explore


@dataclass(frozen=True)
class Consistency:
    """The result of a check over all reachable states and moves.

    `broken` says where the heuristic is not consistent, and `too_high` where it exceeds the fewest
    moves to a goal; both are empty if it never happens. Each names the first state of a
    breadth-first search at which it does.
    """

    states: int
    moves: int
    broken: str = ""
    too_high: str = ""


def check_consistency(model: AnyModel, estimate: Estimate, most: int) -> Consistency:
    """Check an estimate over all states; raise `TooManyStates` for more than `most` of them."""
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
    """Yield the goals whose estimate is not 0, and the moves that lower it by more than 1."""
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
    """Yield the states with an estimate above the fewest moves to a goal."""
    for state, distance in enumerate(space.distances):
        if distance is not None and values[state] > distance:
            where = _name(model, space, state)
            yield f"it is {values[state]:g}, and {distance} moves are enough, in the state {where}"


def _name(model: AnyModel, space: Space, state: int) -> str:
    return " ".join(map(str, model.fluents(space.states[state])))
