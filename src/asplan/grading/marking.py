"""Marks of submissions: each submission runs on each exercise in a worker process of its own.

The domain's model or a reference solution judges the plans. With a reference, a right submission is
also compared with it: it must not allow another plan that is wrong, nor refuse a shortest plan.

A submission may run for ever, exhaust the memory, or not be a program at all. Each such case gets a
mark, and the other submissions are still graded.
"""

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from functools import partial
from itertools import product

from asplan.core.budget import Budget
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, InputWarning, InvalidPlan
from asplan.core.limits import Limits
from asplan.core.plan import Plan, Steps
from asplan.core.pool import run_all
from asplan.core.process import run_apart
from asplan.core.text import amount, shortened
from asplan.engines import make_options
from asplan.execution import why_unknown
from asplan.grading.exercises import Exercise
from asplan.grading.leniency import find_loose_plan, find_missing_plan
from asplan.grading.references import explain_refusal
from asplan.grading.submissions import Submission
from asplan.planner import Request, answer
from asplan.result import Outcome, Result
from asplan.validation import Checked, check

MOST_CHARACTERS = 300
"""The most characters of a reason or a hint; longer ones are cut in the middle."""

_REFUSAL_HINT = "hand in one .lp file, or a folder with all its files"


class Verdict(StrEnum):
    """The verdict on a submission for an exercise."""

    RIGHT = "right"
    LONGER = "not shortest"
    WRONG = "wrong plan"
    LOOSE = "too loose"
    STRICT = "too strict"
    CLAIM = "wrong claim"
    NONE = "no answer"
    UNJUDGED = "not judged"
    REFUSED = "refused"


class Mistake(StrEnum):
    """The kind of a mistake; the report counts the submissions with each kind."""

    STEP = "a step does not apply"
    GOAL = "the goal does not hold at the end"
    LENGTH = "the plan is not shortest"
    LOOSE = "another plan is allowed that is wrong"
    STRICT = "another shortest plan is refused"
    CLAIM = "a plan exists, but the program has none"
    LIMIT = "a limit was reached"
    SILENT = "no actions are shown"
    NAMES = "the actions have other names"
    REFUSED = "the program cannot be loaded"
    OTHER = "no answer for another reason"


@dataclass(frozen=True)
class Mark:
    """The mark of a submission for an exercise.

    `steps` is the length of the submission's `plan`, and `step` is the number of its first step
    that does not apply. If the submission is too loose, `plan` is a wrong plan that it allows; else
    it is the plan that was found. `shortest` is the length of a shortest plan. `warned` has the
    warnings that `asplan solve` prints, and `warnings` is their number. A warning that the domain's
    model refuses the plan is left out, because the mark has this verdict.
    """

    submission: str
    instance: str
    verdict: Verdict
    steps: int | None = None
    shortest: int | None = None
    step: int | None = None
    why: str = ""
    warnings: int = 0
    seconds: float = 0.0
    hint: str = ""
    mistake: Mistake | None = None
    plan: Steps | None = None
    warned: tuple[InputWarning, ...] = ()


def grade(
    submissions: Sequence[Submission],
    exercises: Sequence[Exercise],
    limits: Limits,
    jobs: int = 1,
    on_wait: Callable[[], None] = lambda: None,
) -> Iterator[Mark]:
    """Yield a mark for each submission and exercise, in the order in which the runs end.

    Parameters
    ----------
    limits
        The limits of each run.
    jobs
        The number of runs at a time.
    on_wait
        A function called now and then.
    """
    pairs = product(submissions, exercises)
    return run_all(pairs, partial(_mark_pair, limits), jobs, on_wait)


def _mark_pair(
    limits: Limits,
    pair: tuple[Submission, Exercise],
    budget: Budget,
) -> Mark:
    """Run a submission on an exercise within a budget, and return its mark."""
    submission, exercise = pair
    start = time.monotonic()
    mark = Mark(submission.name, exercise.name, Verdict.RIGHT, shortest=exercise.shortest)
    if submission.refused:
        why = submission.refused
        return replace(
            mark,
            verdict=Verdict.REFUSED,
            mistake=Mistake.REFUSED,
            why=why,
            hint=_REFUSAL_HINT,
        )
    try:
        result = _run(submission, exercise, limits, budget)
        warned = tuple(warning for warning in result.warnings if warning.code != "referee")
        mark = replace(
            mark,
            warnings=len(warned),
            warned=warned,
            steps=None if result.plan is None else len(result.plan),
            plan=None if result.plan is None else result.plan.steps,
        )
        mark = _judge(mark, exercise, result, limits)
        if mark.verdict is Verdict.RIGHT:
            mark = _compare(mark, submission, exercise, limits, budget)
    except InvalidPlan as error:
        mark = replace(
            mark,
            verdict=Verdict.WRONG,
            mistake=Mistake.GOAL if error.step is None else Mistake.STEP,
            step=error.step,
            why=error.message,
            hint=error.hint,
        )
    except AsplanError as error:
        mark = replace(
            mark,
            verdict=Verdict.REFUSED,
            mistake=Mistake.REFUSED,
            why=error.placed_message,
            hint=error.hint,
        )
    if mark.mistake is Mistake.CLAIM:
        words = exercise.inputs_with(submission).command_words
        mark = replace(mark, hint=f"to see why: {shlex.join(['asplan', 'explain', *words])}")
    return replace(
        mark,
        why=shortened(mark.why, MOST_CHARACTERS),
        hint=shortened(mark.hint, MOST_CHARACTERS),
        seconds=time.monotonic() - start,
    )


