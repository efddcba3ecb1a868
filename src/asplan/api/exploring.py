"""State spaces of instances, instances in other notations, and new puzzles."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from asplan.api import File, Files, inputs_of
from asplan.catalog import find_instance
from asplan.core.budget import Reporter
from asplan.core.errors import InputError, UsageError
from asplan.core.files import ASP
from asplan.core.limits import Limits, keep_interrupts
from asplan.core.process import run_isolated
from asplan.core.text import LARGEST
from asplan.notebook.progress import progress_report
from asplan.pddl.front import facts_of_pddl
from asplan.problem import Inputs, load, load_space
from asplan.problem.notation import from_facts, lines_of, to_facts
from asplan.puzzles import (
    Folder,
    Generated,
    OptionWord,
    PuzzleKind,
    find_generator,
    make_puzzles,
    read_wish,
)
from asplan.statespace.analysis import Analysis
from asplan.statespace.analysis import analyse as explore


@keep_interrupts()
def analyse(  # all but the files are keywords
    *files: Files,
    encoding: File | None = None,
    metric: str | None = None,
    actions: Iterable[str] = (),
    constants: Mapping[str, object] | None = None,
    max_states: int | None = None,
    allow_includes: bool = False,
    progress: Reporter[str] | None = None,
    graph: File | None = None,
) -> Analysis:
    """Explore the reachable states of an instance, and count them by their distance.

    The states are those of the domain's model in Python. Without a model, or with a named encoding,
    they are those of the program, whose part `step(t)` leads from state to state.

    Parameters
    ----------
    files, encoding, metric, actions, constants, allow_includes
        As for `solve`.
    max_states
        The most states to explore.
    graph
        A file for a graph of the states and moves: a page (.html) or a picture (.png, .svg, .pdf).
        It shows up to 10,000 states.
    progress
        A function to call with a description of the current work; by default a notebook shows a
        bar.

    Returns
    -------
    Analysis
        The numbers of states and their distances.

    Raises
    ------
    InputError
        If the program is no transition system, and there is no model in Python.
    TooManyStates
        If there are more than `max_states`, or than a graph can show.
    UsageError
        If the graph has another suffix, or the file cannot be written.
    MissingExtra
        If a graph needs igraph, and that is not installed.
    Unexplored
        If grounding of a PDDL task shows that it has no plan.

    Examples
    --------
    >>> import asplan
    >>> asplan.analyse("two_cars", metric="slide").distance
    2
    """
    from asplan.statespace.space import state_space  # puzzles and boards need no numpy

    inputs = inputs_of(files, locals())
    if graph is not None:
        from asplan.drawing.graph import check_graph, draw_graph  # these take long to import

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
    """Convert a board in another notation into the facts of an instance, or the other way round.

    A PDDL problem becomes the facts of a finite-domain task, or with the notation `plasp` the facts
    that plasp makes.

    Parameters
    ----------
    file
        A file or the name of a shipped instance. Files with the suffix .lp are instances.
    notation
        The notation of the board; by default the first line of a file decides.
    allow_includes
        As for `solve`.
    domain
        The domain of a PDDL problem; by default the domain in the same folder.

    Returns
    -------
    str
        The facts, or the board.

    Raises
    ------
    InputError
        If the file cannot be read or understood, or if the notation cannot express the instance.

    Examples
    --------
    >>> import asplan
    >>> print(asplan.convert("two_cars"), end="")
    oooooooooBooAAoBoooooBoooooooooooooo
    """
    path = find_instance(os.fspath(file))
    files = (path,) if domain is None else (os.fspath(domain), path)
    facts = facts_of_pddl(Inputs(files), notation)
    if facts is not None:
        return facts
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


TRIES = 100  # most attempts in a row without a new puzzle


def generate(  # noqa: PLR0913  # all but the domain are keywords
    domain: str,
    *,
    count: int = 1,
    seed: int = 1,
    output: str | os.PathLike[str] | None = None,
    tries: int = TRIES,
    unique: bool = False,
    rate: bool = False,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: Reporter[Generated] | None = None,
    **wish: OptionWord,
) -> Generated:
    """Make different puzzles with a proven number of moves.

    The same options and seed give the same puzzles on any machine; a limit only ends the work
    early.

    Parameters
    ----------
    domain
        `"rush_hour"`, `"sliding_tiles"`, `"brain_twist"`, or the domain of another package.
    count, seed
        The number of puzzles, and the seed of the random numbers.
    output
        A folder for the files of the puzzles; each file is written as soon as its puzzle is made.
    tries
        The most attempts in a row without a new puzzle.
    unique
        Keep only puzzles with one shortest plan, up to the order of its actions.
    rate
        Count the shortest plans and the dead ends of each puzzle; `unique` does so, too.
    time_limit, memory_limit
        Seconds and megabytes; a child process does the work.
    progress
        A function to call with the puzzles so far.
    wish
        The options in `asplan generate DOMAIN --help`, as words, numbers or flags, for instance
        `slides="20..30"`.

    Returns
    -------
    Generated
        The puzzles. If there are fewer than `count`, it has the `reason`, and the limit that
        `stopped` the work.

    Raises
    ------
    UsageError
        If an option is unknown or wrong, or if the folder is not empty.

    Examples
    --------
    >>> import asplan
    >>> made = asplan.generate("rush_hour", slides=3, size="4x4", cars=4, seed=5)
    >>> made.puzzles[0].puzzle.difficulty["slides"]
    3
    """
    for name, number, least in (("count", count, 1), ("seed", seed, 0), ("tries", tries, 1)):
        if type(number) is not int or not least <= number <= LARGEST:
            raise UsageError(
                f"{name}={number!r}: {name} must be a whole number of at least {least}"
            )
    limits = Limits(time_limit, memory_limit)
    limits.check()
    read_wish(find_generator(domain), wish)  # check the options before a folder is made
    folder = None if output is None else Folder(output)
    kind = PuzzleKind(unique, rate)
    work = partial(make_puzzles, domain, wish, count, seed, tries, kind=kind)
    with progress_report(progress, lambda made: (made.reason, None)) as show:

        def report(made: Generated) -> None:
            if folder is not None:
                folder.write(made.puzzles)
            show(made)

        made = run_isolated(
            work,
            limits,
            report,
            Generated(
                domain,
                count=count,
                seed=seed,
            ),
        )
        if folder is not None:
            folder.write(made.puzzles)
    return made
