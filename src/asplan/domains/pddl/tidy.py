"""What an encoding leaves to be done with a parallel plan: an order, and nothing superfluous."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from asplan.domains.pddl.interference import basis, reads, writes
from asplan.domains.pddl.model import State, TaskModel
from asplan.errors import InvalidPlan
from asplan.plan import Plan

Step = tuple[str, ...]


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
    state, steps = model.initial, []
    for t, step in enumerate(plan, 1):
        if strangers := [action for action in step if action not in model.operators]:
            raise InvalidPlan(f"step {t}: {strangers[0]} is no action of this task")
        ordered, state = _ordered(model, state, step, t)
        steps.append(ordered)
    return replace(plan, steps=tuple(_needed(model, steps)))


def _ordered(model: TaskModel, state: State, step: Step, t: int) -> tuple[Step, State]:
    """The actions of a step in order, and the state after them."""
    by_number = tuple(sorted(step, key=lambda action: model.operators[action][0]))
    for candidate in filter(None, (_before_writers(model, by_number), by_number, step)):
        if (after := executed(model, state, candidate)) is not None:
            return candidate, after
    raise InvalidPlan(
        f"step {t}: {', '.join(step)}: these cannot be executed one after the other in any order "
        "that was tried"
    )


def executed(model: TaskModel, state: State, actions: Iterable[str]) -> State | None:
    """The state after some actions; None if one of them does not apply."""
    for action in actions:
        if model.why_not(state, action) is not None:
            return None
        state = model.apply(state, action)
    return state


def _before_writers(model: TaskModel, step: Step) -> Step | None:
    """The actions in an order in which what reads a variable comes before what writes it."""
    rests_on = basis(model.task)
    operators = {a: [model.task.operators[o] for o in model.operators[a]] for a in step}
    read = {a: set[int]().union(*(reads(o, rests_on) for o in operators[a])) for a in step}
    written = {a: set[int]().union(*map(writes, operators[a])) for a in step}
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for action in step:
        before = (other for other in step if other != action and read[other] & written[action])
        sorter.add(action, *before)
    try:
        return tuple(sorter.static_order())
    except CycleError:
        return None


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
