"""A state space as a picture: states as dots, moves as lines; near in moves is near in the picture.

Pivots give a first layout, which springs then loosen. The start lies at the left end.
"""

from __future__ import annotations

import random
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from asplan.core.figures import import_matplotlib, new_figure
from asplan.core.text import printable
from asplan.drawing.colours import INK
from asplan.drawing.graph.states import DEAD, Shades
from asplan.statespace.analysis import Space

Points = NDArray[np.float64]
"""Of shape (states, 2): x goes right and y goes down."""

_PIVOTS = 60
_PAIRS = 4e9
"""Pairs of states that springs may look at, all rounds together: some ten seconds."""


def lay_out(space: Space) -> Points:
    """The place of each state; two states that one move joins are about 1 apart.

    The same space gets the same places in every run.
    """
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


_WIDTH, _MARGINS = 11, 1.5
"""Inches; the margins hold title and scale."""


def write_picture(
    file: BinaryIO, kind: str, space: Space, points: Points, shades: Shades, title: str
) -> None:
    """Write a picture in a format that matplotlib knows (`png`, `svg`, `pdf`)."""
    # Without a date and with names that do not change, the same space makes the same file.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    with import_matplotlib().rc_context({"svg.hashsalt": "states"}):
        figure = _figure(space, points, shades, title)
        figure.savefig(file, format=kind, dpi=150, metadata=metadata)


def _figure(space: Space, points: Points, shades: Shades, title: str) -> Any:
    across, down = np.ptp(points, axis=0)
    figure = new_figure(_WIDTH, _MARGINS + _WIDTH * min(1.0, max(0.2, down / max(across, 1.0))))
    axes = figure.add_subplot()
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.axis("off")
    _draw_moves(axes, space, points)
    _draw_states(axes, space, points, shades)
    _add_scale(figure, axes, shades)
    count = len(space.states)
    axes.set_title(f"{printable(title)}: {count} states" if title else f"{count} states")
    return figure


def _draw_moves(axes: Any, space: Space, points: Points) -> None:
    from matplotlib.collections import LineCollection

    lines = [points[list(edge)] for edge in _edges(space)]
    width = min(1.0, 40 / len(space.states) ** 0.5)
    axes.add_collection(LineCollection(lines, colors="#8b95a1", linewidths=width))


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

    bounds = [number - 0.5 for number in range(len(shades.colours) + 1)]
    scale = ScalarMappable(
        BoundaryNorm(bounds, len(shades.colours)), ListedColormap(shades.colours)
    )
    bar = figure.colorbar(scale, ax=axes, orientation="horizontal", shrink=0.5, aspect=40, pad=0.02)
    step = max(1, -(-len(shades.colours) // 12))
    bar.set_ticks(range(0, len(shades.colours), step))
    bar.set_label(shades.what)
