"""The way of a problem: files -> facts -> problem -> engine -> plan -> validation -> result."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from asplan.asp.replay import replay
from asplan.asp.source import STDIN, standard_input
from asplan.catalog import find_instance
from asplan.domains.base import unsolvable_reason
from asplan.engines import ENGINES, find_engine
from asplan.errors import InvalidPlan, UsageError
from asplan.instance import Instance, read_instance
from asplan.limits import Limits, run_isolated
from asplan.result import Outcome, Plan, Result
from asplan.task import Options, Report, Task, unheard
from asplan.validation import validate_plan


@dataclass(frozen=True)
class Request:
    """Everything a caller may ask for."""

    files: tuple[str, ...]
    encoding: str | None = None
    engine: str = "asp"
    constants: Mapping[str, str] = field(default_factory=dict)
    options: Options = Options()
    limits: Limits = Limits()


def solve_request(request: Request, report: Report, isolate: bool) -> Result:
    """Answer a request here, or in a worker process that limits can stop in every phase.

    Raises
    ------
    AsplanError
        The request makes no sense, or a plan failed its validation.
    """
    check_request(request)
    request = replace(request, files=tuple(find_instance(file) for file in request.files))
    start = time.monotonic()
    if STDIN in request.files:
        standard_input()  # before the worker starts: it has no standard input of its own
    if isolate:
        result = run_isolated(partial(answer, request), request.limits, report, Result())
    else:
        result = answer(request, report)
    result = replace(result, engine=request.engine, files=result.files or request.files)
    total = time.monotonic() - start
    return replace(result, seconds=replace(result.seconds, total=round(total, 6)))


def check_request(request: Request) -> None:
    """Raise `UsageError` where options contradict each other."""
    options, limits = request.options, request.limits
    find_engine(request.engine, options)
    if not request.files:
        raise UsageError("no files are given", mend="name an instance, for example sample02")
    one_shot = options.mode in ("fixed", "minimize")
    if one_shot and options.horizon is None:
        raise UsageError(f"--mode {options.mode} needs --horizon N")
    if options.horizon is not None and not one_shot:
        raise UsageError(
            "--horizon belongs to --mode fixed or minimize",
            mend="for incremental planning say --max-horizon N",
        )
    if one_shot and options.schedule:
        raise UsageError(f"--mode {options.mode} solves once, so it has no --schedule")
    if one_shot and (limits.min_horizon or limits.max_horizon is not None):
        raise UsageError(f"--mode {options.mode} has --horizon, not --min-horizon or --max-horizon")
    if limits.max_horizon is not None and limits.max_horizon < limits.min_horizon:
        raise UsageError(
            f"--max-horizon {limits.max_horizon} is below --min-horizon {limits.min_horizon}"
        )


def answer(request: Request, report: Report) -> Result:
    """Answer a request in this process."""
    engine = find_engine(request.engine, request.options)
    if engine.needs_model and request.encoding:
        raise UsageError(f"engine {request.engine} works without an encoding, so -e has no use")
    instance = read_instance(
        request.files,
        request.encoding,
        request.constants,
        engine.needs_model,
        bool(request.options.allow_scripts),
    )
    finish = partial(_finish, request, instance)
    report(finish(Result(reason="reading the files")))
    if instance.problem is not None and (why := unsolvable_reason(instance.problem)):
        return finish(Result(outcome=Outcome.UNSOLVABLE, reason=f"no plan exists: {why}"))
    result = engine.run(
        Task(
            files=instance.program,
            facts=instance.facts,
            domain=instance.domain,
            problem=instance.problem,
            constants=instance.given,
            options=request.options,
            limits=request.limits,
        ),
        unheard if report is unheard else lambda partial_result: report(finish(partial_result)),
    )
    return finish(result)


def _finish(request: Request, instance: Instance, result: Result) -> Result:
    """Check the plans, and say what was asked."""
    result = _validated(instance, result, bool(request.options.allow_scripts))
    return replace(
        result,
        files=request.files,
        domain=instance.domain.name if instance.domain else None,
        encoding=instance.encoding_name if not ENGINES[request.engine].needs_model else None,
        engine=request.engine,
        mode=request.options.mode or "incremental",
        constants=dict(instance.constants),
    )


def _validated(instance: Instance, result: Result, allow_scripts: bool) -> Result:
    if not result.plans:
        return result
    checked = [check_instance_plan(instance, plan, allow_scripts) for plan in result.plans]
    lengths = [length for length, _ in checked]
    if result.outcome == Outcome.OPTIMAL and min(lengths) != result.horizon:
        raise InvalidPlan(
            f"the goal holds after step {min(lengths)} already, but the encoding says that "
            f"{result.horizon} steps are the fewest"
        )
    plans = tuple(
        Plan(plan.steps[:length]) for plan, length in zip(result.plans, lengths, strict=True)
    )
    return replace(result, plans=plans, horizon=lengths[0], validated=checked[0][1])


def check_instance_plan(
    instance: Instance, plan: Plan, allow_scripts: bool = False
) -> tuple[int, str]:
    """The first step after which the goal holds, and how it was checked: "model" or "replay".

    Raises
    ------
    InvalidPlan
        The plan does not do what it should.
    """
    if instance.problem is not None:
        return validate_plan(instance.problem, plan), "model"
    return replay(instance.program, instance.given, plan, allow_scripts), "replay"
