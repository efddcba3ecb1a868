"""Which operators may hinder each other within a step, and in which order a step is executed.

An operator *reads* a variable if it has a condition on it, or on a derived variable that rests on
it; it *writes* a variable if it has an effect on it, other than what its precondition asks for.
Within a step all that read a variable come before those that write it. With a node for each
operator and two for each variable that order is a graph of linear size (it would be quadratic from
operator to operator):

    reads only         operator -> reading(V)
    reads and writes   reading(V) -> operator -> writing(V)
    writes only        reading(V) -> operator,  writing(V) -> operator

Only within the strongly connected components of this graph can a step have a cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from graphlib import CycleError, TopologicalSorter

from asplan.core.errors import InvalidPlan
from asplan.core.graphs import components
from asplan.core.plan import Plan
from asplan.pddl.task.model import State, TaskModel
from asplan.pddl.task.task import Fact, Operator, Task


def reads(task: Task, operator: Operator) -> set[int]:
    found = {v for v, _ in operator.conditions}
    rests_on = task.basis
    return found.union(*(rests_on[v] for v in found if v in rests_on)) - rests_on.keys()


def writes(operator: Operator) -> set[int]:
    """The variables that an operator writes; what its precondition asks for stays as it is."""
    kept = set(operator.precondition)
    return {effect.fact[0] for effect in operator.effects if effect.fact not in kept}


def cycles(task: Task) -> list[list[str]]:
    """The strongly connected components of two nodes and more: `operator(O)`, `reading(V)`, …"""
    operators, variables = range(len(task.operators)), range(len(task.variables))
    names = [f"operator({o})" for o in operators]
    names += [f"{kind}({v})" for kind in ("reading", "writing") for v in variables]
    reading, writing = len(operators), len(operators) + len(variables)
    after: list[list[int]] = [[] for _ in names]
    for o, operator in enumerate(task.operators):
        read, written = reads(task, operator), writes(operator)
        after[o] += [reading + v for v in read - written] + [writing + v for v in read & written]
        for v in written:
            after[reading + v].append(o)
            if v not in read:
                after[writing + v].append(o)
    return [[names[node] for node in part] for part in components(after) if len(part) > 1]


START = "start"  # what stands at the beginning of each chain
Link = int | str  # an operator, or `START`


def chains(task: Task) -> tuple[dict[Fact, list[Link]], list[list[tuple[Fact, Link]]]]:
    """For each fact of a basic variable those operators that touch it, in order, `START` first.

    If the operators of a step are executed in the order of their numbers, what holds in between is
    known along these chains. Operators with a condition on a variable touch two of its facts, the
    one they ask for and the one they bring about; those without may end any of them. A task without
    axioms has chains of linear size. Returned with them is for each operator and each fact that it
    may ask for the last in the chain before it.
    """
    rests_on = task.basis
    links: dict[Fact, list[Link]] = {f: [START] for v in task.basic for f in task.facts_of(v)}
    seen = []
    for o, operator in enumerate(task.operators):
        conditions = operator.conditions
        # Of what derived variables rest on any value may be asked for.
        asked = {fact for fact in conditions if fact[0] not in rests_on}
        for derived in {v for v, _ in conditions} & rests_on.keys():
            asked.update(fact for v in rests_on[derived] for fact in task.facts_of(v))
        seen.append([(fact, links[fact][-1]) for fact in sorted(asked)])
        before, written = dict(operator.precondition), writes(operator)
        touched = {effect.fact for effect in operator.effects if effect.fact[0] in written}
        for v in written:
            touched.update([(v, before[v])] if v in before else task.facts_of(v))
        for fact in sorted(touched):
            links[fact].append(o)
    return links, seen


Step = tuple[str, ...]
Numbers = Mapping[str, list[int]]  # for each action the numbers of the operators that stand for it


def tidy(model: TaskModel, plan: Plan, task: Task | None = None) -> Plan:
    """The same plan with the actions of each step in an order in which they can be executed.

    Of a plan with parallel steps only the actions stay that the goal needs; no step is left out.
    The `task` is what its steps were made for, if not what the model executes. Raises `InvalidPlan`
    where an action is none of the task, or a step can be executed in no order.
    """
    if all(len(step) < 2 for step in plan):
        return plan
    task = task or model.task
    numbers = task.by_action
    for t, step in enumerate(plan, 1):
        if strangers := [action for action in step if action not in numbers]:
            raise InvalidPlan(f"step {t}: {strangers[0]} is no action of this task")
    reached = 0
    # All steps are ordered alike, for that is how they were meant: another order of a step may be
    # possible, too, and lead elsewhere.
    for order in (
        partial(_writers_last, task),
        partial(_least_readers, task),
        lambda model, state, step: tuple(sorted(step, key=step.__getitem__)),
        lambda model, state, step: tuple(step),
    ):
        state, steps = model.initial, list[Step]()
        for step in plan:
            ordered = order(model, state, {action: numbers[action] for action in step})
            after = None if ordered is None else state_after(model, state, ordered)
            if ordered is None or after is None:
                break
            steps.append(ordered)
            state = after
        if len(steps) == len(plan) and model.is_goal(state):
            actions = [(t, action) for t, step in enumerate(steps) for action in step]
            needed = find_needed(model, operators_of(model, [action for _, action in actions]))
            kept = [actions[place] for place in needed]
            left = (tuple(a for t, a in kept if t == number) for number in range(len(steps)))
            return replace(plan, steps=tuple(left))
        reached = max(reached, len(steps))
    if reached == len(plan):
        return plan  # it is no plan, which whoever checks it will say
    raise InvalidPlan(
        f"step {reached + 1}: {', '.join(plan.steps[reached])}: asplan finds no order in which "
        "these can be executed one after the other"
    )


def state_after(model: TaskModel, state: State, actions: Iterable[str]) -> State | None:
    for action in actions:
        if model.why_not(state, action) is not None:
            return None
        state = model.apply(state, action)
    return state


def _writers_last(task: Task, model: TaskModel, state: State, step: Numbers) -> Step | None:
    """The actions in an order in which what reads a variable comes before what changes it."""
    present = set(model.facts(state))
    read, changed = dict[str, set[int]](), dict[str, set[int]]()
    for action, numbers in step.items():
        operators = [task.operators[o] for o in numbers]
        effects = [effect.fact for operator in operators for effect in operator.effects]
        read[action] = set().union(*(reads(task, operator) for operator in operators))
        changed[action] = {fact[0] for fact in effects if fact not in present}
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for action in step:
        sorter.add(action, *(a for a in step if a != action and read[a] & changed[action]))
    try:
        return tuple(sorter.static_order())
    except CycleError:
        return None


def _least_readers(task: Task, model: TaskModel, state: State, step: Numbers) -> Step | None:
    """The same, each action being the operator that applies and reads the fewest variables.

    An action stands for several operators where its precondition is a disjunction. What they read
    together can make a cycle that none of them has to be part of.
    """
    operators = task.operators
    holding = set(model.facts(model.complete(state)))
    chosen: dict[str, list[int]] = {}
    for action, numbers in step.items():
        applying = [o for o in numbers if holding.issuperset(operators[o].precondition)]
        if not applying:
            return None
        chosen[action] = [min(applying, key=lambda o: len(reads(task, operators[o])))]
    return _writers_last(task, model, state, chosen)


def operators_of(model: TaskModel, actions: Iterable[str]) -> list[int]:
    """The operators that apply for the actions of a plan.

    Grounding leaves out those that change nothing on which the goal depends, so an action of
    a given plan may have none.
    """
    numbers = model.task.by_action
    state, found = model.initial, list[int]()
    for action in actions:
        number = next((o for o in numbers.get(action, ()) if model.applies(state, o)), None)
        if number is not None:
            found.append(number)
            state = model.after(state, number)
    return found


def find_needed(model: TaskModel, operators: Sequence[int]) -> list[int]:
    """The places in a plan of the actions that are needed, found greedily.

    An action goes, together with those that then do not apply any more, if the goal is reached
    all the same: Nakhost and Müller, Action Elimination and Plan Neighborhood Graph Search, 2010.
    """
    kept, place, state = list(range(len(operators))), 0, model.initial
    while place < len(kept):
        after, rest = state, list[int]()
        for n in kept[place + 1 :]:
            if model.applies(after, operators[n]):
                after = model.after(after, operators[n])
                rest.append(n)
        if model.is_goal(after):
            kept[place:] = rest
        else:
            state = model.after(state, operators[kept[place]])
            place += 1
    return kept
