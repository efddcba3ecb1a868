"""A whole state space with its moves, small enough to be looked at.

`asplan.search.analysis` counts larger ones; it keeps no moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from asplan.domains.model import Model, initials_of, successors_of
from asplan.errors import UsageError
from asplan.search.analysis import (
    Progress,
    TooManyStates,
    distances_to,
    refuse_unexplored,
)


class Move(NamedTuple):
    """That an action leads from a state to another; states are numbers of a `Space`."""

    source: int
    target: int
    action: Any


@dataclass(frozen=True, eq=False)
class Space:
    """All states that can be reached, numbered in the order in which they are, breadth first.

    Attributes
    ----------
    states
        As the model has them; the initial state is number 0.
    moves
        All moves, by their source and then in the order of the model.
    goals
        The states in which the goal holds.
    """

    states: Sequence[Any]
    moves: Sequence[Move]
    goals: Sequence[int]

    @cached_property
    def entries(self) -> dict[int, Move]:
        """For each state but the initial one a move that ends a shortest way to it."""
        found: dict[int, Move] = {}
        for move in self.moves:
            if move.target != 0:
                # Moves stand in the order of their sources, and those in that of their depths.
                found.setdefault(move.target, move)
        return dict(sorted(found.items()))

    @cached_property
    def depths(self) -> list[int]:
        """For each state the fewest moves that lead to it."""
        found = [0]
        for move in self.entries.values():
            found.append(found[move.source] + 1)
        return found

    @cached_property
    def distances(self) -> list[int | None]:
        """For each state the fewest moves from there to a goal; None for a dead end."""
        before: dict[int, list[int]] = {}
        for source, target, _ in self.moves:
            before.setdefault(target, []).append(source)
        found = distances_to(list(self.goals), lambda state: before.get(state, ()))
        return [found.get(state) for state in range(len(self.states))]


def explore(model: Model[Any, Any], most: int, progress: Progress = lambda doing: None) -> Space:
    """Explore a whole state space, and keep it.

    Raises
    ------
    TooManyStates
        It has more than `most`.
    Unexplored
        The model only stands for the instance, and has none of its states.
    UsageError
        There is not just one initial state.
    """
    refuse_unexplored(model)
    if len(starts := initials_of(model)) != 1:
        raise UsageError(
            f"a graph begins with one initial state, and there are {len(starts) or 'none'}"
        )
    successors = successors_of(model)
    numbers, states, moves = {model.initial: 0}, [model.initial], []
    for source, state in enumerate(states):
        if source % 1000 == 0:
            progress(f"{len(states)} states")
        # The same may lead to several states, where a program chooses more than it shows.
        for action, after in zip(model.actions(state), successors(state), strict=True):
            if after not in numbers:
                if len(states) == most:
                    raise TooManyStates(
                        f"more than {most} states can be reached, too many for a picture",
                        mend="without --graph they are counted",
                    )
                numbers[after] = len(states)
                states.append(after)
            moves.append(Move(source, numbers[after], action))
    goals = [number for number, state in enumerate(states) if model.is_goal(state)]
    return Space(states, moves, goals)
