"""The engine that unified-planning calls: a plan, better ones, repaired ones, and their check.

Repair is of a plan that was made for another problem, or fails: what still applies of it stays.
Actions that do not apply are left out. Where that misses the goal, a plan is looked for that goes
on from there, or else from half the way; and if none is found a new one is made. To keep much of a
plan and to make a good one are different wishes (Fox et al., Plan Stability, ICAPS 2006).
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import inf
from queue import SimpleQueue
from threading import Event, Thread
from typing import IO, Any
from warnings import warn

from unified_planning.engines import (
    AnytimeGuarantee,
    Credits,
    OptimalityGuarantee,
    PlanGenerationResult,
    PlanGenerationResultStatus,
    ValidationResult,
    mixins,
)
from unified_planning.engines.engine import Engine as UpEngine
from unified_planning.engines.results import LogLevel, LogMessage
from unified_planning.exceptions import UPTypeError, UPUsageError
from unified_planning.model import AbstractProblem, ProblemKind
from unified_planning.model.metrics import Oversubscription
from unified_planning.plans import ActionInstance, Plan, PlanKind, SequentialPlan, TimeTriggeredPlan

from asplan.engines.run import Report, ignore_report
from asplan.result import Outcome, Result
from asplan.up import questions
from asplan.up.questions import NAME, Question, answer, timed_validation, validation
from asplan.up.writing import has_demands, refusal, supported_kind, to_pddl
from asplan.validation import check

_REPAIRING = 10.0  # seconds to look for a plan that goes on from the old one; there may be none
PATIENCE = 2.0  # seconds before a search through the states joins the engine
MEMORY = 1000  # megabytes that it may take

_MODES = (
    *(mixins.OneshotPlannerMixin, mixins.AnytimePlannerMixin),
    *(mixins.PlanRepairerMixin, mixins.PlanValidatorMixin),
)
Streams = IO[str] | tuple[IO[str], IO[str]] | None  # one, or one for output and one for errors


class Engine(UpEngine, *_MODES):  # type: ignore[misc]
    """asplan for unified-planning: plans once, plans ever better, repairs plans, and checks them.

    Where a problem has a metric, a plan is given when it is proven to be a best one; without a
    metric, as soon as there is one. Each plan is checked before it is given.

    `engine` is one of asplan's. Without `optimal` the first plan is given, whatever the metric.
    Plans are partial-order plans, of parallel steps, with `partial_order`; if that is not given,
    they are for the metric makespan. `memory_limit` is in megabytes. With `search_beside` a search
    through the states joins the engine `asp` after some seconds. For any other setting or value
    `UPUsageError` is raised.
    """

    def __init__(self, **settings: Any) -> None:
        for base in (UpEngine, *_MODES):
            base.__init__(self)
        self._settings = questions.EngineSettings.of(settings)

    @property
    def name(self) -> str:
        return NAME

    @staticmethod
    def supported_kind() -> ProblemKind:
        return supported_kind()

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        return refusal(problem_kind) is None

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        return plan_kind in (PlanKind.SEQUENTIAL_PLAN, PlanKind.TIME_TRIGGERED_PLAN)

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Whether plans are as good as that; where there is a metric, they are proven best."""
        return True

    @staticmethod
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        return bool(anytime_guarantee == AnytimeGuarantee.INCREASING_QUALITY)

    @staticmethod
    def get_credits(**kwargs: Any) -> Credits:
        short = "Planning with Answer Set Programming: shortest plans, proven and checked."
        long = (
            "asplan translates a problem into facts, solves them step by step with clingo, proves "
            "what it claims, and checks each plan on the text of the problem."
        )
        return Credits("asplan", "The asplan developers", "", "", "MIT", short, long)

    def _solve(
        self,
        problem: AbstractProblem,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: Streams = None,
    ) -> PlanGenerationResult:
        if heuristic is not None:
            warn("asplan does not use the heuristic that it was given", stacklevel=3)
        question = questions.question_about(problem, self._settings)
        return answer(question, _solve(question, timeout, _report(output_stream)))

    def _get_solutions(
        self, problem: AbstractProblem, timeout: float | None = None, output_stream: Streams = None
    ) -> Iterator[PlanGenerationResult]:
        question = questions.question_about(problem, self._settings)
        yield from _better_and_better(question, timeout, _report(output_stream))

    def _repair(self, problem: AbstractProblem, plan: Plan) -> PlanGenerationResult:
        if self.optimality_metric_required:  # whatever that keeps of the plan
            return self._solve(problem)
        settings = replace(self._settings, optimal=False, partial_order=False)
        question = questions.question_about(problem, settings)
        return _repair(question, plan)

    def _validate(self, problem: AbstractProblem, plan: Plan) -> ValidationResult:
        question = questions.question_about(problem, self._settings)
        if isinstance(plan, TimeTriggeredPlan) and question.text.has_time:
            return timed_validation(question, plan)
        if isinstance(plan, SequentialPlan) and not question.text.has_time:
            return validation(question, plan)
        wanted = "with time" if question.text.has_time else "without time"
        kind = TimeTriggeredPlan if question.text.has_time else SequentialPlan
        why = f"of a problem {wanted} asplan checks a {kind.__name__}, not a {type(plan).__name__}"
        raise UPUsageError(why)


