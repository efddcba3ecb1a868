"""What encodings cost: side by side, and rule by rule."""

import time
from collections.abc import Callable, Mapping
from functools import partial

from asplan.api import File, Files, inputs_of, paths
from asplan.core.files import await_input
from asplan.core.limits import Limits, check_steps
from asplan.core.process import run_isolated
from asplan.measuring.comparison import Row, Rows, compare_encodings
from asplan.measuring.profile import Profile, profile_program
from asplan.notebook.progress import State, progress_report
from asplan.problem import Inputs, load


def compare(
    *instances: Files,
    encodings: Files = (),
    horizon: int,
    solve: bool = False,
    metric: str | None = None,
    constants: Mapping[str, object] | None = None,
    horizon_constant: str | None = None,
    fresh: bool = False,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    allow_scripts: bool = False,
    allow_includes: bool = False,
    progress: Callable[[Row], None] | None = None,
) -> Rows:
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
    metric, constants, allow_scripts, allow_includes
        As for `solve`.
    progress
        Called with each row while it is measured, and when it is finished.

    Returns
    -------
    Rows
        A tuple with a `Row` for each instance and encoding; `to_frame()` makes a table. A row
        in which something is missing says why in its `reason`.

    Raises
    ------
    UsageError
        There is no instance, or the horizon is below 0.
    """
    inputs = inputs_of(instances, locals())
    limits = Limits(time_limit, memory_limit)

    def state(row: Row) -> State:
        return " · ".join(filter(None, [row.instance, row.encoding, row.reason])), None

    with progress_report(progress, state) as report:
        return compare_encodings(inputs, paths([encodings]), horizon, limits, report, solve)


def profile(
    *files: Files,
    horizon: int,
    encoding: File | None = None,
    steps: str | None = None,
    one_call: bool = False,
    metric: str | None = None,
    constants: Mapping[str, object] | None = None,
    horizon_constant: str | None = None,
    fresh: bool = False,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    allow_scripts: bool = False,
    allow_includes: bool = False,
    progress: Callable[[Profile], None] | None = None,
) -> Profile:
    """Measure what each rule of a program costs to ground, and how that grows with the step.

    Parameters
    ----------
    files, encoding, steps, metric, constants, allow_scripts, allow_includes
        As for `solve`.
    one_call
        Ground step(t) and check(t) together, as plain incremental clingo does, instead of in
        separate calls.
    time_limit, memory_limit
        Seconds and megabytes; the work is done in a child process.
    progress
        Called now and then with what was counted so far.

    Returns
    -------
    Profile
        `to_frame()` makes a table of its rules, the dearest first. Where a limit was reached,
        `reason` says so, and the counts are those up to there.

    Raises
    ------
    AsplanError
        Bad usage, or a program that cannot be grounded.
    """
    check_steps(horizon)
    start = time.monotonic()
    inputs = inputs_of(files, locals())
    limits = Limits(time_limit, memory_limit)
    limits.check()
    await_input(inputs.files, limits.seconds)
    work = partial(_profile, inputs, horizon, one_call)

    def state(found: Profile) -> State:
        return found.reason or "reading the files", found.horizon / horizon if horizon else None

    with progress_report(progress, state) as report:
        return run_isolated(work, limits, report, Profile(), start)


def _profile(
    inputs: Inputs, horizon: int, one_call: bool, report: Callable[[Profile], None]
) -> Profile:
    problem = load(inputs)
    return profile_program(problem.program, problem.given_at(horizon), horizon, one_call, report)
