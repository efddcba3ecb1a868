"""Which operators may hinder each other within a step, and where they might do so in a circle.

An operator *reads* a variable if it has a condition on it, or on a derived variable that rests on
it; it *writes* a variable if it has an effect on it, other than what its precondition asks for.
Within a step all that read a variable come before those that write it. With a node for each
operator and two for each variable that order is a graph of linear size (it would be quadratic from
operator to operator):

    reads only         operator -> reading(V)
    reads and writes   reading(V) -> operator -> writing(V)
    writes only        reading(V) -> operator,  writing(V) -> operator

Only within the strongly connected components of this graph can a step go round in a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from asplan.errors import InvalidPlan
from asplan.graphs import components
from asplan.pddl.task.model import State, TaskModel
from asplan.pddl.task.task import Fact, Operator, Task
from asplan.plan import Plan


def basis(task: Task) -> dict[int, frozenset[int]]:
    """For each derived variable the basic ones that it rests on."""
    direct: dict[int, set[int]] = {
        v: set() for v, variable in enumerate(task.variables) if variable.is_derived
    }
    for axiom in task.axioms:
        direct[axiom.fact[0]].update(v for v, _ in axiom.condition)
    return {v: frozenset(_reached(v, direct) - direct.keys()) for v in direct}


def _reached(start: int, after: dict[int, set[int]]) -> set[int]:
    found, left = set[int](), [start]
    while left:
        for v in after.get(left.pop(), ()):
            if v not in found:
                found.add(v)
                left.append(v)
    return found


def reads(operator: Operator, rests_on: dict[int, frozenset[int]]) -> set[int]:
    """The basic variables that an operator reads."""
    conditions = [operator.precondition, *(effect.condition for effect in operator.effects)]
    found = {v for condition in conditions for v, _ in condition}
    return found.union(*(rests_on[v] for v in found if v in rests_on)) - rests_on.keys()


def writes(operator: Operator) -> set[int]:
    """The variables that an operator writes; what its precondition asks for stays as it is."""
    kept = set(operator.precondition)
    return {effect.fact[0] for effect in operator.effects if effect.fact not in kept}


def circles(task: Task) -> list[list[str]]:
    """The strongly connected components of two nodes and more: `operator(O)`, `reading(V)`, …"""
    first, last = len(task.operators), len(task.operators) + len(task.variables)
    after: list[list[int]] = [[] for _ in range(last + len(task.variables))]
    rests_on = basis(task)
    for o, operator in enumerate(task.operators):
        read, written = reads(operator, rests_on), writes(operator)
        after[o] += [first + v for v in read - written] + [last + v for v in read & written]
        for v in written:
            after[first + v].append(o)
            if v not in read:
                after[last + v].append(o)

    def name(node: int) -> str:
        if node < first:
            return f"operator({node})"
        return f"reading({node - first})" if node < last else f"writing({node - last})"

    return [[name(node) for node in part] for part in components(after) if len(part) > 1]


# The operators in a fixed order: for each fact those that touch it, one after the other.
#
# If the operators of a step are executed in the order of their numbers, what holds in between is told
# along a chain for each fact. Operators with a condition on a variable touch two of its facts, the
# one they ask for and the one they bring about; those without may end any of them.


START = "start"
"""What stands at the beginning of each chain."""

Link = int | str
"""An operator, or `START`."""


class Chains(NamedTuple):
    """The chains of all facts.

    Attributes
    ----------
    links
        For each fact the operators that touch it, in order, `START` first.
    seen
        For each operator and each fact that it may ask for the last in the chain before it.
    """

    links: dict[Fact, list[Link]]
    seen: list[list[tuple[Fact, Link]]]


def chains(task: Task) -> Chains:
    """The chains of the basic variables' facts; a task without axioms has them in linear size."""
    rests_on = basis(task)
    links: dict[Fact, list[Link]] = {
        (v, d): [START]
        for v, variable in enumerate(task.variables)
        for d in range(len(variable.values))
        if not variable.is_derived
    }
    seen = []
    for o, operator in enumerate(task.operators):
        asked = sorted(set(_asked(task, operator, rests_on)))
        seen.append([(fact, links[fact][-1]) for fact in asked])
        for fact in sorted(set(_touched(task, operator))):
            links[fact].append(o)
    return Chains(links, seen)


def _asked(task: Task, operator: Operator, rests_on: dict[int, frozenset[int]]) -> Iterator[Fact]:
    """The facts that an operator may ask for; of what derived variables rest on all of them."""
    conditions = [operator.precondition, *(effect.condition for effect in operator.effects)]
    asked = {fact for condition in conditions for fact in condition}
    yield from (fact for fact in asked if fact[0] not in rests_on)
    derived = {v for v, _ in asked} & rests_on.keys()
    for v in {w for derived_one in derived for w in rests_on[derived_one]}:
        yield from ((v, d) for d in range(len(task.variables[v].values)))


def _touched(task: Task, operator: Operator) -> Iterator[Fact]:
    """The facts that an operator may begin or end."""
    before = dict(operator.precondition)
    for v in writes(operator):
        effects = [e for e in operator.effects if e.fact[0] == v]
        yield from (effect.fact for effect in effects)
        if v in before:
            yield v, before[v]
        else:
            yield from ((v, d) for d in range(len(task.variables[v].values)))


# What an encoding leaves to be done with a parallel plan: an order, and nothing superfluous.


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
