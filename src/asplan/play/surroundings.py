"""Describes a state and the states near it, for a page that does not hold all states."""

from collections.abc import Hashable, Sequence
from itertools import islice
from typing import TypedDict

from asplan.drawing.html import Data
from asplan.drawing.pictures import Entry, Fluents, Pictures, number_cells
from asplan.play.game import Game, draw_states, open_game
from asplan.play.pages import encode_objects
from asplan.problem import Inputs

_MOST_EXPANDED = 40  # states whose moves one answer contains


class MoveData(TypedDict):
    """A move: the action as its source writes it, and the number of the state that it leads to."""

    name: str
    to: int


class StateData(TypedDict, total=False):
    """A state: its number, whether it is a goal, its fluents, the shape number of each object, its
    moves.

    The moves are missing if the state was not expanded.
    """

    state: int
    goal: bool
    holds: list[str]
    poses: list[int]
    moves: list[MoveData]


class Surroundings(TypedDict):
    """The states near a given state, and the objects with the shapes that they have in these
    states.
    """

    states: list[StateData]
    things: list[Data]


class _Neighbourhood:
    """The states of a game that are near its current state, numbered from 0.

    The initial state of the game has the number 0.

    Attributes
    ----------
    numbers
        The number of each state.
    entries
        For each state but the first, the fluents of its predecessor and the actions to it.
    moves
        The moves of each expanded state, by its number.
    """

    def __init__(self, game: Game, state: Hashable) -> None:
        self._game = game
        initial = game.model.initial
        self.numbers: dict[Hashable, int] = {initial: 0}
        self.entries: list[Entry] = []
        self.moves: dict[int, list[MoveData]] = {}
        if state != initial:
            self.numbers[state] = 1
            self.entries.append((game.fluents_of(state), ()))

    def expand(self, state: Hashable) -> None:
        """Add the moves of a state, and the states that they lead to."""
        model = self._game.model
        fluents = self._game.fluents_of(state)
        moves: list[MoveData] = []
        pairs = zip(model.actions(state), model.successors(state), strict=True)
        for action, after in pairs:
            if after not in self.numbers:
                self.numbers[after] = len(self.numbers)
                self.entries.append((fluents, model.terms(action)))
            name = self._game.name_action(action)
            moves.append({"name": name, "to": self.numbers[after]})
        self.moves[self.numbers[state]] = moves


def look_around(
    inputs: Inputs,
    state: Hashable,
    coordinates: bool = False,
) -> tuple[Surroundings, list[Hashable]]:
    """Describe a state, its successors and their successors; return also these states, by number.

    If `coordinates` is set, rows and columns have numbers. Raises the errors of `draw_states`.
    """
    game = open_game(inputs)
    model = game.model
    near = _Neighbourhood(game, state)
    expanded = dict.fromkeys([state, *model.successors(state)])
    for one in islice(expanded, _MOST_EXPANDED):
        near.expand(one)
    states = list(near.numbers)
    holds = list(map(game.fluents_of, states))
    goals = list(map(model.is_goal, states))
    goal = holds[goals.index(True)] if True in goals else ()
    pictures = draw_states(
        game,
        holds,
        near.entries,
        goal,
    )
    if coordinates:
        pictures = number_cells(pictures)
    data = _encode_states(holds, goals, pictures)
    for number, moves in near.moves.items():
        data[number]["moves"] = moves
    return {"states": data, "things": encode_objects(pictures)}, states


def _encode_states(
    holds: Sequence[Fluents], goals: Sequence[bool], pictures: Pictures | None
) -> list[StateData]:
    tracks = pictures.poses if pictures else ()
    data: list[StateData] = []
    for number, fluents in enumerate(holds):
        state: StateData = {
            "state": number,
            "goal": goals[number],
            "holds": list(map(str, fluents)),
            "poses": [track[number] for track in tracks],
        }
        data.append(state)
    return data