def _report(streams: Streams) -> Report:
    if streams is None:
        return ignore_report
    stream = streams[0] if isinstance(streams, tuple) else streams
    written = ""

    def report(result: Result) -> None:
        nonlocal written
        bound = result.lower_cost or result.lower_bound
        line = f"asplan: {result.reason}" + (f" (lower bound {bound})" if bound else "")
        if result.reason and line != written:
            stream.write(line + "\n")
            written = line

    return report


class _Enough(Exception):
    """Nobody waits for the work any more."""


def _left(timeout: float | None, start: float) -> float | None:
    return None if timeout is None else max(0.1, timeout - (time.monotonic() - start))


def _solve(
    question: Question, timeout: float | None, report: Report, patience: float | None = None
) -> Result:
    """The first answer of the engine, and of a search through the states that joins it.

    ASP finds plans, but where there is none it can go on for ever, horizon after horizon, and a
    least cost it proves slowly; the engine `auto`, which has a search of its own, proves none.
    So after some seconds, `patience` or else `PATIENCE`, a search begins in a process of its own,
    with a memory of its own.
    """
    alone = question.text.has_time or not question.settings.search_beside
    if question.settings.engine != "asp" or alone:
        return question.solve(timeout, report)
    wanted = {Outcome.UNSOLVABLE}
    if not question.partial_order and question.optimized != "steps":  # it knows no parallel steps
        wanted |= {Outcome.OPTIMAL} if question.wants_proof else {Outcome.OPTIMAL, Outcome.PLAN}
    start, over, answers = time.monotonic(), Event(), list[Result]()
    beside = Result()  # what the search has proven

    def search() -> None:
        def heed(result: Result) -> None:
            nonlocal beside
            if over.is_set():
                raise _Enough
            beside = result

        if over.wait(PATIENCE if patience is None else patience):
            return
        options: dict[str, Any] = {"engine": "bfs", "memory_limit": MEMORY}
        if question.optimized in ("cost", "actions", "metric"):
            options |= {"engine": "astar", "optimal": question.optimized}
        with suppress(_Enough, UPUsageError):  # then the engine goes on alone
            result = question.solve(_left(timeout, start), heed, options)
            if result.outcome in wanted:
                answers.append(result)

    def bounded(result: Result) -> Result:
        """With the better of two lower bounds, where both count the same."""
        if question.wants_proof and question.optimized == "cost":
            return replace(result, lower_cost=max(result.lower_cost, beside.lower_cost))
        if question.wants_proof and question.optimized == "actions":
            return replace(result, lower_bound=max(result.lower_bound, beside.lower_bound))
        return result

    def heed(result: Result) -> None:
        report(bounded(result))
        if answers:
            raise _Enough

    thread = Thread(target=search, daemon=True)
    thread.start()
    try:
        return bounded(question.solve(timeout, heed))
    except _Enough:
        if not answers:  # the caller's report has raised it
            raise
        return answers[0]
    finally:
        over.set()
        thread.join()


