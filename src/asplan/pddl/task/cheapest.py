"""The least cost of a finite-domain task, or the fewest actions: A*, compiled if it lasts.

Two searches take turns, one guided by LM-cut and one without a guide, which is enough for small
spaces, and better where estimates tell little. They start as plain Python; where it lasts and numba
is installed, the same functions go on compiled, from where they are.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import accumulate, islice, pairwise
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
    NODES,
    WRITTEN,
    Conditions,
    Desk,
    Moves,
    Table,
)
from asplan.pddl.task.flat import Flat
from asplan.pddl.task.landmark_cut import Lists, Relaxed, Room, arrays_of, lists
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.task import Effect, Fact, Task, contradicts_itself

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


def find_cheapest(
    model: TaskModel, priced: bool, heed: Callable[[Effort], None], plain: float = PLAIN
) -> Found:
    """A plan whose actions cost the least, or are the fewest, or that there is none.

    `heed` is called now and then; what it raises ends the search. For `plain` seconds it does
    without compiled functions, or longer if they have to be compiled yet, unless that is 0.
    """
    functions: Mapping[str, Any] = vars(best_first)
    parts: Any
    parts, row = prepare(model, priced)
    tables = {guided: empty_table(row) for guided in (False, True)}

    def search(guided: bool, seconds: float) -> int:
        """Go on in one of the tables, and say how that ended."""
        ended, reached, end = GOES_ON, 1, time.monotonic() + seconds
        parts[-1].after[:] = row
        while ended == GOES_ON and (began := time.monotonic()) < end:
            ended = functions["go_on"](*parts, tables[guided], guided, reached)
            heed(_effort(tables))
            if ended == FULL:
                tables[guided] = larger(tables[guided])
                functions["fill_slots"](parts[0], tables[guided])
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
            use = partial(_compile, parts, row)
            arrays, again = load(_functions, use, not plain) if fits else (None, False)
            plain = time.monotonic() - begun + WAIT if again else inf
            if arrays is not None:
                functions, parts, turn = _functions(), arrays, _TURN
                tables = {guided: _as_arrays(table) for guided, table in tables.items()}
                parts = _better_ordered(functions["lm_cut"], parts, tables[True])
        for guided, seconds in ((True, turn), (False, turn * BLIND if is_strips else turn)):
            if (ended := search(guided, max(seconds, _TURN))) != GOES_ON:
                return _found(model, tables[guided], ended, guided)
        turn *= _LONGER


def _effort(tables: Mapping[bool, Table]) -> Effort:
    counts = [[int(count) for count in table.counts] for table in tables.values()]
    least, *seen = ([some[n] for some in counts] for n in (BOUND, NODES, HEAP, EXPANDED, GENERATED))
    return Effort(max(least), *map(sum, seen))


def prepare(model: TaskModel, priced: bool) -> tuple[tuple[Moves, Relaxed, Room, Desk], list[int]]:
    """What the search works on but for its table, and the row of the initial state."""
    task = model.task
    costs = [operator.cost if priced else 1 for operator in task.operators]
    flat, moves = Flat(model, costs), moves_of(task, model.basic, costs)
    row = [model.packing.value(model.initial, v) for v in model.basic]
    desk = Desk(
        now=[0] * len(task.variables),
        after=row[:],
        facts=[flat.start] * (len(row) + 1),
        applicable=[0] * (len(costs) + 1),
        taken=[False] * (len(costs) + 1),
    )
    return (moves, *arrays_of(flat), desk), row


def _found(model: TaskModel, table: Table, ended: int, guided: bool) -> Found:
    if ended == EXHAUSTED:
        seen = amount(int(table.counts[NODES]), "state")
        return Found(None, f"none of the {seen} that may lead on is a goal")
    steps, node = list[list[str]](), table.counts[GOAL]
    while table.parents[node] >= 0:
        steps.append([model.task.operators[table.operators[node]].action])
        node = table.parents[node]
    by = "lm-cut" if guided else "zero"
    return Found(steps[::-1], f"no state with a smaller f is left, and {by} is admissible")


def _fits(task: Task) -> bool:
    """Whether numbers are small enough for arrays."""
    most = max((len(variable.values) for variable in task.variables), default=0)
    return most < 1 << 15 and sum(operator.cost for operator in task.operators) < 1 << 40


_NARROW = {"int16": ("values", "to", "defaults", "head_values", "now", "after", "closed")}
"""Arrays of numbers that are small; all others have 64 bits."""


def _as_arrays(fields: Any) -> Any:
    return as_arrays(fields, _NARROW, "int64")


@cache
def _functions() -> Mapping[str, Any]:
    return compiled(best_first.COMPILED)


def _compile(parts: Sequence[Any], row: Sequence[int]) -> Any:
    """What the functions work on as arrays, for which they are compiled."""
    arrays, table = tuple(map(_as_arrays, parts)), _as_arrays(empty_table(row))
    _functions()["go_on"](*arrays, table, True, 0)
    _functions()["fill_slots"](arrays[0], table)
    return arrays


_SAMPLE = 20
"""States by which orders are compared."""


def _better_ordered(estimate: Any, parts: Any, table: Table) -> Any:
    """The parts with the order of preconditions that makes for larger estimates.

    Of those that are equally far the first supports, or the last; the one is better in most tasks,
    and the other by much in some.
    """
    moves, relaxed, room, desk = parts
    starts, items = relaxed.preconditions
    turned = items.copy()
    for start, end in pairwise(starts.tolist()):
        turned[start:end] = sorted(items[start:end].tolist(), reverse=True)
    other = relaxed._replace(preconditions=Lists(starts, turned))
    count, sums = int(table.counts[NODES]), []
    for ordered in (relaxed, other):
        sums.append(0)
        for node in range(0, count, max(1, count // _SAMPLE)):
            values = table.values[node * moves.basic : (node + 1) * moves.basic]
            desk.facts[:-1] = moves.offsets[: moves.basic] + values
            room.costs[:] = relaxed.costs
            sums[-1] += estimate(ordered, room, desk.facts, table.landmarks[:0], 0)[0]
    return moves, relaxed if sums[0] >= sums[1] else other, room, desk


def empty_table(row: Sequence[int]) -> Table:
    """An empty table for states like this one."""
    return Table(
        values=[0] * (_NODES * len(row)),
        **{
            name: [0] * _NODES
            for name in ("g", "h", "parents", "operators", "closed", "starts", "ends")
        },
        slots=[-1] * (2 * _NODES),
        heap_f=[0] * (2 * _NODES),
        heap_nodes=[0] * (2 * _NODES),
        landmarks=[0] * _NUMBERS,
        counts=[0] * (GOAL + 1),
    )


def larger(table: Table) -> Table:
    """A table with twice as much of what is scarce."""
    nodes, numbers = len(table.g), len(table.landmarks)
    if 2 * table.counts[WRITTEN] > numbers and numbers < MOST_NUMBERS:
        return table._replace(landmarks=resized(table.landmarks, 2 * numbers))
    kept = {"landmarks": table.landmarks, "counts": table.counts}
    slots = resized(table.slots[:0], 4 * nodes, -1)
    doubled = {
        name: resized(array, 2 * len(array))
        for name, array in table._asdict().items()
        if name not in kept
    }
    return Table(**{**doubled, **kept, "slots": slots})


def moves_of(task: Task, basic: Sequence[int], costs: Sequence[int]) -> Moves:
    """What operators ask for and do, where they cost so much; basic variables are in this order."""
    order = [*basic, *(v for v, variable in enumerate(task.variables) if variable.is_derived)]
    place = {v: p for p, v in enumerate(order)}
    first = [*accumulate((len(variable.values) for variable in task.variables), initial=0)]
    often = Counter(fact for operator in task.operators for fact in operator.precondition)
    watched: list[list[int]] = [[] for _ in range(first[-1])]
    free, effects, groups = list[int](), list[list[Effect]](), dict[str, int]()
    for index, operator in enumerate(task.operators):
        groups.setdefault(operator.action, len(groups))
        conditional = (e for e in operator.effects if e.condition)
        always = (Effect(fact) for fact in dict(operator.always).items())
        effects.append([e for e in (*always, *conditional) if not contradicts_itself(e.condition)])
        if not operator.precondition:
            free.append(index)
        elif not contradicts_itself(operator.precondition):
            v, d = min(operator.precondition, key=lambda fact: often[fact])
            watched[first[v] + d].append(index)
    effect_list = [effect for some in effects for effect in some]
    rules = sorted(
        (axiom for axiom in task.firing_axioms if not contradicts_itself(axiom.condition)),
        key=lambda axiom: task.variables[axiom.fact[0]].layer,
    )

    def conditions(rows: Iterable[Iterable[Fact]]) -> Conditions:
        sets = [sorted(set(row)) for row in rows]
        return Conditions(
            lists([place[v] for v, _ in row] for row in sets), [d for row in sets for _, d in row]
        )

    numbers = iter(range(len(effect_list)))
    return Moves(
        offsets=[first[v] for v in order],
        basic=len(basic),
        watched=lists(watched),
        free=free,
        asks=conditions(operator.precondition for operator in task.operators),
        effects=lists([[*islice(numbers, len(some))] for some in effects]),
        sets=[place[effect.fact[0]] for effect in effect_list],
        to=[effect.fact[1] for effect in effect_list],
        whens=conditions(effect.condition for effect in effect_list),
        costs=[*costs],
        groups=[groups[operator.action] for operator in task.operators],
        are_alone=len(groups) == len(task.operators),
        goal=conditions([task.goal]),
        defaults=[task.initial[v] for v in order],
        bodies=conditions(axiom.condition for axiom in rules),
        layers=[task.variables[axiom.fact[0]].layer for axiom in rules],
        heads=[place[axiom.fact[0]] for axiom in rules],
        head_values=[axiom.fact[1] for axiom in rules],
    )
