"""What an encoding leaves to be done with a parallel plan: an order, and nothing superfluous."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from asplan.domains.pddl.interference import basis, reads
from asplan.domains.pddl.model import State, TaskModel
from asplan.errors import InvalidPlan
from asplan.plan import Plan

Step = tuple[str, ...]
Order = Callable[[TaskModel, State, Mapping[str, list[int]]], Step | None]
"""From a state and actions, each with its operators, to an order of them if there is one."""


def tidy(model: TaskModel, plan: Plan) -> Plan:
    """The same plan with the actions of each step in an order in which they can be executed.

    Of a plan with parallel steps only the actions stay that the goal needs; no step is left out.

    Raises
    ------
    InvalidPlan
        An action is none of the task, or those of a step can be executed in no order.
    """
    if all(len(step) < 2 for step in plan):
        return plan
    operators, reached = _operators(model), 0
    for t, step in enumerate(plan, 1):
        if strangers := [action for action in step if action not in operators]:
            raise InvalidPlan(f"step {t}: {strangers[0]} is no action of this task")
    for order in (_writers_last, _least_readers, _by_number, _as_listed):
        steps, state = _ordered(model, plan, operators, order)
        if len(steps) == len(plan) and model.is_goal(state):
            return replace(plan, steps=tuple(_needed(model, steps)))
        reached = max(reached, len(steps))
    if reached == len(plan):
        return plan  # it is no plan, which whoever checks it will say
    raise InvalidPlan(
        f"step {reached + 1}: {', '.join(plan.steps[reached])}: asplan finds no order in which "
        "these can be executed one after the other"
    )


def _operators(model: TaskModel) -> dict[str, list[int]]:
    """For each action the numbers of the operators that stand for it."""
    found: dict[str, list[int]] = {}
    for o, operator in enumerate(model.task.operators):
        found.setdefault(operator.action, []).append(o)
    return found


def _ordered(
    model: TaskModel, plan: Plan, operators: Mapping[str, list[int]], order: Order
) -> tuple[list[Step], State]:
    """The steps with their actions in one kind of order, as far as they can be executed so.

    All steps are ordered alike, for that is how they were meant: another order of a step may be
    possible, too, and lead elsewhere.
    """
    state, steps = model.initial, list[Step]()
    for step in plan:
        actions = order(model, state, {action: operators[action] for action in step})
        after = None if actions is None else executed(model, state, actions)
        if actions is None or after is None:
            break
        steps.append(actions)
        state = after
    return steps, state


def _by_number(model: TaskModel, state: State, step: Mapping[str, list[int]]) -> Step:
    return tuple(sorted(step, key=step.__getitem__))


def _as_listed(model: TaskModel, state: State, step: Mapping[str, list[int]]) -> Step:
    return tuple(step)


def executed(model: TaskModel, state: State, actions: Iterable[str]) -> State | None:
    """The state after some actions; None if one of them does not apply."""
    for action in actions:
        if model.why_not(state, action) is not None:
            return None
        state = model.apply(state, action)
    return state


def _writers_last(model: TaskModel, state: State, step: Mapping[str, list[int]]) -> Step | None:
    """The actions in an order in which what reads a variable comes before what changes it."""
    task, rests_on = model.task, basis(model.task)
    present = set(model.facts(state))
    read, changed = dict[str, set[int]](), dict[str, set[int]]()
    for action, numbers in step.items():
        operators = [task.operators[o] for o in numbers]
        effects = [effect.fact for operator in operators for effect in operator.effects]
        read[action] = set().union(*(reads(operator, rests_on) for operator in operators))
        changed[action] = {fact[0] for fact in effects if fact not in present}
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for action in step:
        sorter.add(action, *(a for a in step if a != action and read[a] & changed[action]))
    try:
        return tuple(sorter.static_order())
    except CycleError:
        return None


def _least_readers(model: TaskModel, state: State, step: Mapping[str, list[int]]) -> Step | None:
    """The same, each action being the operator that applies and reads the fewest variables.

    An action stands for several operators where its precondition is a disjunction. What they read
    together can go round in a circle that none of them has to be part of.
    """
    operators, rests_on = model.task.operators, basis(model.task)
    holding = set(model.facts(model.complete(state)))
    chosen: dict[str, list[int]] = {}
    for action, numbers in step.items():
        applying = [o for o in numbers if holding.issuperset(operators[o].precondition)]
        if not applying:
            return None
        chosen[action] = [min(applying, key=lambda o: len(reads(operators[o], rests_on)))]
    return _writers_last(model, state, chosen)


def _needed(model: TaskModel, steps: Sequence[Step]) -> list[Step]:
    """The steps without the actions that are not needed, found greedily.

    An action goes, together with those that then do not apply any more, if the goal is reached
    all the same: Nakhost and Müller, Action Elimination and Plan Neighborhood Graph Search, 2010.
    """
    kept = [(t, action) for t, step in enumerate(steps) for action in step]
    place, state = 0, model.initial
    while place < len(kept):
        shorter = _without(model, state, kept[place + 1 :])
        if shorter is None:
            state = model.apply(state, kept[place][1])
            place += 1
        else:
            kept[place:] = shorter
    return [tuple(a for t, a in kept if t == number) for number in range(len(steps))]


def _without(
    model: TaskModel, state: State, rest: Sequence[tuple[int, str]]
) -> list[tuple[int, str]] | None:
    """What of the rest of a plan still applies in a state, if it leads to the goal."""
    applied = []
    for t, action in rest:
        if model.why_not(state, action) is None:
            state = model.apply(state, action)
            applied.append((t, action))
    return applied if model.is_goal(state) else None
