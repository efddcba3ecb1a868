"""Draws a state space as a graph: a picture, or a page that shows the state under the pointer."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from asplan.core.budget import Reporter
from asplan.core.errors import MissingExtra, UsageError
from asplan.core.files import atomic_file, check_writable
from asplan.core.installing import pip_install
from asplan.problem import Problem
from asplan.statespace.analysis import explore

if TYPE_CHECKING:  # importing it takes long
    from asplan.drawing.pictures import AnyModel

FORMATS = (".html", ".png", ".svg", ".pdf")
MOST_STATES = 10_000  # beyond this a picture is too crowded to read


def check_graph(path: Path) -> None:
    """Check, before the states are explored, that a graph can be drawn into a file.

    Raises `UsageError` for a suffix that is not in `FORMATS` and for a file that cannot be written,
    and `MissingExtra` if igraph is not installed.
    """
    if path.suffix.lower() not in FORMATS:
        *some, last = FORMATS
        raise UsageError(f"{path.name}: the name must end with {', '.join(some)} or {last}")
    check_writable(path)
    if find_spec("igraph") is None:
        why = "pictures of state spaces need igraph, which is not installed"
        raise MissingExtra(why, hint=pip_install("graph"))


def draw_graph(
    problem: Problem,
    model: AnyModel,
    path: Path,
    title: str,
    progress: Reporter[str],
) -> None:
    """Draw the whole state space of a problem into a file.

    Raises `TooManyStates` for more than `MOST_STATES` states, and `UsageError` unless there is
    exactly one initial state.
    """
    from asplan.drawing.graph.layout import lay_out
    from asplan.drawing.graph.map import StateMap, make_looks, make_page, make_shades, write_picture

    check_graph(path)
    space = explore(model, MOST_STATES, progress)
    if space.starts != 1:
        why = f"a graph begins with one initial state, and there are {space.starts or 'none'}"
        raise UsageError(why)
    progress(f"laying out {len(space.states)} states")
    state_map = StateMap(title, space, lay_out(space), make_shades(space))
    suffix = path.suffix.lower()
    progress(f"drawing {path}")
    if suffix != ".html":
        with atomic_file(path) as file:
            write_picture(file, suffix.lstrip("."), state_map)
        return
    looks = make_looks(problem, model, space)
    page = make_page(state_map, looks, problem.write_action)
    with atomic_file(path) as file:
        file.write(page.encode())
