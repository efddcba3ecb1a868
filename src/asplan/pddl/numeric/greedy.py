"""A search for any plan of a task with numbers: greedy, best first, by an estimate.

An operator is tried once, as often as it can be executed in a row, and as often as a relaxed plan
has it. Two searches take turns. One looks at all states that follow. The other prefers what the
relaxed plan does; states to which other operators lead wait, and are looked at in turn, or where
nothing else is left. (Richter and Helmert, Preferred Operators and Deferred Evaluation in
Satisficing Planning, ICAPS 2009; the repetitions are those of Scala, Haslum and Thiébaux.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any

from asplan.domains.base import Heed
from asplan.pddl.numeric.execution import Execution, State
from asplan.pddl.numeric.relaxation import Relaxation
from asplan.pddl.numeric.scale import LARGEST, NumericTask

BOOST = 1000
"""Turns that preferred operators get where they have led to a better state than all before."""

Moves = list[tuple[int, int]]
"""Operators, and how often each is executed in a row."""


def find_moves(task: NumericTask, heed: Heed) -> Moves | None:
    """A way to the goal; None where none is found, which proves nothing.

    `heed` is told what it is doing; what that raises ends the search.
    """
    execution = Execution(task)
    if execution.is_goal(execution.initial):
        return []
    if not execution.initial:
        return None  # there is nothing that could change
    relaxation = Relaxation(task)
    searches = [_search(execution, relaxation, prefers) for prefers in (True, False)]
    looked_at = [0, 0]
    while True:
        heed(f"searching, {sum(looked_at)} states looked at")
        turn = looked_at[1] < looked_at[0]
        if (found := next(searches[turn], None)) is None:
            return None  # one has seen all states that it may
        if isinstance(found, list):
            return found
        looked_at[turn] += found


def _search(execution: Execution, relaxation: Relaxation, prefers: bool) -> Iterator[int | Moves]:
    """One of the searches: in each turn how many states it has looked at, in the end a way."""
    complete, initial = execution.complete, execution.initial
    parents: dict[State, tuple[State, int, int] | None] = {initial: None}
    order, best = count(), inf
    first: list[Any] = [(0.0, next(order), initial)]
    others: list[Any] = []
    turns = {True: 0, False: 0}

    def reach(before: State, full: Sequence[int], o: int, times: int) -> State | None:
        """The state after an operator, if it is a new one."""
        state = execution.apply(full, o, times)
        if state is None or state in parents or max(state) > LARGEST or min(state) < -LARGEST:
            return None
        parents[state] = before, o, times
        return state

    while first or others:
        is_first = bool(first) and (not others or turns[True] <= turns[False])
        turns[is_first] += 1
        _, _, state = heappop(first if is_first else others)
        if not is_first:
            before, o = state
            if (state := reach(before, complete(before), o, 1)) is None:
                continue
            if execution.is_goal(state):
                yield _moves_to(state, parents)
        full = complete(state)
        costs = relaxation.costs([full])
        if (estimate := relaxation.to_goal(costs)[0]) == inf:
            yield 1
            continue
        plan, after = relaxation.relaxed_plan(costs), list[State]()
        for o in relaxation.applicable(costs):
            if not (most := execution.most(full, o)):
                continue  # a derived variable has not the value that the relaxation lets it have
            if prefers and o not in plan:
                heappush(others, (estimate, next(order), (state, o)))
                continue
            for times in sorted({1.0, min(plan.get(o, 1), most), most}):
                if times == inf:
                    continue
                if (found := reach(state, full, o, int(times))) is not None:
                    if execution.is_goal(found):
                        yield _moves_to(found, parents)
                    after.append(found)
        values = relaxation.estimates(list(map(complete, after))) if after else []
        for new, value in zip(after, values, strict=True):
            if value < inf:
                heappush(first, (value, next(order), new))
            if value < best:
                best, turns[True] = value, turns[True] - BOOST
        yield 1 + len(after)


def _moves_to(state: State, parents: dict[State, tuple[State, int, int] | None]) -> Moves:
    found: Moves = []
    while (edge := parents[state]) is not None:
        state, o, times = edge
        found.append((o, times))
    return found[::-1]
