"""The cost of grounding and solving: of encodings side by side, and of each rule of a program."""

import time
from collections.abc import Mapping
from functools import partial

from asplan.api import File, Files, inputs_of, paths
from asplan.core.budget import Reporter
from asplan.core.files import await_input
from asplan.core.limits import Limits, check_steps
from asplan.core.process import run_isolated
from asplan.measuring.comparison import Row, Rows, compare_encodings
from asplan.measuring.matching import RuleComparisons
from asplan.measuring.matching import compare_rules as compare_rules_of
from asplan.measuring.profile import Profile, profile_program
from asplan.notebook.progress import State, progress_report
from asplan.problem import Inputs, load


def compare(  # noqa: PLR0913  # all but the instances are keywords
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
    progress: Reporter[Row] | None = None,
) -> Rows:
    """Measure the grounding of encodings, and with `solve` their solving.

    Parameters
    ----------
    instances
        Files, or names of shipped instances. A PDDL domain comes before its problems. Without
        encodings they may be complete programs, each with its own facts.
    encodings
        Names or paths; `"origin:metric=slide"` is a variant with a constant. By default all shipped
        encodings of the instance's domain.
    horizon
        The number of steps to ground, and the most steps of a plan.
    time_limit, memory_limit
        Seconds and megabytes for each pair of instance and encoding; each has a child process.
    metric, constants, horizon_constant, fresh, allow_scripts, allow_includes
        As for `solve`.
    progress
        A function to call with each row, during and after its measurement.

    Returns
    -------
    Rows
        A tuple with a `Row` for each instance and encoding, or for each program; `to_frame()`
        makes a table. An incomplete row has a `reason`.

    Raises
    ------
    UsageError
        If there is no instance, or if the horizon is below 0.
    """
    inputs = inputs_of(instances, locals())
    limits = Limits(time_limit, memory_limit)

    def state(row: Row) -> State:
        return " · ".join(filter(None, [row.instance, row.encoding, row.reason])), None

    with progress_report(progress, state) as report:
        return compare_encodings(inputs, paths([encodings]), horizon, limits, report, solve)


def compare_rules(  # noqa: PLR0913  # all but the instances are keywords
    *instances: Files,
    encodings: Files = (),
    horizon: int,
    metric: str | None = None,
    constants: Mapping[str, object] | None = None,
    horizon_constant: str | None = None,
    fresh: bool = False,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    allow_scripts: bool = False,
    allow_includes: bool = False,
    progress: Reporter[Profile] | None = None,
) -> RuleComparisons:
    """Find out which rules and predicates make one of two encodings larger.

    Parameters
    ----------
    instances
        Files, or names of shipped instances. A PDDL domain comes before its problems.
    encodings
        The names or paths of two encodings; none if the instances are two complete programs.
    horizon
        The number of steps to ground.
    time_limit, memory_limit
        Seconds and megabytes for each profile; each has a child process.
    metric, constants, horizon_constant, fresh, allow_scripts, allow_includes
        As for `solve`.
    progress
        A function to call with the counts so far.

    Returns
    -------
    RuleComparisons
        A tuple with a `RuleComparison` for each instance: the rules of both encodings, matched by
        head and role, and the predicates, the largest difference first.

    Raises
    ------
    UsageError
        If there are not two encodings, or if the horizon is below 0.
    AsplanError
        If a program cannot be grounded.
    """
    inputs = inputs_of(instances, locals())
    limits = Limits(time_limit, memory_limit)

    def state(found: Profile) -> State:
        return found.reason or "reading the files", None

    with progress_report(progress, state) as report:
        return compare_rules_of(inputs, paths([encodings]), horizon, limits, report)


def profile(  # noqa: PLR0913  # all but the files are keywords
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
    progress: Reporter[Profile] | None = None,
) -> Profile:
    """Measure the grounding of each rule of a program, and its growth with the step.

    Parameters
    ----------
    files, encoding, steps, metric, constants, allow_scripts, allow_includes
        As for `solve`, and so are `horizon_constant` and `fresh`.
    horizon
        The number of steps to ground.
    one_call
        Ground step(t) and check(t) together, as incremental clingo does, instead of in separate
        calls.
    time_limit, memory_limit
        Seconds and megabytes; a child process does the work.
    progress
        A function to call with the counts so far.

    Returns
    -------
    Profile
        The counts; `to_frame()` makes a table of the rules, the most expensive first. After a limit
        it has the counts up to then, and a `reason`.

    Raises
    ------
    AsplanError
        For contradictory arguments, and for a program that cannot be grounded.
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
    inputs: Inputs,
    horizon: int,
    one_call: bool,
    report: Reporter[Profile],
) -> Profile:
    problem = load(inputs)
    return profile_program(
        problem.program, problem.constants_at(horizon), horizon, one_call, report
    )
