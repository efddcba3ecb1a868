"""Explanations of why no plan exists, why a plan is refused, and why an atom holds."""

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from asplan.api import File, Files, inputs_of
from asplan.api.checking import first_plan, read_plan, with_result
from asplan.clingo import SymbolType
from asplan.contrasting.run import explain_contrast
from asplan.core.budget import Budget, OutOfBudget, Reporter
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.files import STDIN, await_input
from asplan.core.limits import Limits, Stop, check_steps
from asplan.core.plan import Plan
from asplan.core.process import run_isolated
from asplan.core.text import amount
from asplan.engines import make_options
from asplan.explaining.encodings import load_explainable
from asplan.explaining.explainer import (
    Explainer,
    explain_atom,
    explain_missing,
    explain_refused,
)
from asplan.explaining.explanation import Explanation
from asplan.explaining.idle import find_idle_goals, why_idle
from asplan.explaining.rewording import reworded
from asplan.notebook.progress import State, progress_report
from asplan.planner import Request, answer
from asplan.problem import Inputs, load
from asplan.program.reading.source import ground_term
from asplan.result import Outcome, Result
from asplan.warnings import find_warnings, refuse_endless


def explain(  # noqa: PLR0913  # all but the files are keywords
    *files: Files,
    text: str | None = None,
    horizon: int | None = None,
    plan: Plan | Result | File | None = None,
    against: Plan | Result | File | None = None,
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
    progress: Reporter[Explanation] | None = None,
) -> Explanation:
    """Explain why no plan of `horizon` steps exists, or why a plan is refused.

    Without `horizon` and `plan`, search for a plan first, for a third of the time limit (by default
    of 60 seconds). If a shortest plan is found, explain why no plan is shorter. If no plan is
    found, explain why none has the largest refuted number of steps. `question` of the explanation
    describes the choice.

    Parameters
    ----------
    files, text, encoding, steps, metric, constants, actions, horizon_constant, fresh, switches
        As for `solve`, and so are `allow_scripts` and `allow_includes`.
    horizon
        The number of steps; for `monotone` programs the largest number of steps.
    plan
        The plan to explain, a result (its first plan), or a file. A file has the output of
        `asplan solve --json`, or the actions of a step in each line. A plan excludes a horizon.
    against
        `"best"`, or another plan: explain how `plan` differs from a shortest plan, or from this
        one, and which of its steps make it longer.
    atom
        An atom of the program, such as `"at(a,3)"`: explain why it holds in the plan, or in a
        shortest plan, or why it does not.
    soft, hard
        Constraints, as `FILE:LINE`, that a relaxed plan may break, or must not break. Without them
        it may break all constraints except those of the goal.
    facts
        Allow facts of the instance in a conflict, besides constraints.
    time_limit, memory_limit
        Seconds and megabytes; a child process does the work.
    progress
        A function to call with the explanation so far. By default a notebook shows a bar.

    Returns
    -------
    Explanation
        The explanation; after a limit, the part that was found, with `stopped` and `reason`.

    Raises
    ------
    AsplanError
        For contradictory arguments, and for a program that cannot be run or relaxed.
    """
    start = time.monotonic()
    question = _Question(
        inputs_of(files, locals()),
        plan=plan,
        against=against,
        atom=atom,
        horizon=horizon,
        soft=tuple(soft),
        hard=tuple(hard),
        facts=facts,
    )
    question.check()
    limits = Limits(time_limit, memory_limit)
    limits.check()
    standard_input = [source for source in (plan, against) if isinstance(source, str)]
    await_input((*question.inputs.files, *standard_input), limits.seconds)
    with progress_report(progress, _state) as report:
        return _explain_within(question, limits, start, report)


