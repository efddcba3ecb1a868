"""What encodings cost: side by side, and rule by rule."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

from asplan.api.words import File, make_words, read_constants
from asplan.asp.measuring.costs import Profile
from asplan.asp.measuring.profile import profile_program
from asplan.bench.comparison import Comparison, Row, compare_encodings
from asplan.limits import Limits, check_steps
from asplan.loading import Words, load
from asplan.program.files import await_input
from asplan.run import unheard
from asplan.worker import run_isolated


def compare(
    *instances: File,
    encodings: File | Iterable[File] = (),
    horizon: int,
    solve: bool = False,
    metric: str | None = None,
    constants: Mapping[str, object] | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    allow_scripts: bool = False,
    allow_includes: bool = False,
    progress: Callable[[Row], None] | None = None,
) -> tuple[Row, ...]:
    """Measure what encodings cost to ground, and with `solve` to solve.

    Parameters
    ----------
    instances
        Files, or names of shipped instances. A PDDL domain goes with the problems behind it.
    encodings
        Names or paths; `"origin:metric=slide"` is a variant, with that constant set. Without
        them all that ship for the instance's domain.
    horizon
        Steps to ground, and at most to plan.
    time_limit, memory_limit
        Seconds and megabytes for each pair of instance and encoding, which is measured in a
        child process of its own.
    allow_scripts, allow_includes
        As for `solve`.
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
        encodings=tuple(os.fspath(file) for file in _several(encodings)),
        horizon=horizon,
        solve=solve,
        constants=read_constants(constants, metric),
        limits=Limits(time_limit, memory_limit),
        allow_scripts=allow_scripts,
        allow_includes=allow_includes,
    )
    return compare_encodings(comparison, progress or (lambda row: None))


def _several(files: File | Iterable[File]) -> Iterable[File]:
    """Files, of which one may stand alone."""
    return [files] if isinstance(files, str | os.PathLike) else files


def profile(
    *files: File,
    horizon: int,
    encoding: File | None = None,
    steps: str | None = None,
    one_call: bool = False,
    metric: str | None = None,
    constants: Mapping[str, object] | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    allow_scripts: bool = False,
    allow_includes: bool = False,
    progress: Callable[[Profile], None] | None = None,
) -> Profile:
    """Measure what each rule of a program costs to ground, and how that grows with the step.

    Parameters
    ----------
    files, encoding, steps
        As for `solve`.
    horizon
        Steps to ground.
    one_call
        Ground step(t) and check(t) together, as plain incremental clingo does, instead of in
        separate calls.
    time_limit, memory_limit
        Seconds and megabytes; the work is done in a child process.
    allow_scripts, allow_includes
        As for `solve`.
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
    check_steps(horizon)
    start = time.monotonic()
    words = make_words(files, encoding, constants, metric, allow_scripts, allow_includes)
    words = replace(words, steps=steps)
    work = partial(_profile, words, horizon, one_call)
    limits = Limits(time_limit, memory_limit)
    limits.check()
    await_input(words.files, limits.seconds)
    return run_isolated(work, limits, progress or unheard, Profile(), start)


def _profile(
    words: Words, horizon: int, one_call: bool, report: Callable[[Profile], None]
) -> Profile:
    problem = load(words)
    return profile_program(problem.program, problem.given, horizon, one_call, report)
