"""A problem as a game: its states with what they look like, all of them or those around one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from asplan.core.errors import InputError, Stopped
from asplan.core.limits import Limits
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.domains.base import Domain
from asplan.domains.model import Model, plan_along, starting_at
from asplan.engines.run import Run
from asplan.engines.search import BestFirst
from asplan.play.page import picture_data, play_page, space_data
from asplan.play.pictures import draw_by_rules, draw_on_board
from asplan.problem import Inputs, Problem, load_space
from asplan.result import Outcome
from asplan.statespace.analysis import Progress, Space, explore
from asplan.statespace.space import state_space

_SEEN = 40
"""States whose moves are told in one answer, at most."""


@dataclass(frozen=True)
class Game:
    """A problem whose states a person goes through."""

    problem: Problem
    domain: Domain
    model: Model[Any, Any]
    title: str

    @cached_property
    def start(self) -> tuple[Any, ...]:
        """What holds at the start."""
        return tuple(self.model.fluents(self.model.initial))

    def name(self, action: Any) -> str:
        """An action as its source writes it."""
        return (self.problem.written or str)(str(action))

    @property
    def about(self) -> str:
        """What it is, in a few words."""
        constants = [f"{name}={value}" for name, value in self.problem.constants.items()]
        return " · ".join([*filter(None, [self.domain.name]), *constants])


_ELSE = "asplan solve plans with it all the same, and -o plan.html shows the plan"
"""What to do with a program that is no transition system."""

_OPEN: dict[str, Game] = {}
"""What was opened here; a worker that is a fork has it, and any other one opens it again."""


def open_game(inputs: Inputs) -> Game:
    """The game that files are.

    Raises as `load_space` and `state_space` do, and `InputError` where there is no start.
    """
    if (key := repr(inputs)) not in _OPEN:
        problem = load_space(inputs)
        try:
            domain, model = state_space(problem)
        except InputError as error:
            raise InputError(error.message, at=error.at, hint=_ELSE) from None
        if why := model.unexplored():
            raise InputError(f"there is nothing to play: {why}")
        if not model.initials:
            raise InputError("there is nothing to play: the program has no initial state")
        title = ", ".join(Path(file).stem for file in inputs.files)
        _OPEN[key] = Game(problem, domain, starting_at(model, model.initials[0]), title)
    return _OPEN[key]


def whole_page(inputs: Inputs, most: int, doing: Progress) -> tuple[str, str]:
    """The page with all states, and a sentence about it.

    Raises `TooManyStates` where there are more than `most`.
    """
    game = open_game(inputs)
    space = explore(game.model, most, doing)
    doing(f"drawing {amount(len(space.states), 'state')}")
    holds = [tuple(game.model.fluents(state)) for state in space.states]
    goal = holds[min(space.goals)] if space.goals else ()
    pictures = draw_by_rules(game.problem, holds, game.start, goal)
    if pictures is None:
        path, plan = _deepest(game.model, space)
        pictures = draw_on_board(game.problem, holds, path, plan)
    data = space_data(space, pictures, holds, game.name)
    away = space.distances[0]
    fewest = "no plan exists" if away is None else f"{amount(away, 'step')} at least"
    said = f"{amount(len(space.states), 'state')}, {fewest}"
    return play_page(game.title, {"about": game.about, **data}), said


def _deepest(model: Model[Any, Any], space: Space) -> tuple[list[int], Plan]:
    """A path to the last state that was found, by number, and the plan that follows it."""
    path = [len(space.states) - 1]
    while path[-1]:
        path.append(space.entries[path[-1]].source)
    states = [space.states[number] for number in reversed(path)]
    return path[::-1], plan_along(model, states)


def empty_page(inputs: Inputs) -> str:
    """The page that asks a server for what is around the states where the player is."""
    game = open_game(inputs)
    pictures = draw_by_rules(game.problem, [game.start], game.start, ())
    size = picture_data(pictures) | {"things": []}
    return play_page(game.title, {"about": game.about, **size, "served": True}, connects=True)


def look_around(inputs: Inputs, state: Any) -> tuple[dict[str, Any], list[Any]]:
    """What is known of a state and of those next to it, as the page reads it; and these states.

    The state, and of those that follow as many as are quickly looked at, have their moves. States
    are named by their places in the list.
    """
    game = open_game(inputs)
    model, states, moves = game.model, {state: 0}, dict[int, list[dict[str, Any]]]()
    for number, one in enumerate([state, *dict.fromkeys(model.successors(state))]):
        if number == _SEEN:
            break
        after = zip(model.actions(one), model.successors(one), strict=True)
        moves[states.setdefault(one, len(states))] = [
            {"name": game.name(action), "to": states.setdefault(to, len(states))}
            for action, to in after
        ]
    holds = [tuple(model.fluents(one)) for one in states]
    goal = next((h for one, h in zip(states, holds, strict=True) if model.is_goal(one)), ())
    pictures = draw_by_rules(game.problem, holds, game.start, goal)
    told = [
        {
            "state": number,
            "goal": model.is_goal(one),
            "holds": list(map(str, holds[number])),
            "poses": [poses[number] for poses in pictures.poses] if pictures else [],
        }
        for one, number in states.items()
    ]
    for number, found in moves.items():
        told[number]["moves"] = found
    return {"states": told, "things": picture_data(pictures)["things"]}, list(states)


def way_from(inputs: Inputs, state: Any, seconds: float) -> tuple[list[str], list[Any]] | None:
    """The actions of a shortest way from a state to a goal, and the states behind each of them.

    None where there is none, which is proven. Raises `Stopped` where the time is not enough.
    """
    from asplan.engines.search.astar import astar
    from asplan.engines.search.search import OutOfTime, Search

    game = open_game(inputs)
    model = starting_at(game.model, state)
    run = Run(game.problem, BestFirst(), Limits(seconds))
    search = Search(run, game.domain, model)
    with suppress(OutOfTime):
        result = astar(search)
        if result.outcome is Outcome.UNSOLVABLE:
            return None
        if result.outcome is Outcome.OPTIMAL:
            names = [game.name(next(iter(model.between(*pair)))) for pair in pairwise(search.path)]
            return list(map(str, names)), list(search.path[1:])
    raise Stopped(f"No shortest way from here was found within {seconds:g} seconds.")
