"""Why there is no plan, and why a plan is refused."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

from asplan.api.checking import read_plan, with_result
from asplan.api.inputs import File, Files, make_inputs
from asplan.core.errors import UsageError
from asplan.core.files import await_input
from asplan.core.limits import Limits, Stop, check_steps
from asplan.core.plan import Plan
from asplan.core.process import run_isolated
from asplan.engines.run import ignore_report
from asplan.explaining.explainer import Explainer, explain_missing, explain_refused
from asplan.explaining.explanation import Explanation
from asplan.problem import Inputs, load
from asplan.result import Result
from asplan.warnings import find_warnings


def explain(
    *files: Files,
    text: str | None = None,
    horizon: int | None = None,
    plan: Plan | Result | File | None = None,
    encoding: File | None = None,
    steps: str | None = None,
    soft: Iterable[str] = (),
    hard: Iterable[str] = (),
    facts: bool = False,
    metric: str | None = None,
    actions: Iterable[str] = (),
    switches: Iterable[str] = (),
    constants: Mapping[str, object] | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    allow_scripts: bool = False,
    allow_includes: bool = False,
    progress: Callable[[Explanation], None] | None = None,
) -> Explanation:
    """Explain why no plan of some number of steps exists, or why a plan is refused.

    Parameters
    ----------
    files, text, encoding, steps, metric, constants, actions, switches
        As for `solve`, and so are `allow_scripts` and `allow_includes`.
    horizon
        The number of steps; for programs that are `monotone` at most so many are meant.
    plan
        The plan to ask about; of a result its first. A file holds what `asplan solve --json`
        prints, or the actions of a step in each line. With a plan no horizon is given.
    soft, hard
        Constraints, as `FILE:LINE`, that a relaxed plan may break, or must not. Without them it
        may break all but those of the goal.
    facts
        Whether a conflict may hold facts of the instance as well as constraints.
    time_limit, memory_limit
        Seconds and megabytes; the work is done in a child process.
    progress
        Called whenever something more is known.

    Returns
    -------
    Explanation
        Where a limit was reached, `stopped` and `reason` say so, and the rest is what was found
        until then.

    Raises
    ------
    AsplanError
        Bad usage, or a program that cannot be run or relaxed.
    """
    start = time.monotonic()
    if (horizon is None) == (plan is None):
        raise UsageError("name either a horizon or a plan")
    given = make_inputs(
        files,
        encoding,
        constants,
        metric,
        allow_scripts,
        allow_includes,
        steps,
        text,
        actions,
        switches,
    )
    limits = Limits(time_limit, memory_limit)
    limits.check()
    await_input((*given.files, plan) if isinstance(plan, str) else given.files, limits.seconds)
    if horizon is not None:
        check_steps(horizon)
    choice = tuple(soft), tuple(hard), facts
    work = partial(_explain, given, plan, horizon or 0, choice, limits, start)
    return run_isolated(work, limits, progress or ignore_report, Explanation(), start)


def _explain(
    inputs: Inputs,
    plan: Plan | Result | File | None,
    horizon: int,
    choice: tuple[tuple[str, ...], tuple[str, ...], bool],
    limits: Limits,
    start: float,
    report: Callable[[Explanation], None],
) -> Explanation:
    deadline = None if limits.seconds is None else start + limits.seconds
    if isinstance(plan, str | os.PathLike):
        plan = read_plan(inputs, os.fspath(plan))
    if isinstance(plan, Result):
        inputs, plan = with_result(inputs, plan)
    problem = load(inputs)
    work = Explainer(problem, deadline, report)
    work.know(warnings=find_warnings(problem, inputs.switches))
    try:
        if plan is not None:
            found = explain_refused(work, plan)
        else:
            found = explain_missing(work, horizon, *choice)
        late = deadline is not None and time.monotonic() >= deadline
    except TimeoutError:
        found, late = work.so_far, True
    if late:
        return replace(found, reason=limits.time_reason(found.reason), stopped=Stop.TIME)
    return replace(found, reason="")
