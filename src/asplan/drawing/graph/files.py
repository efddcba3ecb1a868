"""The files that show a state space, by their suffixes."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from asplan.domains.model import Model
from asplan.errors import MissingExtra, UsageError
from asplan.files import check_writable, whole_file
from asplan.later import function_at
from asplan.loading import Problem
from asplan.search.analysis import Progress
from asplan.search.space import explore

# What draws takes long to import, and is needed once something is drawn.
_lay_out = function_at("asplan.drawing.graph.layout:lay_out")
_shades_of = function_at("asplan.drawing.graph.shades:shades_of")
_looks_of = function_at("asplan.drawing.graph.states:looks_of")
_page = function_at("asplan.drawing.graph.page:page")
_write_picture = function_at("asplan.drawing.graph.picture:write_picture")

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
    if find_spec("igraph") is None:
        raise MissingExtra(
            "pictures of state spaces need igraph, which is not installed",
            mend="pip install 'asplan[graph]'",
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
    check_graph(path)
    space = explore(model, MOST_STATES, progress)
    progress(f"laying out {len(space.states)} states")
    points, shades = _lay_out(space), _shades_of(space)
    kind = path.suffix.lower().lstrip(".")
    progress(f"drawing {path}")
    if kind != "html":
        with whole_file(path) as file:
            _write_picture(file, kind, space, points, shades, title)
        return
    looks = _looks_of(problem, model, space)
    text = _page(space, points, shades, looks, title, problem.written or str)
    with whole_file(path) as file:
        file.write(text.encode())
