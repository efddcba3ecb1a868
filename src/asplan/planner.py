"""The way of a problem, station by station: words -> problem -> engine -> validation -> result."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from asplan.domains.model import unsolvable_reason
from asplan.engines import find_engine
from asplan.engines.run import EngineOptions, Report, Run, ignore_report
from asplan.errors import UsageError
from asplan.files import await_input
from asplan.forking import holds_locks
from asplan.limits import Limits, Stop
from asplan.problem import Inputs, Problem, load, load_source, load_space
from asplan.process import run_isolated
from asplan.program.incremental import refuse_unused
from asplan.result import Outcome, Result
from asplan.validation import validated

LAST_LOOK = 1.0
"""Seconds to check a plan that was in hand when a worker was stopped."""

_IN_HAND = 100
"""Plans that are handed over before they are checked, in case that this takes too long."""


@dataclass(frozen=True)
class Request:
    """Everything a caller may ask for.

    Attributes
    ----------
    options
        Those of the engine.
    before, after
        What is done with the problem once it is loaded, and with the result once it is checked:
        drawing, for one.
    is_drawn
        Whether the result has been drawn when it is handed over: then the facts of the instance,
        which may be millions, stay where they are.
    """

    words: Inputs
    engine: str = "asp"
    options: EngineOptions = EngineOptions()
    limits: Limits = Limits()
    before: Callable[[Problem], None] | None = None
    after: Callable[[Problem, Result, Report], None] | None = None
    is_drawn: bool = False


def answer(request: Request, report: Report = ignore_report, isolate: bool = False) -> Result:
    """Answer a request here, or in a worker process that limits can stop in every phase.

    Raises
    ------
    AsplanError
        The request makes no sense, or a plan failed its validation.
    """
    request.limits.check()
    start = time.monotonic()
    await_input(request.words.files, request.limits.seconds)
    engine = find_engine(request.engine)
    if engine.forks and not isolate:
        engine.load()  # or each worker would have to, call after call
    if isolate or engine.forks:
        limits = request.limits
        result = run_isolated(partial(_answer, request, start), limits, report, Result(), start)
        if result.stopped is Stop.INTERRUPT and not isolate:
            raise KeyboardInterrupt
        if result.plans and result.validated is None:
            result = _checked_late(request, result)
    else:
        result = _answer(request, start, report)
    result = replace(result, engine=request.engine, files=result.files or request.words.files)
    return _with_total(result, start)


def _with_total(result: Result, start: float) -> Result:
    """A result with the time that has passed since a moment of `time.monotonic()`."""
    total = round(time.monotonic() - start, 6)
    return replace(result, seconds=replace(result.seconds, total=total))


def _answer(request: Request, start: float, report: Report) -> Result:
    """Answer a request in this process."""
    engine = find_engine(request.engine)
    named = request.words.encoding if not engine.searches else None
    if (engine.needs_model or engine.from_text) and (named or request.words.steps):
        word = "-e" if named else "--steps"
        raise UsageError(f"engine {request.engine} works without an encoding, so {word} has no use")
    report(Result(reason="reading the files", files=request.words.files))
    problem = _loaded(request)
    if request.before:
        request.before(problem)
    result = answer_problem(problem, request, start, report)
    handed = result
    if request.is_drawn and result.trajectory is not None:
        handed = replace(result, trajectory=replace(result.trajectory, facts=()))
    if request.after:
        # If it fails, this is the result that its caller is left with.
        report(_with_total(handed, start))
        request.after(problem, result, report)
    return handed


def _loaded(request: Request) -> Problem:
    """The problem, as far as the engine needs it."""
    engine, words = find_engine(request.engine), _suited(request)
    if engine.searches:
        return load_space(words)
    if not engine.from_text:
        return load(words, engine.needs_model)
    problem = load_source(words)
    if problem is None:
        raise UsageError(f"engine {request.engine} plans from PDDL only")
    refuse_unused(words.constants, ())
    return problem


def _suited(request: Request) -> Inputs:
    """The words, with the encodings that suit the options where none is named."""
    return replace(request.words, prefers=request.options.encodings)


@holds_locks
def answer_problem(
    problem: Problem, request: Request, start: float, report: Report = ignore_report
) -> Result:
    """Run the engine on a loaded problem, and check its plans."""
    finish = partial(_asked, request, problem)
    if problem.model is not None and (why := unsolvable_reason(problem.model)):
        return finish(Result(outcome=Outcome.UNSOLVABLE, reason=f"no plan exists: {why}"))
    told = (
        ignore_report
        if report is ignore_report
        else lambda partial_result: report(finish(partial_result))
    )
    run = Run(problem, request.options, request.limits, told, start)
    found = finish(find_engine(request.engine).run(run))
    if report is not ignore_report and len(found.plans) > 1 and found.stopped:
        report(replace(found, plans=found.plans[:_IN_HAND], reason="checking the plans"))
    return validated(problem, found, run.deadline)


def _asked(request: Request, problem: Problem, result: Result) -> Result:
    """A result that says what was asked."""
    return replace(
        result,
        files=problem.files,
        domain=problem.domain.name if problem.domain else None,
        encoding=problem.encoding,
        engine=request.engine,
        mode=getattr(request.options, "mode", None) or "incremental",
        constants=dict(problem.constants),
        warnings=problem.warnings,
    )


def _checked_late(request: Request, result: Result) -> Result:
    """Check the plan that a stopped worker had reported; if that takes too long, say so."""
    work = partial(_validated, request, result)
    late = run_isolated(work, Limits(seconds=LAST_LOOK), ignore_report, result)
    if late.validated is None:
        return replace(result, reason=f"{result.reason}; the plan was not checked")
    return late


def _validated(request: Request, result: Result, report: Report) -> Result:
    return validated(_loaded(request), result, time.monotonic() + LAST_LOOK / 2)
