"""A* over a finite-domain task on flat lists: states are rows of numbers, one behind the other.

States are found by a table with open addresses. Of those with the least f = g + h one with the
least h is taken, the last of them first. A state that is reached at less cost is opened again, as
LM-cut is not consistent.

All functions work on lists, and compiled on arrays (`core.compiling`).
"""

from __future__ import annotations

from typing import NamedTuple

from asplan.pddl.task import landmark_cut
from asplan.pddl.task.landmark_cut import FAR, Array, Lists, Relaxed, Room, inherit, lm_cut

GOES_ON, FOUND, EXHAUSTED, FULL = range(4)
"""How a stretch of the search has ended."""

NODES, HEAP, BOUND, EXPANDED, GENERATED, WRITTEN, GOAL = range(7)
"""What is counted: states, pairs in the open list, what every plan costs at least, states that were
taken out and generated, numbers of landmarks that are kept, and the goal that was found."""

MOST_NUMBERS = 1 << 26
"""Numbers of landmarks that are kept at most; states beyond find theirs anew."""

_HASHED = (1 << 40) - 1


class Conditions(NamedTuple):
    """Conditions, each a list of variables with a value for each of them."""

    variables: Lists
    values: Array


class Moves(NamedTuple):
    """What operators ask for and do; variables are in an order in which derived ones come last.

    An operator is looked at where the fact holds by which it is `watched`, or always if it asks
    for nothing (`free`). Of those with the same `group` the first that applies counts. Rules
    (`bodies`, `layers`, `heads`, `head_values`) are in the order of their layers.
    """

    offsets: Array
    basic: int
    watched: Lists
    free: Array
    asks: Conditions
    effects: Lists
    sets: Array
    to: Array
    whens: Conditions
    costs: Array
    groups: Array
    are_alone: bool
    goal: Conditions
    defaults: Array
    bodies: Conditions
    layers: Array
    heads: Array
    head_values: Array


class Table(NamedTuple):
    """The states that were reached, and which of them are open.

    `landmarks` has those of each state from one place to another (`starts`, `ends`).
    """

    values: Array
    g: Array
    h: Array
    parents: Array
    operators: Array
    closed: Array
    starts: Array
    ends: Array
    slots: Array
    heap_f: Array
    heap_nodes: Array
    landmarks: Array
    counts: Array


class Desk(NamedTuple):
    """What is at hand while one state is expanded: it, and the state that follows."""

    now: Array
    after: Array
    facts: Array
    applicable: Array
    taken: Array


def _holds(conditions: Conditions, index: int, now: Array) -> bool:
    starts, items = conditions.variables
    for i in range(starts[index], starts[index + 1]):
        if now[items[i]] != conditions.values[i]:
            return False
    return True


def _derive(moves: Moves, now: Array) -> None:
    """Set the derived variables, layer by layer."""
    for variable in range(moves.basic, len(now)):
        now[variable] = moves.defaults[variable]
    first, count = 0, len(moves.heads)
    while first < count:
        end = first
        while end < count and moves.layers[end] == moves.layers[first]:
            end += 1
        changed = True
        while changed:
            changed = False
            for rule in range(first, end):
                head, value = moves.heads[rule], moves.head_values[rule]
                if now[head] != value and _holds(moves.bodies, rule, now):
                    now[head] = value
                    changed = True
        first = end


def _find_applicable(moves: Moves, desk: Desk) -> int:
    """The operators that apply in the state at hand, one for each group; how many."""
    now, found = desk.now, desk.applicable
    size = 0
    for operator in moves.free:
        found[size] = operator
        size += 1
    for variable in range(len(now)):
        fact = moves.offsets[variable] + now[variable]
        for i in range(moves.watched.starts[fact], moves.watched.starts[fact + 1]):
            operator = moves.watched.items[i]
            if _holds(moves.asks, operator, now):
                found[size] = operator
                size += 1
    if moves.are_alone:
        return size
    for i in range(1, size):
        operator, place = found[i], i
        while place and found[place - 1] > operator:
            found[place] = found[place - 1]
            place -= 1
        found[place] = operator
    kept = 0
    for i in range(size):
        group = moves.groups[found[i]]
        if not desk.taken[group]:
            desk.taken[group] = True
            found[kept] = found[i]
            kept += 1
    for i in range(kept):
        desk.taken[moves.groups[found[i]]] = False
    return kept


def _slot(moves: Moves, table: Table, row: Array, start: int) -> int:
    """The place of a state in the table, or the free one where it would be."""
    basic, mask = moves.basic, len(table.slots) - 1
    key = 0
    for v in range(basic):
        key = ((key ^ row[start + v]) * 1000003 + 97) & _HASHED
        key ^= key >> 17
    slot = key & mask
    while table.slots[slot] >= 0:
        other = table.slots[slot] * basic
        same = True
        for v in range(basic):
            if table.values[other + v] != row[start + v]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & mask
    return slot


def fill_slots(moves: Moves, table: Table) -> None:
    """Enter all states, after the table has grown."""
    for node in range(table.counts[NODES]):
        table.slots[_slot(moves, table, table.values, node * moves.basic)] = node


def _before(table: Table, f: int, node: int, f_other: int, other: int) -> bool:
    """Whether one pair is taken out before another."""
    if f != f_other:
        return f < f_other
    h, h_other = table.h[node], table.h[other]
    return h < h_other or (h == h_other and node > other)


