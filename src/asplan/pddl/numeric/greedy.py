"""A search for any plan of a task with numbers: greedy, best first, by an estimate.

What a relaxed plan does first is tried before all else, and at once as often as it does so there.
States that other operators lead to wait, and are looked at in turn, or where nothing else is left.
(Richter and Helmert, Preferred Operators and Deferred Evaluation in Satisficing Planning, ICAPS
2009; the repetitions are those of Scala, Haslum and Thiébaux.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any

from asplan.pddl.numeric.execution import Execution, State
from asplan.pddl.numeric.relaxation import Relaxation
from asplan.pddl.numeric.scale import LARGEST, NumericTask

BOOST = 1000
"""Turns that preferred operators get where they have led to a better state than all before."""

Moves = list[tuple[int, int]]
"""Operators, and how often each is executed in a row."""


def find_moves(task: NumericTask, goes_on: Callable[[str], bool]) -> Moves | None:
    """A way to the goal; None where none is found, which proves nothing.

    It goes on as long as it is told to, and says what it is doing.
    """
    execution, relaxation = Execution(task), Relaxation(task)
    complete, initial = execution.complete, execution.initial
    parents: dict[State, tuple[State, int, int] | None] = {initial: None}
    order, best, looked_at = count(), inf, 0
    preferred: list[Any] = [(0.0, next(order), initial)]
    others: list[Any] = []
    turns = {True: 0, False: 0}

    def reach(before: State, full: Sequence[int], o: int, times: int) -> State | None:
        """The state after an operator, if it is a new one."""
        state = execution.apply(full, o, times)
        if state is None or state in parents or max(state) > LARGEST or min(state) < -LARGEST:
            return None
        parents[state] = before, o, times
        return state

    if execution.is_goal(initial):
        return []
    while (preferred or others) and goes_on(f"searching, {looked_at} states looked at"):
        is_preferred = bool(preferred) and (not others or turns[True] <= turns[False])
        turns[is_preferred] += 1
        _, _, state = heappop(preferred if is_preferred else others)
        if not is_preferred:
            before, o = state
            if (state := reach(before, complete(before), o, 1)) is None:
                continue
            if execution.is_goal(state):
                return _moves_to(state, parents)
        full = complete(state)
        costs = relaxation.costs([full])
        looked_at += 1
        if (estimate := relaxation.to_goal(costs)[0]) == inf:
            continue
        plan, after = relaxation.relaxed_plan(costs), list[State]()
        for o in relaxation.applicable(costs):
            if not (most := execution.most(full, o)):
                continue  # a derived variable has not the value that the relaxation lets it have
            if o not in plan:
                heappush(others, (estimate, next(order), (state, o)))
                continue
            for times in {1, int(min(plan[o], most))}:
                if (found := reach(state, full, o, times)) is not None:
                    if execution.is_goal(found):
                        return _moves_to(found, parents)
                    after.append(found)
        looked_at += len(after)
        values = relaxation.estimates(list(map(complete, after))) if after else []
        for new, value in zip(after, values, strict=True):
            if value < inf:
                heappush(preferred, (value, next(order), new))
            if value < best:
                best, turns[True] = value, turns[True] - BOOST
    return None


def _moves_to(state: State, parents: dict[State, tuple[State, int, int] | None]) -> Moves:
    found: Moves = []
    while (edge := parents[state]) is not None:
        state, o, times = edge
        found.append((o, times))
    return found[::-1]
