"""The course of an explanation: its analyses in order, and their shares of the time."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from asplan.core.budget import Budget, Reporter
from asplan.core.errors import InvalidPlan, UsageError
from asplan.core.plan import Plan
from asplan.engines.asp.answer import Answer
from asplan.engines.asp.solver import Pin
from asplan.explaining.conflict import find_conflict, with_optional_facts
from asplan.explaining.derivation import find_answer, find_why
from asplan.explaining.encodings import refuse_frontier
from asplan.explaining.explanation import Explanation, Relaxed, WrittenLiteral
from asplan.explaining.goals import find_goals
from asplan.explaining.instances import answered
from asplan.explaining.question import Question, open_question
from asplan.explaining.refusal import find_refusal
from asplan.explaining.relaxation import Constraint
from asplan.explaining.unreachable import find_never
from asplan.explaining.violations import with_causes
from asplan.problem import Problem
from asplan.program.incremental import Program, with_query
from asplan.program.reading.source import ground_term
from asplan.validation import check_by_model
from asplan.warnings import switched_on


@dataclass
class Explainer:
    """An explanation in progress.

    Attributes
    ----------
    report
        Receives the results so far whenever there are new ones.
    so_far
        The results so far.
    switches
        Words that turn warnings off.
    verdict
        The result of asplan's search for a plan, in words; empty if the user chose the question. It
        becomes the `question` of the explanation if obstacles exclude plans of any length.
    """

    problem: Problem
    budget: Budget
    report: Reporter[Explanation]
    so_far: Explanation = field(default_factory=Explanation)
    switches: tuple[str, ...] = ()
    verdict: str = ""

    def open(
        self,
        program: Program | None = None,
    ) -> Question:
        """Return a new question about a program, by default the problem's program."""
        program = program or with_query(self.problem.program)
        given = self.problem.constants_at(self.so_far.horizon or 0)
        return open_question(program, given, self.budget)

    def named(self, plan: Plan) -> Plan:
        """Return a plan in which actions have the names of the problem's source."""
        return self.problem.name_actions(plan)

    def ordered(self, plan: Plan) -> Plan:
        """Return a plan with the actions of each step in an order in which they can be executed.

        If no order is found, return the plan unchanged.
        """
        domain = self.problem.domain
        model = self.problem.model
        if domain is not None and domain.tidy is not None and model is not None:
            with suppress(InvalidPlan):
                return domain.tidy(model, plan)
        return plan

    def update(self, **results: object) -> None:
        """Add results to the explanation, and report it."""
        self.so_far = replace(self.so_far, **results)  # type: ignore[arg-type]
        self.report(self.so_far)

    def announce(self, work: str) -> None:
        """Report a phrase about the work that begins."""
        self.update(reason=work)

    def begin(
        self,
        question: Question,
        work: str,
    ) -> None:
        """Announce the work that begins, and limit the question to half of the remaining time."""
        self.announce(work)
        half = max(0.0, self.budget.remaining) / 2
        question.solver.budget = self.budget.within(half)


def explain_missing(
    work: Explainer,
    horizon: int,
    soft: Iterable[str] = (),
    hard: Iterable[str] = (),
    facts: bool = False,
) -> Explanation:
    """Explain why there is no plan of a number of steps.

    Parameters
    ----------
    horizon
        The number of steps.
    soft, hard
        Locations `FILE:LINE` of constraints. The relaxed plan may violate a `soft` constraint, even
        one of the goal, but no `hard` one.
    facts
        Whether a conflict may contain facts of the instance, too.
    """
    refuse_frontier(work.problem)
    work.update(horizon=horizon)
    if _find_obstacles(work):
        return work.so_far
    question = work.open()
    kept = _kept(question.constraints, soft, hard)
    question.ground(horizon, work.announce)
    if _find_plan(work, question):
        return work.so_far
    if work.so_far.excluded:
        _find_conflict(work, question, facts)
    _find_relaxed(work, question, kept)
    conflict = work.so_far.conflict
    if conflict is not None and not any(rule.goal for rule in conflict.rules):
        return work.so_far  # no states are reachable, so the goal does not matter
    _find_goals(work, question)
    _find_never(work, question)
    return work.so_far


def explain_refuted(work: Explainer, horizon: int) -> Explanation:
    """Explain why there is no plan of a number of steps, if that is proven already.

    The analyses are those of `explain_missing`; the quick ones come first.
    """
    refuse_frontier(work.problem)
    work.update(horizon=horizon, excluded=True)
    if _find_obstacles(work):
        return work.so_far
    question = work.open()
    question.ground(horizon, work.announce)
    _find_never(work, question)
    _find_goals(work, question)
    _find_conflict(work, question, facts=False)
    _find_relaxed(work, question, _kept(question.constraints, (), ()))
    return work.so_far


def _find_obstacles(work: Explainer) -> bool:
    """Add the obstacles in the source of a translated problem; return whether there are any.

    An obstacle is a condition of the goal that is unreachable.
    """
    source = work.problem.source
    if source is None:
        return False
    obstacles = tuple(WrittenLiteral(at, text) for at, text in source.find_obstacles())
    if obstacles:
        work.update(excluded=True, obstacles=obstacles, question=work.verdict)
    return bool(obstacles)


def _find_plan(
    work: Explainer,
    question: Question,
) -> bool:
    """Look for a plan and add it to the results; return whether there is one.

    If the solver proves that there is no plan, set `excluded` in the results.
    """
    work.begin(question, "looking for a plan")
    answer = question.ask(question.kept(), goal=question.horizon)
    if answer.satisfiable:
        shown = answer.models[0]
        plan = work.ordered(question.shortened(question.plan(shown), shown))
        work.update(found=work.named(plan))
        return True
    work.update(excluded=work.so_far.excluded or answer.satisfiable is False)
    return False


