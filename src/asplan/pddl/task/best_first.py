"""A* over a finite-domain task, by states in flat lists, as plain Python or compiled.

Of the states with the least f = g + h one with the least h is taken, the last of them first. A
state that is reached at less cost is opened again, as LM-cut is not consistent.
"""

from __future__ import annotations

from typing import NamedTuple

from asplan.pddl.task import landmark_cut, states
from asplan.pddl.task.landmark_cut import FAR, Relaxed, Room, inherit, lm_cut
from asplan.pddl.task.states import (
    STATES,
    Array,
    FactLists,
    Known,
    Lists,
    Moves,
    apply_operator,
    enter_state,
    holds,
    place_of,
    read_state,
)

GOES_ON, FOUND, EXHAUSTED, FULL = range(4)
"""How a stretch of the search has ended."""

HEAP, BOUND, EXPANDED, GENERATED, WRITTEN, GOAL = range(STATES + 1, 7)
"""What is counted besides states: pairs in the open list, what every plan costs at least, states
that were taken out and generated, numbers of landmarks that are kept, and the goal that was found.
"""

MOST_NUMBERS = 1 << 26
"""Numbers of landmarks that are kept at most; states beyond find theirs anew."""


class PricedMoves(NamedTuple):
    """A task whose operators have costs.

    An operator is looked at where the fact holds by which it is `watched`, or always if it asks for
    nothing (`free`); `asks` has all that it asks for. The first variables of the `order` are those
    that operators set, so many as `basic`.
    """

    moves: Moves
    order: Array
    basic: int
    watched: Lists
    free: Array
    asks: FactLists
    costs: Array


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
            table,
            fs[below + 1],
            nodes[below + 1],
            fs[below],
            nodes[below],
        ):
            below += 1
        if not _before(table, fs[below], nodes[below], f, node):
            break
        fs[place], nodes[place] = fs[below], nodes[below]
        place = below
    fs[place], nodes[place] = f, node


def _estimate(
    task: PricedMoves, flat: Relaxed, room: Room, table: Table, node: int, parent: int
) -> int:
    """LM-cut of the state in hand; its landmarks are kept as long as there is room."""
    moves, known, counts = task.moves, table.known, table.known.counts
    for i in range(task.basic):
        v = task.order[i]
        value = known.row[moves.words[v]] >> moves.shifts[v] & moves.masks[v]
        table.facts[i] = moves.offsets[v] + value
    for owner in range(len(room.costs)):
        room.costs[owner] = flat.costs[owner]
    inherited, place = 0, counts[WRITTEN]
    if parent >= 0 and flat.are_alone and table.ends[parent] > 0:
        inherited, place = inherit(
            room,
            table.landmarks,
            table.starts[parent],
            table.ends[parent],
            known.operators[node],
            table.landmarks,
            place,
        )
    if place < 0:
        place = len(table.landmarks)
    total, end = lm_cut(flat, room, table.facts, table.landmarks, place)
    if total == FAR:
        return FAR
    if end >= 0 and flat.are_alone and total + inherited > 0:
        table.starts[node], table.ends[node] = counts[WRITTEN], end
        counts[WRITTEN] = end
    return inherited + total


def _reach(
    task: PricedMoves,
    flat: Relaxed,
    room: Room,
    table: Table,
    guided: bool,
    parent: int,
    operator: int,
) -> None:
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
    table.h[node] = _estimate(task, flat, room, table, node, parent) if guided else 0
    if table.h[node] != FAR:
        _push(table, node)


def go_on(
    task: PricedMoves, flat: Relaxed, room: Room, table: Table, guided: bool, reached: int
) -> int:
    """Search until it is over, there is no more room, or so many more states are reached."""
    moves, known, counts = task.moves, table.known, table.known.counts
    reached += counts[STATES]
    if not counts[STATES]:  # the initial state is in hand
        nobody = -1
        _reach(task, flat, room, table, guided, nobody, nobody)
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
            _reach(task, flat, room, table, guided, node, operator)
    return EXHAUSTED


COMPILED = (
    *(*states.COMPILED, *landmark_cut.COMPILED, _find_applicable, _before, _push, _drop),
    *(_estimate, _reach, go_on),
)
"""What is compiled, those that call others behind them."""
