"""Writes a state space as one web page that needs nothing else: a map of the states.

Under the pointer a state shows what it looks like; a click plays a shortest plan from there.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from asplan.domains.model import Model
from asplan.drawing.graph.picture import Points
from asplan.drawing.graph.states import DEAD, Looks, Shades
from asplan.drawing.html import PLAYER, part, scene_data, whole_page
from asplan.errors import MissingExtra, UsageError
from asplan.files import check_writable, whole_file
from asplan.problem import Problem
from asplan.statespace.analysis import Progress, Space, explore

_GRAPH = "graph"
_FINE = 40
"""Units of the page to a move."""


def page(
    space: Space, points: Points, shades: Shades, looks: Looks, title: str, named: Any = str
) -> str:
    """The page, as text; `named` writes an action as its source does."""
    style = part(PLAYER, "style.css") + part(_GRAPH, "style.css")
    script = part(PLAYER, "drawing.js") + part(_GRAPH, "map.js")
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
        **_ways(space, named),
        "scene": looks.scene and scene_data(looks.scene),
        "texts": () if looks.scene else looks.texts,
    }
    return whole_page(part(_GRAPH, "page.html"), title, style, script, data)


def _lines(space: Space) -> dict[str, list[int]]:
    """The moves as ends of lines, one after the other: there and back, or one way only."""
    moves = {(move.source, move.target) for move in space.moves if move.source != move.target}
    there = sorted((a, b) for a, b in moves if a < b and (b, a) in moves)
    only = sorted((a, b) for a, b in moves if (b, a) not in moves)
    return {
        "lines": [end for line in there for end in line],
        "arrows": [end for line in only for end in line],
    }


def _ways(space: Space, named: Any) -> dict[str, list[Any]]:
    """For each state the next one on a shortest plan, and the action's number; None at an end."""
    nexts: list[int | None] = [None] * len(space.states)
    actions: list[int | None] = [None] * len(space.states)
    names: dict[str, int] = {}
    for source, target, action in space.moves:
        away = space.distances[source]
        if nexts[source] is None and away and space.distances[target] == away - 1:
            nexts[source] = target
            actions[source] = names.setdefault(named(str(action)), len(names))
    return {"nexts": nexts, "actions": actions, "names": list(names)}


# The files that show a state space, by their suffixes.


FORMATS = (".html", ".png", ".svg", ".pdf")
MOST_STATES = 10_000
"""More than these are no picture that people can look at."""


def check_graph(path: Path) -> None:
    """Raise what can be known to hinder `draw_graph` before anything is explored.

    Raises
    ------
    UsageError
        The file's name ends in none of `FORMATS`, or the file cannot be written.
    MissingExtra
        igraph is not installed.
    """
    if path.suffix.lower() not in FORMATS:
        raise UsageError(
            f"cannot draw {path.name}", hint=f"graphs of states end in {', '.join(FORMATS)}"
        )
    check_writable(path)
    if find_spec("igraph") is None:
        raise MissingExtra(
            "pictures of state spaces need igraph, which is not installed",
            hint="pip install 'asplan[graph]'",
        )


def draw_graph(
    problem: Problem, model: Model[Any, Any], path: Path, title: str, progress: Progress
) -> None:
    """Draw the whole state space of a problem into a file.

    Raises
    ------
    TooManyStates
        It has more than `MOST_STATES`.
    InputError
        The drawing rules, or what they derive, make no sense.
    """
    from asplan.drawing.graph.picture import lay_out, write_picture
    from asplan.drawing.graph.states import looks_of, shades_of

    check_graph(path)
    space = explore(model, MOST_STATES, progress)
    progress(f"laying out {len(space.states)} states")
    points, shades = lay_out(space), shades_of(space)
    kind = path.suffix.lower().lstrip(".")
    progress(f"drawing {path}")
    if kind != "html":
        with whole_file(path) as file:
            write_picture(file, kind, space, points, shades, title)
        return
    looks = looks_of(problem, model, space)
    text = page(space, points, shades, looks, title, problem.written or str)
    with whole_file(path) as file:
        file.write(text.encode())
