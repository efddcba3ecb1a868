"""The page of a game: with all states, or without states if a server sends them.

Numbers are packed into compressed arrays. States are numbered in the order of their first visit.
Each state except the initial ones has a *parent*, the state from which it was first reached. A
state differs little from its parent, so the arrays hold the differences.
"""

import zlib
from base64 import b64encode
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from asplan.clingo import Symbol
from asplan.core.budget import Reporter
from asplan.core.text import amount
from asplan.drawing.html import PLAYER, Data, encode_object, fill_page, read_part
from asplan.drawing.pictures import (
    Fluents,
    Pictures,
    draw_on_board,
    draw_space,
    number_cells,
    source_states,
)
from asplan.play.game import Game, draw_states, find_deepest_path, open_game
from asplan.problem import Inputs
from asplan.statespace.analysis import Space, explore

_MOST_BITS = 64_000_000  # fluents times states; a page with more omits the fluents
_SCRIPTS = ("space.js", "board.js", "play.js")

Numbers = npt.NDArray[np.integer]
Bits = npt.NDArray[np.uint8]


def make_whole_page(
    inputs: Inputs,
    most: int,
    report: Reporter[str],
    coordinates: bool = False,
) -> tuple[str, str]:
    """Make the page with all states; return it with a sentence that describes the state space.

    If `coordinates` is set, rows and columns have numbers. Raises `TooManyStates` for more than
    `most` states, and the errors of `open_game`, `draw_space` and `number_cells`.
    """
    game = open_game(inputs)
    space = explore(game.model, most, report)
    report(f"drawing {amount(len(space.states), 'state')}")
    source, states = source_states(game.problem, game.model, space)
    holds = [tuple(source.fluents(state)) for state in states]
    pictures = draw_space(
        game.problem,
        game.model,
        space,
        holds,
    )
    if pictures is None:
        path, plan = find_deepest_path(game.model, space)
        pictures = draw_on_board(
            game.problem,
            holds,
            path,
            plan,
        )
    if coordinates:
        pictures = number_cells(pictures)
    data = encode_space(
        space,
        pictures,
        holds,
        game.name_action,
    )
    data = {**game.describe(), **data}
    page = _fill_page(game, data, is_served=False)
    return page, _describe_space(space)


def _describe_space(space: Space) -> str:
    initial = space.distances[: space.starts]
    distances = [distance for distance in initial if distance is not None]
    fewest = f"{amount(min(distances), 'step')} at least" if distances else "no plan exists"
    sentence = f"{amount(len(space.states), 'state')}, {fewest}"
    if space.starts == 1:
        return sentence
    choice = f"from {space.starts} initial states, one of which you choose on the page"
    return f"{sentence}, {choice}"


def make_empty_page(inputs: Inputs, coordinates: bool = False) -> str:
    """Make a page that contains no states; in the browser it requests them from the server.

    If `coordinates` is set, rows and columns have numbers.
    """
    game = open_game(inputs)
    initial = game.fluents_of(game.model.initial)
    pictures = draw_states(game, [initial], [], ())
    if coordinates:
        pictures = number_cells(pictures)
    size = _encode_size(pictures)
    data: Data = {
        **game.describe(),
        **size,
        "things": [],
        "served": True,
    }
    return _fill_page(game, data, is_served=True)


def _fill_page(game: Game, data: Data, is_served: bool) -> str:
    def read_own(name: str) -> str:
        return read_part("page", name, "asplan.play")

    connect = "'self'" if is_served else "'none'"
    scripts = [read_part(PLAYER, "drawing.js"), *map(read_own, _SCRIPTS)]
    return fill_page(
        template=read_own("page.html").replace("{{connect}}", connect),
        title=game.title,
        style=read_part(PLAYER, "style.css") + read_own("style.css"),
        script="".join(scripts),
        data={"title": game.title, **data},
    )


def _encode_size(pictures: Pictures | None) -> Data:
    if pictures is None:
        return {}
    return {"width": pictures.width, "height": pictures.height}


