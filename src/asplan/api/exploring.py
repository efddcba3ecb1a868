"""The whole state space of an instance, and instances as others write them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from asplan.api.words import File, Files, make_words
from asplan.catalog import find_instance
from asplan.drawing.graph.files import check_graph, draw_graph
from asplan.errors import UsageError
from asplan.loading import Words, load, load_space
from asplan.loading.notation import from_facts, lines_of, to_facts
from asplan.loading.pddl.converting import facts_of_pddl
from asplan.notebook.progress import told
from asplan.search.analysis import Analysis
from asplan.search.analysis import analyse as explore


def analyse(
    *files: Files,
    encoding: File | None = None,
    metric: str | None = None,
    constants: Mapping[str, object] | None = None,
    max_states: int | None = None,
    allow_includes: bool = False,
    progress: Callable[[str], None] | None = None,
    graph: File | None = None,
) -> Analysis:
    """Explore all states that can be reached from an instance, and count them.

    The states are those of the domain's model. Where there is none, or an encoding is named, they
    are those of the program: what `step(t)` leads to.

    Parameters
    ----------
    encoding
        The encoding whose states are wanted.
    max_states
        Give up if there are more.
    graph
        A file to draw the states and the moves between them into, by its suffix a page (.html) or
        a picture (.png, .svg, .pdf); for up to 10,000 states.
    progress
        Called with words that say what is being done. In a notebook, where it is not given, a bar
        says so.

    Raises
    ------
    InputError
        The program is no transition system, and there is no model in Python.
    TooManyStates
        There are more than `max_states`, or than a graph can show.
    UsageError
        The name of the graph has another suffix, or the file cannot be written.
    MissingExtra
        A graph needs igraph, which is not installed.
    Unexplored
        Of a PDDL task: the translator saw the answer before it wrote any states.

    Examples
    --------
    >>> import asplan
    >>> asplan.analyse("two_cars", metric="slide").distance
    2
    """
    words = make_words(files, encoding, constants, metric, allow_includes=allow_includes)
    if graph is not None:
        check_graph(Path(graph))
    problem = load_space(replace(words, all_states=True))
    domain, model = problem.state_space
    with told(progress, lambda doing: (doing, None)) as report:
        if graph is not None:
            title = ", ".join(Path(file).stem for file in words.files)
            draw_graph(problem, model, Path(graph), title, report)
        return explore(domain, model, max_states, report)


def convert(
    file: File,
    notation: str | None = None,
    allow_includes: bool = False,
    domain: File | None = None,
) -> str:
    """A board in a foreign notation as the facts of an instance, or an instance as such a board.

    A PDDL problem becomes the facts of a finite-domain task, in the notation `plasp` those that
    plasp makes; its domain is the one beside it, unless it is named.

    Files that end in .lp, and names of shipped instances, are instances; of the others the first
    line decides on the notation, unless it is named.

    Raises
    ------
    InputError
        The file cannot be read or makes no sense, or the notation cannot say what it says.

    Examples
    --------
    >>> import asplan
    >>> print(asplan.convert("two_cars"), end="")
    oooooooooBooAAoBoooooBoooooooooooooo
    """
    path = find_instance(os.fspath(file))
    files = (path,) if domain is None else (os.fspath(domain), path)
    if (text := facts_of_pddl(Words(files), notation)) is not None:
        return text
    if path.endswith(".lp"):
        words = Words((path,), allow_includes=allow_includes)
        return from_facts(load(words, needs_model=True).facts, notation)
    for found in to_facts(lines_of(path), path, notation):
        if isinstance(found, Exception):
            raise found
        return found.text
    raise UsageError(f"{path} has no board")
