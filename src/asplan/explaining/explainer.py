"""One explanation from beginning to end: which question comes when, and how much time it has.

And why what holds at each step of a plan does, as plain data for a page in which people click.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from clingo import Function

from asplan.core.errors import InvalidPlan, UsageError
from asplan.core.plan import Plan
from asplan.engines.asp.answer import Answer
from asplan.engines.asp.replay import atoms_of
from asplan.engines.asp.trajectory import fluents_of
from asplan.explaining.conflict import find_conflict, find_goals, find_never, with_optional_facts
from asplan.explaining.derivation import find_answer, find_derivation, find_why
from asplan.explaining.explanation import (
    Explanation,
    Literal,
    Nearest,
    Never,
    Relaxed,
    Rule,
    Values,
    Violation,
    in_turn,
)
from asplan.explaining.instances import Answered, answered
from asplan.explaining.nearest import find_refusal, with_causes
from asplan.explaining.question import (
    Constraint,
    Pin,
    Question,
    is_constraint,
    open_question,
    rule_of,
)
from asplan.explaining.text import counts_of, stop_of
from asplan.problem import Inputs, Problem, catalog, load
from asplan.program.incremental import Program, with_query
from asplan.program.roles import roles_of
from asplan.program.source import ground_term
from asplan.program.syntax import predicate, reads, signature
from asplan.program.unit import QUERY, read_unit
from asplan.program.wording import Wording
from asplan.result import Result
from asplan.validation import check
from asplan.warnings import switched_on


@dataclass
class Explainer:
    """An explanation in the making; whoever waits hears of `so_far` whenever it changes."""

    problem: Problem
    deadline: float | None
    report: Callable[[Explanation], None]
    so_far: Explanation = field(default_factory=Explanation)
    switches: tuple[str, ...] = ()

    def open(self, program: Program | None = None) -> Question:
        program = program or with_query(self.problem.program)
        given = self.problem.given_at(self.so_far.horizon or 0)
        return open_question(program, given, self.deadline)

    def named(self, plan: Plan) -> Plan:
        """A plan with the names of its actions as their source writes them."""
        written = self.problem.written
        if written is None:
            return plan
        return replace(plan, names={action: written(action) for action in plan.actions})

    def ordered(self, plan: Plan) -> Plan:
        """Return a plan with the actions of each step in an order in which they can be executed."""
        domain, model = self.problem.domain, self.problem.model
        if domain is not None and domain.tidy is not None and model is not None:
            with suppress(InvalidPlan):
                return domain.tidy(model, plan)
        return plan

    def know(self, **news: object) -> None:
        """Add to what is known, and report it."""
        self.so_far = replace(self.so_far, **news)  # type: ignore[arg-type]
        self.report(self.so_far)

    def tell(self, doing: str) -> None:
        self.know(reason=doing)

    def begin(self, question: Question, doing: str) -> None:
        """Report what is being done, and give it half of the time that is left."""
        self.tell(doing)
        if self.deadline is not None:
            now = time.monotonic()
            question.session.deadline = now + max(0.0, self.deadline - now) / 2


def explain_missing(
    work: Explainer,
    horizon: int,
    soft: Iterable[str] = (),
    hard: Iterable[str] = (),
    facts: bool = False,
) -> Explanation:
    """Explain why there is no plan of a number of steps.

    `soft` and `hard` are places `FILE:LINE` of constraints that a relaxed plan may break, or must
    not; with `facts` a conflict may hold facts of the instance as well.
    """
    refuse_frontier(work.problem)
    work.know(horizon=horizon)
    if (words := work.problem.words) is not None:
        obstacles = tuple(Literal(at, text) for at, text in words.obstacles())
        if obstacles:
            chosen = work.so_far.question.partition(" Why not")[0]  # no steps matter
            work.know(excluded=True, obstacles=obstacles, question=chosen)
            return work.so_far
    question = work.open()
    kept = _kept(question.constraints, soft, hard)
    question.ground(horizon, work.tell)
    work.begin(question, "looking for a plan")
    answer = question.ask(question.kept(), goal=horizon)
    if answer.satisfiable:
        shown = answer.models[0]
        plan = work.ordered(question.shortened(question.plan(shown), shown))
        work.know(found=work.named(plan))
        return work.so_far
    work.know(excluded=work.so_far.excluded or answer.satisfiable is False)
    if work.so_far.excluded:
        about = question
        if facts:
            problem = work.problem
            files = set(problem.files) - (set() if problem.is_whole else {str(problem.path)})
            about = work.open(with_optional_facts(question.program, files))
            about.ground(horizon, work.tell)
        work.begin(about, "looking for a small conflict")
        work.know(conflict=find_conflict(about, lambda c: work.know(conflict=c)))
    work.begin(question, "looking for a plan that breaks little")
    _find_relaxed(work, question, kept)
    conflict = work.so_far.conflict
    if conflict is not None and not any(rule.goal for rule in conflict.rules):
        return work.so_far  # no steps are left, so there is nothing to say of the goal
    work.begin(question, "looking at the goals one by one")
    work.know(goals=find_goals(question, lambda goals: work.know(goals=goals)))
    work.tell("looking for what can never be")
    question.session.deadline = work.deadline
    if work.problem.program.horizon is None:
        never = find_never(question, work.so_far.warnings)
        if never is not None:
            work.know(never=replace(never, rules=switched_on(never.rules, work.switches)))
    return work.so_far


def why_idle(problem: Problem) -> str:
    """Why no step is needed: where the conditions of the goal are, or that there are none."""
    sections = () if problem.words else problem.program.sections
    pairs = [(section, each) for section in sections for each in section.statements]
    rules = [rule_of(each, section, Wording()) for section, each in pairs if is_constraint(each)]
    places = [str(rule.at) for rule in rules if rule.goal]
    if places:
        several = "the goal's conditions hold"
        one = several if places[1:] else "the condition of the goal holds"
        return f"{one} at time 0 ({', '.join(places)})"
    is_bare = problem.program.horizon is None and bool(sections)
    if is_bare and not any(signature(a) == QUERY for _, each in pairs for a in reads(each)):
        return "no constraint reads query(t), so nothing demands a goal"
    return "the goal holds at time 0"


def _kept(constraints: Sequence[Constraint], soft: Iterable[str], hard: Iterable[str]) -> list[Pin]:
    """What keeps the constraints that a relaxed plan must not break: the goal's and hard ones."""
    free = {c for place in soft for c in _at(place, constraints)}
    kept = {c for place in hard for c in _at(place, constraints)}
    return [(c.kept, True) for c in constraints if c in kept or (c.rule.goal and c not in free)]


