"""What a Python user calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from asplan.asp.measuring.costs import Profile
from asplan.asp.measuring.profile import profile_program
from asplan.bench.comparison import Comparison, Row, compare_encodings
from asplan.catalog import find_instance
from asplan.drawing.rules import words_of
from asplan.engines import make_options
from asplan.errors import UsageError
from asplan.limits import Limits
from asplan.loading import Words, load
from asplan.loading.lp import constants_of
from asplan.loading.notation import from_facts, to_facts
from asplan.plan import Plan
from asplan.planner import Request, answer
from asplan.program.grounded import read_facts
from asplan.program.source import STDIN, standard_input
from asplan.result import Result, shows_html
from asplan.run import Report, unheard
from asplan.search.analysis import Analysis
from asplan.search.analysis import analyse as explore
from asplan.stored import from_json, to_json
from asplan.validation import Checked, check
from asplan.worker import run_isolated

File = str | os.PathLike[str]


def solve(
    *files: File,
    text: str | None = None,
    encoding: File | None = None,
    constants: Mapping[str, object] | None = None,
    metric: str | None = None,
    engine: str = "asp",
    mode: str | None = None,
    horizon: int | None = None,
    schedule: str | None = None,
    models: int | None = None,
    threads: int | None = None,
    no_rewrite: bool | None = None,
    clingo: Iterable[str] = (),
    heuristic: str | None = None,
    tie_breaking: str | None = None,
    move_limit: int | None = None,
    min_horizon: int = 0,
    max_horizon: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    allow_scripts: bool | None = None,
    isolate: bool = False,
    progress: Report | None = None,
) -> Result:
    """Find a plan, check it, and say what is proven.

    Parameters
    ----------
    files
        Instances, or whole programs; shipped instances by name (`"sample02.lp"`).
    text
        A program, or a part of one, as text; together with files, or alone.
    encoding
        A shipped encoding's name or a path; without it the one measured fastest.
    constants
        Constants of the program with their values.
    metric
        Short for `constants={"metric": …}`.
    engine
        One of those that `asplan list engines` shows.
    mode, horizon, schedule, models, threads, no_rewrite, clingo
        For the engine asp: `incremental`, `fixed` or `minimize`; the steps for the last two;
        `linear` or `stride:K`; how many plans, 0 for all; solving threads; whether to ground the
        program as written; words for clingo, as on its command line.
    heuristic, tie_breaking
        For A* and its kin: the estimate, and what decides among states that look alike.
    move_limit
        For the SMT engines: the number of states.
    min_horizon, max_horizon
        The least and the largest horizon that is tried.
    time_limit, memory_limit
        Seconds and megabytes. Without `isolate` a time limit cannot interrupt grounding, and a
        memory limit is refused.
    allow_scripts
        Run Python code in the program.
    isolate
        Work in a child process, which limits can stop in every phase.
    progress
        Called with what is proven so far, a `Result` whose `reason` says what is being done.

    Returns
    -------
    Result
        What `asplan solve` prints.

    Raises
    ------
    AsplanError
        Bad usage, bad input, or a plan that failed its validation.

    Examples
    --------
    >>> import asplan
    >>> asplan.solve("two_cars.lp", encoding="origin", metric="slide").horizon
    2
    >>> asplan.solve(text='''
    ...     at(0,0).
    ...     #program step(t).   { occurs(up,t) } = 1.  at(X+1,t) :- at(X,t-1), occurs(up,t).
    ...     #program check(t).  :- query(t), not at(2,t).
    ... ''').plan.actions
    ('up', 'up')
    """
    limits = Limits(time_limit, memory_limit, min_horizon, max_horizon)
    given = {
        "mode": mode,
        "horizon": horizon,
        "schedule": schedule,
        "models": models,
        "threads": threads,
        "no_rewrite": no_rewrite,
        "clingo": tuple(clingo),
        "heuristic": heuristic,
        "tie_breaking": tie_breaking,
        "move_limit": move_limit,
    }
    if memory_limit is not None and not isolate:
        raise UsageError("a memory limit can be kept only with isolate=True")
    words = _words(files, encoding, constants, metric, bool(allow_scripts), text)
    request = Request(words, engine, make_options(engine, given, limits), limits)
    return answer(request, progress or unheard, isolate)


def validate(
    *files: File,
    plan: Plan | Result,
    encoding: File | None = None,
    constants: Mapping[str, object] | None = None,
    metric: str | None = None,
    allow_scripts: bool = False,
) -> int:
    """Check a plan against an instance, independently of how it was found.

    Parameters
    ----------
    plan
        A plan; of a result that of its first, with its encoding and constants.
    encoding
        Needed where the files are no whole program and have no model in Python.
    constants, metric, allow_scripts
        As for `solve`.

    Returns
    -------
    int
        The first step after which the goal holds.

    Raises
    ------
    InvalidPlan
        The message names the step, the action and the reason.
    """
    words = _words(files, encoding, constants, metric, allow_scripts)
    return len(check_plan(words, plan).plan)


def check_plan(words: Words, plan: Plan | Result) -> Checked:
    """Check a plan; what the words leave open is taken from a result. Raises as `validate` does."""
    if isinstance(plan, Result):
        known = words_of(plan)
        words = Words(
            words.files,
            words.text,
            words.encoding or known.encoding,
            {**known.constants, **words.constants},
            words.allow_scripts,
        )
        plan = plan.plan or Plan()
    return check(load(words), plan)


def compare(
    *instances: File,
    encodings: Iterable[File] = (),
    horizon: int,
    solve: bool = False,
    metric: str | None = None,
    constants: Mapping[str, object] | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    allow_scripts: bool = False,
    progress: Callable[[Row], None] | None = None,
) -> tuple[Row, ...]:
    """Measure what encodings cost to ground, and with `solve` to solve.

    Parameters
    ----------
    instances
        Files, or names of shipped instances.
    encodings
        Names or paths; without them all that ship for the instance's domain.
    horizon
        Steps to ground, and at most to plan.
    time_limit, memory_limit
        Seconds and megabytes for each pair of instance and encoding, which is measured in a
        child process of its own.
    allow_scripts
        Run Python code in the programs.
    progress
        Called with each row while it is measured, and when it is finished.

    Returns
    -------
    tuple of Row
        One for each instance and encoding; `pandas.DataFrame(rows)` makes a table of them. A row
        in which something is missing says why in its `reason`.

    Raises
    ------
    UsageError
        There is no instance, or the horizon is below 0.
    """
    comparison = Comparison(
        instances=tuple(os.fspath(file) for file in instances),
        encodings=tuple(os.fspath(file) for file in encodings),
        horizon=horizon,
        solve=solve,
        constants=_constants(constants, metric),
        limits=Limits(time_limit, memory_limit),
        allow_scripts=allow_scripts,
    )
    return compare_encodings(comparison, progress or (lambda row: None))


def profile(
    *files: File,
    horizon: int,
    encoding: File | None = None,
    one_call: bool = False,
    metric: str | None = None,
    constants: Mapping[str, object] | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    allow_scripts: bool = False,
    progress: Callable[[Profile], None] | None = None,
) -> Profile:
    """Measure what each rule of a program costs to ground, and how that grows with the step.

    Parameters
    ----------
    files, encoding
        As for `solve`.
    horizon
        Steps to ground.
    one_call
        Ground step(t) and check(t) together, as plain incremental clingo does, instead of in
        separate calls.
    time_limit, memory_limit
        Seconds and megabytes; the work is done in a child process.
    allow_scripts
        Run Python code in the program.
    progress
        Called now and then with what was counted so far.

    Returns
    -------
    Profile
        `pandas.DataFrame(profile.rules)` makes a table of its rules, the dearest first. Where a
        limit was reached, `reason` says so, and the counts are those up to there.

    Raises
    ------
    AsplanError
        Bad usage, or a program that cannot be grounded.
    """
    if horizon < 0:
        raise UsageError(f"the horizon is {horizon}, but it cannot be below 0")
    if STDIN in files:
        standard_input()  # before the worker starts: it has no standard input of its own
    words = _words(files, encoding, constants, metric, allow_scripts)
    work = partial(_profile, words, horizon, one_call)
    limits = Limits(time_limit, memory_limit)
    return run_isolated(work, limits, progress or unheard, Profile())


def _profile(
    words: Words, horizon: int, one_call: bool, report: Callable[[Profile], None]
) -> Profile:
    problem = load(words)
    return profile_program(problem.program, problem.given, horizon, one_call, report)


def analyse(
    *files: File,
    metric: str | None = None,
    constants: Mapping[str, object] | None = None,
    max_states: int | None = None,
) -> Analysis:
    """Explore all states that can be reached from an instance, and count them.

    Raises
    ------
    InputError
        The files are an instance of no domain that has a model in Python.
    TooManyStates
        There are more than `max_states`.

    Examples
    --------
    >>> import asplan
    >>> asplan.analyse("two_cars", metric="slide").distance
    2
    """
    domain, model = load(_words(files, None, constants, metric), needs_model=True).modelled()
    return explore(domain, model, max_states)


def convert(file: File, notation: str | None = None) -> str:
    """A board in a foreign notation as the facts of an instance, or an instance as such a board.

    Files that end in .lp, and names of shipped instances, are instances; of the others the first
    line decides on the notation, unless it is named.

    Raises
    ------
    InputError
        The file cannot be read or makes no sense, or the notation cannot say what it says.

    Examples
    --------
    >>> import asplan
    >>> asplan.convert("two_cars")
    'oooooooooBoorroBooooooB'
    """
    path = find_instance(os.fspath(file))
    if path.endswith(".lp"):
        return from_facts(read_facts([path], {}), notation)
    with open(path, encoding="utf-8", errors="replace") as lines:  # noqa: PTH123
        for found in to_facts(lines, path, notation):
            if isinstance(found, Exception):
                raise found
            return found.text
    raise UsageError(f"{path} has no board")


def _words(
    files: Iterable[File],
    encoding: File | None,
    constants: Mapping[str, object] | None,
    metric: str | None,
    allow_scripts: bool = False,
    text: str | None = None,
) -> Words:
    return Words(
        tuple(os.fspath(file) for file in files),
        text,
        None if encoding is None else os.fspath(encoding),
        _constants(constants, metric),
        allow_scripts,
    )


def _constants(constants: Mapping[str, object] | None, metric: str | None) -> dict[str, str]:
    words = [f"{name}={value}" for name, value in (constants or {}).items()]
    return constants_of(words, {"metric": metric})


def _player(result: Result) -> str | None:
    from asplan.drawing.notebook import player

    return player(result)


shows_html(_player)

__all__ = [
    "analyse",
    "check_plan",
    "compare",
    "convert",
    "from_json",
    "profile",
    "solve",
    "to_json",
    "validate",
]
