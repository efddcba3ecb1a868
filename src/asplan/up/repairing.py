"""Repair of a plan that was made for another problem, or that fails.

Actions that are not applicable are dropped. If the other actions miss the goal, a search continues
the plan from its end, then from its middle. If both fail, a new plan is made. Plan stability and
plan quality are different objectives (Fox et al., Plan Stability, ICAPS 2006).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from unified_planning.engines import PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.engines.results import LogLevel, LogMessage
from unified_planning.exceptions import UPTypeError
from unified_planning.plans import (
    ActionInstance,
    Plan,
    SequentialPlan,
    TimeTriggeredPlan,
)

from asplan.core.budget import ignore_report
from asplan.up.answers import make_result
from asplan.up.features import has_demands
from asplan.up.questions import NAME, UpQuestion
from asplan.up.referee import (
    Referee,
    State,
    find_action,
    referee_of,
)
from asplan.up.solving import solve
from asplan.up.validating import validate_sequential, validate_timed
from asplan.up.writing import to_pddl

_SECONDS = 10.0
"""The time limit of a search that continues a plan; it may find that there is no continuation."""


def repair_plan(question: UpQuestion, plan: Plan) -> PlanGenerationResult:
    """Return a valid plan that begins with actions of an old plan, if possible; else a new plan.

    The metric `kept` of the result is the number of old actions at the beginning.
    """
    repair = _repair_timed if question.text.has_time else _repair_sequential
    repaired = repair(question, plan)
    if repaired is not None:
        return repaired
    new = make_result(question, solve(question, None, ignore_report))
    return replace(new, metrics={**(new.metrics or {}), "kept": "0"})


def _repair_timed(question: UpQuestion, plan: Plan) -> PlanGenerationResult | None:
    """Return the old plan with times if it is valid; else None."""
    if not isinstance(plan, TimeTriggeredPlan) or not validate_timed(question, plan).status:
        return None
    metrics = {"kept": str(len(plan.timed_actions))}
    return _make_result(plan, "the old plan is valid", metrics)


def _repair_sequential(question: UpQuestion, plan: Plan) -> PlanGenerationResult | None:
    """Return the first valid plan among the candidates made from the old plan; None if all are
    invalid.
    """
    old: Sequence[ActionInstance] = plan.actions if isinstance(plan, SequentialPlan) else ()
    for actions, kept in _candidates(question, old):
        candidate = SequentialPlan(actions, question.problem.environment)
        validation = validate_sequential(question, candidate)
        if validation.status:
            metrics = {"kept": str(kept), "actions": str(len(actions))}
            for value in (validation.metric_evaluations or {}).values():
                metrics["metric"] = str(value)
            return _make_result(candidate, f"{kept} actions of the old plan stay", metrics)
    return None


def _make_result(plan: Plan, message: str, metrics: dict[str, str]) -> PlanGenerationResult:
    return PlanGenerationResult(
        PlanGenerationResultStatus.SOLVED_SATISFICING,
        plan,
        NAME,
        metrics=metrics,
        log_messages=[LogMessage(LogLevel.INFO, message)],
    )


def _candidates(
    question: UpQuestion, old: Iterable[ActionInstance]
) -> Iterator[tuple[list[ActionInstance], int]]:
    """Yield plans that may be valid, each with the number of old actions at its beginning."""
    referee = referee_of(question)
    kept, states = _execute(question, referee, old)
    for n in reversed(range(len(states))):
        if referee.is_goal(states[n]):
            yield kept[:n], n
            return
    # A plan can be continued only if a state is described by its atoms alone.
    if question.text.has_numbers or has_demands(question.problem.kind):
        return
    lengths = dict.fromkeys((len(kept), len(kept) // 2))
    for n in lengths:
        rest = _continue(question, referee.initial, states[n]) if n else None
        if rest is not None:
            yield [*kept[:n], *rest], n


def _continue(question: UpQuestion, initial: State, state: State) -> list[ActionInstance] | None:
    """Search for a plan from `state` to the goal; return its actions, or None.

    Both states are sets of PDDL atoms.
    """
    items = question.text.names.items
    problem = question.compiled.clone()
    for atom in initial ^ state:
        fluent, *objects = (items[name] for name in atom)
        problem.set_initial_value(fluent(*objects), atom in state)
    text = replace(question.text, problem=to_pddl(problem).problem)
    result = solve(replace(question, text=text), _SECONDS, ignore_report)
    plan = make_result(question, result).plan
    return None if plan is None else list(plan.actions)


def _execute(
    question: UpQuestion, referee: Referee, old: Iterable[ActionInstance]
) -> tuple[list[ActionInstance], list[State]]:
    """Execute the applicable actions of an old plan; return these actions and all states on the
    way.

    The first state is the initial one, so there is one more state than actions.
    """
    kept: list[ActionInstance] = []
    states = [referee.initial]
    for instance in old:
        own = _find_own_action(question, instance)
        if own is None:
            continue
        try:
            action = find_action(question, referee, own)
        except (KeyError, ValueError):
            continue
        if referee.why_not(states[-1], action) is None:
            kept.append(own)
            states.append(referee.apply(states[-1], action))
    return kept, states


def _find_own_action(question: UpQuestion, instance: ActionInstance) -> ActionInstance | None:
    """Return the action of the question's problem that is called like the action `instance`.

    The names of the arguments must be the same, too. Return None if the problem has no such action.
    """
    problem = question.problem
    constant = problem.environment.expression_manager.ObjectExp
    name = instance.action.name
    objects = [parameter.object() for parameter in instance.actual_parameters]
    if not problem.has_action(name):
        return None
    action = problem.action(name)
    if len(action.parameters) != len(objects):
        return None
    if not all(problem.has_object(item.name) for item in objects):
        return None
    try:
        arguments = tuple(constant(problem.object(item.name)) for item in objects)
        return ActionInstance(action, arguments)
    except UPTypeError:
        return None
