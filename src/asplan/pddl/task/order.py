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

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from itertools import product
from typing import NamedTuple, TypeVar

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
Order = Callable[[State, int], Step | None]  # from a state and the place of a step to its actions

MOST_NODES = 200_000  # states within steps that the search for an order looks at


def tidy(model: TaskModel, plan: Plan, task: Task | None = None) -> Plan:
    """Return the plan with the actions of each step in an order in which they can be executed.

    Of a plan with parallel steps only the actions stay that the goal needs; no step is left out.
    An action stands twice in a step that has two of its operators and needs both. The `task` is
    what its steps were made for, if not what the model executes. Raises `InvalidPlan` where an
    action is none of the task, or a step can be executed in no order.
    """
    task = task or model.task
    meant = operators_meant(task, plan)
    listed = replace(plan, chosen=())
    is_ordered = all(len(step) < 2 for step in meant or plan)
    strangers = [(t, a) for t, step in enumerate(plan, 1) for a in step if a not in task.by_action]
    if is_ordered and (meant is not None or strangers or _leads(model, plan)):
        return listed
    for t, action in strangers:
        raise InvalidPlan(f"step {t}: {action} is no action of this task")
    reached = 0
    early: list[Step] = []
    # All steps are ordered alike, for that is how they were meant: another order of a step may be
    # possible, too, and lead elsewhere.
    for order in _orders(task, model, plan, meant):
        steps, states = _execute(model, len(plan), order)
        if len(steps) == len(plan) and model.is_goal(states[-1]):
            if not any(map(model.is_goal, states[:-1])):
                return _without_needless(model, task, plan, steps)
            early = early or steps
        reached = max(reached, len(steps))
    # Some encodings prove that no plan has fewer steps, so the goal should not hold early.
    for is_late, repeats in product((True, False), (False, True)):
        if early and not is_late:
            return _without_needless(model, task, plan, early)
        search = OrderSearch(model, plan, is_late, repeats)
        if (found := search.steps()) is not None:
            return _without_needless(model, task, plan, found)
        reached = max(reached, search.deepest)
    if is_ordered or reached == len(plan):
        return listed  # it is no plan, which whoever checks it will say
    raise InvalidPlan(
        f"step {reached + 1}: {', '.join(plan.steps[reached])}: asplan finds no order in which "
        "these can be executed one after the other"
    )


def _leads(model: TaskModel, plan: Plan) -> bool:
    """Return whether the actions lead to the goal in the order in which they are listed."""
    state = state_after(model, model.initial, plan.actions)
    return state is not None and model.is_goal(state)


def operators_meant(task: Task, plan: Plan) -> list[list[int]] | None:
    """Return the operators of each step, where the answer names them by `happens(T,O)`.

    None where it does not, or names others than the actions of the plan.
    """
    found: list[set[int]] = [set() for _ in plan]
    numbers = task.numbers
    for atom in plan.chosen:
        match = _HAPPENS.fullmatch(atom)
        if match and 1 <= int(match[1]) <= len(plan) and match[2] in numbers:
            number, step = numbers[match[2]], plan.steps[int(match[1]) - 1]
            if task.operators[number].action in step:
                found[int(match[1]) - 1].add(number)
    for operators, step in zip(found, plan, strict=True):
        if {task.operators[o].action for o in operators} != set(step):
            return None
    return [sorted(operators) for operators in found]


_HAPPENS = re.compile(r"happens\((\d{1,9}),(.+)\)")


def _orders(
    task: Task, model: TaskModel, plan: Plan, meant: list[list[int]] | None
) -> Iterator[Order]:
    """Yield ways to order the steps, the likeliest first."""

    def named(operators: Iterable[int] | None) -> Step | None:
        if operators is None:
            return None
        return tuple(task.operators[o].action for o in operators)

    if meant is not None:
        steps = [{o: [o] for o in operators} for operators in meant]
        yield lambda state, t: named(_writers_last(task, model, state, steps[t]))
        yield lambda state, t: named(steps[t])
    numbers = [{action: task.by_action[action] for action in step} for step in plan]
    yield lambda state, t: _writers_last(task, model, state, numbers[t])
    yield lambda state, t: _least_readers(task, model, state, numbers[t])
    yield lambda state, t: tuple(sorted(numbers[t], key=numbers[t].__getitem__))
    yield lambda state, t: plan.steps[t]


def _execute(model: TaskModel, length: int, order: Order) -> tuple[list[Step], list[State]]:
    """Execute steps in an order, as far as they apply; return them, and the states at 0..n."""
    states = [model.initial]
    steps: list[Step] = []
    for t in range(length):
        ordered = order(states[-1], t)
        after = None if ordered is None else state_after(model, states[-1], ordered)
        if ordered is None or after is None:
            break
        steps.append(ordered)
        states.append(after)
    return steps, states


def _without_needless(model: TaskModel, task: Task, plan: Plan, steps: Sequence[Step]) -> Plan:
    """Return the plan with these steps, without the actions that the goal does not need.

    Those that stay make the same changes as before, so what was independent within a step is.
    """
    actions = [(t, action) for t, step in enumerate(steps) for action in step]
    operators = operators_of(model, [action for _, action in actions])
    written = [sorted(writes(task.operators[o])) for o in operators]
    kept = [actions[place] for place in find_needed(model, operators, written)]
    left = (tuple(a for t, a in kept if t == number) for number in range(len(steps)))
    return replace(plan, steps=tuple(left), chosen=())


class _Node(NamedTuple):
    """A state within a step: `left` is to be executed there, `spare` may be once more."""

    step: int
    left: Step
    spare: Step
    state: State


