"""Writes a state space as one web page that needs nothing else: a map of the states.

Under the pointer a state shows what it looks like; a click plays a shortest plan from there.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from asplan.drawing.graph.picture import Points
from asplan.drawing.graph.states import DEAD, Looks, Shades
from asplan.drawing.html import PLAYER, part, scene_data, whole_page
from asplan.statespace.analysis import Space

_FINE = 40
"""Units of the page to a move."""


def page(
    space: Space,
    points: Points,
    shades: Shades,
    looks: Looks,
    title: str,
    written: Callable[[str], str],
) -> str:
    """The page, as text; `written` writes an action as its source does."""
    style = part(PLAYER, "style.css") + part("graph", "style.css")
    script = part(PLAYER, "drawing.js") + part("graph", "map.js")
    data = {
        "x": [round(_FINE * x) for x in points[:, 0]],
        "y": [round(_FINE * y) for y in points[:, 1]],
        "depths": space.depths,
        "distances": space.distances,
        "goals": space.goals,
        "numbers": shades.numbers,
        "colours": shades.colours,
        "dead": DEAD,
        "what": shades.what,
        **_lines(space),
        **_plans(space, written),
        "scene": looks.scene and scene_data(looks.scene),
        "texts": () if looks.scene else looks.texts,
    }
    return whole_page(part("graph", "page.html"), title, style, script, data)


def _lines(space: Space) -> dict[str, list[int]]:
    """The moves as ends of lines, one after the other: there and back, or one way only."""
    moves = {(move.source, move.target) for move in space.moves if move.source != move.target}
    there = sorted((a, b) for a, b in moves if a < b and (b, a) in moves)
    only = sorted((a, b) for a, b in moves if (b, a) not in moves)
    return {"lines": [*chain(*there)], "arrows": [*chain(*only)]}


def _plans(space: Space, written: Callable[[str], str]) -> dict[str, list[Any]]:
    """For each state the next one on a shortest plan, and the action's number; None at an end."""
    nexts: list[int | None] = [None] * len(space.states)
    actions: list[int | None] = [None] * len(space.states)
    names: dict[str, int] = {}
    for source, target, action in space.moves:
        away = space.distances[source]
        if nexts[source] is None and away and space.distances[target] == away - 1:
            nexts[source] = target
            actions[source] = names.setdefault(written(str(action)), len(names))
    return {"nexts": nexts, "actions": actions, "names": list(names)}
