"""Repair of a plan that was made for another problem, or fails: what still applies of it stays.

Actions that do not apply are left out. Where that misses the goal, a plan is looked for that goes
on from there, or else from half the way; and if none is found a new one is made. To keep much of a
plan and to make a good one are different wishes (Fox et al., Plan Stability, ICAPS 2006).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from unified_planning.engines import PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.engines.results import LogLevel, LogMessage
from unified_planning.exceptions import UPTypeError
from unified_planning.plans import ActionInstance, Plan, SequentialPlan, TimeTriggeredPlan

from asplan.result import Result
from asplan.up.questions import NAME, Question, answer, timed_validation, validation, words_of
from asplan.up.writing import has_demands, to_pddl

PATIENCE = 10.0  # seconds to look for a plan that goes on from the old one; there may be none
Solve = Callable[[Question, float | None], Result]  # answers a question within some seconds
State = frozenset[tuple[str, ...]]  # the atoms that hold, in the words of the PDDL text


def repair(question: Question, plan: Plan, solve: Solve) -> PlanGenerationResult:
    """A valid plan that begins with as much of a given one as is easily had (`kept`), or anew."""
    if not question.text.has_time:
        old: Sequence[ActionInstance] = plan.actions if isinstance(plan, SequentialPlan) else ()
        for actions, kept in _repaired(question, old, solve):
            repaired = SequentialPlan(actions, question.problem.environment)
            if (judged := validation(question, repaired)).status:
                metrics = {"kept": str(kept), "actions": str(len(actions))}
                for value in (judged.metric_evaluations or {}).values():
                    metrics["metric"] = str(value)
                return _result(repaired, f"{kept} actions of the old plan stay", metrics)
    elif isinstance(plan, TimeTriggeredPlan) and timed_validation(question, plan).status:
        return _result(plan, "the old plan is valid", {"kept": str(len(plan.timed_actions))})
    anew = answer(question, solve(question, None))
    return replace(anew, metrics={**(anew.metrics or {}), "kept": "0"})


def _result(plan: Plan, why: str, metrics: dict[str, str]) -> PlanGenerationResult:
    status, logs = PlanGenerationResultStatus.SOLVED_SATISFICING, [LogMessage(LogLevel.INFO, why)]
    return PlanGenerationResult(status, plan, NAME, metrics=metrics, log_messages=logs)


def _repaired(
    question: Question, old: Iterable[ActionInstance], solve: Solve
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
        rest = answer(question, solve(_from(question, model, states[n]), PATIENCE)).plan
        if rest is not None:
            yield [*kept[:n], *rest.actions], n


def _follow(
    question: Question, model: Any, old: Iterable[ActionInstance]
) -> tuple[list[ActionInstance], list[Any]]:
    """The actions of a plan that apply one after the other, and the states that they lead to."""
    kept, states = list[ActionInstance](), [model.initial]
    for instance in old:
        try:
            own = _own(question, instance)
            word, *words = words_of(question.compile(own), question.text.names)
            action = model.action(word, tuple(words))
        except (KeyError, ValueError, UPTypeError):
            continue
        if model.why_not(states[-1], action) is None:
            kept.append(own)
            states.append(model.apply(states[-1], action))
    return kept, states


def _own(question: Question, instance: ActionInstance) -> ActionInstance:
    """The problem's own action and objects of the same names; KeyError if it has none such."""
    problem, objects = question.problem, [p.object() for p in instance.actual_parameters]
    known = problem.has_action(instance.action.name) and all(
        problem.has_object(item.name) for item in objects
    )
    action = problem.action(instance.action.name) if known else instance.action
    if not known or len(action.parameters) != len(objects):
        raise KeyError(str(instance))
    constant = problem.environment.expression_manager.ObjectExp
    return ActionInstance(action, tuple(constant(problem.object(o.name)) for o in objects))


def _from(question: Question, model: Any, state: State) -> Question:
    """The same question from another state."""
    names, later = question.text.names, question.compiled.clone()
    for atom in model.initial ^ state:
        fluent, *objects = map(names.item, atom)
        later.set_initial_value(fluent(*objects), atom in state)
    return replace(question, text=replace(question.text, problem=to_pddl(later).problem))
