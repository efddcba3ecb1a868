"""Why there is no plan, why a plan is refused, and why an atom holds in one or not."""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

from clingo import SymbolType

from asplan.api import File, Files, inputs_of
from asplan.api.checking import read_plan, with_result
from asplan.core.errors import UsageError
from asplan.core.files import await_input
from asplan.core.limits import Limits, Stop, check_steps
from asplan.core.plan import Plan
from asplan.core.process import run_isolated
from asplan.core.text import amount
from asplan.engines import make_options
from asplan.engines.run import ignore_report
from asplan.explaining.explainer import (
    Explainer,
    explain_atom,
    explain_missing,
    explain_refused,
    load_explainable,
    reworded,
    why_idle,
)
from asplan.explaining.explanation import Explanation
from asplan.planner import Request, answer
from asplan.problem import Inputs, load
from asplan.program.source import ground_term
from asplan.result import Outcome, Result
from asplan.warnings import find_warnings, refuse_endless


def explain(
    *files: Files,
    text: str | None = None,
    horizon: int | None = None,
    plan: Plan | Result | File | None = None,
    atom: str | None = None,
    encoding: File | None = None,
    steps: str | None = None,
    soft: Iterable[str] = (),
    hard: Iterable[str] = (),
    facts: bool = False,
    metric: str | None = None,
    actions: Iterable[str] = (),
    horizon_constant: str | None = None,
    fresh: bool = False,
    switches: Iterable[str] = (),
    constants: Mapping[str, object] | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    allow_scripts: bool = False,
    allow_includes: bool = False,
    progress: Callable[[Explanation], None] | None = None,
) -> Explanation:
    """Explain why no plan of some number of steps exists, or why a plan is refused.

    Without `horizon` and `plan` a plan is looked for first, for a third of the time limit, which
    is then 60 seconds if none is given. Of a shortest one it is explained why none is shorter;
    where none was found, why there is none of as many steps as were refuted. `question` says what
    was chosen.

    Parameters
    ----------
    files, text, encoding, steps, metric, constants, actions, horizon_constant, fresh, switches
        As for `solve`, and so are `allow_scripts` and `allow_includes`.
    horizon
        The number of steps; for programs that are `monotone` at most so many are meant.
    plan
        The plan to ask about; of a result its first. A file holds what `asplan solve --json`
        prints, or the actions of a step in each line. With a plan no horizon is given.
    atom
        An atom as the program writes it, `"at(a,3)"`: why it holds in the plan, or in a shortest
        one that is looked for, or why it does not.
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
    if horizon is not None and plan is not None:
        raise UsageError("name either a horizon or a plan")
    given = inputs_of(files, locals())
    if atom is not None:
        if horizon is not None:
            raise UsageError("an atom is explained in a plan, so there is no horizon to name")
        term = ground_term(atom, "atom")
        if term.type != SymbolType.Function or not term.name:
            raise UsageError(f"atom: {term} is no atom")
    limits = Limits(time_limit, memory_limit)
    limits.check()
    await_input((*given.files, plan) if isinstance(plan, str) else given.files, limits.seconds)
    if horizon is not None:
        check_steps(horizon)
    choice, report = (tuple(soft), tuple(hard), facts), progress or ignore_report
    begin = Explanation()
    if plan is None and horizon is None:
        if limits.seconds is None:
            usual = f"usual time limit of {_SECONDS:g} s"
            limits = replace(limits, seconds=_SECONDS, named=usual)
        begin, plan = _choose(given, limits, report, in_plan=atom is not None)
        if begin.horizon is None or (begin.reason == "" and atom is None):
            return begin
        horizon = begin.horizon
    work = partial(_explain, given, plan, atom, horizon or 0, begin, choice, limits, start)
    return run_isolated(work, limits, report, begin, start)


_SECONDS = 60.0  # the time limit where none is given and nothing says what to explain
_STEPS = 10  # at which a program is looked at that has no plan of any length


def _choose(
    inputs: Inputs, limits: Limits, report: Callable[[Explanation], None], in_plan: bool
) -> tuple[Explanation, Plan | None]:
    """Look for a plan, and choose horizon and question; the plan if `in_plan` needs it."""

    def pass_on(result: Result) -> None:
        report(Explanation(reason=f"looking for a plan: {result.reason}"))

    third = f"a third of the {limits.time_name}"
    limits = Limits((limits.seconds or 0) / 3, limits.megabytes, named=third)
    request = Request(inputs, "auto", make_options("auto", {}, limits), limits)
    result = answer(request, pass_on, isolate=True)
    refuted, least = result.lower_bound - 1, result.outcome is Outcome.OPTIMAL
    none = f"No plan has {amount(refuted, 'step')}{' or fewer' if refuted else ''}"
    if result.stopped is Stop.INTERRUPT:
        return Explanation(reason=result.reason, stopped=result.stopped), None
    if result.horizon is not None and in_plan:
        return Explanation(result.horizon, found=result.plan or Plan()), result.plan
    if result.horizon is not None:
        length = amount(result.horizon, "step")
        if refuted < 0:
            exists = f"A plan of {length} exists"
            question = f"{exists}." if least else f"{exists}, and no shorter one is excluded."
            if not result.horizon:
                question = f"{exists}, so there is nothing to explain: {why_idle(load(inputs))}."
            found = Explanation(result.horizon, question, found=result.plan, reason="")
            return found, None
        which = "a shortest has" if least else "one was found that has"
        question = f"{none}; {which} {result.horizon}. Why not {refuted}:"
    elif result.outcome is Outcome.UNSOLVABLE:
        why = result.reason.removeprefix("no plan exists: ").partition(";")[0]
        refuted, question = _STEPS, f"There is no plan: {why}. Why not of {_STEPS} steps:"
    elif refuted < 0:
        return Explanation(reason=result.reason, stopped=result.stopped), None
    else:
        question = f"{none}; whether there is a longer one is not known. Why not {refuted}:"
    return Explanation(refuted, question, excluded=True), None


def _explain(
    inputs: Inputs,
    plan: Plan | Result | File | None,
    atom: str | None,
    horizon: int,
    begin: Explanation,
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
    problem = load_explainable(inputs)
    work = Explainer(
        problem, deadline, lambda known: report(reworded(known, problem)), begin, inputs.switches
    )
    warnings = find_warnings(problem, inputs.switches, is_wrong=True)
    refuse_endless(warnings)
    work.know(warnings=warnings)
    try:
        if atom is not None and (plan is not None or begin.found is not None):
            found = explain_atom(work, plan, len(plan) if plan is not None else horizon, atom)
        elif plan is not None:
            found = explain_refused(work, plan)
        else:
            found = explain_missing(work, horizon, *choice)
        late = deadline is not None and time.monotonic() >= deadline
    except TimeoutError:
        found, late = work.so_far, True
    found = reworded(found, problem)
    if late:
        return replace(found, reason=limits.time_reason(found.reason), stopped=Stop.TIME)
    return replace(found, reason="")