@dataclass(frozen=True)
class _Question:
    """The arguments of `explain` that determine the question.

    If asplan chose the horizon itself, `verdict` describes the result of its search for a plan.
    """

    inputs: Inputs
    plan: Plan | Result | File | None
    against: Plan | Result | File | None
    atom: str | None
    horizon: int | None
    soft: tuple[str, ...]
    hard: tuple[str, ...]
    facts: bool
    verdict: str = ""

    def check(self) -> None:
        """Raise `UsageError` if the arguments contradict each other."""
        if self.horizon is not None and self.plan is not None:
            raise UsageError("pass a horizon or a plan, not both")
        if self.against is not None:
            self._check_against()
        if self.atom is not None:
            if self.horizon is not None:
                raise UsageError("an atom is explained in a plan: leave out the horizon")
            term = ground_term(self.atom, "atom")
            if term.type != SymbolType.Function or not term.name:
                raise UsageError(f"atom: {term} is not an atom")
        if self.horizon is not None:
            check_steps(self.horizon)

    def _check_against(self) -> None:
        """Raise `UsageError` if there is no plan to compare, or another question is asked."""
        if self.plan is None:
            raise UsageError(
                "there is no plan to compare",
                hint="--plan PLAN names the file with your plan",
            )
        if self.atom is not None:
            raise UsageError("pass an atom or a plan to compare with, not both")
        if self.plan == STDIN and self.against == STDIN:
            raise UsageError("only one plan can come from standard input")


BEST = "best"
"""The word for a shortest plan, with which a plan is compared."""

_SECONDS = 60.0  # the time limit of a search for plans, unless one is set
_STEPS = 10  # the horizon to explain if no plan of any length exists


def _state(explanation: Explanation) -> State:
    return explanation.reason, None


def _explain_within(
    question: _Question, limits: Limits, start: float, report: Reporter[Explanation]
) -> Explanation:
    """Explain within the limits; without a horizon and a plan, choose the question first."""
    begin = Explanation()
    is_chosen = question.plan is None and question.horizon is None
    if limits.seconds is None and (is_chosen or question.against is not None):
        usual = f"usual time limit of {_SECONDS:g} s"
        limits = replace(limits, seconds=_SECONDS, named=usual)
    if is_chosen:
        choice = _choose(question.inputs, limits, report, in_plan=question.atom is not None)
        begin = choice.explanation
        if choice.is_answered:
            return begin
        question = replace(
            question,
            plan=choice.plan,
            horizon=begin.horizon,
            verdict=choice.verdict,
        )
    work = partial(_explain, question, begin, limits, start)
    return run_isolated(work, limits, report, begin, start)


@dataclass(frozen=True)
class _Choice:
    """The question that asplan chooses if the user names neither a horizon nor a plan.

    `explanation` is the beginning of the answer: it has the horizon and the question. `plan` is the
    plan in which an atom is to be explained. `verdict` describes the result of the search. If
    `is_answered` is set, the explanation is the whole answer.
    """

    explanation: Explanation
    plan: Plan | None = None
    verdict: str = ""
    is_answered: bool = False


def _choose(
    inputs: Inputs,
    limits: Limits,
    report: Reporter[Explanation],
    in_plan: bool,
) -> _Choice:
    """Search for a plan, and choose a question by the result.

    `in_plan` is set if an atom is to be explained; the choice then has the plan that was found.
    """

    def pass_on(result: Result) -> None:
        report(Explanation(reason=f"looking for a plan: {result.reason}"))

    third = f"a third of the {limits.time_name}"
    limits = Limits((limits.seconds or 0) / 3, limits.megabytes, named=third)
    request = Request(inputs, "auto", make_options("auto", {}, limits), limits)
    result = answer(request, pass_on, isolate=True)
    if result.stopped is Stop.INTERRUPT:
        return _unanswered(result)
    if result.horizon is not None and in_plan:
        explanation = Explanation(result.horizon, found=result.plan or Plan())
        return _Choice(explanation, result.plan)
    if result.horizon is not None and result.lower_bound == 0:
        return _Choice(_explain_idle(inputs, result), is_answered=True)
    return _choose_refuted(result)


def _unanswered(result: Result) -> _Choice:
    """Return the choice for a search that ended without an answer: there is nothing to explain."""
    explanation = Explanation(
        reason=result.reason,
        stopped=result.stopped,
        warnings=result.warnings,
    )
    return _Choice(explanation, is_answered=True)


