"""What a Python user calls."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from asplan.asp.source import parse_constant
from asplan.catalog import find_instance
from asplan.errors import UsageError
from asplan.instance import read_for_check
from asplan.limits import Limits
from asplan.planner import Request, check_instance_plan, solve_request
from asplan.result import Plan, Result
from asplan.task import Options, Report

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
    given = {str(k): v for k, v in (constants or {}).items()}
    request = make_request(
        [os.fspath(file) for file in files],
        constants=[f"{name}={value}" for name, value in given.items()],
        metric=metric,
        encoding=None if encoding is None else os.fspath(encoding),
        engine=engine,
        options=_options(clingo=tuple(clingo), **options),
        limits=Limits(time_limit, memory_limit, min_horizon, max_horizon),
    )
    if memory_limit is not None and not isolate:
        raise UsageError("a memory limit can be kept only with isolate=True")
    return solve_request(request, progress or (lambda partial: None), isolate)


def validate(*files: File, plan: Plan | Result, **constants: object) -> int:
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
    reached, _ = check_plan([os.fspath(file) for file in files], encoding, given, plan)
    return reached


def check_plan(
    files: Iterable[str], encoding: str | None, constants: Mapping[str, str], plan: Plan
) -> tuple[int, str]:
    """The first step after which the goal holds, and how that was found out.

    `encoding` is needed where the files are no whole program and have no model in Python.
    Raises as `validate` does.
    """
    found = [find_instance(file) for file in files]
    instance = read_for_check(found, encoding, constants)
    return check_instance_plan(instance, plan)


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
    values = dict(parse_constant(word) for word in constants)
    if metric is not None:
        if values.get("metric", metric) != metric:
            raise UsageError(f"--metric {metric} contradicts -c metric={values['metric']}")
        values["metric"] = metric
    return Request(tuple(files), encoding, engine, values, options, limits)


def _options(**given: Any) -> Options:
    unknown = sorted(set(given) - set(Options.__dataclass_fields__))
    if unknown:
        raise TypeError(f"solve() got an unexpected keyword argument {unknown[0]!r}")
    return Options(**given)
