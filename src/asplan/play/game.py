"""A problem as a game: its states with what they look like, all of them or those around one."""

import zlib
from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from asplan.core.errors import InputError, Stopped
from asplan.core.limits import Limits
from asplan.core.plan import Plan
from asplan.core.text import amount, shortened
from asplan.domains.base import Domain
from asplan.domains.model import Model, plan_along, replace_initial
from asplan.drawing import html
from asplan.drawing.pictures import (
    Entry,
    Fluents,
    Pictures,
    draw_by_rules,
    draw_on_board,
    draw_space,
    source_states,
)
from asplan.engines.run import OutOfTime, Run
from asplan.engines.search import BestFirst
from asplan.problem import Inputs, Problem, load_space
from asplan.result import Outcome
from asplan.statespace.analysis import Progress, Space, explore
from asplan.statespace.space import state_space

_MOST_BITS = 64_000_000  # fluents times states, beyond which the page does not say what holds
_SCRIPTS = ("space.js", "board.js", "play.js")

_SEEN = 40  # states whose moves are told in one answer, at most
_GLIMPSE = 500  # states that show what the board is, where there are too many to look at all
_LONGEST = 80  # letters by which a page names an initial state


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
        return tuple(self.model.fluents(state))

    @cached_property
    def starts(self) -> list[str]:
        """What holds in each of several initial states that does not hold in all of them."""
        found = list(map(self.holds, self.model.initials))
        always = set(found[0]).intersection(*found[1:])
        words = (", ".join(str(f) for f in state if f not in always) for state in found)
        return [shortened(text, _LONGEST) for text in words]

    def name(self, action: Any) -> str:
        """An action as its source writes it."""
        return (self.problem.written or str)(str(action))

    @property
    def about(self) -> dict[str, Any]:
        """What it is, in a few words, and its starts."""
        constants = [f"{name}={value}" for name, value in self.problem.constants.items()]
        about = " · ".join([*filter(None, [self.domain.name]), *constants])
        return {"about": about, "starts": self.starts}


_ELSE = "asplan solve plans with it all the same, and -o plan.html shows the plan"
"""What to do with a program that is no transition system."""

_OPEN: dict[str, Game] = {}
"""What was opened here; a worker that is a fork has it, and any other one opens it again."""


def open_game(inputs: Inputs) -> Game:
    """The game that files are; `InputError` where there is no start, or none that can be played."""
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
    """The page with all states, and a sentence about it; `TooManyStates` beyond `most`."""
    game = open_game(inputs)
    space = explore(game.model, most, doing)
    doing(f"drawing {amount(len(space.states), 'state')}")
    written, states = source_states(game.problem, game.model, space)
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
    return play_page(game.title, {**game.about, **data}), said


def _deepest(model: Model[Any, Any], space: Space) -> tuple[list[int], Plan]:
    """A path to the last state that was found, by number, and the plan that follows it."""
    path = [len(space.states) - 1]
    while path[-1] >= space.starts:
        path.append(space.entries[path[-1]].source)
    states = [space.states[number] for number in reversed(path)]
    return path[::-1], plan_along(model, states)


def empty_page(inputs: Inputs) -> str:
    game = open_game(inputs)
    size = picture_data(_draw_around(game, [game.holds(game.model.initial)], [], ()))
    data = {**game.about, **size, "things": [], "served": True}
    return play_page(game.title, data, connects=True)


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
    """What is known of a state and those next to it, named by places in a list; and that."""
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
    """The actions of a shortest way to a goal and the states behind each; None if none exists."""
    from asplan.engines.search.astar import astar
    from asplan.engines.search.search import Search

    game = open_game(inputs)
    model = replace_initial(game.model, state)
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


# The page: numbers of states are packed into arrays of small numbers, compressed, which it unpacks.
# A state is numbered where it is first reached, so much in it is as in the state from which it was
# reached: what is stored is the difference.


def play_page(title: str, data: dict[str, Any], connects: bool = False) -> str:
    style = html.read_part(html.PLAYER, "style.css") + html.read_part(
        "page", "style.css", "asplan.play"
    )
    own = (html.read_part("page", name, "asplan.play") for name in _SCRIPTS)
    template = html.read_part("page", "page.html", "asplan.play")
    template = template.replace("{{connect}}", "'self'" if connects else "'none'")
    script = "".join([html.read_part(html.PLAYER, "drawing.js"), *own])
    return html.fill_page(template, title, style, script, {"title": title, **data})


def space_data(
    space: Space, pictures: Pictures | None, holds: Sequence[Fluents], written: Callable[[str], str]
) -> dict[str, Any]:
    number = len(space.states)
    sources = np.array([move.source for move in space.moves], np.uint32)
    targets = np.array([move.target for move in space.moves], np.uint32)
    names: dict[str, int] = {}
    actions = [names.setdefault(written(str(move.action)), len(names)) for move in space.moves]
    parents = np.zeros(number, np.uint32)
    for move in space.entries.values():
        parents[move.target] = move.source
    # A state that is met for the first time has the next number; the initial ones are known.
    met = np.maximum.accumulate(np.concatenate([[space.starts - 1], targets]))[:-1]
    is_new = targets > met
    columns = pictures.poses if pictures else ()
    poses = np.array(columns, np.uint32).reshape(len(columns), number)
    # What holds in every state is none that people look for.
    always = set(holds[0]).intersection(*holds[1:]) if number > 1 else set()
    fluents = list(dict.fromkeys(f for state in holds for f in state if f not in always))
    said = len(fluents) * number <= _MOST_BITS
    places = {fluent: n for n, fluent in enumerate(fluents)} if said else {}
    bits = np.zeros((len(places), number), np.uint8)
    for n, state in enumerate(holds if said else ()):
        bits[[places[fluent] for fluent in state if fluent not in always], n] = 1
    rows = np.packbits(bits, axis=0, bitorder="little")
    return {
        "states": number,
        "actions": list(names),
        "goals": pack(np.array(space.goals)),
        "degrees": pack(np.bincount(sources, minlength=number)),
        "happens": pack(np.array(actions)),
        "targets": pack(np.where(is_new, 0, targets + 1)),
        "poses": pack(_differences(poses, parents)),
        "holds": pack(_differences(rows, parents)),
        "fluents": list(map(str, places)),
        **picture_data(pictures),
    }


def _differences(columns: Any, parents: Any) -> Any:
    """Of each state to the one from which it was reached; the first has its own numbers."""
    found = columns ^ columns[:, parents]
    found[:, 0] = columns[:, 0]
    return found


def picture_data(pictures: Pictures | None) -> dict[str, Any]:
    if pictures is None:
        return {"things": []}
    size = {"width": pictures.width, "height": pictures.height}
    things = [{**html.encode_object(thing), "shapes": thing.shapes} for thing in pictures.objects]
    return {**size, "things": things}


def pack(numbers: Any) -> tuple[str, str]:
    """How wide each of some numbers from 0 is (`Uint8`, `Uint16` or `Uint32`), and them as text."""
    most = int(numbers.max(initial=0))
    width = next(width for width in (8, 16, 32) if most < 1 << width)
    data = np.ascontiguousarray(numbers, f"<u{width // 8}").tobytes()
    return f"Uint{width}", b64encode(zlib.compress(data, 9)).decode()
