"""The way of a problem: from inputs to the problem, the engine, the check and the result."""

import gc
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from asplan.core.budget import ENDLESS, Budget, Reporter, ignore_report
from asplan.core.choices import Mode
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, InvalidPlan, Stopped, UsageError
from asplan.core.files import await_input
from asplan.core.limits import Limits, Stop, hold_locks, pause_collector
from asplan.core.plan import Plan
from asplan.core.process import run_isolated
from asplan.engines import find_engine
from asplan.engines.options import EngineOptions
from asplan.engines.run import Run
from asplan.problem import Inputs, Problem, load, load_source, load_space
from asplan.problem.problem import Grounding
from asplan.program.composition import refuse_unused
from asplan.program.theory import refuse_theory
from asplan.result import Evidence, Outcome, Refuter, Result
from asplan.validation import check_result
from asplan.warnings import find_warnings, read_switches, refuse_endless

LAST_LOOK = 1.0  # seconds for the check of the last plan of a stopped worker

LAST_WRITING = 10.0  # seconds for its check and its files; users may interrupt that

Finder: TypeAlias = "Callable[[Problem, Request, float, Reporter[Result]], Result]"

_IN_HAND = 100
"""The most plans to report before their check, since that check may take too long."""


@dataclass(frozen=True)
class Request:
    """The request of a caller.

    Attributes
    ----------
    inputs, engine, options, limits
        The files and how to read them, the name of the engine, its options, and the limits of the
        run.
    improve
        The number of seconds for improving a plan; None to improve none.
    plan
        The plan to improve; by default the first plan that is found.
    finder
        A function that finds and checks the plans of the loaded problem, given the request, the
        start of the run and its reporter; by default `answer_problem`.
    before
        A function to call with the loaded problem.
    after
        A function to call with the problem and the checked result, for drawings and files. It
        returns the result to pass on.
    is_drawn
        Whether `after` draws the result. Then the facts of the instance, which may be millions, are
        dropped from the result afterwards.
    states
        Whether to keep the states of a result that is drawn.
    """

    inputs: Inputs
    engine: str = "asp"
    options: EngineOptions = EngineOptions()
    limits: Limits = Limits()
    improve: float | None = None
    plan: Plan | None = None
    finder: "Finder | None" = None
    before: Callable[[Problem], None] | None = None
    after: Callable[[Problem, Result, Reporter[Result]], Result] | None = None
    is_drawn: bool = False
    states: bool = False


def answer(
    request: Request,
    report: Reporter[Result] = ignore_report,
    isolate: bool = False,
    budget: Budget = ENDLESS,
) -> Result:
    """Answer a request in this process, or in a worker process that limits can stop at any time.

    `report` gets results with the progress. If `budget` is spent, its exception ends the worker.
    """
    request = _with_first_plan(request)
    limits = request.limits
    limits.check()
    start = time.monotonic()
    await_input(request.inputs.files, limits.seconds)
    engine = find_engine(request.engine)
    if engine.forks and not isolate:
        engine.load()  # or each worker would import it, call after call
    if isolate or engine.forks or _may_race(request.options):
        result = _answer_apart(request, start, report, isolate, budget)
    else:
        result = _answer(request, start, report)
    engine_name = result.engine or request.engine
    result = replace(result, engine=engine_name, files=result.files or request.inputs.files)
    return _with_total(result, start)


def _answer_apart(
    request: Request, start: float, report: Reporter[Result], isolate: bool, budget: Budget
) -> Result:
    """Answer a request in a worker process.

    If the user interrupts the run, return the result so far if `isolate` is set; otherwise raise
    `KeyboardInterrupt`.
    """
    work = partial(_answer, request, start, is_worker=True)
    result = run_isolated(work, request.limits, report, Result(), start, budget=budget)
    result = _mark_cut(result)
    if result.stopped is Stop.INTERRUPT and not isolate:
        raise KeyboardInterrupt
    if result.plans and (result.validated is None or result.trajectory is None):
        return _check_apart(request, result)
    return result


def _mark_cut(result: Result) -> Result:
    """Mark the list of plans of a stopped worker as cut; its last report did not know the limit."""
    if result.listing is None or result.stopped in (None, Stop.HORIZON):
        return result
    return replace(result, listing=replace(result.listing, is_cut=True))


def _may_race(options: EngineOptions) -> bool:
    """Return whether a fast search of the domain may run in parallel with the engine."""
    return options.aim.any_plan or options.aim.objective is not None