@dataclass
class OrderSearch:
    """A depth-first search for an order of the actions of each step that leads to the goal.

    An action stands for whichever of its operators applies, so the orders are all there is to try.
    If it `is_late` the goal holds after no step but the last. With `repeats` an action may also
    happen as often in a step as it has operators. `deepest` is the number of steps that some order
    executes.
    """

    model: TaskModel
    plan: Plan
    is_late: bool = False
    repeats: bool = False
    deepest: int = 0

    def steps(self) -> list[Step] | None:
        """Return the steps in such an order; None if there is none among `MOST_NODES` states."""
        root = self._enter(0, self.model.initial)
        seen = {root}
        path: list[tuple[int, Step]] = [(0, ())]  # the step of each open node, and its last action
        waiting = [self._followers(root)]
        while waiting and len(seen) < MOST_NODES:
            done, node = next(waiting[-1], (None, None))
            if done is None or node is None:
                waiting.pop()
                path.pop()
            elif node not in seen:
                seen.add(node)
                self.deepest = max(self.deepest, node.step)
                path.append((node.step, done))
                waiting.append(self._followers(node))
                if node.step == len(self.plan) and self.model.is_goal(node.state):
                    return self._ordered(path)
        return None

    def _ordered(self, path: Sequence[tuple[int, Step]]) -> list[Step]:
        steps: list[list[str]] = [[] for _ in self.plan]
        for step, actions in path:
            if actions:
                steps[step].extend(actions)
        return list(map(tuple, steps))

    def _enter(self, step: int, state: State) -> _Node:
        """Return the node at the start of a step."""
        left = self.plan.steps[step] if step < len(self.plan) else ()
        return _Node(step, left, (), state)

    def _followers(self, node: _Node) -> Iterator[tuple[Step, _Node]]:
        """Yield what may come next, a single action or the next step, and the node behind it."""
        step, left, spare, state = node
        last = len(self.plan) - 1
        if not left and (step == last or (step < last and not self._is_early(state))):
            yield (), self._enter(step + 1, state)
        for place, action in enumerate(left):
            if self.model.why_not(state, action) is None:
                copies = len(self.model.task.by_action[action]) - 1 if self.repeats else 0
                again = (*spare, *[action] * copies)
                after = self.model.apply(state, action)
                yield (action,), _Node(step, _without(left, place), again, after)
        for place, action in enumerate(spare):
            if self.model.why_not(state, action) is None:
                after = self.model.apply(state, action)
                yield (action,), _Node(step, left, _without(spare, place), after)

    def _is_early(self, state: State) -> bool:
        return self.is_late and self.model.is_goal(state)


def _without(step: Step, place: int) -> Step:
    return step[:place] + step[place + 1 :]


def state_after(model: TaskModel, state: State, actions: Iterable[str]) -> State | None:
    for action in actions:
        if model.why_not(state, action) is not None:
            return None
        state = model.apply(state, action)
    return state


Item = TypeVar("Item", bound=Hashable)
Operators = Mapping[Item, list[int]]  # for each item of a step the operators that stand for it


def _writers_last(
    task: Task, model: TaskModel, state: State, step: Operators[Item]
) -> tuple[Item, ...] | None:
    """The items in an order in which what reads a variable comes before what changes it."""
    present = set(model.facts(state))
    read: dict[Item, set[int]] = {}
    changed: dict[Item, set[int]] = {}
    for item, numbers in step.items():
        operators = [task.operators[o] for o in numbers]
        effects = [effect.fact for operator in operators for effect in operator.effects]
        read[item] = set().union(*(reads(task, operator) for operator in operators))
        changed[item] = {fact[0] for fact in effects if fact not in present}
    sorter: TopologicalSorter[Item] = TopologicalSorter()
    for item in step:
        sorter.add(item, *(a for a in step if a != item and read[a] & changed[item]))
    try:
        return tuple(sorter.static_order())
    except CycleError:
        return None


def _least_readers(task: Task, model: TaskModel, state: State, step: Operators[str]) -> Step | None:
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


def find_needed(
    model: TaskModel, operators: Sequence[int], written: Sequence[Sequence[int]] = ()
) -> list[int]:
    """The places in a plan of the actions that are needed, found greedily.

    An action goes, together with those that then do not apply any more, if the goal is reached
    all the same: Nakhost and Müller, Action Elimination and Plan Neighborhood Graph Search, 2010.
    With `written`, for each action the variables that it writes, an action goes as well if it would
    change others of these than in the whole plan.
    """
    wanted = _changes(model, operators, written)
    kept, place, state = list(range(len(operators))), 0, model.initial
    while place < len(kept):
        after, rest = state, list[int]()
        for n in kept[place + 1 :]:
            if not model.applies(after, operators[n]):
                continue
            following = model.after(after, operators[n])
            if written and _changed_among(model, written[n], after, following) != wanted[n]:
                continue
            after = following
            rest.append(n)
        if model.is_goal(after):
            kept[place:] = rest
        else:
            state = model.after(state, operators[kept[place]])
            place += 1
    return kept


def _changes(
    model: TaskModel, operators: Sequence[int], written: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Return, for each action of a plan, the variables that it changes among those it writes."""
    state = model.initial
    changes: list[list[int]] = []
    for operator, variables in zip(operators, written, strict=False):
        following = model.after(state, operator)
        changes.append(_changed_among(model, variables, state, following))
        state = following
    return changes


def _changed_among(
    model: TaskModel, variables: Iterable[int], before: State, after: State
) -> list[int]:
    value = model.packing.value
    return [v for v in variables if value(before, v) != value(after, v)]