def _at(place: str, constraints: Sequence[Constraint]) -> list[Constraint]:
    file, _, line = place.rpartition(":")
    parts, number = PurePath(file).parts, int(line) if line.isdigit() else 0
    near = (c for c in constraints if c.rule.at.line <= number <= c.last)
    found = [c for c in near if PurePath(c.rule.at.file).parts[-len(parts) :] == parts]
    if not found:
        places = (f"{PurePath(c.rule.at.file).name}:{c.rule.at.line}" for c in constraints)
        known = ", ".join(dict.fromkeys(places))
        hint = f"constraints stand at {known}" if known else "the program has no constraints"
        raise UsageError(f"{place}: there is no constraint at this place", hint=hint)
    return found


def _find_relaxed(work: Explainer, question: Question, kept: Sequence[Pin]) -> None:
    """Find the plan that breaks the fewest instances of constraints, and what is behind them."""

    def note(answer: Answer) -> Relaxed:
        shown = answer.models[-1]
        found = question.violations(shown.symbols).values()
        broken = sorted(found, key=lambda one: (one.step, one.rule.at))
        relaxed = Relaxed(work.named(question.plan(shown)), tuple(broken), answer.proven)
        work.know(relaxed=relaxed)
        return relaxed

    better: Callable[[Answer], Any] = note
    answer = question.ask(kept, goal=question.horizon, least=True, on_better=better)
    if answer.models:
        relaxed, found = note(answer), answered(question, answer, question.horizon)
        work.know(relaxed=replace(relaxed, broken=with_causes(found)))