def _find_conflict(
    work: Explainer,
    question: Question,
    facts: bool,
) -> None:
    """Add a small conflict; if `facts` is set, facts of the instance may belong to it."""
    if facts:
        files = set(work.problem.files)
        if not work.problem.is_complete:
            files.discard(str(work.problem.path))
        horizon = question.horizon
        question = work.open(with_optional_facts(question.program, files))
        question.ground(horizon, work.announce)
    work.begin(question, "looking for a small conflict")
    work.update(conflict=find_conflict(question, lambda c: work.update(conflict=c)))


def _find_goals(work: Explainer, question: Question) -> None:
    """Add the conditions of the goal, and when each of them can hold."""
    work.begin(question, "checking the goals one by one")
    work.update(goals=find_goals(question, lambda goals: work.update(goals=goals)))


def _find_never(
    work: Explainer,
    question: Question,
) -> None:
    """Add the rules, actions and fluents that are unreachable within the horizon."""
    work.announce("looking for rules, actions and atoms that never happen")
    question.solver.budget = work.budget
    if work.problem.program.horizon is not None:
        return
    never = find_never(question, work.so_far.warnings)
    if never is not None:
        rules = switched_on(never.rules, work.switches)
        work.update(never=replace(never, rules=rules))


def _find_relaxed(
    work: Explainer,
    question: Question,
    kept: Sequence[Pin],
) -> None:
    """Add a plan that violates the fewest constraints, with the rules that explain each violation.

    `kept` are the assumptions for the constraints that the plan must not violate.
    """
    work.begin(question, "looking for a plan that breaks few constraints")

    def add(answer: Answer) -> Relaxed:
        shown = answer.models[-1]
        violations = question.violations(shown.symbols).values()
        broken = sorted(violations, key=lambda one: (one.step, one.rule.at))
        relaxed = Relaxed(work.named(question.plan(shown)), tuple(broken), answer.proven)
        work.update(relaxed=relaxed)
        return relaxed

    def report(answer: Answer) -> None:
        add(answer)

    answer = question.ask(kept, goal=question.horizon, least=True, on_better=report)
    if answer.models:
        relaxed = add(answer)
        broken = with_causes(answered(question, answer, question.horizon))
        work.update(relaxed=replace(relaxed, broken=broken))


def _kept(
    constraints: Sequence[Constraint],
    soft: Iterable[str],
    hard: Iterable[str],
) -> list[Pin]:
    """Return the assumptions that enforce the `hard` constraints and the goal.

    Constraints of the goal at the locations in `soft` are not enforced, unless they are also
    `hard`.
    """
    free: set[Constraint] = set()
    for place in soft:
        free.update(_constraints_at(place, constraints))
    enforced = {constraint for constraint in constraints if constraint.rule.goal} - free
    for place in hard:
        enforced.update(_constraints_at(place, constraints))
    return [(constraint.kept, True) for constraint in constraints if constraint in enforced]


def _constraints_at(
    place: str,
    constraints: Sequence[Constraint],
) -> list[Constraint]:
    """Return the constraints at a location `FILE:LINE`; raise `UsageError` if there is none."""
    file, _, line = place.rpartition(":")
    parts = PurePath(file).parts
    number = int(line) if line.isdigit() else 0
    near = [each for each in constraints if each.rule.at.line <= number <= each.last]
    matches = [c for c in near if PurePath(c.rule.at.file).parts[-len(parts) :] == parts]
    if matches:
        return matches
    places = (f"{PurePath(c.rule.at.file).name}:{c.rule.at.line}" for c in constraints)
    listed = ", ".join(dict.fromkeys(places))
    hint = f"constraints are at {listed}" if listed else "the program has no constraints"
    raise UsageError(f"{place}: there is no constraint at this place", hint=hint)


def explain_refused(
    work: Explainer,
    plan: Plan,
) -> Explanation:
    """Explain why the program refuses a plan, and add the objection of the domain's model."""
    refuse_frontier(work.problem)
    work.announce("replaying the plan in the domain's model")
    work.update(horizon=len(plan), model=_objection(work.problem, plan))
    question = work.open()
    question.ground(len(plan), work.announce)
    actions = [[ground_term(action, "action") for action in step] for step in plan]
    refusal = find_refusal(question, actions, work.announce)
    work.update(accepted=refusal is None, refusal=refusal)
    return work.so_far


def _objection(
    problem: Problem,
    plan: Plan,
) -> str | None:
    """Return the objection of the domain's model to a plan, empty if it accepts the plan.

    Return None if there is no model.
    """
    if problem.model is None:
        return None
    try:
        check_by_model(problem, plan)
    except InvalidPlan as error:
        return error.message
    return ""


def explain_atom(
    work: Explainer,
    plan: Plan | None,
    steps: int,
    atom: str,
) -> Explanation:
    """Explain why an atom is true or false in the answer set of a plan.

    If actions are unnamed, `plan` is None, and any answer set of `steps` steps is used. If the
    program refuses the plan, the refusal is explained instead.
    """
    refuse_frontier(work.problem)
    if work.problem.source is not None:
        hint = "make a page that explains its atoms: asplan solve FILE... -o plan.html --explain"
        raise UsageError("an atom of a PDDL task is not one of its translation", hint=hint)
    work.update(horizon=steps)
    question = work.open()
    question.ground(steps, work.announce)
    work.announce("looking for the answer of the plan")
    answer = find_answer(question, plan)
    if answer is None:
        work.update(found=None)
        return explain_refused(work, plan or Plan())
    work.announce("looking for the reasons of the atom")
    work.update(found=plan and work.named(plan), why=find_why(answer, atom))
    return work.so_far
