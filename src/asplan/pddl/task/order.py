"""The order of the actions within the steps of a parallel plan."""

from __future__ import annotations

import re
from collections.abc import (
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple, TypeVar

from asplan.core.errors import InvalidPlan
from asplan.core.plan import Plan
from asplan.pddl.task.elimination import find_needed, operators_of
from asplan.pddl.task.interference import reads, writes
from asplan.pddl.task.model import State, TaskModel
from asplan.pddl.task.task import Task

Step = tuple[str, ...]
"""The actions of a step in their order."""

Order = Callable[[State, int], Step | None]
"""A rule that orders a step: a function from a state and the step's index to the ordered actions.

It returns None if it finds no order.
"""

MOST_NODES = 200_000
"""The most nodes that the search for executable orders visits; a node is a state within a step."""


def tidy(
    model: TaskModel,
    plan: Plan,
    task: Task | None = None,
) -> Plan:
    """Return the plan with the actions of each step in an executable order.

    Needless actions of a plan with parallel steps are removed; the number of steps stays. If a step
    needs two operators of an action, it contains the action twice. `task` is the task for which the
    steps were made, if it is not the task of the model.

    Raises
    ------
    InvalidPlan
        If an action is unknown, or a step has no executable order.
    """
    task = task or model.task
    meant = operators_meant(task, plan)
    listed = replace(plan, chosen=())
    is_ordered = all(len(step) < 2 for step in meant or plan)
    unknown = _unknown_action(task, plan)
    if is_ordered and (meant is not None or unknown or _leads(model, plan)):
        return listed
    if unknown is not None:
        t, action = unknown
        raise InvalidPlan(f"step {t}: {action} is not an action of this task", step=t)
    ordering = _Ordering(model, task, plan)
    steps = ordering.find_steps(meant)
    if steps is not None:
        return _without_needless(model, task, plan, steps)
    if is_ordered or ordering.reached == len(plan):
        return listed  # The check of the plan reports that it does not reach the goal.
    raise _no_order(plan, ordering.reached)


def _no_order(plan: Plan, step: int) -> InvalidPlan:
    """Return the error for a step without an executable order; `step` is its index, from 0."""
    actions = ", ".join(plan.steps[step])
    return InvalidPlan(
        f"step {step + 1}: {actions}: asplan finds no order in which these can be executed one "
        "after the other",
        step=step + 1,
    )


def _unknown_action(
    task: Task,
    plan: Plan,
) -> tuple[int, str] | None:
    """Return the number of a step (from 1), and an action in it that the task does not have.

    Return None if the task has all actions.
    """
    for t, step in enumerate(plan, 1):
        for action in step:
            if action not in task.by_action:
                return t, action
    return None


class _Ordering:
    """A search for executable orders of the steps of a plan.

    Some encodings prove that no plan has fewer steps. An order in which the goal holds before the
    last step would contradict this, so other orders are preferred.

    Attributes
    ----------
    reached
        The largest number of steps that some order could execute.
    """

    def __init__(
        self,
        model: TaskModel,
        task: Task,
        plan: Plan,
    ) -> None:
        self._model = model
        self._task = task
        self._plan = plan
        self._early: list[Step] = []
        self.reached = 0

    def find_steps(
        self,
        meant: list[list[int]] | None,
    ) -> list[Step] | None:
        """Return the steps, ordered so that they lead to the goal; None if no such order is found.

        `meant` has the operators of each step; None if the answer set does not give them.
        """
        steps = self._try_rules(meant)
        if steps is None:
            steps = self._search(is_late=True)
        if steps is None and self._early:
            return self._early
        return self._search(is_late=False) if steps is None else steps

    def _try_rules(
        self,
        meant: list[list[int]] | None,
    ) -> list[Step] | None:
        """Order all steps by the same rule, and try one rule after the other; None if all fail.

        Encodings order steps by one of these rules. Other orders of a step may lead to other
        states.
        """
        model = self._model
        for order in _orders(self._task, model, self._plan, meant):
            steps, states = _execute(model, len(self._plan), order)
            if len(steps) == len(self._plan) and model.is_goal(states[-1]):
                if not any(map(model.is_goal, states[:-1])):
                    return steps
                self._early = self._early or steps
            self.reached = max(self.reached, len(steps))
        return None

    def _search(self, is_late: bool) -> list[Step] | None:
        for repeats in (False, True):
            search = OrderSearch(self._model, self._plan, is_late, repeats)
            steps = search.steps()
            if steps is not None:
                return steps
            self.reached = max(self.reached, search.deepest)
        return None


def _leads(model: TaskModel, plan: Plan) -> bool:
    """Return whether the actions, executed in the order of the plan, lead to the goal."""
    state = state_after(model, model.initial, plan.actions)
    return state is not None and model.is_goal(state)


def operators_meant(
    task: Task,
    plan: Plan,
) -> list[list[int]] | None:
    """Return the operators of each step, from the atoms `happens(T,O)` of the answer set.

    Return None if some action of a step has no such atom.
    """
    several: list[set[int]] = [set() for _ in plan]
    for t, number in _occurrences(task, plan):
        if 1 <= t <= len(plan) and task.operators[number].action in plan.steps[t - 1]:
            several[t - 1].add(number)
    for operators, step in zip(several, plan, strict=True):
        if {task.operators[o].action for o in operators} != set(step):
            return None
    return [sorted(operators) for operators in several]


def _occurrences(
    task: Task,
    plan: Plan,
) -> Iterator[tuple[int, int]]:
    """Yield the time and the operator's number of each atom `happens(T,O)` of the answer set."""
    for atom in plan.chosen:
        match = _HAPPENS.fullmatch(atom)
        if match and match[2] in task.numbers:
            yield int(match[1]), task.numbers[match[2]]


_HAPPENS = re.compile(r"happens\((\d{1,9}),(.+)\)")


def _orders(
    task: Task,
    model: TaskModel,
    plan: Plan,
    meant: list[list[int]] | None,
) -> Iterator[Order]:
    """Yield rules that order the actions of a step, the likeliest first.

    `meant` has the operators of each step; None if the answer set does not give them.
    """

    def named(operators: Iterable[int] | None) -> Step | None:
        if operators is None:
            return None
        return tuple(task.operators[o].action for o in operators)

    if meant is not None:
        steps = [{o: [o] for o in operators} for operators in meant]
        yield lambda state, t: named(
            _writers_last(
                task,
                model,
                state,
                steps[t],
            )
        )
        yield lambda state, t: named(steps[t])
    numbers = [{action: task.by_action[action] for action in step} for step in plan]
    yield lambda state, t: _writers_last(
        task,
        model,
        state,
        numbers[t],
    )
    yield lambda state, t: _least_readers(
        task,
        model,
        state,
        numbers[t],
    )
    yield lambda state, t: tuple(sorted(numbers[t], key=numbers[t].__getitem__))
    yield lambda state, t: plan.steps[t]


def _execute(
    model: TaskModel,
    length: int,
    order: Order,
) -> tuple[list[Step], list[State]]:
    """Execute up to `length` steps, ordered by a rule, until one does not apply.

    Return the executed steps, and the states before and after each of them.
    """
    states = [model.initial]
    steps: list[Step] = []
    for t in range(length):
        ordered = order(states[-1], t)
        after = (
            None
            if ordered is None
            else state_after(
                model,
                states[-1],
                ordered,
            )
        )
        if ordered is None or after is None:
            break
        steps.append(ordered)
        states.append(after)
    return steps, states


def _without_needless(
    model: TaskModel,
    task: Task,
    plan: Plan,
    steps: Sequence[Step],
) -> Plan:
    """Return the plan with the given ordered steps, without needless actions.

    The needed actions make the same changes as before, so independent actions of a step remain
    independent.
    """
    actions = [(t, action) for t, step in enumerate(steps) for action in step]
    operators = operators_of(model, [action for _, action in actions])
    written = [sorted(writes(task.operators[o])) for o in operators]
    kept: list[list[str]] = [[] for _ in steps]
    for place in find_needed(model, operators, written):
        t, action = actions[place]
        kept[t].append(action)
    return replace(
        plan,
        steps=tuple(map(tuple, kept)),
        chosen=(),
    )


class _Node(NamedTuple):
    """A state within a step.

    `left` has the actions of the step that are still to be executed, and `spare` the executed
    actions that may be repeated.
    """

    step: int
    left: Step
    spare: Step
    state: State


@dataclass
class OrderSearch:
    """A depth-first search for orders of all steps of a plan that lead to the goal.

    An action stands for its first applicable operator, so only the orders differ.

    Attributes
    ----------
    is_late
        True if the goal must not hold before the last step is executed.
    repeats
        True if a step may contain an action as often as the action has operators.
    deepest
        The largest number of steps that some order could execute.
    """

    model: TaskModel
    plan: Plan
    is_late: bool = False
    repeats: bool = False
    deepest: int = 0

    def steps(self) -> list[Step] | None:
        """Return the ordered steps; None if the search visits `MOST_NODES` nodes or finds none."""
        root = self._enter(0, self.model.initial)
        seen = {root}
        # For each node of the current path its step, and the action that led to it.
        path: list[tuple[int, Step]] = [(0, ())]
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

    def _ordered(
        self,
        path: Sequence[tuple[int, Step]],
    ) -> list[Step]:
        steps: list[list[str]] = [[] for _ in self.plan]
        for step, actions in path:
            if actions:
                steps[step].extend(actions)
        return list(map(tuple, steps))

    def _enter(self, step: int, state: State) -> _Node:
        """Return the node in which all actions of a step are still to be executed."""
        left = self.plan.steps[step] if step < len(self.plan) else ()
        return _Node(step, left, (), state)

    def _followers(
        self,
        node: _Node,
    ) -> Iterator[tuple[Step, _Node]]:
        """Yield each node that may follow, with the action before it as a tuple.

        If the step has no action left, yield the first node of the next step, with the tuple `()`.
        """
        step, left, spare, state = node
        last = len(self.plan) - 1
        if not left and (step == last or (step < last and not self._is_early(state))):
            yield (), self._enter(step + 1, state)
        for place, action in enumerate(left):
            if self.model.why_not(state, action) is None:
                copies = len(self.model.task.by_action[action]) - 1 if self.repeats else 0
                again = (*spare, *[action] * copies)
                after = self.model.apply(state, action)
                yield (
                    (action,),
                    _Node(
                        step,
                        _without(left, place),
                        again,
                        after,
                    ),
                )
        for place, action in enumerate(spare):
            if self.model.why_not(state, action) is None:
                after = self.model.apply(state, action)
                yield (
                    (action,),
                    _Node(
                        step,
                        left,
                        _without(spare, place),
                        after,
                    ),
                )

    def _is_early(self, state: State) -> bool:
        return self.is_late and self.model.is_goal(state)


def _without(step: Step, place: int) -> Step:
    return step[:place] + step[place + 1 :]


def state_after(
    model: TaskModel,
    state: State,
    actions: Iterable[str],
) -> State | None:
    """Return the state after some actions in this order; None if one does not apply."""
    for action in actions:
        operator = model.find_operator(state, action)
        if operator is None:
            return None
        state = model.after(state, operator)
    return state


Item = TypeVar("Item", bound=Hashable)
Operators = Mapping[Item, list[int]]
"""The operators, by their numbers, of each item of a step. An item is an action or an operator."""


def _writers_last(
    task: Task, model: TaskModel, state: State, step: Operators[Item]
) -> tuple[Item, ...] | None:
    """Return the items of a step, ordered so that readers of a variable come before its writers.

    An effect counts as a write only if it changes the current state. `step` has the operators of
    each item. Return None if the order has a cycle.
    """
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
        readers = (other for other in step if read[other] & changed[item])
        sorter.add(item, *(other for other in readers if other != item))
    try:
        return tuple(sorter.static_order())
    except CycleError:
        return None


def _least_readers(
    task: Task,
    model: TaskModel,
    state: State,
    step: Operators[str],
) -> Step | None:
    """Return the actions of a step, ordered so that readers of a variable come before its writers.

    An action with a disjunctive precondition has several operators. Together they read more
    variables than each operator alone, which can make a needless cycle. So for each action only the
    applicable operator that reads the fewest variables counts. Return None if the order has a
    cycle, or an action does not apply.
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