def _check_apart(request: Request, result: Result) -> Result:
    """Check the plan of a stopped worker in another process, for a short time.

    If this time is too short, the `reason` of the result mentions the missing check.
    """
    seconds = LAST_LOOK if request.after is None else LAST_WRITING
    work = partial(_check_last, request, result)
    checked = run_isolated(work, Limits(seconds=seconds), ignore_report, result)
    if checked.validated is None:
        return replace(result, reason=f"{result.reason}; the plan was not checked")
    return replace(checked, stopped=result.stopped)


def _check_last(request: Request, result: Result, report: Reporter[Result]) -> Result:
    """Check the plan of a stopped worker, and call `after` to write the request's files."""
    source = load_source(request.inputs) if result.validated is not None else None
    problem = source or load_problem(request)
    result = _check(problem, result, ENDLESS.within(LAST_LOOK / 2))
    report(_for_caller(request, result))
    if request.after:
        result = request.after(problem, result, report)
    return _for_caller(request, result)


def _with_total(result: Result, start: float) -> Result:
    total = round(time.monotonic() - start, 6)
    return replace(result, seconds=replace(result.seconds, total=total))


def _answer(
    request: Request, start: float, report: Reporter[Result], is_worker: bool = False
) -> Result:
    _refuse_encoding(request)
    report(Result(reason="reading the files", files=request.inputs.files))
    try:
        problem = load_problem(request)
    except Stopped as error:
        return Result(stopped=Stop.TIME, reason=error.message, files=request.inputs.files)
    problem = _warn(problem, request, report)
    if is_worker:
        gc.freeze()  # the worker keeps the program until its end, so never visit it again
    if request.before:
        request.before(problem)
    find = request.finder or (answer_problem if request.improve is None else _improve)
    result = find(problem, request, start, report)
    if request.after:

        def report_drawn(found: Result) -> None:
            # If `after` fails, the last of these reports is the answer.
            report(_with_total(_for_caller(request, found), start))

        report_drawn(result)
        result = request.after(problem, result, report_drawn)
    return _for_caller(request, result)


def _refuse_encoding(request: Request) -> None:
    """Raise `UsageError` if an encoding is chosen for an engine that uses none."""
    engine = find_engine(request.engine)
    word = ""
    if request.inputs.encoding and not engine.takes_encoding:
        word = "-e"
    elif request.inputs.steps and not engine.takes_steps:
        word = "--steps"
    if word:
        raise UsageError(f"engine {request.engine} uses no encoding: leave out {word}")


@hold_locks()
@pause_collector()
def _warn(problem: Problem, request: Request, report: Reporter[Result]) -> Problem:
    """Return the problem with its warnings, and report them.

    Raise `InputError` if a warning means that grounding would not end.
    """
    problem = replace(problem, warnings=find_warnings(problem, request.inputs.switches))
    if problem.warnings:
        refuse_endless(problem.warnings)
        files = request.inputs.files
        report(Result(reason="reading the files", files=files, warnings=problem.warnings))
    return problem


def _improve(problem: Problem, request: Request, start: float, report: Reporter[Result]) -> Result:
    """Find a first plan, or check the plan of the request, and improve it."""
    from asplan import improving  # few runs need it

    improver = improving.find_improver(problem)
    if request.plan is None:
        first = answer_problem(problem, request, start, report)
    else:
        first = _check(problem, improving.result_of(problem, request.plan))
    budget = Budget(request.limits.deadline(start))
    seconds = request.improve or 0.0
    return improving.improve(problem, improver, first, seconds, start, budget, report)


def _with_first_plan(request: Request) -> Request:
    """Return the request with the option `first` set, if its plan is to be improved.

    An engine with that option looks for any plan, as fast as possible. Raise `UsageError` for
    options that contradict the improvement.
    """
    if request.improve is None:
        if request.plan is not None:
            raise UsageError("--from gives a plan to improve: add --improve SECONDS")
        return request
    from asplan import improving  # few runs need it

    options = improving.first_options(
        request.improve, request.engine, request.options, request.limits
    )
    return replace(request, options=options)


def _for_caller(request: Request, result: Result) -> Result:
    """Return a result without disabled warnings, and without data that the caller does not need.

    These are the data for drawings, if the result has been drawn.
    """
    disabled = read_switches(request.inputs.switches)
    warnings = tuple(warning for warning in result.warnings if warning.code not in disabled)
    result = replace(result, warnings=warnings)
    if not request.is_drawn or result.trajectory is None:
        return result
    states = result.trajectory.states if request.states else ()
    small = replace(result.trajectory, facts=(), changing=(), columns=(), states=states)
    return replace(result, trajectory=small)


