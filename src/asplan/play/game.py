"""A problem as a game: its states with what they look like, all of them or those around one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from asplan.core.errors import InputError, Stopped
from asplan.core.limits import Limits
from asplan.core.plan import Plan
from asplan.core.text import amount, shortened
from asplan.domains.base import Domain
from asplan.domains.model import Model, plan_along, starting_at
from asplan.drawing.pictures import (
    Entry,
    Fluents,
    Pictures,
    as_written,
    draw_by_rules,
    draw_on_board,
    draw_space,
)
from asplan.engines.run import Run
from asplan.engines.search import BestFirst
from asplan.play.page import picture_data, play_page, space_data
from asplan.problem import Inputs, Problem, load_space
from asplan.result import Outcome
from asplan.statespace.analysis import Progress, Space, explore
from asplan.statespace.space import state_space

_SEEN = 40
"""States whose moves are told in one answer, at most."""
_GLIMPSE = 500
"""States that show what the board is, where there are too many to look at all of them."""
_LONGEST = 80
"""Letters by which a page names an initial state."""


@dataclass(frozen=True)
class Game:
    """A problem whose states a person goes through."""

    problem: Problem
    domain: Domain
    model: Model[Any, Any]
    title: str

    @cached_property
    def glimpse(self) -> tuple[Space, list[Fluents]]:
        """The states that come first, which show the board where nobody drew one."""
        space = explore(self.model, _GLIMPSE, partly=True)
        return space, list(map(self.holds, space.states))

    def holds(self, state: Any) -> Fluents:
        """What holds in a state."""
        return tuple(self.model.fluents(state))

    @cached_property
    def starts(self) -> list[str]:
        """What holds in each of several initial states that does not hold in all of them."""
        found = list(map(self.holds, self.model.initials))
        always = set(found[0]).intersection(*found[1:])
        return [
            shortened(", ".join(str(f) for f in state if f not in always), _LONGEST)
            for state in found
        ]

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
        _OPEN[key] = Game(problem, domain, model, title)
    return _OPEN[key]


def whole_page(inputs: Inputs, most: int, doing: Progress) -> tuple[str, str]:
    """The page with all states, and a sentence about it.

    Raises `TooManyStates` where there are more than `most`.
    """
    game = open_game(inputs)
    space = explore(game.model, most, doing)
    doing(f"drawing {amount(len(space.states), 'state')}")
    written, states = as_written(game.problem, game.model, space)
    holds = [tuple(written.fluents(state)) for state in states]
    pictures = draw_space(game.problem, game.model, space, holds)
    if pictures is None:
        pictures = draw_on_board(game.problem, holds, *_deepest(game.model, space))
    data = space_data(space, pictures, holds, game.name)
    known = [away for away in space.distances[: space.starts] if away is not None]
    fewest = f"{amount(min(known), 'step')} at least" if known else "no plan exists"
    said = f"{amount(len(space.states), 'state')}, {fewest}"
    if space.starts > 1:
        said += f", from {space.starts} initial states, among which the page lets you choose"
    return play_page(game.title, {**_about(game), **data}), said


def _about(game: Game) -> dict[str, Any]:
    return {"about": game.about, "starts": game.starts}


def _deepest(model: Model[Any, Any], space: Space) -> tuple[list[int], Plan]:
    """A path to the last state that was found, by number, and the plan that follows it."""
    path = [len(space.states) - 1]
    while path[-1] >= space.starts:
        path.append(space.entries[path[-1]].source)
    states = [space.states[number] for number in reversed(path)]
    return path[::-1], plan_along(model, states)


def empty_page(inputs: Inputs) -> str:
    """The page that asks a server for what is around the states where the player is."""
    game = open_game(inputs)
    size = picture_data(_draw_around(game, [game.holds(game.model.initial)], [], ())) | {
        "things": []
    }
    return play_page(game.title, {**_about(game), **size, "served": True}, connects=True)


def _draw_around(
    game: Game, holds: Sequence[Fluents], entries: Sequence[Entry], goal: Fluents
) -> Pictures | None:
    """Some states, the first of which is the start: by rules, or on the board of `glimpse`."""
    if pictures := draw_by_rules(game.problem, game.model, holds, entries, goal):
        return pictures
    space, first = game.glimpse
    pictures = draw_on_board(game.problem, [*first, *holds], *_deepest(game.model, space))
    return pictures and replace(pictures, poses=tuple(p[len(first) :] for p in pictures.poses))


def look_around(inputs: Inputs, state: Any) -> tuple[dict[str, Any], list[Any]]:
    """What is known of a state and of those next to it, as the page reads it; and these states.

    The state, and of those that follow as many as are quickly looked at, have their moves. States
    are named by their places in the list, which begins with the start.
    """
    game = open_game(inputs)
    model, moves = game.model, dict[int, list[dict[str, Any]]]()
    states = {known: n for n, known in enumerate(dict.fromkeys([model.initial, state]))}
    entries: list[Entry] = []
    entries += [(game.holds(known), ()) for known in states if known != model.initial]
    for one in list(dict.fromkeys([state, *model.successors(state)]))[:_SEEN]:
        number, before = states[one], game.holds(one)
        moves[number] = []
        for action, to in zip(model.actions(one), model.successors(one), strict=True):
            if to not in states:
                states[to] = len(states)
                entries.append((before, model.terms(action)))
            moves[number].append({"name": game.name(action), "to": states[to]})
    holds = list(map(game.holds, states))
    goal = next((h for one, h in zip(states, holds, strict=True) if model.is_goal(one)), ())
    pictures = _draw_around(game, holds, entries, goal)
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
