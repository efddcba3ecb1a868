"""A state space as a picture, or as a page in which each state shows itself."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from asplan.core.errors import MissingExtra, UsageError
from asplan.core.files import check_writable, whole_file
from asplan.core.installing import pip_install
from asplan.domains.model import Model
from asplan.problem import Problem
from asplan.statespace.analysis import Progress, explore

FORMATS = (".html", ".png", ".svg", ".pdf")
MOST_STATES = 10_000  # more than these are no picture that people can look at


def check_graph(path: Path) -> None:
    """Raise what can be known to hinder `draw_graph` before anything is explored."""
    if path.suffix.lower() not in FORMATS:
        why = f"cannot draw {path.name}"
        raise UsageError(why, hint=f"graphs of states end in {', '.join(FORMATS)}")
    check_writable(path)
    if find_spec("igraph") is None:
        why = "pictures of state spaces need igraph, which is not installed"
        raise MissingExtra(why, hint=pip_install("graph"))


def draw_graph(
    problem: Problem, model: Model[Any, Any], path: Path, title: str, progress: Progress
) -> None:
    """Draw the whole state space of a problem into a file; it has one start, and few states."""
    from asplan.drawing.graph.map import lay_out, looks_of, page, shades_of, write_picture

    check_graph(path)
    space = explore(model, MOST_STATES, progress)
    if space.starts != 1:
        why = f"a graph begins with one initial state, and there are {space.starts or 'none'}"
        raise UsageError(why)
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
