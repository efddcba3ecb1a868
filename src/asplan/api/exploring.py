"""The whole state space of an instance, instances as others write them, and new puzzles."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from asplan.api import File, Files, inputs_of
from asplan.core.errors import InputError, UsageError
from asplan.core.files import ASP
from asplan.core.limits import Limits, keep_interrupts
from asplan.core.process import run_isolated
from asplan.core.text import LARGEST
from asplan.notebook.progress import progress_report
from asplan.pddl.front import facts_of_pddl
from asplan.problem import Inputs, load, load_space
from asplan.problem.catalog import find_instance
from asplan.problem.notation import from_facts, lines_of, to_facts
from asplan.puzzles import Folder, Generated, find_generator, make_puzzles, read_wish
from asplan.statespace.analysis import Analysis
from asplan.statespace.analysis import analyse as explore


@keep_interrupts()
def analyse(
    *files: Files,
    encoding: File | None = None,
    metric: str | None = None,
    actions: Iterable[str] = (),
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
    max_states
        Give up if there are more.
    graph
        A file to draw the states and the moves between them into, by its suffix a page (.html) or
        a picture (.png, .svg, .pdf); for up to 10,000 states.
    progress
        Called with words that say what is being done; else a bar in a notebook says so.

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
        Of a PDDL task: grounding it shows that there is no plan.

    Examples
    --------
    >>> import asplan
    >>> asplan.analyse("two_cars", metric="slide").distance
    2
    """
    # Imported where states are searched: puzzles and boards do without numpy.
    from asplan.statespace.space import state_space

    inputs = inputs_of(files, locals())
    if graph is not None:
        # Imported where a graph is wanted: what draws takes long to load.
        from asplan.drawing.graph import check_graph, draw_graph

        check_graph(Path(graph))
    problem = load_space(replace(inputs, all_states=True))
    domain, model = state_space(problem)
    with progress_report(progress, lambda doing: (doing, None)) as report:
        if graph is not None:
            title = ", ".join(Path(file).stem for file in inputs.files)
            draw_graph(problem, model, Path(graph), title, report)
        return explore(domain, model, max_states, report)


@keep_interrupts()
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
    if (text := facts_of_pddl(Inputs(files), notation)) is not None:
        return text
    if path.endswith(ASP):
        inputs = Inputs((path,), allow_includes=allow_includes)
        try:
            return from_facts(load(inputs, needs_model=True).facts, notation)
        except InputError as error:
            if error.at or error.message.startswith(path):
                raise
            raise InputError(f"{path}: {error.message}", hint=error.hint) from None
    for found in to_facts(lines_of(path), path, notation):
        if isinstance(found, Exception):
            raise found
        return found.text
    raise UsageError(f"{path} has no board")


TRIES = 100  # attempts in a row of which nothing new comes before the work ends


def generate(
    domain: str,
    *,
    count: int = 1,
    seed: int = 1,
    output: str | os.PathLike[str] | None = None,
    tries: int = TRIES,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: Callable[[Generated], None] | None = None,
    **wish: Any,
) -> Generated:
    """Make puzzles whose fewest moves are proven, no two alike.

    The same wish and seed give the same puzzles on any machine; a limit only ends the work early.

    Parameters
    ----------
    domain
        `"rush_hour"`, `"sliding_tiles"`, `"brain_twist"`, or one that a package brings.
    output
        A folder for a file of each, which is written as soon as the puzzle is there.
    tries
        After so many attempts in a row of which nothing new came no more are made.
    time_limit, memory_limit
        Seconds and megabytes; the work is done in a child process.
    wish
        What `asplan generate DOMAIN --help` names, as words, numbers or flags: `slides="20..30"`.

    Returns
    -------
    Generated
        Where there are fewer puzzles than wished for, `reason` says why, and `stopped` which limit
        it was.

    Raises
    ------
    UsageError
        The wish makes no sense, or the folder is not empty.

    Examples
    --------
    >>> import asplan
    >>> made = asplan.generate("rush_hour", slides=3, size="4x4", cars=4, seed=5)
    >>> made.puzzles[0].puzzle.difficulty["slides"]
    3
    """
    for name, number, least in (("count", count, 1), ("seed", seed, 0), ("tries", tries, 1)):
        if type(number) is not int or not least <= number <= LARGEST:
            raise UsageError(f"{name}={number!r}: {name} is a number from {least}")
    limits = Limits(time_limit, memory_limit)
    limits.check()
    read_wish(find_generator(domain), wish)  # refused before a folder is made
    folder = None if output is None else Folder(output)
    work = partial(make_puzzles, domain, wish, count, seed, tries)
    with progress_report(progress, lambda made: (made.reason, None)) as tell:

        def report(made: Generated) -> None:
            if folder is not None:
                folder.write(made.puzzles)
            tell(made)

        made = run_isolated(work, limits, report, Generated(domain, count=count, seed=seed))
        if folder is not None:
            folder.write(made.puzzles)
    return made
