"""The path of a problem through its stations: inputs, problem, engine, validation, result.

Where plans are to become ever better, what a domain's `Improver` finds is checked plan by plan.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from asplan.core.errors import InputError, InvalidPlan, Stopped, UsageError
from asplan.core.files import await_input
from asplan.core.limits import Limits, Stop, hold_locks
from asplan.core.plan import Plan
from asplan.core.process import run_isolated
from asplan.domains.base import Improver
from asplan.engines import find_engine
from asplan.engines.run import Engine, EngineOptions, Report, Run, ignore_report
from asplan.problem import Inputs, Problem, load, load_source, load_space
from asplan.program.incremental import refuse_unused
from asplan.program.roles import explain_missing_actions
from asplan.program.theory import refuse_theory
from asplan.result import LEAST, Improvement, Outcome, Result
from asplan.validation import check_result
from asplan.warnings import find_warnings, read_switches, refuse_endless

LAST_LOOK = 1.0  # seconds to check a plan that was in hand when a worker was stopped

LAST_WRITING = 10.0  # seconds to write it, too; whoever has no patience can interrupt that

_IN_HAND = 100
"""Plans that are handed over before they are checked, in case that this takes too long."""


@dataclass(frozen=True)
class Request:
    """Everything a caller may ask for; the options are those of the engine.

    With `improve` seconds `plan`, or else the first that is found, becomes better. `before` is
    called with the problem once it is loaded, and `after` with the result once it is checked. Where
    it `is_drawn` then, facts of the instance, which may be millions, and `states` stay, unless
    asked for.
    """

    words: Inputs
    engine: str = "asp"
    options: EngineOptions = EngineOptions()
    limits: Limits = Limits()
    improve: float | None = None
    plan: Plan | None = None
    before: Callable[[Problem], None] | None = None
    after: Callable[[Problem, Result, Report], Result] | None = None
    is_drawn: bool = False
    states: bool = False


def answer(request: Request, report: Report = ignore_report, isolate: bool = False) -> Result:
    """Answer a request here, or in a worker process that limits can stop in every phase."""
    request = with_improving(request)
    limits = request.limits
    limits.check()
    start = time.monotonic()
    await_input(request.words.files, limits.seconds)
    engine = find_engine(request.engine)
    if engine.forks and not isolate:
        engine.load()  # or each worker would have to, call after call
    options = request.options
    may_race = getattr(options, "first", None) or getattr(options, "optimal", None)
    if isolate or engine.forks or may_race:
        result = run_isolated(partial(_answer, request, start), limits, report, Result(), start)
        if result.stopped is Stop.INTERRUPT and not isolate:
            raise KeyboardInterrupt
        if result.plans and (result.validated is None or result.trajectory is None):
            # The plan that a stopped worker had reported; if checking it takes too long, say so.
            checking = partial(_check_late, request, result)
            seconds = LAST_LOOK if request.after is None else LAST_WRITING
            late = run_isolated(checking, Limits(seconds=seconds), ignore_report, result)
            unchecked = replace(result, reason=f"{result.reason}; the plan was not checked")
            result = unchecked if late.validated is None else replace(late, stopped=result.stopped)
    else:
        result = _answer(request, start, report)
    result = replace(result, engine=request.engine, files=result.files or request.words.files)
    return _with_total(result, start)


def _with_total(result: Result, start: float) -> Result:
    total = round(time.monotonic() - start, 6)
    return replace(result, seconds=replace(result.seconds, total=total))


def _answer(request: Request, start: float, report: Report) -> Result:
    engine, words = find_engine(request.engine), request.words
    named = words.encoding if not engine.searches else None
    if (engine.needs_model or engine.from_text) and (named or words.steps):
        word = "-e" if named else "--steps"
        raise UsageError(f"engine {request.engine} works without an encoding, so {word} has no use")
    report(Result(reason="reading the files", files=words.files))
    try:
        problem = _load(request)
    except Stopped as error:
        return Result(stopped=Stop.TIME, reason=error.message, files=words.files)
    problem = replace(problem, warnings=find_warnings(problem, words.switches))
    if problem.warnings:
        refuse_endless(problem.warnings)
        report(Result(reason="reading the files", files=words.files, warnings=problem.warnings))
    if request.before:
        request.before(problem)
    if request.improve is None:
        result = answer_problem(problem, request, start, report)
    else:
        improver = find_improver(problem)
        if request.plan is None:
            first = answer_problem(problem, request, start, report)
        else:
            first = check_result(problem, given_plan(problem, request.plan))
        seconds = request.limits.seconds
        deadline = None if seconds is None else start + seconds
        result = improve(problem, improver, first, request.improve, start, deadline, report)
    if request.after:

        def report_drawn(found: Result) -> None:
            # If it fails, the last of these is the result that its caller is left with.
            report(_with_total(_handed(request, found), start))

        report_drawn(result)
        result = request.after(problem, result, report_drawn)
    return _handed(request, result)


def with_improving(request: Request) -> Request:
    """The request with what follows for its first plan if it is to become better."""
    seconds, limits = request.improve, request.limits
    if seconds is None:
        if request.plan is not None:
            raise UsageError("--from gives a plan to begin with, so it needs --improve SECONDS")
        return request
    if not 0 <= seconds < float("inf"):
        raise UsageError(f"--improve {seconds:g}: it is a number of seconds from 0")
    for name in ("optimal", "models"):
        if getattr(request.options, name, None):
            why = f"--improve makes one plan better and better, so it goes without --{name}"
            raise UsageError(why)
    if limits.min_horizon or limits.max_horizon is not None:
        raise UsageError("--improve is about plans of any length, so it goes without horizons")
    if find_engine(request.engine).from_text:
        why = f"engine {request.engine} works on the text, and --improve on the task"
        hint = "asplan solve --improve takes the plan of another planner with --from PLAN"
        raise UsageError(why, hint=hint)
    if "first" not in request.options.forms():
        return request
    options = replace(request.options, first=True)  # type: ignore[call-arg]
    options.check(limits)
    return replace(request, options=options)


def _handed(request: Request, result: Result) -> Result:
    """The result without what its caller does not need, or has switched off."""
    off = read_switches(request.words.switches)
    warnings = tuple(warning for warning in result.warnings if warning.code not in off)
    result = replace(result, warnings=warnings)
    if not request.is_drawn or result.trajectory is None:
        return result
    states = result.trajectory.states if request.states else ()
    kept = replace(result.trajectory, facts=(), changing=(), columns=(), states=states)
    return replace(result, trajectory=kept)


def _load(request: Request) -> Problem:
    """The problem, as far as the engine needs it, with the encodings that suit its options."""
    engine = find_engine(request.engine)
    words = replace(request.words, prefers=request.options.encodings)
    if engine.searches:
        return load_space(words)
    if not engine.from_text:
        return load(words, engine.needs_model)
    problem = load_source(words)
    if problem is None:
        raise UsageError(f"engine {request.engine} plans from PDDL only")
    refuse_unused(words.constants, ())
    return problem


@hold_locks()
def answer_problem(
    problem: Problem, request: Request, start: float, report: Report = ignore_report
) -> Result:

    def complete(result: Result) -> Result:
        if problem.reads is not None:
            result = problem.reads(result)
        is_found = result.outcome in (Outcome.OPTIMAL, Outcome.PLAN)
        if is_found and not result.plans and not problem.has_unnamed_actions:
            missing = explain_missing_actions(problem.written_program, problem.is_temporal)
            result = replace(result, no_actions=missing)
        return replace(
            result,
            files=problem.files,
            domain=problem.domain.name if problem.domain else None,
            encoding=problem.encoding,
            engine=request.engine,
            mode=getattr(request.options, "mode", None) or "incremental",
            constants=dict(problem.constants),
            warnings=problem.warnings,
            way=str(problem.grounding or ""),
        )

    if not find_engine(request.engine).knows_theories:
        refuse_theory((s for u in problem.units for s in u.suspects), f"engine {request.engine}")
    if problem.model is not None and (why := problem.model.unsolvable()):
        return complete(Result(outcome=Outcome.UNSOLVABLE, reason=f"no plan exists: {why}"))
    listener = report if report is ignore_report else lambda found: report(complete(found))
    limits, least, horizon = request.limits, 0, problem.horizon
    if horizon is not None:  # of a program without parts
        most = [n for n in (limits.max_horizon,) if n is not None]
        most += [max(0, horizon.most - horizon.origin)] if horizon.most is not None else []
        first, least = max(limits.min_horizon, horizon.least), horizon.least
        limits = replace(limits, min_horizon=first, max_horizon=min(most, default=None))
    engine, options = _engine(problem, request)
    run = Run(problem, options, limits, listener, start, lower_bound=least)
    found = complete(engine.run(run))
    if report is not ignore_report and len(found.plans) > 1 and found.stopped:
        report(replace(found, plans=found.plans[:_IN_HAND], reason="checking the plans"))
    try:
        return check_result(problem, found, run.deadline)
    except InvalidPlan:
        if problem.fresh_program is None:
            raise
    # The program as it was written has the last word, so it is asked itself.
    assert problem.grounding is not None  # of a program that was converted
    grounding = replace(problem.grounding, is_anew=True, obstacle="in parts its plans are others")
    anew = replace(problem, units=problem.fresh_units, fresh_units=(), grounding=grounding)
    return answer_problem(anew, request, start, report)


_ALONE = ("asp", "auto", "portfolio", "race")
"""The engines that ground each horizon anew, where that must be; but asp all leave it to asp."""


def _engine(problem: Problem, request: Request) -> tuple[Engine, EngineOptions]:
    """The engine and its options; where each horizon is grounded anew that is asp's.

    Where the domain has a search for what is wanted that races beside asp, it is `auto`.
    """
    engine, options, horizon = find_engine(request.engine), request.options, problem.horizon
    asp, domain = find_engine("asp"), problem.domain
    if horizon is None or problem.program.horizon is None:
        wanted = {name: value for name in options.forms() if (value := getattr(options, name))}
        prover = domain and domain.prover if request.words.encoding is None else None
        searches = {"first": domain and domain.finder, "optimal": prover}
        if engine is not asp or len(wanted) != 1 or not searches.get(min(wanted)):
            return engine, options
        auto = find_engine("auto")
        auto.load()
        return auto, auto.options(**wanted)
    if request.engine not in _ALONE:
        why = f"engine {request.engine} goes from step to step, and {problem.grounding}"
        hint = "--engine asp can; docs/coming_from.md shows how to divide a program into parts"
        raise InputError(why, at=horizon.at, hint=hint)
    if getattr(options, "optimal", None) or getattr(options, "invariants", None):
        word = "--optimal" if getattr(options, "optimal", None) else "--invariants"
        raise InputError(f"{word} goes from step to step, and {problem.grounding}", at=horizon.at)
    if isinstance(options, asp.options):
        return asp, options
    known = {name: getattr(options, name) for name in asp.options.forms() if hasattr(options, name)}
    return asp, asp.options(**known)


def _check_late(request: Request, result: Result, report: Report) -> Result:
    """Check the plan that a worker had in hand, and write the files that it was to write."""
    source = load_source(request.words) if result.validated is not None else None
    problem = source or _load(request)
    result = check_result(problem, result, time.monotonic() + LAST_LOOK / 2)
    report(_handed(request, result))
    if request.after:
        result = request.after(problem, result, report)
    return _handed(request, result)


def find_improver(problem: Problem) -> Improver:
    domain = problem.domain
    if domain is None or domain.improver is None or problem.model is None or problem.is_replayed:
        raise UsageError(
            "--improve works for PDDL tasks without numbers, time, constraints and preferences, "
            "and this is none",
            hint="without --improve a shortest plan is looked for",
        )
    return domain.improver


def given_plan(problem: Problem, plan: Plan) -> Result:
    """A plan that is given, before it is checked, with its actions as they are listed."""
    return Result(
        outcome=Outcome.PLAN,
        reason="as it was given",
        plans=(_one_by_one(plan.actions),),
        files=problem.files,
        domain=problem.domain.name if problem.domain else None,
        warnings=problem.warnings,
    )


def improve(
    problem: Problem,
    improver: Improver,
    first: Result,
    seconds: float,
    start: float,
    deadline: float | None,
    report: Report,
) -> Result:
    """The best plan after so many seconds from now; each better one is checked and reported."""
    if first.plan is None:
        return first
    until = time.monotonic() + seconds
    ends = until if deadline is None else min(until, deadline)
    counts_cost = problem.model is not None and problem.model.has_costs

    def noted(found: Result) -> Result:
        assert found.plan is not None
        cost = found.plan.cost[0] if counts_cost and found.plan.cost else None
        made = Improvement(round(time.monotonic() - start, 3), len(found.plan.actions), cost)
        found = replace(found, improvements=(*found.improvements, made))
        report(replace(found, trajectory=None))  # which would be much to hand over
        return found

    optimized = "cost" if counts_cost else "actions"
    best = noted(
        replace(first, outcome=Outcome.PLAN, optimized=optimized, lower_bound=0, lower_cost=0)
    )
    for better in improver(problem.model, first.plan.actions, ends):
        plan = _one_by_one(better.actions)
        found = replace(
            best,
            outcome=Outcome.OPTIMAL if better.proven else Outcome.PLAN,
            reason=f"{LEAST[optimized]}: {better.how}" if better.proven else better.how,
            plans=(plan,),
            horizon=len(plan),
            cost=(better.cost,) if counts_cost else None,
            lower_bound=0 if counts_cost else better.least,
            lower_cost=better.least if counts_cost else 0,
        )
        found = check_result(problem, found, deadline)
        is_better = _worth(found, optimized) < _worth(best, optimized)
        best = noted(found) if is_better else found
    if best.outcome is Outcome.PLAN:
        many = len(best.improvements) - 1
        how = f"{many} better plans after the first" if many else "none better was found"
        best = replace(best, reason=f"{how} in {seconds:g} s")
        if ends < until:
            best = replace(best, stopped=Stop.TIME, reason=f"time limit reached; {how}")
    return best


def _one_by_one(actions: Iterable[str]) -> Plan:
    return Plan(tuple((action,) for action in actions))


def _worth(result: Result, optimized: str) -> int:
    plan = result.plan
    assert plan is not None
    return plan.cost[0] if optimized == "cost" and plan.cost else len(plan.actions)