def _explain_idle(
    inputs: Inputs,
    result: Result,
) -> Explanation:
    """Return the explanation if a plan was found and no smaller horizon was refuted."""
    assert result.horizon is not None
    exists = f"A plan of {amount(result.horizon, 'step')} exists"
    goals = None
    if result.horizon == 0:
        problem = load(inputs)
        goals = find_idle_goals(problem)
        question = f"{exists}, so there is nothing to explain: {why_idle(problem, goals)}."
    elif result.outcome is Outcome.OPTIMAL:
        question = f"{exists}."
    else:
        question = f"{exists}, and shorter plans may exist."
    return Explanation(
        result.horizon,
        question,
        found=result.plan,
        goals=goals,
        reason="",
        warnings=result.warnings,
    )


def _choose_refuted(result: Result) -> _Choice:
    """Return the question why no plan has n steps, for the largest n that the search refuted.

    If there is no plan at all, n is `_STEPS`. If nothing is refuted, there is no question.
    """
    refuted = result.lower_bound - 1
    none = f"No plan has {amount(refuted, 'step')}{' or fewer' if refuted else ''}"
    if result.horizon is not None:
        is_least = result.outcome is Outcome.OPTIMAL
        which = "a shortest plan has" if is_least else "the plan that was found has"
        verdict = f"{none}; {which} {result.horizon}."
        question = f"{verdict} Why not {refuted}:"
    elif result.outcome is Outcome.UNSOLVABLE:
        refuted = _STEPS
        verdict = f"There is no plan: {result.evidence.claim}."
        question = f"{verdict} Why not of {_STEPS} steps:"
    elif refuted < 0:
        return _unanswered(result)
    else:
        verdict = f"{none}; whether there is a longer one is not known."
        question = f"{verdict} Why not {refuted}:"
    explanation = Explanation(refuted, question, excluded=True)
    return _Choice(explanation, verdict=verdict)


def _explain(
    question: _Question,
    begin: Explanation,
    limits: Limits,
    start: float,
    report: Reporter[Explanation],
) -> Explanation:
    budget = Budget(limits.deadline(start))
    inputs, plan = _read_plan(question)
    against = _read_against(question, inputs)
    problem = load_explainable(inputs)

    def report_reworded(explanation: Explanation) -> None:
        report(reworded(explanation, problem))

    work = Explainer(
        problem,
        budget,
        report_reworded,
        begin,
        inputs.switches,
        question.verdict,
    )
    warnings = find_warnings(problem, inputs.switches, is_wrong=True)
    refuse_endless(warnings)
    work.update(warnings=warnings)
    try:
        if question.against is not None and plan is not None:
            explanation = explain_contrast(work, inputs, plan, against)
        else:
            explanation = _answer(work, question, begin, plan)
        is_late = budget.is_spent()
    except OutOfBudget:
        explanation = work.so_far
        is_late = True
    explanation = reworded(explanation, problem)
    if is_late:
        reason = limits.time_reason(explanation.reason)
        return replace(
            explanation,
            reason=reason,
            stopped=Stop.TIME,
        )
    return replace(explanation, reason="")


def _read_plan(question: _Question) -> tuple[Inputs, Plan | None]:
    """Return the inputs and the plan of a question. A stored result completes the inputs."""
    plan = question.plan
    if isinstance(plan, str | os.PathLike):
        plan = read_plan(question.inputs, os.fspath(plan))
    if isinstance(plan, Result):
        return with_result(question.inputs, plan)
    return question.inputs, plan


def _read_against(question: _Question, inputs: Inputs) -> Plan | None:
    """Return the plan with which to compare; None for a shortest plan."""
    against = question.against
    if against is None or against == BEST:
        return None
    return first_plan(inputs, against)


def _answer(
    work: Explainer,
    question: _Question,
    begin: Explanation,
    plan: Plan | None,
) -> Explanation:
    """Return the explanation of an atom, of a refused plan, or of a missing plan."""
    horizon = question.horizon or 0
    if question.atom is not None and (plan is not None or begin.found is not None):
        length = len(plan) if plan is not None else horizon
        return explain_atom(work, plan, length, question.atom)
    if plan is not None:
        return explain_refused(work, plan)
    return explain_missing(work, horizon, question.soft, question.hard, question.facts)
