"""Draws a state space into a picture: states as dots, moves as lines."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np

from asplan.drawing.graph.layout import Points
from asplan.drawing.graph.shades import DEAD, Shades
from asplan.figures import import_matplotlib, new_figure
from asplan.search.space import Space

_INK = "#1d232b"
_WIDTH, _MARGINS = 11, 1.5
"""Inches; the margins hold title and scale."""


def write_picture(
    file: BinaryIO, kind: str, space: Space, points: Points, shades: Shades, title: str
) -> None:
    """Write a picture in a format that matplotlib knows (`png`, `svg`, `pdf`)."""
    # Without a date and with names that do not change, the same space makes the same file.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    with import_matplotlib().rc_context({"svg.hashsalt": "states"}):
        figure = figure_of(space, points, shades, title)
        figure.savefig(file, format=kind, dpi=150, metadata=metadata)


def figure_of(space: Space, points: Points, shades: Shades, title: str) -> Any:
    """The same, as a `matplotlib.figure.Figure`."""
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
    axes.set_title(f"{title}: {count} states" if title else f"{count} states")
    return figure


def _draw_moves(axes: Any, space: Space, points: Points) -> None:
    from matplotlib.collections import LineCollection

    pairs = sorted({(min(m[:2]), max(m[:2])) for m in space.moves if m.source != m.target})
    width = min(1.0, 40 / len(space.states) ** 0.5)
    axes.add_collection(
        LineCollection([points[list(pair)] for pair in pairs], colors="#8b95a1", linewidths=width)
    )


def _draw_states(axes: Any, space: Space, points: Points, shades: Shades) -> None:
    size = max(3.0, min(120.0, 12_000 / len(space.states)))
    colours = [shades.of(state) for state in range(len(space.states))]
    axes.scatter(*points.T, s=size, c=colours, linewidths=0, zorder=2)
    if space.goals:
        line = min(0.9, size / 15)
        rings = {"facecolors": "none", "edgecolors": _INK, "linewidths": line, "zorder": 3}
        axes.scatter(*points[space.goals].T, s=1.4 * size, label="goal", **rings)
    if space.goals and None in shades.numbers:
        axes.scatter([], [], s=40, c=DEAD, label="dead end")
    axes.scatter(
        *points[0],
        s=3 * size + 60,
        marker="*",
        c="#ffbb11",
        edgecolors=_INK,
        label="start",
        zorder=4,
    )
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