def _run(
    submission: Submission,
    exercise: Exercise,
    limits: Limits,
    budget: Budget,
) -> Result:
    """Solve an exercise with a submission."""
    inputs = exercise.inputs_with(submission)
    request = Request(inputs, options=make_options("asp", {}, limits), limits=limits)
    return answer(request, isolate=True, budget=budget)


def _judge(mark: Mark, exercise: Exercise, result: Result, limits: Limits) -> Mark:
    """Return the mark for a result; raise `InvalidPlan` for a wrong plan.

    The judge is the domain's model or the reference solution.
    """
    plan = result.plan
    if plan is None:
        return _judge_without_plan(mark, exercise, result)
    if exercise.reference is None:
        domain, model = exercise.problem.domain_and_model()
        unknown = why_unknown(model, plan)
        if unknown:
            why = f"{unknown}; use the action names of {domain.name}"
            return replace(mark, verdict=Verdict.UNJUDGED, mistake=Mistake.NAMES, why=why)
    checked = _check(exercise, plan, limits)
    length = len(plan)
    if exercise.shortest is None or length <= exercise.shortest:
        return mark
    why = f"{amount(length, 'step')}, and the shortest plan has {exercise.shortest}"
    if len(checked.plan) < length:
        why += f"; the goal holds after step {len(checked.plan)} already"
    return replace(mark, verdict=Verdict.LONGER, mistake=Mistake.LENGTH, why=why)


def _check(exercise: Exercise, plan: Plan, limits: Limits) -> Checked:
    """Check a plan with the judge of an exercise; raise `InvalidPlan` with the rule it breaks."""
    try:
        return check(exercise.problem, plan, as_listed=False)
    except InvalidPlan as error:
        if exercise.reference is None:
            raise
        refusal = exercise.reference.explain_refusal(exercise.file, plan, error, limits)
        raise refusal from None


def _compare(
    mark: Mark,
    submission: Submission,
    exercise: Exercise,
    limits: Limits,
    budget: Budget,
) -> Mark:
    """Return the mark of a right submission, which may be too loose or too strict.

    It is too loose if it also allows a wrong plan, and too strict if it refuses a shortest plan.
    Without a reference solution, or beyond the limits, the submission keeps its `mark`.
    """
    if exercise.reference is None or mark.plan is None:
        return mark
    own = exercise.inputs_with(submission)
    judge = exercise.reference.inputs_with(exercise.word)
    with suppress(AsplanError):  # what is not compared stays right
        plan = run_apart(limits, budget, find_loose_plan, own, judge).value
        if plan is not None:
            mark = _loose_mark(mark, exercise, plan, limits)
    if mark.verdict is Verdict.RIGHT:
        with suppress(AsplanError):
            missing = run_apart(limits, budget, find_missing_plan, own, judge).value
            if missing is not None:
                plan, error = missing
                refusal = explain_refusal(own, plan, error, limits)
                return _strict_mark(mark, exercise, plan, refusal)
    return mark


def _loose_mark(mark: Mark, exercise: Exercise, plan: Plan, limits: Limits) -> Mark:
    """Return the mark "too loose" for a submission that allows a wrong plan.

    If the judge accepts the plan, return `mark`.
    """
    try:
        _check(exercise, plan, limits)
    except InvalidPlan as error:
        return replace(
            mark,
            verdict=Verdict.LOOSE,
            mistake=Mistake.LOOSE,
            steps=len(plan),
            step=error.step,
            plan=plan.steps,
            why=f"it allows another plan, which is wrong: {error.message}",
            hint=f"that plan: {_plan_text(exercise, plan)}",
        )
    return mark


def _strict_mark(mark: Mark, exercise: Exercise, plan: Plan, refusal: InvalidPlan) -> Mark:
    """Return the mark "too strict" for a submission that refuses a shortest plan."""
    return replace(
        mark,
        verdict=Verdict.STRICT,
        mistake=Mistake.STRICT,
        why=f"it refuses another shortest plan: {refusal.message}",
        hint=f"that plan: {_plan_text(exercise, plan)}",
    )


def _plan_text(exercise: Exercise, plan: Plan) -> str:
    """Return a plan in one line, with the names of actions as in the source."""
    named = exercise.problem.name_actions(plan)
    return ", ".join(" ".join(map(named.name, step)) for step in plan.steps)


def _judge_without_plan(mark: Mark, exercise: Exercise, result: Result) -> Mark:
    shortest = exercise.shortest
    if result.outcome == Outcome.UNSOLVABLE:
        if shortest is None:
            return mark
        why = f"claims that there is no plan, but there is one of {amount(shortest, 'step')}"
        return replace(mark, verdict=Verdict.CLAIM, mistake=Mistake.CLAIM, why=why)
    why = result.reason
    mistake = Mistake.OTHER if result.stopped is None else Mistake.LIMIT
    if result.horizon is not None:
        why = "shows no actions, so there is no plan to check"
        mistake = Mistake.SILENT
    return replace(mark, verdict=Verdict.NONE, mistake=mistake, why=why)