@pause_collector()
def load_problem(request: Request) -> Problem:
    """Load the inputs in the form that the engine needs.

    That is a program, a domain's model, a state space, or the text of a PDDL task.
    """
    engine = find_engine(request.engine)
    inputs = replace(request.inputs, prefers=request.options.encodings)
    if engine.searches:
        return load_space(inputs)
    if not engine.from_text:
        return load(inputs, engine.needs_model)
    problem = load_source(inputs)
    if problem is None:
        hint = "for an ASP program use an engine of asplan, such as --engine asp"
        raise UsageError(f"engine {request.engine} plans from PDDL only", hint=hint)
    refuse_unused(inputs.constants, ())
    return problem


@hold_locks()
def answer_problem(
    problem: Problem, request: Request, start: float, report: Reporter[Result] = ignore_report
) -> Result:
    """Run the engine on a loaded problem, check its plans, and return the result.

    `start` is the start of the run by `time.monotonic()`. If a converted program turns out to have
    other plans than the author's, solve the author's program instead.
    """

    def report_completed(partial_result: Result) -> None:
        report(complete_result(problem, request, partial_result))

    _refuse_theory(problem, request)
    why = problem.model.unsolvable() if problem.model is not None else None
    if why is not None:
        refuted = Result(
            outcome=Outcome.UNSOLVABLE,
            reason=f"no plan exists: {why}",
            evidence=Evidence((Refuter.MODEL,), claim=why),
        )
        return complete_result(problem, request, refuted)
    _refuse_fresh(problem, request)
    engine = find_engine(request.engine)
    run = Run(
        problem,
        request.options,
        problem.narrow_limits(request.limits),
        report if report is ignore_report else report_completed,
        start,
        lower_bound=problem.horizon.least if problem.horizon else 0,
        has_chosen_encoding=request.inputs.encoding is not None,
    )
    found = complete_result(problem, request, engine.run(run))
    if report is not ignore_report and len(found.plans) > 1 and found.stopped:
        report(replace(found, plans=found.plans[:_IN_HAND], reason="checking the plans"))
    try:
        return _check(problem, found, run.budget)
    except InvalidPlan:
        if problem.grounding is not Grounding.CONVERTED:
            raise
    # The author's program decides, so solve that.
    anew = problem.without_conversion("divided into parts it has other plans")
    return answer_problem(anew, request, start, report)


def _check(problem: Problem, result: Result, budget: Budget = ENDLESS) -> Result:
    """Check the plans of a result; for a user's program, add the verdict of a domain's model."""
    result = check_result(problem, result, budget)
    if not result.plans or problem.recognised is None:
        return result
    from asplan.referee import ask_referee

    return ask_referee(problem, result)


def _refuse_theory(problem: Problem, request: Request) -> None:
    """Raise an error at a theory atom if the engine does not support theories."""
    if find_engine(request.engine).knows_theories:
        return
    for unit in problem.units:
        refuse_theory(unit.suspects, f"engine {request.engine}")


def complete_result(problem: Problem, request: Request, result: Result) -> Result:
    """Return an engine's result, with names as in the source and data of problem and request."""
    result = problem.translate_result(result)
    is_found = result.outcome in (Outcome.OPTIMAL, Outcome.PLAN)
    if is_found and not result.plans and not problem.space.unnamed_actions:
        result = replace(result, no_actions=problem.explain_missing_actions())
    from_text = find_engine(request.engine).from_text
    return replace(
        result,
        evidence=result.evidence.relying_on(*(() if from_text else problem.assumptions)),
        files=problem.files,
        domain=problem.domain.name if problem.domain else None,
        encoding=problem.encoding,
        engine=request.engine,
        mode=request.options.aim.mode or Mode.INCREMENTAL,
        constants=dict(problem.constants),
        warnings=problem.warnings,
        way=problem.grounding_text,
    )


def _refuse_fresh(problem: Problem, request: Request) -> None:
    """Raise `InputError` if a request needs a program with parts and the problem has none."""
    if problem.grounding is not Grounding.ANEW:
        return
    at = problem.horizon.at if problem.horizon else None
    if not find_engine(request.engine).grounds_anew:
        why = f"engine {request.engine} needs a program in parts, but {problem.grounding_text}"
        hint = "use --engine asp, or divide the program into parts as in docs/coming_from.md"
        raise InputError(why, at=at, hint=hint)
    aim = request.options.aim
    for name, value in (("optimal", aim.objective), ("invariants", aim.invariants)):
        if value:
            why = f"--{name} needs a program in parts, but {problem.grounding_text}"
            raise InputError(why, at=at)