def _push(table: Table, node: int) -> None:
    fs, nodes = table.heap_f, table.heap_nodes
    f = table.g[node] + table.h[node]
    place = table.counts[HEAP]
    table.counts[HEAP] += 1
    while place > 0:
        above = (place - 1) >> 1
        if not _before(table, f, node, fs[above], nodes[above]):
            break
        fs[place], nodes[place] = fs[above], nodes[above]
        place = above
    fs[place], nodes[place] = f, node


def _drop(table: Table) -> None:
    fs, nodes = table.heap_f, table.heap_nodes
    table.counts[HEAP] -= 1
    size = table.counts[HEAP]
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
    moves: Moves, flat: Relaxed, room: Room, table: Table, desk: Desk, node: int, parent: int
) -> int:
    """LM-cut of the state in `after`; its landmarks are kept as long as there is room."""
    counts = table.counts
    for v in range(moves.basic):
        desk.facts[v] = moves.offsets[v] + desk.after[v]
    for owner in range(len(room.costs)):
        room.costs[owner] = flat.costs[owner]
    inherited, place = 0, counts[WRITTEN]
    if parent >= 0 and flat.are_alone and table.ends[parent] > 0:
        inherited, place = inherit(
            room,
            table.landmarks,
            table.starts[parent],
            table.ends[parent],
            table.operators[node],
            table.landmarks,
            place,
        )
    if place < 0:
        place = len(table.landmarks)
    total, end = lm_cut(flat, room, desk.facts, table.landmarks, place)
    if total == FAR:
        return FAR
    if end >= 0 and flat.are_alone and total + inherited > 0:
        table.starts[node], table.ends[node] = counts[WRITTEN], end
        counts[WRITTEN] = end
    return inherited + total


def _reach(
    moves: Moves,
    flat: Relaxed,
    room: Room,
    table: Table,
    desk: Desk,
    guided: bool,
    parent: int,
    operator: int,
) -> None:
    """Enter the state in `after`, which an operator leads to from a parent, or improve it."""
    counts = table.counts
    g = table.g[parent] + moves.costs[operator] if parent >= 0 else 0
    slot = _slot(moves, table, desk.after, 0)
    node = table.slots[slot]
    if node >= 0:
        if g < table.g[node]:
            table.g[node] = g
            table.parents[node], table.operators[node] = parent, operator
            if table.h[node] != FAR:
                table.closed[node] = False
                _push(table, node)
        return
    node = counts[NODES]
    counts[NODES] += 1
    table.slots[slot] = node
    for v in range(moves.basic):
        table.values[node * moves.basic + v] = desk.after[v]
    table.g[node], table.closed[node] = g, False
    table.parents[node], table.operators[node] = parent, operator
    table.starts[node] = table.ends[node] = 0
    table.h[node] = _estimate(moves, flat, room, table, desk, node, parent) if guided else 0
    if table.h[node] != FAR:
        _push(table, node)


def go_on(
    moves: Moves,
    flat: Relaxed,
    room: Room,
    desk: Desk,
    table: Table,
    guided: bool,
    reached: int,
) -> int:
    """Search until it is over, there is no more room, or so many more states are reached."""
    basic, counts, now = moves.basic, table.counts, desk.now
    reached += counts[NODES]
    if not counts[NODES]:  # the initial state is in `after`
        nobody = -1
        _reach(moves, flat, room, table, desk, guided, nobody, nobody)
    looks = 1 << 14
    while counts[HEAP]:
        if counts[NODES] >= reached or not looks:
            return GOES_ON
        looks -= 1
        f, node = table.heap_f[0], table.heap_nodes[0]
        if table.closed[node] or f != table.g[node] + table.h[node]:
            _drop(table)
            continue
        for v in range(basic):
            now[v] = table.values[node * basic + v]
        _derive(moves, now)
        counts[BOUND] = max(counts[BOUND], f)
        if _holds(moves.goal, 0, now):
            counts[GOAL] = node
            return FOUND
        size = _find_applicable(moves, desk)
        if counts[NODES] + size > len(table.g) or counts[HEAP] + size > len(table.heap_f):
            return FULL
        numbers = len(table.landmarks)
        if numbers < MOST_NUMBERS and 2 * counts[WRITTEN] > numbers:
            return FULL
        _drop(table)
        table.closed[node] = True
        counts[EXPANDED] += 1
        counts[GENERATED] += size
        for i in range(size):
            operator = desk.applicable[i]
            for v in range(basic):
                desk.after[v] = now[v]
            for e in range(moves.effects.starts[operator], moves.effects.starts[operator + 1]):
                if _holds(moves.whens, e, now):
                    desk.after[moves.sets[e]] = moves.to[e]
            _reach(moves, flat, room, table, desk, guided, node, operator)
    return EXHAUSTED


BLIND = 0.1
"""Seconds of the search without LM-cut."""

_PAUSE = 0.05
"""Seconds between two looks at the clock, as near as may be."""


COMPILED = (
    *landmark_cut.COMPILED,
    _holds,
    _derive,
    _find_applicable,
    _slot,
    fill_slots,
    _before,
    _push,
    _drop,
    _estimate,
    _reach,
    go_on,
)
"""What is compiled, those that call others behind them."""
