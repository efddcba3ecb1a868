"""A problem as a game: its model, its initial states, and the pictures of its states."""

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from asplan.core.budget import OutOfBudget
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Stopped
from asplan.core.limits import Limits
from asplan.core.plan import Plan
from asplan.core.search import path_to
from asplan.core.text import shortened
from asplan.domains.base import Domain
from asplan.domains.model import plan_along, replace_initial
from asplan.drawing.html import Data
from asplan.drawing.pictures import (
    AnyModel,
    Entry,
    Fluents,
    Pictures,
    draw_by_rules,
    draw_on_board,
)
from asplan.engines.run import Run
from asplan.engines.search import BestFirst
from asplan.problem import Inputs, Problem, load_space
from asplan.result import Outcome
from asplan.statespace.analysis import Space, explore
from asplan.statespace.space import state_space

_SAMPLE = 500  # states from which the board of a large space is found
_LONGEST_NAME = 80  # characters of an initial state's name


@dataclass(frozen=True)
class Game:
    """A problem that a person plays by moving from state to state."""

    problem: Problem
    domain: Domain
    model: AnyModel
    title: str

    @cached_property
    def sample(self) -> tuple[Space, list[Fluents]]:
        """Some states near the initial states, with their fluents.

        The board on which all states are drawn is found from this sample.
        """
        space = explore(self.model, _SAMPLE, partly=True)
        return space, list(map(self.fluents_of, space.states))

    def fluents_of(self, state: Hashable) -> Fluents:
        """Return the fluents of a state."""
        return tuple(self.model.fluents(state))

    @cached_property
    def initial_names(self) -> list[str]:
        """A name for each initial state: its fluents, except those that hold in every initial
        state.
        """
        states = list(map(self.fluents_of, self.model.initials))
        common = set(states[0]).intersection(*states[1:])
        names = []
        for state in states:
            own = ", ".join(str(fluent) for fluent in state if fluent not in common)
            names.append(shortened(own, _LONGEST_NAME))
        return names

    def name_action(self, action: object) -> str:
        """Return an action as its source writes it."""
        write = self.problem.write_action
        return write(str(action))

    def describe(self) -> Data:
        """Return the data for the head of the page: domain, constants and names of
        initial states.
        """
        words = [self.domain.name] if self.domain.name else []
        words += [f"{name}={value}" for name, value in self.problem.constants.items()]
        return {"about": " · ".join(words), "starts": self.initial_names}


_HINT = "asplan solve plans with it all the same, and -o plan.html shows the plan"
"""The hint for a program whose states cannot be searched."""

_OPENED: dict[str, Game] = {}
"""The games of this process by inputs. A forked worker inherits them; any other worker opens its
own.
"""


def open_game(inputs: Inputs) -> Game:
    """Open the game of a problem; raise `InputError` if it has no states to play.

    Each game is opened once and then reused.
    """
    key = repr(inputs)
    if key not in _OPENED:
        _OPENED[key] = _open_game(inputs)
    return _OPENED[key]


def _open_game(inputs: Inputs) -> Game:
    problem = load_space(inputs)
    try:
        domain, model = state_space(problem)
    except InputError as error:
        raise InputError(error.message, at=error.at, hint=_HINT) from None
    why = model.unexplored()
    if why:
        raise InputError(f"there is nothing to play: {why}")
    if not model.initials:
        raise InputError("there is nothing to play: the program has no initial state")
    title = ", ".join(Path(file).stem for file in inputs.files)
    return Game(problem, domain, model, title)


def find_deepest_path(model: AnyModel, space: Space) -> tuple[list[int], Plan]:
    """Return a shortest path to the last state of a space, which is farthest from the start.

    The path is returned as the numbers of its states, and as a plan.
    """

    def parent(number: int) -> int | None:
        return None if number < space.starts else space.entries[number].source

    path = path_to(len(space.states) - 1, parent)
    return path, plan_along(model, [space.states[number] for number in path])


def draw_states(
    game: Game,
    holds: Sequence[Fluents],
    entries: Sequence[Entry],
    goal: Fluents,
) -> Pictures | None:
    """Draw states, the initial one first: by drawing rules, or on a board that asplan finds.

    `holds` has the fluents of each state. `entries` has, for each state but the first, the fluents
    of a predecessor and the actions that lead from the predecessor to the state. `goal` has the
    fluents of a goal state, if one is known. The board is found from `game.sample` and not from
    `holds`, so it is the same in every call. Return None if there are neither rules nor a board.
    """
    pictures = draw_by_rules(
        game.problem,
        game.model,
        holds,
        entries,
        goal,
    )
    if pictures:
        return pictures
    space, sample = game.sample
    path, plan = find_deepest_path(game.model, space)
    pictures = draw_on_board(
        game.problem,
        [*sample, *holds],
        path,
        plan,
    )
    if pictures is None:
        return None
    poses = tuple(track[len(sample) :] for track in pictures.poses)
    return replace(pictures, poses=poses)


def find_shortest_path(
    inputs: Inputs, state: Hashable, seconds: float
) -> tuple[list[str], list[Hashable]] | None:
    """Return the actions of a shortest plan from a state, and the state after each action.

    None if there is no plan. Raises `Stopped` if the search takes more than `seconds`.
    """
    from asplan.engines.search.astar import astar
    from asplan.engines.search.search import Search

    game = open_game(inputs)
    model = replace_initial(game.model, state)
    run = Run(game.problem, BestFirst(), Limits(seconds))
    search = Search(run, game.domain, model)
    with suppress(OutOfBudget):
        result = astar(search)
        if result.outcome is Outcome.UNSOLVABLE:
            return None
        if result.outcome is Outcome.OPTIMAL:
            names = []
            for before, after in pairwise(search.path):
                action = next(iter(model.between(before, after)))
                names.append(game.name_action(action))
            return names, list(search.path[1:])
    raise Stopped(f"No shortest plan from here was found within {seconds:g} seconds.")
