"""Draws how many states have each distance to the goal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from asplan.core.errors import UsageError
from asplan.core.figures import new_figure
from asplan.core.files import check_writable, whole_file
from asplan.core.text import printable
from asplan.statespace.analysis import Analysis

FORMATS = (".png", ".svg", ".pdf")


def check_plot(path: Path) -> None:
    """Raise `UsageError` where a histogram could not be written to a file."""
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"cannot draw {path.name}", hint=f"plots end in {', '.join(FORMATS)}")
    check_writable(path)


def draw_histogram(analysis: Analysis, path: Path, title: str) -> None:
    """Write a histogram of the distances, the one of the start in another colour.

    Raises `UsageError` where the file's name ends in none of `FORMATS`, or cannot be written.
    """
    check_plot(path)
    figure = histogram(analysis, title)
    with whole_file(path) as file:
        figure.savefig(file, format=path.suffix.lower().lstrip("."), dpi=150)


def histogram(analysis: Analysis, title: str = "") -> Any:
    """The same, as a `matplotlib.figure.Figure`."""
    figure = new_figure(8, 4.5)
    axes = figure.add_subplot()
    axes.bar(range(len(analysis.distances)), analysis.distances, width=0.9, color="#3d6b99")
    start = analysis.distance
    if start is not None:
        label = f"distance of the start, {start}"
        axes.bar([start], [analysis.distances[start]], width=0.9, color="#d1495b", label=label)
        axes.legend(frameon=False)
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("fewest moves to a goal")
    axes.set_ylabel("states")
    axes.set_title(
        f"{printable(title)}: {analysis.states} states" if title else f"{analysis.states} states"
    )
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure
