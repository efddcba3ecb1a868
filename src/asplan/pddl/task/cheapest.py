"""The least cost of a finite-domain task, or the fewest actions: A*, compiled if it lasts.

Two searches take turns, one guided by LM-cut and one without a guide, which is enough for small
spaces, and better where estimates tell little. They start as plain Python; where it lasts and numba
is installed, the same functions go on compiled, from where they are.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import pairwise
from math import inf
from typing import Any

from asplan.core.compiling import WAIT, as_arrays, compiled, load, resized
from asplan.core.text import amount
from asplan.domains.base import Effort, Found
from asplan.pddl.task import best_first
from asplan.pddl.task.best_first import (
    BOUND,
    EXHAUSTED,
    EXPANDED,
    FULL,
    GENERATED,
    GOAL,
    GOES_ON,
    HEAP,
    MOST_NUMBERS,
    WRITTEN,
    PricedMoves,
    Table,
)
from asplan.pddl.task.landmark_cut import Relaxed, Room, relaxed_of, room_for
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.relaxation import Flat
from asplan.pddl.task.states import (
    STATES,
    Lists,
    fact_lists,
    known_from,
    lists,
    moves_of,
    steps_to,
    with_room,
)
from asplan.pddl.task.task import Task, contradicts_itself

PLAIN = 0.6
"""Seconds of the plain functions; compiled ones take twice that to load."""

BLIND = 0.1
"""The share that the search without LM-cut has of the time of the other one in tasks without axioms
and conditional effects; in others, which LM-cut tells less of, they have the same."""

_TURN, _LONGER = 0.1, 1.5
"""Seconds of a turn at first, and by how much turns grow."""

_PAUSE = 0.05
"""Seconds between two looks at the clock, as near as may be."""

_NODES, _NUMBERS = 1 << 10, 1 << 14
"""States and numbers of landmarks for which there is room at first."""


Parts = tuple[PricedMoves, Relaxed, Room]
"""What the search works on but for its table."""


def find_cheapest(
    model: TaskModel, priced: bool, heed: Callable[[Effort], None], plain: float = PLAIN
) -> Found:
    """A plan whose actions cost the least, or are the fewest, or that there is none.

    `heed` is called now and then; what it raises ends the search. For `plain` seconds it does
    without compiled functions, or longer if they have to be compiled yet, unless that is 0.
    """
    functions: Mapping[str, Any] = {f.__name__: f for f in best_first.COMPILED}
    parts: Any
    parts = prepare(model.task, priced)
    tables = {guided: empty_table(parts, model.task) for guided in (False, True)}

    def search(guided: bool, seconds: float) -> int:
        """Go on in one of the tables, and say how that ended."""
        ended, reached, end = GOES_ON, 1, time.monotonic() + seconds
        while ended == GOES_ON and (began := time.monotonic()) < end:
            ended = functions["go_on"](*parts, tables[guided], guided, reached)
            heed(_effort(tables))
            if ended == FULL:
                tables[guided] = larger(tables[guided])
                functions["fill_table"](tables[guided].known)
                ended = GOES_ON
            elif time.monotonic() - began < _PAUSE:
                reached *= 2
            else:
                reached = max(1, reached // 2)
        return ended

    is_strips = parts[1].are_alone and not model.has_axioms
    begun, turn, fits = time.monotonic(), _TURN, _fits(model.task)
    while True:
        if time.monotonic() - begun >= plain:
            use = partial(_compile, parts, model.task)
            arrays, again = load(_functions, use, not plain) if fits else (None, False)
            plain = time.monotonic() - begun + WAIT if again else inf
            if arrays is not None:
                functions, parts, turn = _functions(), arrays, _TURN
                tables = {guided: _as_arrays(table) for guided, table in tables.items()}
                parts = _better_ordered(functions, parts, tables[True])
        for guided, seconds in ((True, turn), (False, turn * BLIND if is_strips else turn)):
            if (ended := search(guided, max(seconds, _TURN))) != GOES_ON:
                return _found(model, tables[guided], ended, guided)
        turn *= _LONGER


def _effort(tables: Mapping[bool, Table]) -> Effort:
    counts = [table.known.counts for table in tables.values()]
    seen = (sum(int(some[n]) for some in counts) for n in (STATES, HEAP, EXPANDED, GENERATED))
    return Effort(max(int(some[BOUND]) for some in counts), *seen)


def prepare(task: Task, priced: bool) -> Parts:
    moves = moves_of(task)
    often = Counter(fact for operator in task.operators for fact in operator.precondition)
    watched: list[list[int]] = [[] for _ in task.facts]
    for index, operator in enumerate(task.operators):
        if operator.precondition and not contradicts_itself(operator.precondition):
            v, d = min(operator.precondition, key=lambda fact: often[fact])
            watched[moves.offsets[v] + d].append(index)
    costs = [operator.cost if priced else 1 for operator in task.operators]
    flat = Flat(task, costs)
    space = PricedMoves(
        moves=moves,
        order=[*task.basic, *task.derived],
        basic=len(task.basic),
        watched=lists(watched),
        free=[o for o, operator in enumerate(task.operators) if not operator.precondition],
        asks=fact_lists(sorted(set(operator.precondition)) for operator in task.operators),
        costs=costs,
    )
    return space, relaxed_of(flat), room_for(flat)


def _found(model: TaskModel, table: Table, ended: int, guided: bool) -> Found:
    if ended == EXHAUSTED:
        seen = amount(int(table.known.counts[STATES]), "state")
        return Found(None, f"none of the {seen} that may lead on is a goal")
    steps = steps_to(table.known, model.task, table.known.counts[GOAL])
    by = "lm-cut" if guided else "zero"
    return Found(steps, f"no state with a smaller f is left, and {by} is admissible")


def _fits(task: Task) -> bool:
    """Whether numbers are small enough for arrays."""
    return sum(operator.cost for operator in task.operators) < 1 << 40


def _as_arrays(fields: Any) -> Any:
    return as_arrays(fields, {}, "int64")


@cache
def _functions() -> Mapping[str, Any]:
    return compiled(best_first.COMPILED)


def _compile(parts: Parts, task: Task) -> Any:
    """What the functions work on as arrays, for which they are compiled."""
    arrays, table = tuple(map(_as_arrays, parts)), _as_arrays(empty_table(parts, task))
    _functions()["go_on"](*arrays, table, True, 0)
    _functions()["fill_table"](table.known)
    return arrays


_SAMPLE = 20
"""States by which orders are compared."""


def _better_ordered(functions: Mapping[str, Any], parts: Any, table: Table) -> Any:
    """The parts with the order of preconditions that makes for larger estimates.

    Of those that are equally far the first supports, or the last; the one is better in most tasks,
    and the other by much in some.
    """
    task, relaxed, room = parts
    starts, items = relaxed.preconditions
    turned = items.copy()
    for start, end in pairwise(starts.tolist()):
        turned[start:end] = sorted(items[start:end].tolist(), reverse=True)
    other = relaxed._replace(preconditions=Lists(starts, turned))
    count, sums, basic = int(table.known.counts[STATES]), [], task.order[: task.basic]
    for ordered in (relaxed, other):
        sums.append(0)
        for node in range(0, count, max(1, count // _SAMPLE)):
            functions["read_state"](task.moves, table.known, node)
            table.facts[:-1] = task.moves.offsets[basic] + table.known.values[basic]
            room.costs[:] = relaxed.costs
            sums[-1] += functions["lm_cut"](ordered, room, table.facts, table.landmarks[:0], 0)[0]
    return task, relaxed if sums[0] >= sums[1] else other, room


def empty_table(parts: Parts, task: Task) -> Table:
    priced, relaxed, _ = parts
    known = known_from(priced.moves, task.initial, [0] * (GOAL + 1))
    return Table(
        known=with_room(known, _NODES),
        **{name: [0] * _NODES for name in ("g", "h", "closed", "starts", "ends")},
        heap_f=[0] * (2 * _NODES),
        heap_nodes=[0] * (2 * _NODES),
        landmarks=[0] * _NUMBERS,
        facts=[relaxed.start] * (priced.basic + 1),
        applicable=[0] * (len(priced.costs) + 1),
    )


def larger(table: Table) -> Table:
    """A table with twice as much of what is scarce, whose states have to be entered anew."""
    nodes, numbers = len(table.g), len(table.landmarks)
    if 2 * table.known.counts[WRITTEN] > numbers and numbers < MOST_NUMBERS:
        return table._replace(
            landmarks=resized(table.landmarks, 2 * numbers), known=with_room(table.known, nodes)
        )
    doubled = {
        name: resized(array, 2 * len(array))
        for name, array in table._asdict().items()
        if name in ("g", "h", "closed", "starts", "ends", "heap_f", "heap_nodes")
    }
    return table._replace(known=with_room(table.known, 2 * nodes), **doubled)
