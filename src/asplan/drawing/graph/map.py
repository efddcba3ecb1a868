"""The map of a state space: states as dots, moves as lines, near in moves is near in the picture.

Pivots give a first layout, which springs then loosen; the start lies at the left end. In a page
that needs nothing else a state shows itself under the pointer, and a click plays a shortest plan.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from asplan.core.figures import import_matplotlib, new_figure
from asplan.core.text import printable
from asplan.domains.model import Model
from asplan.drawing.colours import INK
from asplan.drawing.html import PLAYER, encode_scene, fill_page, read_part
from asplan.drawing.pictures import as_written, draw_space
from asplan.drawing.scene import Scene
from asplan.problem import Problem
from asplan.statespace.analysis import Space

DEAD = "#c8324a"
"""Of states from which no goal can be reached."""
_NEAR, _FAR = 0.9, 0.05  # the part of the colour map that is seen on white


@dataclass(frozen=True)
class Shades:
    """What the colours of states mean: each stands for a number."""

    what: str  # what the number is
    colours: tuple[str, ...]  # one for each number from 0
    numbers: tuple[int | None, ...]  # that of each state; None for a dead end

    def of(self, state: int) -> str:
        number = self.numbers[state]
        return DEAD if number is None else self.colours[number]


def shades_of(space: Space) -> Shades:
    """By the fewest moves to a goal; where no goal can be reached, by those from the start."""
    what, numbers = "fewest moves to a goal", tuple(space.distances)
    if not space.goals:
        what, numbers = "fewest moves from the start; no goal can be reached", tuple(space.depths)
    most = max(number for number in numbers if number is not None)
    import_matplotlib()
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    def shade(number: int) -> Any:
        return colormaps["viridis"](_NEAR + (_FAR - _NEAR) * number / max(1, most))

    return Shades(what, tuple(to_hex(shade(n)) for n in range(most + 1)), numbers)


_SHAPES = 500_000  # how many there may be of all states together


@dataclass(frozen=True)
class Looks:
    """Each state as a few lines of text, and as a step of a scene where there are drawing rules."""

    scene: Scene | None
    texts: tuple[str, ...]


def looks_of(problem: Problem, model: Model[Any, Any], space: Space) -> Looks:
    """What the states look like; raises as `draw_by_rules` does."""
    written, states = as_written(problem, model, space)
    holds = [tuple(written.fluents(state)) for state in states]
    pictures = draw_space(problem, model, space, holds)
    texts, scene = tuple(map(written.text, states)), None
    several = sum(len(set(poses)) > 1 for poses in pictures.poses) if pictures else 0
    if pictures and several * len(states) <= _SHAPES:  # else it were too much for a page
        things = tuple(
            replace(thing, shapes=tuple(thing.shapes[n - 1] if n else None for n in poses))
            for thing, poses in zip(pictures.things, pictures.poses, strict=True)
        )
        actions = ("",) * (len(states) - 1)
        scene = Scene("", pictures.width, pictures.height, things, actions)
    return Looks(scene, texts)


Points = NDArray[np.float64]  # of shape (states, 2): x goes right and y goes down

_PIVOTS = 60
_PAIRS = 4e9  # pairs of states that springs may look at, all rounds together: some ten seconds


def lay_out(space: Space) -> Points:
    """The place of each state, the same in every run; one move is about 1 long."""
    import igraph

    size = len(space.states)
    graph = igraph.Graph(size, _edges(space))
    if size < 3:
        return np.array([[state, 0.0] for state in range(size)])
    igraph.set_random_number_generator(random.Random(0))
    rounds = int(min(500, max(60, _PAIRS / size**2)))
    spread = graph.layout_fruchterman_reingold(
        seed=_around_pivots(graph).tolist(), niter=rounds, start_temp=2, grid="nogrid"
    )
    return _upright(_of_unit_moves(graph, np.array(spread.coords)))


def _edges(space: Space) -> list[tuple[int, int]]:
    return sorted({(min(m[:2]), max(m[:2])) for m in space.moves if m.source != m.target})


def _around_pivots(graph: Any) -> Points:
    """Brandes and Pich (2007), "Eigensolver methods for progressive multidimensional scaling of
    large data": the distances to some pivots, far apart from each other, projected to a plane.
    """
    rows = [np.array(graph.distances(source=[0])[0], float)]
    nearest = rows[0].copy()
    while len(rows) < _PIVOTS and nearest.max() > 0:
        rows.append(np.array(graph.distances(source=[int(nearest.argmax())])[0], float))
        nearest = np.minimum(nearest, rows[-1])
    squares = np.array(rows).T ** 2
    centred = squares.mean(0) + squares.mean(1, keepdims=True) - squares - squares.mean()
    _, axes = np.linalg.eigh(centred.T @ centred)
    return _of_unit_moves(graph, centred @ axes[:, [-1, -2]])


def _of_unit_moves(graph: Any, points: Points) -> Points:
    ends = np.array(graph.get_edgelist())
    lengths = np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1)
    return points / (lengths.mean() or 1.0)


def _upright(points: Points) -> Points:
    """Turned so that the longest side lies level, with the start (state 0) at the left."""
    points = points - points.mean(0)
    _, _, axes = np.linalg.svd(points, full_matrices=False)
    points = points @ axes.T
    # The signs of axes are the solver's choice; a picture should not depend on it.
    signs = np.where(points[0] > 0, -1.0, 1.0)
    return np.asarray(points * signs)


_WIDTH, _MARGINS = 11, 1.5  # inches; the margins hold title and scale


def write_picture(
    file: BinaryIO, kind: str, space: Space, points: Points, shades: Shades, title: str
) -> None:
    from matplotlib.collections import LineCollection

    # Without a date and with names that do not change, the same space makes the same file.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    with import_matplotlib().rc_context({"svg.hashsalt": "states"}):
        across, down = np.ptp(points, axis=0)
        height = _MARGINS + _WIDTH * min(1.0, max(0.2, down / max(across, 1.0)))
        figure = new_figure(_WIDTH, height)
        axes = figure.add_subplot()
        axes.set_aspect("equal")
        axes.invert_yaxis()
        axes.axis("off")
        lines = [points[[*edge]] for edge in _edges(space)]
        width = min(1.0, 40 / len(points) ** 0.5)
        axes.add_collection(LineCollection(lines, colors="#8b95a1", linewidths=width))
        _draw_states(axes, space, points, shades)
        _add_scale(figure, axes, shades)
        count = len(space.states)
        axes.set_title(f"{printable(title)}: {count} states" if title else f"{count} states")
        figure.savefig(file, format=kind, dpi=150, metadata=metadata)


def _draw_states(axes: Any, space: Space, points: Points, shades: Shades) -> None:
    size = max(3.0, min(120.0, 12_000 / len(space.states)))
    colours = [shades.of(state) for state in range(len(space.states))]
    axes.scatter(*points.T, s=size, c=colours, linewidths=0, zorder=2)
    if space.goals:
        line = min(0.9, size / 15)
        rings = {"facecolors": "none", "edgecolors": INK, "linewidths": line, "zorder": 3}
        axes.scatter(*points[space.goals].T, s=1.4 * size, label="goal", **rings)
    if space.goals and None in shades.numbers:
        axes.scatter([], [], s=40, c=DEAD, label="dead end")
    star = {"marker": "*", "c": "#ffbb11", "edgecolors": INK, "zorder": 4}
    axes.scatter(*points[0], s=3 * size + 60, label="start", **star)
    axes.legend(frameon=False, loc="upper right")


def _add_scale(figure: Any, axes: Any, shades: Shades) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap

    count = len(shades.colours)
    bounds = [number - 0.5 for number in range(count + 1)]
    scale = ScalarMappable(BoundaryNorm(bounds, count), ListedColormap(shades.colours))
    bar = figure.colorbar(scale, ax=axes, orientation="horizontal", shrink=0.5, aspect=40, pad=0.02)
    bar.set_ticks(range(0, count, max(1, -(-count // 12))))
    bar.set_label(shades.what)


_FINE = 40  # units of the page to a move


def page(
    space: Space,
    points: Points,
    shades: Shades,
    looks: Looks,
    title: str,
    written: Callable[[str], str],
) -> str:
    """The page, as text; `written` writes an action as its source does."""
    style = read_part(PLAYER, "style.css") + read_part("graph", "style.css")
    script = read_part(PLAYER, "drawing.js") + read_part("graph", "map.js")
    # The moves as ends of lines: there and back, or one way only.
    moves = {(move.source, move.target) for move in space.moves if move.source != move.target}
    there = sorted((a, b) for a, b in moves if a < b and (b, a) in moves)
    only = sorted((a, b) for a, b in moves if (b, a) not in moves)
    data = {
        **{xy: [round(_FINE * n) for n in points[:, axis]] for axis, xy in enumerate("xy")},
        **{name: getattr(space, name) for name in ("depths", "distances", "goals")},
        **{name: getattr(shades, name) for name in ("numbers", "colours", "what")},
        **{"dead": DEAD, "lines": [*chain(*there)], "arrows": [*chain(*only)]},
        **_plans(space, written),
        "scene": looks.scene and encode_scene(looks.scene),
        "texts": () if looks.scene else looks.texts,
    }
    return fill_page(read_part("graph", "page.html"), title, style, script, data)


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
