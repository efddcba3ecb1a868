"""The map of a state space: states as dots, moves as lines, colours for the distance to a goal.

The map is a picture, or a page in one file that shows the state under the pointer and plays a
shortest plan from a state at a click.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from asplan.core.dataclass import dataclass
from asplan.core.figures import import_matplotlib, new_figure
from asplan.core.text import printable
from asplan.drawing.colours import INK
from asplan.drawing.graph.layout import DOT, Points, find_edges
from asplan.drawing.html import PLAYER, Data, encode_scene, fill_page, read_part
from asplan.drawing.pictures import AnyModel, Fluents, draw_space, source_states
from asplan.drawing.scene import DrawnShape, Object, Scene
from asplan.problem import Problem
from asplan.statespace.analysis import Space

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEAD = "#c8324a"  # the colour of dead ends
_EDGE = "#8b95a1"
_START = "#ffbb11"
_ON_WHITE = (0.9, 0.05)  # the colours of the nearest and the farthest states, in the colour map
_ON_BLACK = (1.0, 0.3)
_MOST_TICKS = 12


@dataclass(frozen=True)
class Shades:
    """The colours of states: a number for each state, such as its distance, and a colour for each
    number.

    Attributes
    ----------
    meaning
        The meaning of the numbers, for the legend.
    colours
        A colour for each number 0, 1, ….
    dark_colours
        The same for a dark ground.
    numbers
        The number of each state; None for a dead end.
    """

    meaning: str
    colours: tuple[str, ...]
    dark_colours: tuple[str, ...]
    numbers: tuple[int | None, ...]

    def colour_of(self, state: int) -> str:
        """Return the colour of a state."""
        number = self.numbers[state]
        return DEAD if number is None else self.colours[number]


def make_shades(space: Space) -> Shades:
    """Return colours that show the fewest moves from each state to a goal.

    If no goal can be reached, they show the fewest moves from the start to each state.
    """
    meaning = "fewest moves to a goal"
    numbers = tuple(space.distances)
    if not space.goals:
        meaning = "fewest moves from the start; no goal can be reached"
        numbers = tuple(space.depths)
    most = max(number for number in numbers if number is not None)
    return Shades(
        meaning,
        _make_colours(most, *_ON_WHITE),
        _make_colours(most, *_ON_BLACK),
        numbers,
    )


def _make_colours(most: int, nearest: float, farthest: float) -> tuple[str, ...]:
    """Return a colour for each of the numbers 0 to `most`.

    `nearest` and `farthest` are the positions in the colour map, from 0 to 1, of the colours for 0
    and for `most`.
    """
    import_matplotlib()
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    places = np.linspace(nearest, farthest, most + 1)
    return tuple(map(to_hex, colormaps["viridis"](places)))


@dataclass(frozen=True)
class StateMap:
    """A state space, and for each of its states a place in the plane and a colour."""

    title: str
    space: Space
    points: Points
    shades: Shades


_MOST_SHAPES = 500_000  # of all states together, in a page


@dataclass(frozen=True)
class Looks:
    """The appearance of each state: some lines of text and, if there are drawing rules, a drawing.

    The scene has the drawing of state n at step n.
    """

    scene: Scene | None
    texts: tuple[str, ...]


def make_looks(
    problem: Problem,
    model: AnyModel,
    space: Space,
) -> Looks:
    """Make the looks of all states; raise the errors of `draw_by_rules`.

    There is no scene if it would have too many shapes for a page.
    """
    source, states = source_states(problem, model, space)
    texts = tuple(map(source.text, states))
    holds = [tuple(source.fluents(state)) for state in states]
    return Looks(_make_scene(problem, model, space, holds), texts)


def _make_scene(
    problem: Problem,
    model: AnyModel,
    space: Space,
    holds: Sequence[Fluents],
) -> Scene | None:
    """Make a scene that has state n at step n; None without drawing rules or for
    too many shapes.
    """
    pictures = draw_space(problem, model, space, holds)
    if pictures is None:
        return None
    moving = sum(len(set(poses)) > 1 for poses in pictures.poses)
    if moving * len(holds) > _MOST_SHAPES:
        return None
    objects = []
    for thing, poses in zip(pictures.objects, pictures.poses, strict=True):
        shapes = tuple(_shape_of(thing, number) for number in poses)
        objects.append(replace(thing, shapes=shapes))
    actions = ("",) * (len(holds) - 1)
    return Scene(
        "",
        pictures.width,
        pictures.height,
        tuple(objects),
        actions,
    )


def _shape_of(thing: Object, number: int) -> DrawnShape | None:
    """Return a shape of an object by its number, counted from 1; None for the number 0."""
    return thing.shapes[number - 1] if number else None


_WIDTH = 11  # inches
_AXES = 0.7  # the share of the width that the states take
_MARGINS = 1.5  # inches for title and scale
_METADATA = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # omitted


def write_picture(
    file: BinaryIO,
    kind: str,
    state_map: StateMap,
) -> None:
    """Write a map into a file as `png`, `svg` or `pdf`."""
    # Without a date and with fixed names, the same space makes the same file.
    metadata = _METADATA.get(kind)
    with import_matplotlib().rc_context({"svg.hashsalt": "states"}):
        across, down = np.ptp(state_map.points, axis=0)
        proportion = min(1.0, max(0.2, down / max(across, 1.0)))
        figure = new_figure(_WIDTH, _MARGINS + _WIDTH * proportion)
        axes = figure.add_subplot()
        axes.set_aspect("equal")
        axes.invert_yaxis()
        axes.axis("off")
        _draw_moves(axes, state_map)
        _draw_states(axes, state_map)
        _add_scale(figure, axes, state_map.shades)
        count = f"{len(state_map.points)} states"
        title = printable(state_map.title)
        axes.set_title(f"{title}: {count}" if title else count)
        figure.savefig(file, format=kind, dpi=150, metadata=metadata)


def _draw_moves(axes: Axes, state_map: StateMap) -> None:
    from matplotlib.collections import LineCollection

    points = state_map.points
    lines = [points[[*edge]] for edge in find_edges(state_map.space)]
    width = min(1.0, 40 / len(points) ** 0.5)
    axes.add_collection(LineCollection(lines, colors=_EDGE, linewidths=width))


def _draw_states(axes: Axes, state_map: StateMap) -> None:
    points = state_map.points
    goals = state_map.space.goals
    shades = state_map.shades
    size = _dot_area(points)
    colours = list(map(shades.colour_of, range(len(points))))
    across, down = points.T
    axes.scatter(
        across,
        down,
        s=size,
        c=colours,
        linewidths=0,
        zorder=2,
    )
    if goals:
        axes.scatter(
            across[goals],
            down[goals],
            s=1.4 * size,
            label="goal",
            facecolors="none",
            edgecolors=INK,
            linewidths=min(0.9, size / 15),
            zorder=3,
        )
    if goals and None in shades.numbers:
        axes.scatter(
            [],
            [],
            s=40,
            c=DEAD,
            label="dead end",
        )
    axes.scatter(
        across[0],
        down[0],
        s=2 * size + 40,
        label="start",
        marker="*",
        c=_START,
        edgecolors=INK,
        zorder=4,
    )
    axes.legend(frameon=False, loc="upper right")


def _dot_area(points: Points) -> float:
    """Return the area of the dots in square points, so that they do not overlap in a picture."""
    unit = 72 * _AXES * _WIDTH / max(1.0, np.ptp(points[:, 0]))
    return float(max(0.5, min(120.0, (2 * DOT * unit) ** 2)))


def _add_scale(figure: Figure, axes: Axes, shades: Shades) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap

    count = len(shades.colours)
    bounds = [number - 0.5 for number in range(count + 1)]
    scale = ScalarMappable(BoundaryNorm(bounds, count), ListedColormap(shades.colours))
    bar = figure.colorbar(
        scale,
        ax=axes,
        orientation="horizontal",
        shrink=0.5,
        aspect=40,
        pad=0.02,
    )
    distance = max(1, ceil(count / _MOST_TICKS))
    bar.set_ticks(range(0, count, distance))
    bar.set_label(shades.meaning)


Line = tuple[int, int]  # the numbers of two states

_FINE = 40  # units of the page to a move


def make_page(
    state_map: StateMap,
    looks: Looks,
    write: Callable[[str], str],
) -> str:
    """Return the page of a map; `write` returns an action as its source writes it."""
    style = read_part(PLAYER, "style.css") + read_part("graph", "style.css")
    script = read_part(PLAYER, "drawing.js") + read_part("graph", "map.js")
    template = read_part("graph", "page.html")
    return fill_page(
        template,
        state_map.title,
        style,
        script,
        _page_data(state_map, looks, write),
    )


def _page_data(
    state_map: StateMap,
    looks: Looks,
    write: Callable[[str], str],
) -> Data:
    space = state_map.space
    shades = state_map.shades
    across, down = state_map.points.T
    both_ways, one_way = _split_moves(space)
    return {
        "x": [round(_FINE * x) for x in across],
        "y": [round(_FINE * y) for y in down],
        "depths": space.depths,
        "distances": space.distances,
        "goals": space.goals,
        "numbers": shades.numbers,
        "colours": shades.colours,
        "darkColours": shades.dark_colours,
        "what": shades.meaning,
        "dot": _FINE * DOT,
        "lines": list(chain.from_iterable(both_ways)),
        "arrows": list(chain.from_iterable(one_way)),
        **_plan_data(space, write),
        "scene": encode_scene(looks.scene) if looks.scene else None,
        "texts": () if looks.scene else looks.texts,
    }


def _split_moves(space: Space) -> tuple[list[Line], list[Line]]:
    """Return the pairs of states with moves both ways, and the pairs with moves one way only."""
    pairs = {(source, target) for source, target, _ in space.moves if source != target}
    both_ways = []
    one_way = []
    for source, target in sorted(pairs):
        if (target, source) not in pairs:
            one_way.append((source, target))
        elif source < target:
            both_ways.append((source, target))
    return both_ways, one_way


def _plan_data(space: Space, write: Callable[[str], str]) -> Data:
    """Return the next state and the action of a shortest plan, for each state, as data of the page.

    `nexts` has the states and `actions` the indices into `names`; both are None at goals and dead
    ends.
    """
    nexts: list[int | None] = [None] * len(space.states)
    actions: list[int | None] = [None] * len(space.states)
    names: dict[str, int] = {}
    for source, target, action in space.moves:
        distance = space.distances[source]
        if nexts[source] is not None or not distance:
            continue
        if space.distances[target] == distance - 1:
            nexts[source] = target
            name = write(str(action))
            actions[source] = names.setdefault(name, len(names))
    return {"nexts": nexts, "actions": actions, "names": list(names)}
