"""One explanation from beginning to end: what is asked in which order, and in how much time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from asplan.errors import InvalidPlan, UsageError
from asplan.loading import Problem
from asplan.plan import Plan
from asplan.program.incremental import Program, with_query
from asplan.program.source import ground_term
from asplan.validation import check
from asplan.why.choice import Choice
from asplan.why.conflict import find_conflict
from asplan.why.explanation import Explanation
from asplan.why.goals import find_goals
from asplan.why.never import Asked, find_never
from asplan.why.question import Question, opener
from asplan.why.refusal import find_refusal
from asplan.why.relaxed import find_relaxed
from asplan.why.relaxing import Constraint
from asplan.why.slips import find_slips

Report = Callable[[Explanation], None]


@dataclass
class Explainer:
    """An explanation in the making.

    Attributes
    ----------
    deadline
        The `time.monotonic()` at which to stop.
    so_far
        What is known; whoever waits hears of it whenever that changes.
    """

    problem: Problem
    deadline: float | None
    report: Report
    so_far: Explanation = field(default_factory=Explanation)

    @property
    def program(self) -> Program:
        """The program as it is written."""
        return with_query(self.problem.program)

    def know(self, **news: object) -> None:
        """Add to what is known, and report it."""
        self.so_far = replace(self.so_far, **news)  # type: ignore[arg-type]
        self.report(self.so_far)

    def tell(self, doing: str) -> None:
        """Report what is being done."""
        self.know(reason=doing)

    def share(self) -> float | None:
        """The deadline of one question among several: half of what is left."""
        if self.deadline is None:
            return None
        now = time.monotonic()
        return now + max(0.0, self.deadline - now) / 2


def explain_missing(work: Explainer, horizon: int, choice: Choice) -> Explanation:
    """Explain why there is no plan of a number of steps.

    Raises
    ------
    UsageError
        The program cannot be relaxed, or a place has no constraint.
    """
    refuse_frontier(work.problem)
    work.know(horizon=horizon)
    given = work.problem.given
    question = opener(given, work.deadline)(work.program)
    kept = choice.kept(question.constraints)
    question.ground(horizon, work.tell)
    work.know(slips=find_slips(work.program, question))
    work.tell("looking for a plan")
    core = _is_excluded(work, question, horizon)
    if work.so_far.found is not None:
        return work.so_far
    work.tell("looking for what can never be")
    never = find_never(work.program, Asked(given, horizon, work.share()))
    work.know(never=never)
    if core is not None:
        work.tell("making the conflict smaller")
        question.session.deadline = work.share()
        conflict = find_conflict(question, horizon, core, lambda c: work.know(conflict=c))
        work.know(conflict=conflict)
    work.tell("looking for a relaxed plan")
    question.session.deadline = work.share()
    open_program = opener(given, work.share())
    relaxed = find_relaxed(
        work.program, open_program, question, horizon, kept, lambda r: work.know(relaxed=r)
    )
    work.know(relaxed=relaxed)
    work.tell("looking at the goals one by one")
    question.session.deadline = work.deadline
    work.know(goals=find_goals(question, horizon, lambda goals: work.know(goals=goals)))
    return work.so_far


def _is_excluded(work: Explainer, question: Question, horizon: int) -> list[Constraint] | None:
    """The constraints in a core, where no plan exists; None if that is not known in time."""
    question.session.deadline = work.share()
    answer = question.ask(question.constraints, goal=horizon)
    if answer.satisfiable:
        work.know(found=question.plan(answer.models[0], horizon))
    if answer.satisfiable is not False:
        return None
    work.know(excluded=True)
    return question.in_core(answer, question.constraints)


def explain_refused(work: Explainer, plan: Plan) -> Explanation:
    """Explain why a plan is refused, by the encoding and by the domain's model."""
    refuse_frontier(work.problem)
    work.tell("replaying the plan in the domain's model")
    work.know(horizon=len(plan), model=_said_by_model(work.problem, plan))
    question = opener(work.problem.given, work.deadline)(work.program)
    question.ground(len(plan), work.tell)
    work.know(slips=find_slips(work.program, question))
    actions = [[ground_term(action, "action") for action in step] for step in plan]
    open_program = opener(work.problem.given, work.deadline)
    refusal = find_refusal(work.program, open_program, actions, work.tell)
    work.know(accepted=refusal is None, refusal=refusal)
    return work.so_far


def _said_by_model(problem: Problem, plan: Plan) -> str | None:
    """What is wrong with a plan in the eyes of the model; empty if nothing is, None without one."""
    if problem.model is None:
        return None
    try:
        check(replace(problem, is_replayed=False), plan)
    except InvalidPlan as error:
        return error.message
    return ""


def refuse_frontier(problem: Problem) -> None:
    """Raise `UsageError` for an encoding that leaves nothing to the solver."""
    if problem.program.plan_part:
        raise UsageError(
            f"{problem.encoding} searches while it is grounded, so it has no constraints that "
            "could give way",
            mend="name another encoding with -e",
        )
