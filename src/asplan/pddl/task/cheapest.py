"""The least cost of a finite-domain task, or the fewest actions: A*, compiled if it lasts.

Two searches take turns, one guided by LM-cut and one without a guide, which is enough for small
spaces, and better where estimates tell little. They start as plain Python; where it lasts and numba
is installed, the same functions go on compiled, from where they are.

Of the states with the least f = g + h one with the least h is taken, the last of them first. A
state that is reached at less cost is opened again, as LM-cut is not consistent.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

from asplan.core.compiling import WAIT, as_arrays, compile_functions, load, resize
from asplan.core.text import amount
from asplan.domains.base import Effort, Found
from asplan.pddl.task import landmark_cut, states
from asplan.pddl.task.landmark_cut import FAR, Relaxed, Room, inherit, lm_cut, relaxed_of, room_for
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.relaxation import Flat
from asplan.pddl.task.states import (
    STATES,
    Array,
    Known,
    apply_operator,
    enter_state,
    holds,
    place_of,
    read_state,
)
from asplan.pddl.task.task import Task, contradicts_itself

GOES_ON, FOUND, EXHAUSTED, FULL = range(4)  # how a stretch of the search has ended

HEAP, BOUND, EXPANDED, GENERATED, WRITTEN, GOAL = range(STATES + 1, 7)
"""What is counted besides states: pairs in the open list, what every plan costs at least, states
that were taken out and generated, numbers of landmarks that are kept, and the goal that was found.
"""

MOST_NUMBERS = 1 << 26  # numbers of landmarks that are kept at most; states beyond find theirs anew


class PricedMoves(NamedTuple):
    """A task whose operators have costs.

    An operator is looked at where the fact holds by which it is `watched`, or always if it asks for
    nothing (`free`); `asks` has all that it asks for. The first variables of the `order` are those
    that operators set, so many as `basic`. LM-cut has the task `relaxed`, and `room` to work in.
    """

    moves: states.Moves
    order: Array
    basic: int
    watched: states.Lists
    free: Array
    asks: states.FactLists
    costs: Array
    relaxed: Relaxed
    room: Room


class Table(NamedTuple):
    """The states that were reached, and which of them are open.

    `landmarks` has those of each state from one place to another (`starts`, `ends`). The facts of
    the state in hand and the operators that apply are put into the last two.
    """

    known: Known
    g: Array
    h: Array
    closed: Array
    starts: Array
    ends: Array
    heap_f: Array
    heap_nodes: Array
    landmarks: Array
    facts: Array
    applicable: Array


def _find_applicable(task: PricedMoves, table: Table) -> int:
    """The operators that apply in the state whose values are known, one an action; how many."""
    moves, watched, found, values = task.moves, task.watched, table.applicable, table.known.values
    size = 0
    for operator in task.free:
        found[size] = operator
        size += 1
    for variable in task.order:
        fact = moves.offsets[variable] + values[variable]
        for i in range(watched.starts[fact], watched.starts[fact + 1]):
            operator = watched.items[i]
            if holds(task.asks, operator, values):
                found[size] = operator
                size += 1
    if not moves.has_twins:
        return size
    for i in range(1, size):
        operator, place = found[i], i
        while place and found[place - 1] > operator:
            found[place] = found[place - 1]
            place -= 1
        found[place] = operator
    kept = 0
    for i in range(size):
        twin = moves.twins[found[i]]
        while twin >= 0 and not holds(task.asks, twin, values):
            twin = moves.twins[twin]
        if twin < 0:
            found[kept] = found[i]
            kept += 1
    return kept


def _before(table: Table, f: int, node: int, f_other: int, other: int) -> bool:
    """Whether one pair is taken out before another."""
    if f != f_other:
        return f < f_other
    h, h_other = table.h[node], table.h[other]
    return h < h_other or (h == h_other and node > other)


def _push(table: Table, node: int) -> None:
    fs, nodes = table.heap_f, table.heap_nodes
    f = table.g[node] + table.h[node]
    place = table.known.counts[HEAP]
    table.known.counts[HEAP] += 1
    while place > 0:
        above = (place - 1) >> 1
        if not _before(table, f, node, fs[above], nodes[above]):
            break
        fs[place], nodes[place] = fs[above], nodes[above]
        place = above
    fs[place], nodes[place] = f, node


def _drop(table: Table) -> None:
    fs, nodes = table.heap_f, table.heap_nodes
    table.known.counts[HEAP] -= 1
    size = table.known.counts[HEAP]
    f, node = fs[size], nodes[size]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and _before(
            table, fs[below + 1], nodes[below + 1], fs[below], nodes[below]
        ):
            below += 1
        if not _before(table, fs[below], nodes[below], f, node):
            break
        fs[place], nodes[place] = fs[below], nodes[below]
        place = below
    fs[place], nodes[place] = f, node


def _estimate(task: PricedMoves, table: Table, node: int, parent: int) -> int:
    """LM-cut of the state in hand; its landmarks are kept as long as there is room."""
    moves, known, counts = task.moves, table.known, table.known.counts
    flat, room = task.relaxed, task.room
    for i in range(task.basic):
        v = task.order[i]
        value = known.row[moves.words[v]] >> moves.shifts[v] & moves.masks[v]
        table.facts[i] = moves.offsets[v] + value
    for owner in range(len(room.costs)):
        room.costs[owner] = flat.costs[owner]
    inherited, place = 0, counts[WRITTEN]
    if parent >= 0 and flat.are_alone and table.ends[parent] > 0:
        start, end, operator = table.starts[parent], table.ends[parent], known.operators[node]
        inherited, place = inherit(room, start, end, operator, table.landmarks, place)
    if place < 0:
        place = len(table.landmarks)
    total, end = lm_cut(flat, room, table.facts, table.landmarks, place)
    if total == FAR:
        return FAR
    if end >= 0 and flat.are_alone and total + inherited > 0:
        table.starts[node], table.ends[node] = counts[WRITTEN], end
        counts[WRITTEN] = end
    return inherited + total


def _reach(task: PricedMoves, table: Table, guided: bool, parent: int, operator: int) -> None:
    """Enter the state in hand, which an operator leads to from a parent, or improve it."""
    known = table.known
    g = table.g[parent] + task.costs[operator] if parent >= 0 else 0
    place = place_of(known)
    node = known.table[place]
    if node >= 0:
        if g < table.g[node]:
            table.g[node] = g
            known.parents[node], known.operators[node] = parent, operator
            if table.h[node] != FAR:
                table.closed[node] = False
                _push(table, node)
        return
    node = enter_state(known, place, parent, operator)
    table.g[node], table.closed[node] = g, False
    table.starts[node] = table.ends[node] = 0
    table.h[node] = _estimate(task, table, node, parent) if guided else 0
    if table.h[node] != FAR:
        _push(table, node)


def go_on(task: PricedMoves, table: Table, guided: bool, reached: int) -> int:
    """Search until it is over, there is no more room, or so many more states are reached."""
    moves, known, counts = task.moves, table.known, table.known.counts
    reached += counts[STATES]
    if not counts[STATES]:  # the initial state is in hand
        nobody = -1
        _reach(task, table, guided, nobody, nobody)
    looks = 1 << 14
    while counts[HEAP]:
        if counts[STATES] >= reached or not looks:
            return GOES_ON
        looks -= 1
        f, node = table.heap_f[0], table.heap_nodes[0]
        if table.closed[node] or f != table.g[node] + table.h[node]:
            _drop(table)
            continue
        read_state(moves, known, node)
        counts[BOUND] = max(counts[BOUND], f)
        if holds(moves.goal, 0, known.values):
            counts[GOAL] = node
            return FOUND
        size = _find_applicable(task, table)
        if counts[STATES] + size > len(table.g) or counts[HEAP] + size > len(table.heap_f):
            return FULL
        numbers = len(table.landmarks)
        if numbers < MOST_NUMBERS and 2 * counts[WRITTEN] > numbers:
            return FULL
        _drop(table)
        table.closed[node] = True
        counts[EXPANDED] += 1
        counts[GENERATED] += size
        for i in range(size):
            operator = table.applicable[i]
            apply_operator(moves, known, node, operator)
            _reach(task, table, guided, node, operator)
    return EXHAUSTED


COMPILED = (
    *(*states.COMPILED, *landmark_cut.COMPILED, _find_applicable, _before, _push, _drop),
    *(_estimate, _reach, go_on),
)
"""What is compiled, those that call others behind them."""


PLAIN = 0.6  # seconds of the plain functions; compiled ones take twice that to load

BLIND = 0.1
"""The share that the search without LM-cut has of the time of the other one in tasks without axioms
and conditional effects; in others, which LM-cut tells less of, they have the same."""

_TURN, _LONGER = 0.1, 1.5  # seconds of a turn at first, and by how much turns grow
_PAUSE = 0.05  # seconds between two looks at the clock, as near as may be

_NODES, _NUMBERS = 1 << 10, 1 << 14
"""States and numbers of landmarks for which there is room at first."""


def find_cheapest(
    model: TaskModel, priced: bool, heed: Callable[[Effort], None], plain: float = PLAIN
) -> Found:
    """A plan whose actions cost the least, or are the fewest, or that there is none.

    `heed` is called now and then; what it raises ends the search. For `plain` seconds it does
    without compiled functions, or longer if they have to be compiled yet, unless that is 0.
    """
    functions: Mapping[str, Any] = {f.__name__: f for f in COMPILED}
    task: Any = prepare(model.task, priced)
    tables = {guided: empty_table(task, model.task.initial) for guided in (False, True)}

    def search(guided: bool, seconds: float) -> int:
        """Go on in one of the tables, and say how that ended."""
        ended, reached, end = GOES_ON, 1, time.monotonic() + seconds
        while ended == GOES_ON and (began := time.monotonic()) < end:
            ended = functions["go_on"](task, tables[guided], guided, reached)
            counts = [table.known.counts for table in tables.values()]
            seen = (sum(int(c[n]) for c in counts) for n in (STATES, HEAP, EXPANDED, GENERATED))
            heed(Effort(max(int(some[BOUND]) for some in counts), *seen))
            if ended == FULL:
                tables[guided] = larger(tables[guided])
                functions["fill_table"](tables[guided].known)
                ended = GOES_ON
            elif time.monotonic() - began < _PAUSE:
                reached *= 2
            else:
                reached = max(1, reached // 2)
        return ended

    is_strips = task.relaxed.are_alone and not model.has_axioms
    begun, turn = time.monotonic(), _TURN
    fits = sum(o.cost for o in model.task.operators) < 1 << 40  # numbers of arrays
    while True:
        if time.monotonic() - begun >= plain:
            use = partial(_compile, task, model.task.initial)
            arrays, again = load(_functions, use, not plain) if fits else (None, False)
            plain = time.monotonic() - begun + WAIT if again else inf
            if arrays is not None:
                functions, turn = _functions(), _TURN
                tables = {guided: _as_arrays(table) for guided, table in tables.items()}
                task = _better_ordered(functions, arrays, tables[True])
        for guided, seconds in ((True, turn), (False, turn * BLIND if is_strips else turn)):
            if (ended := search(guided, max(seconds, _TURN))) != GOES_ON:
                known = tables[guided].known
                if ended == EXHAUSTED:
                    count = amount(int(known.counts[STATES]), "state")
                    return Found(None, f"none of the {count} that may lead on is a goal")
                steps = states.steps_to(known, model.task, known.counts[GOAL])
                by = "lm-cut" if guided else "zero"
                return Found(steps, f"no state with a smaller f is left, and {by} is admissible")
        turn *= _LONGER


def prepare(task: Task, priced: bool) -> PricedMoves:
    moves = states.moves_of(task)
    often = Counter(fact for operator in task.operators for fact in operator.precondition)
    watched: list[list[int]] = [[] for _ in task.facts]
    for index, operator in enumerate(task.operators):
        if operator.precondition and not contradicts_itself(operator.precondition):
            v, d = min(operator.precondition, key=lambda fact: often[fact])
            watched[moves.offsets[v] + d].append(index)
    costs = [operator.cost if priced else 1 for operator in task.operators]
    flat = Flat(task, costs)
    return PricedMoves(
        moves=moves,
        order=[*task.basic, *task.derived],
        basic=len(task.basic),
        watched=states.lists(watched),
        free=[o for o, operator in enumerate(task.operators) if not operator.precondition],
        asks=states.fact_lists(sorted(set(operator.precondition)) for operator in task.operators),
        costs=costs,
        relaxed=relaxed_of(flat),
        room=room_for(flat),
    )


_as_arrays = partial(as_arrays, kinds={}, usual="int64")


@cache
def _functions() -> Mapping[str, Any]:
    return compile_functions(COMPILED)


def _compile(task: PricedMoves, initial: Sequence[int]) -> Any:
    """What the functions work on as arrays, for which they are compiled."""
    arrays, table = _as_arrays(task), _as_arrays(empty_table(task, initial))
    _functions()["go_on"](arrays, table, True, 0)
    _functions()["fill_table"](table.known)
    return arrays


_SAMPLE = 20  # states by which orders are compared


def _better_ordered(functions: Mapping[str, Any], task: Any, table: Table) -> Any:
    """The task with the order of preconditions that makes for larger estimates.

    Of those that are equally far the first supports, or the last; the one is better in most tasks,
    and the other by much in some.
    """
    relaxed, room = task.relaxed, task.room
    starts, items = relaxed.preconditions
    turned = items.copy()
    for start, end in pairwise(starts.tolist()):
        turned[start:end] = sorted(items[start:end].tolist(), reverse=True)
    other = relaxed._replace(preconditions=states.Lists(starts, turned))
    count, sums, basic = int(table.known.counts[STATES]), [], task.order[: task.basic]
    for ordered in (relaxed, other):
        sums.append(0)
        for node in range(0, count, max(1, count // _SAMPLE)):
            functions["read_state"](task.moves, table.known, node)
            table.facts[:-1] = task.moves.offsets[basic] + table.known.values[basic]
            room.costs[:] = relaxed.costs
            sums[-1] += functions["lm_cut"](ordered, room, table.facts, table.landmarks[:0], 0)[0]
    return task._replace(relaxed=relaxed if sums[0] >= sums[1] else other)


def empty_table(task: PricedMoves, initial: Sequence[int]) -> Table:
    known = states.known_from(task.moves, initial, [0] * (GOAL + 1))
    return Table(
        known=states.with_room(known, _NODES),
        **{name: [0] * _NODES for name in ("g", "h", "closed", "starts", "ends")},
        heap_f=[0] * (2 * _NODES),
        heap_nodes=[0] * (2 * _NODES),
        landmarks=[0] * _NUMBERS,
        facts=[task.relaxed.start] * (task.basic + 1),
        applicable=[0] * (len(task.costs) + 1),
    )


def larger(table: Table) -> Table:
    """A table with twice as much of what is scarce, whose states have to be entered anew."""
    nodes, numbers = len(table.g), len(table.landmarks)
    if 2 * table.known.counts[WRITTEN] > numbers and numbers < MOST_NUMBERS:
        return table._replace(
            landmarks=resize(table.landmarks, 2 * numbers),
            known=states.with_room(table.known, nodes),
        )
    doubled = {
        name: resize(array, 2 * len(array))
        for name, array in table._asdict().items()
        if name in ("g", "h", "closed", "starts", "ends", "heap_f", "heap_nodes")
    }
    return table._replace(known=states.with_room(table.known, 2 * nodes), **doubled)
