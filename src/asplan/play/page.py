"""The page on which a person plays: what it shows of the states, and all of them where they fit.

Numbers of states are packed: arrays of small numbers, compressed, which the page unpacks. A state
is numbered where it is first reached, so much in it is as in the state from which it was reached:
what is stored is the difference.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from asplan.drawing.html import PLAYER, part, thing_data, whole_page
from asplan.drawing.pictures import Fluents, Pictures
from asplan.drawing.scene import Object
from asplan.statespace.analysis import Space

_MOST_BITS = 64_000_000
"""Beyond so many fluents times states the page does not say what holds."""

_SCRIPTS = ("space.js", "board.js", "play.js")


def play_page(title: str, data: dict[str, Any], connects: bool = False) -> str:
    """The page, as text; one that `connects` asks a server for what it does not have."""
    style = part(PLAYER, "style.css") + part("page", "style.css", "asplan.play")
    own = (part("page", name, "asplan.play") for name in _SCRIPTS)
    template = part("page", "page.html", "asplan.play")
    template = template.replace("{{connect}}", "'self'" if connects else "'none'")
    script = "".join([part(PLAYER, "drawing.js"), *own])
    return whole_page(template, title, style, script, {"title": title, **data})


def space_data(
    space: Space, pictures: Pictures | None, holds: Sequence[Fluents], written: Callable[[str], str]
) -> dict[str, Any]:
    """All states, the moves between them, and what they look like."""
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
    """The things that are drawn, with all their shapes."""
    if pictures is None:
        return {"things": []}
    size = {"width": pictures.width, "height": pictures.height}
    return {**size, "things": list(map(_thing, pictures.things))}


def _thing(thing: Object) -> dict[str, Any]:
    return {**thing_data(thing), "shapes": thing.shapes}


def pack(numbers: Any) -> tuple[str, str]:
    """How wide each of some numbers from 0 is (`Uint8`, `Uint16` or `Uint32`), and them as text."""
    most = int(numbers.max(initial=0))
    width = next(width for width in (8, 16, 32) if most < 1 << width)
    data = np.ascontiguousarray(numbers, f"<u{width // 8}").tobytes()
    return f"Uint{width}", b64encode(zlib.compress(data, 9)).decode()