def encode_objects(pictures: Pictures | None) -> list[Data]:
    """Return the drawn objects with their shapes as the data that drawing.js reads."""
    objects = pictures.objects if pictures else ()
    return [{**encode_object(thing), "shapes": thing.shapes} for thing in objects]


def encode_space(
    space: Space,
    pictures: Pictures | None,
    holds: Sequence[Fluents],
    name_action: Callable[[object], str],
) -> Data:
    """Return all states with their fluents, moves and shapes as the data that space.js unpacks.

    `holds` has the fluents of each state; `name_action` returns an action as its source writes it.
    """
    number = len(space.states)
    sources = [move.source for move in space.moves]
    names: dict[str, int] = {}
    actions = []
    for move in space.moves:
        name = name_action(move.action)
        actions.append(names.setdefault(name, len(names)))
    parents = np.zeros(number, np.uint32)
    for move in space.entries.values():
        parents[move.target] = move.source
    tracks = pictures.poses if pictures else ()
    poses = np.array(tracks, np.uint32).reshape(len(tracks), number)
    fluents, bits = _encode_fluents(holds)
    return {
        "states": number,
        "actions": list(names),
        "goals": pack(np.array(space.goals)),
        "degrees": pack(np.bincount(np.array(sources, np.uint32), minlength=number)),
        "happens": pack(np.array(actions)),
        "targets": pack(_encode_targets(space)),
        "poses": pack(_subtract_parents(poses, parents)),
        "holds": pack(_subtract_parents(bits, parents)),
        "fluents": list(map(str, fluents)),
        **_encode_size(pictures),
        "things": encode_objects(pictures),
    }


def _encode_targets(space: Space) -> Numbers:
    """Return a number for each move: 0 if its target is a new state, else the target's number + 1.

    The target is new if no earlier move leads to it. New states are numbered in the order of the
    moves, so their numbers need not be stored.
    """
    numbers = [move.target for move in space.moves]
    targets = np.array(numbers, np.uint32)
    start = [space.starts - 1]
    before = np.concatenate([start, targets[:-1]])
    highest = np.maximum.accumulate(before)
    return np.where(targets > highest, 0, targets + 1)


def _encode_fluents(holds: Sequence[Fluents]) -> tuple[list[Symbol], Bits]:
    """Return the fluents that do not hold in all states, and a bit for each such fluent in each
    state.

    The bits of a state are a column of bytes. Both results are empty if there would be too many
    bits.
    """
    number = len(holds)
    common: set[Symbol] = set()
    if number > 1:
        common = set(holds[0]).intersection(*holds[1:])
    changing: dict[Symbol, int] = {}
    for state in holds:
        for fluent in state:
            if fluent not in common:
                changing.setdefault(fluent, len(changing))
    if len(changing) * number > _MOST_BITS:
        return [], np.zeros((0, number), np.uint8)
    bits = np.zeros((len(changing), number), np.uint8)
    for column, state in enumerate(holds):
        rows = [changing[fluent] for fluent in state if fluent not in common]
        bits[rows, column] = 1
    return list(changing), np.packbits(bits, axis=0, bitorder="little")


def _subtract_parents(columns: Numbers, parents: Numbers) -> Numbers:
    """Return each state's column xor the column of its parent; the column of state 0 is unchanged.

    The parent of a state is the state from which it was first reached; `parents` has its number.
    """
    differences = columns ^ columns[:, parents]
    differences[:, 0] = columns[:, 0]
    return differences


def pack(numbers: Numbers) -> tuple[str, str]:
    """Return the type of an array (`Uint8`, `Uint16` or `Uint32`) and its compressed content.

    The numbers are not negative; the content is little-endian, compressed by zlib, in base64.
    """
    most = int(numbers.max(initial=0))
    width = next(width for width in (8, 16, 32) if most < 1 << width)
    content = np.ascontiguousarray(numbers, f"<u{width // 8}").tobytes()
    return f"Uint{width}", b64encode(zlib.compress(content, 9)).decode()
