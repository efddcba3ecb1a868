"""One explanation from beginning to end: what is asked in which order, and in how much time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from asplan.errors import InvalidPlan, UsageError
from asplan.explaining.conflict import find_conflict, find_goals, members_of, with_optional_facts
from asplan.explaining.explanation import Conflict, Explanation, Relaxed
from asplan.explaining.never import Asked, find_never
from asplan.explaining.question import Pin, Question, opener
from asplan.explaining.refusal import find_refusal
from asplan.explaining.relaxed import Choice, find_relaxed
from asplan.explaining.slips import find_slips
from asplan.plan import Plan
from asplan.problem import Problem, catalog
from asplan.program.incremental import Program, with_query
from asplan.program.source import ground_term
from asplan.program.unit import read_unit
from asplan.validation import check

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

    @property
    def instance(self) -> set[str]:
        """The files of the instance; of a whole program all its files."""
        files = set(self.problem.files)
        return files if self.problem.is_whole else files - {str(self.problem.path)}

    def named(self, plan: Plan) -> Plan:
        """A plan with the names of its actions as their source writes them."""
        written = self.problem.written
        if written is None:
            return plan
        return replace(plan, names={action: written(action) for action in plan.actions})

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


def explain_missing(
    work: Explainer, horizon: int, choice: Choice, facts: bool = False
) -> Explanation:
    """Explain why there is no plan of a number of steps.

    Parameters
    ----------
    facts
        Whether a conflict may hold facts of the instance as well.

    Raises
    ------
    UsageError
        The program cannot be relaxed, or a place has no constraint.
    """
    refuse_frontier(work.problem)
    work.know(horizon=horizon)
    question = opener(work.problem.given, work.deadline)(work.program)
    kept = choice.kept(question.constraints)
    question.ground(horizon, work.tell)
    work.know(slips=find_slips(work.program, question))
    _look_for_a_plan(work, question, horizon)
    if work.so_far.found is None:
        _explain_conflict(work, question, horizon, facts)
        _explain_relaxed(work, question, horizon, kept)
        if not _excludes_all(work.so_far.conflict):
            _explain_goals(work, question, horizon)
            _explain_never(work, horizon)
    return work.so_far


def _excludes_all(conflict: Conflict | None) -> bool:
    """Whether there is no sequence of actions at all: then nothing is to be said of the goal."""
    return conflict is not None and not any(rule.goal for rule in conflict.rules)


def _look_for_a_plan(work: Explainer, question: Question, horizon: int) -> None:
    work.tell("looking for a plan")
    question.session.deadline = work.share()
    answer = question.ask(question.kept(), goal=horizon)
    if answer.satisfiable:
        shown = answer.models[0]
        plan = question.shortened(question.plan(shown, horizon), shown)
        work.know(found=work.named(plan))
    work.know(excluded=answer.satisfiable is False)


def _explain_conflict(work: Explainer, question: Question, horizon: int, facts: bool) -> None:
    """Find a conflict, if it is known that there is one; facts take a question of their own."""
    if not work.so_far.excluded:
        return
    work.tell("looking for a small conflict")
    if facts:
        program = with_optional_facts(work.program, work.instance)
        question = opener(work.problem.given, work.deadline)(program)
        question.ground(horizon, work.tell)
    question.session.deadline = work.share()
    members = members_of(question)
    work.know(conflict=find_conflict(question, horizon, members, lambda c: work.know(conflict=c)))


def _explain_goals(work: Explainer, question: Question, horizon: int) -> None:
    work.tell("looking at the goals one by one")
    question.session.deadline = work.share()
    work.know(goals=find_goals(question, horizon, lambda goals: work.know(goals=goals)))


def _explain_never(work: Explainer, horizon: int) -> None:
    work.tell("looking for what can never be")
    asked = Asked(work.problem.given, horizon, work.deadline)
    work.know(never=find_never(work.program, asked))


def _explain_relaxed(
    work: Explainer, question: Question, horizon: int, kept: Sequence[Pin]
) -> None:
    work.tell("looking for a plan that breaks little")
    question.session.deadline = work.share()
    open_program = opener(work.problem.given, work.share())

    def know(relaxed: Relaxed) -> None:
        work.know(relaxed=replace(relaxed, plan=work.named(relaxed.plan)))

    relaxed = find_relaxed(work.program, open_program, question, horizon, kept, know)
    if relaxed is not None:
        know(relaxed)


def explain_refused(work: Explainer, plan: Plan) -> Explanation:
    """Explain why a plan is refused, by the encoding and by the domain's model."""
    refuse_frontier(work.problem)
    work.tell("replaying the plan in the domain's model")
    work.know(horizon=len(plan), model=_said_by_model(work.problem, plan))
    open_program = opener(work.problem.given, work.deadline)
    question = open_program(work.program)
    question.ground(len(plan), work.tell)
    work.know(slips=find_slips(work.program, question))
    actions = [[ground_term(action, "action") for action in step] for step in plan]
    refusal = find_refusal(work.program, open_program, question, actions, work.tell)
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
        home = problem.domain.name if problem.domain else None
        others = [e for e in catalog.encodings() if e.domain == home]
        names = [e.name for e in others if "plan" not in read_unit(str(e.path)).parts]
        raise UsageError(
            f"{problem.encoding} searches while it is grounded, so it has no constraints that "
            "could give way",
            hint=f"take -e {' or '.join(names)}" if names else "name another encoding with -e",
        )