def explain_refused(work: Explainer, plan: Plan) -> Explanation:
    """Explain why a plan is refused, by the encoding and by the domain's model."""
    refuse_frontier(work.problem)
    work.tell("replaying the plan in the domain's model")
    objection = None if work.problem.model is None else ""
    if objection is not None:
        try:
            check(replace(work.problem, is_replayed=False), plan)
        except InvalidPlan as error:
            objection = error.message
    work.know(horizon=len(plan), model=objection)
    question = work.open()
    question.ground(len(plan), work.tell)
    actions = [[ground_term(action, "action") for action in step] for step in plan]
    refusal = find_refusal(question, actions, work.tell)
    work.know(accepted=refusal is None, refusal=refusal)
    return work.so_far


def explain_atom(work: Explainer, plan: Plan | None, steps: int, atom: str) -> Explanation:
    """Explain why an atom holds in the answer that a plan is read from, or why it does not.

    Where what happens has no names there is no plan, and any answer of so many steps will do. Where
    the program refuses the plan, that is explained instead.
    """
    refuse_frontier(work.problem)
    if work.problem.words is not None:
        hint = "asplan solve FILE... -o plan.html --explain makes a page that says why it holds"
        raise UsageError("an atom of a PDDL task is not one of its translation", hint=hint)
    work.know(horizon=steps)
    question = work.open()
    question.ground(steps, work.tell)
    work.tell("looking for the answer of the plan")
    if (answer := find_answer(question, plan)) is None:
        work.know(found=None)
        return explain_refused(work, plan or Plan())
    work.tell("looking for what stands behind the atom")
    work.know(found=plan and work.named(plan), why=find_why(answer, atom))
    return work.so_far


def refuse_frontier(problem: Problem) -> None:
    """Raise `UsageError` for an encoding that leaves nothing to the solver."""
    if problem.program.plan_part:
        names = explainable(problem)
        raise UsageError(
            f"{problem.encoding} searches while it is grounded, so it has no constraints that "
            "could give way",
            hint=f"take -e {' or '.join(names)}" if names else "name another encoding with -e",
        )


def load_explainable(inputs: Inputs) -> Problem:
    """The problem, with an encoding that can be explained where the choice is asplan's."""
    problem = load(inputs)
    if problem.executes is not None:
        raise UsageError("actions take time here, and asplan explains nothing of that yet")
    if inputs.encoding is None and problem.program.plan_part and (others := explainable(problem)):
        problem = load(replace(inputs, encoding=others[0]))
    return problem


def explainable(problem: Problem) -> list[str]:
    """The encodings of the same domain that leave the search to the solver."""
    home = problem.domain.name if problem.domain else None
    others = [e for e in catalog.encodings() if e.domain == home]
    return [e.name for e in others if "plan" not in read_unit(str(e.path)).parts]


def reworded(found: Explanation, problem: Problem) -> Explanation:
    """The explanation in sentences of the source, without what only speaks of the encoding."""
    if (words := problem.words) is None:
        return found

    def said(rule: Rule, values: Values = ()) -> Rule:
        return Rule(*words.rule(rule.text, dict(values)), rule.goal)

    def all_said(broken: Iterable[Violation]) -> tuple[Violation, ...]:
        return tuple(Violation(said(one.rule, one.values), one.step) for one in broken)

    conflict, relaxed, goals, refusal = found.conflict, found.relaxed, found.goals, found.refusal
    if conflict:
        conflict = replace(conflict, rules=tuple(dict.fromkeys(map(said, conflict.rules))))
    if relaxed:
        relaxed = replace(relaxed, broken=all_said(relaxed.broken))
    if refusal:
        refusal = replace(refusal, broken=all_said(refusal.broken), nearest=())
    if goals:
        each = (replace(g, rule=said(g.rule, g.values), values=()) for g in goals.goals)
        goals = replace(goals, goals=tuple(each))
    written = problem.written or str
    never = found.never and Never(actions=tuple(map(written, found.never.actions)))
    return replace(
        found, conflict=conflict, relaxed=relaxed, goals=goals, refusal=refusal, never=never
    )


_MOST = 20_000  # atoms of a page of which it is told why they hold
_TIME = Function("explain__time")


