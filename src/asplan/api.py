"""What a Python user calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from asplan.asp.costs import Profile
from asplan.asp.profile import profile_program
from asplan.asp.program import as_written
from asplan.asp.source import STDIN, parse_constant, standard_input
from asplan.bench.comparison import Comparison, Row, compare_encodings
from asplan.catalog import find_instance
from asplan.errors import UsageError
from asplan.instance import read_for_check, read_instance
from asplan.limits import Limits, run_isolated
from asplan.planner import Request, check_instance_plan, solve_request
from asplan.result import Plan, Result
from asplan.task import Options, Report, unheard

File = str | os.PathLike[str]


def solve(
    *files: File,
    encoding: File | None = None,
    engine: str = "asp",
    metric: str | None = None,
    constants: Mapping[str, object] | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    min_horizon: int = 0,
    max_horizon: int | None = None,
    isolate: bool = False,
    progress: Report | None = None,
    clingo: Iterable[str] = (),
    **options: Any,
) -> Result:
    """Find a plan, check it, and say what is proven.

    Parameters
    ----------
    files
        Instances, or whole programs; shipped instances by name (`"sample02.lp"`).
    encoding
        A shipped encoding's name or a path; without it the one measured fastest.
    metric
        Short for `constants={"metric": …}`.
    time_limit, memory_limit
        Seconds and megabytes. Without `isolate` a time limit cannot interrupt grounding, and a
        memory limit is refused.
    isolate
        Work in a child process, which limits can stop in every phase.
    progress
        Called with what is proven so far, a `Result` whose `reason` says what is being done.
    clingo
        Words for clingo, as on its command line.
    options
        `mode`, `horizon`, `schedule`, `threads`, `models`, and what other engines know.

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
    """
    request = make_request(
        [os.fspath(file) for file in files],
        constants=_words(constants),
        metric=metric,
        encoding=None if encoding is None else os.fspath(encoding),
        engine=engine,
        options=_options(clingo=tuple(clingo), **options),
        limits=Limits(time_limit, memory_limit, min_horizon, max_horizon),
    )
    if memory_limit is not None and not isolate:
        raise UsageError("a memory limit can be kept only with isolate=True")
    return solve_request(request, progress or unheard, isolate)


def validate(
    *files: File, plan: Plan | Result, allow_scripts: bool = False, **constants: object
) -> int:
    """Check a plan against an instance, independently of how it was found.

    Returns
    -------
    int
        The first step after which the goal holds.

    Raises
    ------
    InvalidPlan
        The message names the step, the action and the reason.
    """
    given = {name: str(value) for name, value in constants.items()}
    encoding = None
    if isinstance(plan, Result):
        given = {**plan.constants, **given}
        encoding, plan = plan.encoding, plan.plan or Plan()
    names = [os.fspath(file) for file in files]
    reached, _ = check_plan(names, encoding, given, plan, allow_scripts)
    return reached


def check_plan(
    files: Iterable[str],
    encoding: str | None,
    constants: Mapping[str, str],
    plan: Plan,
    allow_scripts: bool = False,
) -> tuple[int, str]:
    """The first step after which the goal holds, and how that was found out.

    `encoding` is needed where the files are no whole program and have no model in Python.
    Raises as `validate` does.
    """
    found = [find_instance(file) for file in files]
    instance = read_for_check(found, encoding, constants)
    return check_instance_plan(instance, plan, allow_scripts)


def make_request(
    files: Iterable[str],
    constants: Iterable[str],
    metric: str | None,
    encoding: str | None,
    engine: str,
    options: Options,
    limits: Limits,
) -> Request:
    """A request whose constants are `NAME=VALUE` words; `metric` is short for one of them."""
    values = read_constants(constants, metric)
    return Request(tuple(files), encoding, engine, values, options, limits)


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
        constants=read_constants(_words(constants), metric),
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
    if not files:
        raise UsageError("no files are given", mend="name an instance, for example sample02")
    if STDIN in files:
        standard_input()  # before the worker starts: it has no standard input of its own
    work = partial(
        _profile,
        tuple(find_instance(os.fspath(file)) for file in files),
        None if encoding is None else os.fspath(encoding),
        read_constants(_words(constants), metric),
        horizon,
        one_call,
        allow_scripts,
    )
    limits = Limits(time_limit, memory_limit)
    return run_isolated(work, limits, progress or unheard, Profile())


def _profile(
    files: tuple[str, ...],
    encoding: str | None,
    constants: Mapping[str, str],
    horizon: int,
    one_call: bool,
    allow_scripts: bool,
    report: Callable[[Profile], None],
) -> Profile:
    instance = read_instance(files, encoding, constants, allow_scripts=allow_scripts)
    program = as_written(instance.program, instance.given, allow_scripts)
    return profile_program(program, instance.given, horizon, one_call, report)


def read_constants(words: Iterable[str], metric: str | None) -> dict[str, str]:
    """Constants from `NAME=VALUE` words; `metric` is short for one of them.

    Raises
    ------
    UsageError
        A word is malformed, or contradicts `metric`.
    """
    values = dict(parse_constant(word) for word in words)
    if metric is not None:
        if values.get("metric", metric) != metric:
            raise UsageError(f"--metric {metric} contradicts -c metric={values['metric']}")
        values["metric"] = metric
    return values


def _words(constants: Mapping[str, object] | None) -> list[str]:
    return [f"{name}={value}" for name, value in (constants or {}).items()]


def _options(**given: Any) -> Options:
    unknown = sorted(set(given) - set(Options.__dataclass_fields__))
    if unknown:
        raise TypeError(f"solve() got an unexpected keyword argument {unknown[0]!r}")
    return Options(**given)
