"""The files that show a state space, by their suffixes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from asplan.domains.base import Model
from asplan.drawing.graph.layout import check_layout, lay_out
from asplan.drawing.graph.page import page
from asplan.drawing.graph.picture import write_picture
from asplan.drawing.graph.shades import shades_of
from asplan.drawing.graph.states import looks_of
from asplan.errors import UsageError
from asplan.files import check_writable, whole_file
from asplan.loading import Problem
from asplan.search.analysis import Progress
from asplan.search.space import explore

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
            f"cannot draw {path.name}", mend=f"graphs of states end in {', '.join(FORMATS)}"
        )
    check_writable(path)
    check_layout()


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