def explain_states(
    inputs: Inputs, result: Result, states: Sequence[Iterable[str]]
) -> dict[str, Any]:
    """Why the fluents of some states, and the actions between them, hold; or do so no longer.

    `inputs` lead to the problem of the result. Where its encoding leaves nothing to the solver,
    `encoding` names another one that explains.
    """
    problem, encoding = load(inputs), ""
    if problem.words is not None:
        return problem.words.reasons(result.plan or Plan())
    if problem.program.plan_part and (others := explainable(problem)):
        # One that has most of the fluents which are shown.
        shown = {predicate(ground_term(f, "fluent")) for state in states for f in state}
        loaded = {name: load(replace(inputs, encoding=name)) for name in others}

        def hidden(name: str) -> int:
            fluents = roles_of(loaded[name].program).fluents
            return len(shown - {(sign, fluent, arity - 1) for sign, fluent, arity in fluents})

        encoding = min(loaded, key=hidden)
        problem = loaded[encoding]
    refuse_frontier(problem)
    program, steps = with_query(problem.program), len(states) - 1 if states else result.horizon or 0
    question = open_question(program, problem.given_at(steps))
    question.ground(steps)
    answer = find_answer(question, result.plan, result.atoms)
    if answer is None:
        what = "the program refuses the plan, so there is nothing to say of what holds in it"
        raise UsageError(what, hint="asplan explain --plan says why")
    return _page_data(question, answer, result, states) | {"encoding": encoding}


def _page_data(
    question: Question, answer: Answered, result: Result, states: Sequence[Iterable[str]]
) -> dict[str, Any]:
    """The derivation of all that is shown: of a fluent what stands before and after its time.

    An atom that holds has a kind, the number of its rule, values, and numbers of the atoms in the
    body; those that do not have the nearest rules one behind the other.
    """
    program = question.program
    start = 0 if program.horizon is None else program.horizon.start
    parts: dict[str, tuple[str, str]] = {}
    for _, fluent, atom, place in fluents_of(answer.atoms, answer.atoms, program):
        arguments = [*atom.arguments]
        arguments[place] = _TIME
        before, _, after = str(Function(atom.name, arguments, atom.positive)).partition(str(_TIME))
        parts[str(fluent)] = before, after
    actions = [[ground_term(a, "action") for a in step] for step in result.plan or ()]
    ways = (atoms_of(actions, reading) for reading in program.readings)
    true = ([[a for a in atoms if a in answer.atoms] for atoms in way] for way in ways)
    happening = max(true, key=lambda way: sum(map(len, way)), default=[])
    wanted = [atom for atoms in happening for atom in atoms]
    for t, state in enumerate(states):
        known = dict.fromkeys([*state, *(states[t - 1] if t else ())])
        for before, after in (parts[fluent] for fluent in known if fluent in parts):
            wanted.append(ground_term(f"{before}{t + start}{after}", "atom"))
    derivation = find_derivation(answer, wanted, _MOST)
    number = {atom: n for n, atom in enumerate(derivation.supports)}
    rules: dict[Rule, int] = {}

    def number_of(rule: Rule | None) -> int:
        return -1 if rule is None else rules.setdefault(rule, len(rules))

    def written(values: Values) -> str:
        return ", ".join(f"{name}={value}" for name, value in values)

    def chain(nearest: Nearest) -> Iterator[tuple[str, int, str, str]]:
        for one in in_turn([nearest]):
            said = "nothing derives it"
            if one.rule is not None:
                said = "the nearest rule is here"
                said += f", but {stop_of(one.literal)}" if one.literal else ", and was not chosen"
            yield one.atom, number_of(one.rule), written(one.values), said

    return {
        "start": start,
        "fluents": parts,
        "actions": [list(map(str, atoms)) for atoms in happening],
        "true": [
            (
                one.atom,
                one.kind,
                number_of(one.rule),
                written(one.values),
                [number[atom] for atom in one.body],
                one.absent,
                list(map(counts_of, one.counted)),
            )
            for one in derivation.supports.values()
        ],
        "false": {atom: list(chain(one)) for atom, one in derivation.nearest.items()},
        "rules": [(f"{Path(r.at.file).name}:{r.at.line}:{r.at.column}", r.text) for r in rules],
        "left_out": derivation.left_out,
    }