def _better_and_better(
    question: Question, timeout: float | None, report: Report
) -> Iterator[PlanGenerationResult]:
    """A result whenever a better plan is known, the last one with its final status.

    The first plan comes soon. It is made better window by window where that can be done; else the
    others are found on the way to one that is proven best. The work is done in a thread, and ends
    when the iterator is closed.
    """
    results: SimpleQueue[PlanGenerationResult | BaseException] = SimpleQueue()
    over, start = Event(), time.monotonic()
    best: list[tuple[float | Fraction, PlanGenerationResult]] = []

    def heed(result: Result) -> None:
        if over.is_set():
            raise _Enough
        report(result)
        keep(result)

    def keep(result: Result) -> None:
        """Give a plan, if it is better than those before and the check accepts it."""
        if result.plan is None or (best and best[-1][0] <= _value(question, result)):
            return
        if result.validated is None:
            checked = check(question.source(), result.plan)
            result = replace(result, plans=(checked.plan,), validated=checked.how)
        status = PlanGenerationResultStatus.INTERMEDIATE
        plan = replace(answer(question, result), status=status)
        best.append((_value(question, result), plan))
        results.put(plan)

    def last() -> PlanGenerationResult:
        if better := question.for_better_plans(timeout):
            # Windows of a plan seldom prove anything; the search beside them does.
            return final(_solve(better, timeout, heed, patience=0))
        settings = replace(question.settings, optimal=False)
        any_plan = replace(question.for_any_plan(), settings=settings)
        result = _solve(any_plan, timeout, heed)
        if result.plan is None or not question.wants_proof:
            return answer(any_plan, result)
        keep(result)
        return final(_solve(question, _left(timeout, start), heed))

    def final(result: Result) -> PlanGenerationResult:
        """The last answer, with the best plan that is known."""
        found = answer(question, result)
        if not best or (found.plan is not None and _value(question, result) <= best[-1][0]):
            return found
        known, bound = best[-1][1], (found.metrics or {})["lower_bound"]
        metrics = {**(known.metrics or {}), "lower_bound": bound}
        return replace(found, plan=known.plan, metrics=metrics)

    def work() -> None:
        try:
            results.put(last())
        except BaseException as error:
            results.put(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        while True:
            result = results.get()
            if isinstance(result, BaseException):
                raise result
            yield result
            if result.status is not PlanGenerationResultStatus.INTERMEDIATE:
                return
    finally:
        over.set()
        thread.join()


def _value(question: Question, result: Result) -> float | Fraction:
    """What is to be least of a plan."""
    assert result.plan is not None
    if question.optimized == "cost":
        return result.cost[0] if result.cost else 0
    if isinstance(next(iter(question.problem.quality_metrics), None), Oversubscription):
        return inf if result.metric is None else -result.metric
    return len(result.plan) if question.optimized == "steps" else len(result.plan.actions)


def _repair(question: Question, plan: Plan) -> PlanGenerationResult:
    """A valid plan that begins with as much of a given one as is easily had (`kept`), or anew."""
    if not question.text.has_time:
        old: Sequence[ActionInstance] = plan.actions if isinstance(plan, SequentialPlan) else ()
        for actions, kept in _repaired(question, old):
            repaired = SequentialPlan(actions, question.problem.environment)
            if (judged := validation(question, repaired)).status:
                metrics = {"kept": str(kept), "actions": str(len(actions))}
                for value in (judged.metric_evaluations or {}).values():
                    metrics["metric"] = str(value)
                return _result(repaired, f"{kept} actions of the old plan stay", metrics)
    elif isinstance(plan, TimeTriggeredPlan) and timed_validation(question, plan).status:
        return _result(plan, "the old plan is valid", {"kept": str(len(plan.timed_actions))})
    anew = answer(question, _solve(question, None, ignore_report))
    return replace(anew, metrics={**(anew.metrics or {}), "kept": "0"})


def _result(plan: Plan, why: str, metrics: dict[str, str]) -> PlanGenerationResult:
    status, logs = PlanGenerationResultStatus.SOLVED_SATISFICING, [LogMessage(LogLevel.INFO, why)]
    return PlanGenerationResult(status, plan, NAME, metrics=metrics, log_messages=logs)


def _repaired(
    question: Question, old: Iterable[ActionInstance]
) -> Iterator[tuple[list[ActionInstance], int]]:
    """Plans to try, each with the number of old actions that it begins with."""
    model: Any = question.source().referee
    kept, states = _follow(question, model, old)
    for n in reversed(range(len(states))):
        if model.is_goal(states[n]):
            yield kept[:n], n
            return
    if question.text.has_numbers or has_demands(question.problem.kind):
        return  # a state tells too little of what is left to do, or cannot be written
    for n in filter(None, dict.fromkeys((len(kept), len(kept) // 2))):
        # The same question from another state, which is atoms in the words of the PDDL text.
        names, later = question.text.names, question.compiled.clone()
        for atom in model.initial ^ states[n]:
            fluent, *objects = map(names.items.__getitem__, atom)
            later.set_initial_value(fluent(*objects), atom in states[n])
        text = replace(question.text, problem=to_pddl(later).problem)
        result = _solve(replace(question, text=text), _REPAIRING, ignore_report)
        rest = answer(question, result).plan
        if rest is not None:
            yield [*kept[:n], *rest.actions], n


def _follow(
    question: Question, model: Any, old: Iterable[ActionInstance]
) -> tuple[list[ActionInstance], list[Any]]:
    """The actions of a plan that apply one after the other, and the states that they lead to."""
    problem, kept, states = question.problem, list[ActionInstance](), [model.initial]
    constant = problem.environment.expression_manager.ObjectExp
    for instance in old:
        try:
            # The problem's own action and objects of the same names.
            name, items = instance.action.name, [p.object() for p in instance.actual_parameters]
            known = problem.has_action(name) and all(problem.has_object(i.name) for i in items)
            if not known or len(problem.action(name).parameters) != len(items):
                continue
            objects = tuple(constant(problem.object(item.name)) for item in items)
            own = ActionInstance(problem.action(name), objects)
            word, *words = questions.words_of(question.compile(own), question.text.names)
            action = model.action(word, tuple(words))
        except (KeyError, ValueError, UPTypeError):
            continue
        if model.why_not(states[-1], action) is None:
            kept.append(own)
            states.append(model.apply(states[-1], action))
    return kept, states
