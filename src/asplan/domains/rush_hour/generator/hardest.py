"""The hardest start of a board's space, and boards without superfluous cars."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf

from asplan.domains.rush_hour.generator.board import Board
from asplan.domains.rush_hour.generator.space import Space
from asplan.domains.rush_hour.lines import State
from asplan.domains.rush_hour.metrics import METRICS

WIDER = 10
"""So many times the states that a board may have are looked at on the board with a car less."""


@dataclass(frozen=True)
class Farthest:
    """The states of a space from which the most moves of a metric are needed.

    Attributes
    ----------
    moves
        How many these are.
    states
        How many states the space has.
    goals
        Those at the goal.
    last
        Those that are farthest from these.
    """

    space: Space
    metric: str
    moves: int
    states: int
    goals: tuple[State, ...]
    last: frozenset[State]

    @cached_property
    def board(self) -> Board:
        """One of them, always the same."""
        return self.space.board(min(self.last))


def farthest(board: Board, metric: str, most_states: int) -> Farthest | None:
    """The farthest states of a board's space; None if it is larger than allowed, or has no goal."""
    space = Space(board)
    states = space.reachable(most_states)
    return None if states is None else farthest_of(space, states, metric)


def farthest_of(space: Space, states: set[State], metric: str) -> Farthest | None:
    """The farthest of all states of a space; None if no goal is among them."""
    goals = tuple(filter(space.is_goal, states))
    if not goals:
        return None
    moves, last = max(enumerate(space.layers(goals, metric)))
    return Farthest(space, metric, moves, len(states), goals, frozenset(last))


@dataclass(frozen=True)
class Start:
    """The hardest start of a space, with the fewest slides and steps that lead to the goal."""

    board: Board
    slides: int
    steps: int
    states: int


def hardest(found: Farthest) -> Start:
    """Of the farthest states that which is farthest in the other metric, too.

    Of several the least board is taken, so that each space has one hardest start, and mirror
    images of it the same.
    """
    other = next(metric for metric in METRICS if metric != found.metric)
    moves, last = 0, found.last
    for away, layer in enumerate(found.space.layers(found.goals, other)):
        if here := found.last & layer:
            moves, last = away, here
    board = min(found.space.board(state).canonical() for state in last)
    by_metric = {found.metric: found.moves, other: moves}
    return Start(board, by_metric["slide"], by_metric["step"], found.states)


def fewest(board: Board, metric: str, most_states: float = inf) -> int | None:
    """The fewest moves from a board to the goal; None if more states than allowed are nearer."""
    space, seen = Space(board), 0
    for moves, layer in enumerate(space.layers([space.start], metric)):
        if any(map(space.is_goal, layer)):
            return moves
        seen += len(layer)
        if seen > most_states:
            return None
    raise AssertionError("a board that is made has a goal in its space")


def minimal(found: Farthest, most_states: int) -> Farthest | None:
    """A board none of whose cars can be left out without changing how many moves it takes.

    As long as there is such a car it is taken off, and the hardest start of the larger space is
    looked at next. None if that is larger than allowed.
    """
    current: Farthest | None = found
    while current is not None:
        board = hardest(current).board
        for car in board.others:
            away = fewest(board.without(car), current.metric, WIDER * most_states)
            if away is None:
                return None
            if away == current.moves:
                current = farthest(board.without(car), current.metric, most_states)
                break
        else:
            return current
    return None
