"""LM-cut: landmarks of the delete relaxation, each with its share of the costs.

Each round finds parts of which every plan needs one, takes the least of their costs off all of
them, and adds it to the estimate. An operator with conditional effects has several parts. They
share its cost: whatever part is cut, the cost is taken off the operator. Every plan has an
operator of each cut, and pays for it at least what all cuts have taken off it, so the sum is
never more than the plan costs. (Parts with costs of their own would be counted twice where a
plan has both effects of one action; Röger, Pommerening and Helmert, Optimal Planning in the
Presence of Conditional Effects, ECAI 2014, split operators by context instead.) As one effect
may make another free, the sum can be below h-max, so the larger of the two is taken.

Of several preconditions that are equally far the one is chosen that the fewest parts add, which
makes for small cuts, and on most tasks for larger estimates than other orders.

The landmarks of a state that an action is no part of are landmarks of the state that it leads to:
they are taken over, and only the costs that they leave are searched for more.

Sources: Helmert and Domshlak, Landmarks, Critical Paths and Abstractions: What's the Difference
Anyway?, ICAPS 2009; Pommerening and Helmert, Incremental LM-Cut, ICAPS 2013.

All functions work on lists, and compiled on arrays (`core.compiling`).
"""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

from asplan.pddl.task.relaxation import AXIOM, Flat
from asplan.pddl.task.states import Array, Lists, lists

FAR = 1 << 60  # the distance of what cannot be reached

_NOBODY = -1


class Relaxed(NamedTuple):
    """A `Flat`, whose parts cost what their owners do; axioms are owned by one more operator."""

    preconditions: Lists
    adds: Lists
    needed_by: Lists
    added_by: Lists
    siblings: Lists
    owners: Array
    costs: Array
    sizes: Array
    goal: int
    start: int
    are_alone: bool


Room = namedtuple(
    "Room",
    """costs distance supporter support missing heap_values heap_facts stack near seen open_marks
    border_marks border owner_marks found clock
    """,
)
"""What the search for landmarks writes to; of marks the `clock` says whether they are new."""


def relaxed_of(flat: Flat) -> Relaxed:
    operators = len(flat.siblings) + 1
    costs = [0] * operators
    for owner, cost in zip(flat.owners, flat.costs, strict=True):
        costs[owner] = cost
    return Relaxed(
        preconditions=lists(flat.preconditions),
        adds=lists(flat.adds),
        needed_by=lists(flat.needed_by),
        added_by=lists(flat.added_by),
        siblings=lists([*flat.siblings, []]),
        owners=[operators - 1 if owner == AXIOM else owner for owner in flat.owners],
        costs=costs,
        sizes=flat.sizes[:],
        goal=flat.goal,
        start=flat.start,
        are_alone=all(len(parts) <= 1 for parts in flat.siblings),
    )


def room_for(flat: Flat) -> Room:
    """Room for one search at a time."""
    facts, parts, operators = flat.facts, len(flat.sizes), len(flat.siblings) + 1
    pairs = zip(flat.adds, flat.sizes, strict=True)
    waiting = facts + 1 + sum(len(adds) * (1 + size) for adds, size in pairs)
    sizes = {
        **dict.fromkeys(("distance", "near", "seen", "open_marks"), facts),
        **dict.fromkeys(("supporter", "support", "missing", "border_marks", "border"), parts),
        **dict.fromkeys(("costs", "owner_marks", "found"), operators),
        **dict.fromkeys(("heap_values", "heap_facts"), waiting),
        "stack": waiting + facts,
        "clock": 1,
    }
    return Room(**{name: [0] * size for name, size in sizes.items()})


def _push_fact(values: Array, facts: Array, size: int, value: int, fact: int) -> int:
    """Add a pair to a heap; its new size."""
    place = size
    while place > 0:
        above = (place - 1) >> 1
        if values[above] <= value:
            break
        values[place], facts[place] = values[above], facts[above]
        place = above
    values[place], facts[place] = value, fact
    return size + 1


def _drop_fact(values: Array, facts: Array, size: int) -> int:
    """Take the first pair out of a heap; its new size."""
    size -= 1
    value, fact = values[size], facts[size]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and values[below + 1] < values[below]:
            below += 1
        if values[below] >= value:
            break
        values[place], facts[place] = values[below], facts[below]
        place = below
    values[place], facts[place] = value, fact
    return size


def explore(flat: Relaxed, room: Room, facts: Array) -> None:
    """h-max of all facts, from some that hold, by the costs that are left."""
    distance, missing, supporter = room.distance, room.missing, room.supporter
    needed, adds, asked = flat.needed_by, flat.adds, flat.preconditions
    values, waiting, stack = room.heap_values, room.heap_facts, room.stack
    for part in range(len(missing)):
        missing[part], supporter[part] = flat.sizes[part], _NOBODY
    for fact in range(len(distance)):
        distance[fact] = FAR
    size, top, value = 0, 0, 0
    for fact in facts:
        distance[fact], stack[top] = 0, fact
        top += 1
    while True:
        while top:
            top -= 1
            fact = stack[top]
            for i in range(needed.starts[fact], needed.starts[fact + 1]):
                part = needed.items[i]
                missing[part] -= 1
                if missing[part]:
                    continue
                room.support[part] = value
                for j in range(asked.starts[part], asked.starts[part + 1]):
                    if distance[asked.items[j]] == value:
                        supporter[part] = asked.items[j]
                        break
                far = value + room.costs[flat.owners[part]]
                for j in range(adds.starts[part], adds.starts[part + 1]):
                    added = adds.items[j]
                    if far < distance[added]:
                        distance[added] = far
                        if far == value:
                            stack[top] = added
                            top += 1
                        else:
                            size = _push_fact(values, waiting, size, far, added)
        while size and distance[waiting[0]] < values[0]:
            size = _drop_fact(values, waiting, size)
        if not size:
            return
        value = values[0]
        stack[0] = waiting[0]
        top = 1
        size = _drop_fact(values, waiting, size)


def update(flat: Relaxed, room: Room, count: int) -> None:
    """h-max anew, after costs of those in `found` have fallen.

    Those that are as far as the goal, or farther, may be left too far: as the goal only comes
    nearer, they matter only if they come nearer, too, and then they are found again.
    """
    distance, supporter, support = room.distance, room.supporter, room.support
    needed, adds, asked = flat.needed_by, flat.adds, flat.preconditions
    values, waiting, stack = room.heap_values, room.heap_facts, room.stack
    size, top = 0, 0
    for place in range(count):
        owner = room.found[place]
        for i in range(flat.siblings.starts[owner], flat.siblings.starts[owner + 1]):
            part = flat.siblings.items[i]
            if supporter[part] == _NOBODY:
                continue
            far = support[part] + room.costs[owner]
            for j in range(adds.starts[part], adds.starts[part + 1]):
                added = adds.items[j]
                if far < distance[added]:
                    distance[added] = far
                    size = _push_fact(values, waiting, size, far, added)
    while True:
        while size and distance[waiting[0]] < values[0]:
            size = _drop_fact(values, waiting, size)
        if not size or values[0] >= distance[flat.goal]:
            return
        value = values[0]
        stack[0] = waiting[0]
        top = 1
        size = _drop_fact(values, waiting, size)
        while top:
            top -= 1
            fact = stack[top]
            for i in range(needed.starts[fact], needed.starts[fact + 1]):
                part = needed.items[i]
                if supporter[part] != fact or support[part] <= value:
                    continue
                farthest = -1
                for j in range(asked.starts[part], asked.starts[part + 1]):
                    other = asked.items[j]
                    if distance[other] > farthest:
                        farthest = distance[other]
                        supporter[part] = other
                support[part] = farthest
                far = farthest + room.costs[flat.owners[part]]
                for j in range(adds.starts[part], adds.starts[part + 1]):
                    added = adds.items[j]
                    if far < distance[added]:
                        distance[added] = far
                        if far == value:
                            stack[top] = added
                            top += 1
                        else:
                            size = _push_fact(values, waiting, size, far, added)


def _reaches(flat: Relaxed, room: Room, target: int, now: int) -> bool:
    """Whether a fact can be reached without passing those near the goal.

    All that is less far than the goal can: the path by which it is reached first has only such
    facts, while those near the goal are as far as the goal. From other facts the search goes back
    until there is a path from such a one.
    """
    distance, supporter, queue = room.distance, room.supporter, room.stack
    limit, adds = distance[flat.goal], flat.adds
    if distance[target] < limit or room.open_marks[target] == now:
        return True
    if room.seen[target] == now:
        return False
    room.clock[0] += 1
    clock = room.clock[0]
    room.seen[target] = clock
    queue[0] = target
    first, end = 0, 1
    while first < end:
        fact = queue[first]
        first += 1
        for i in range(flat.added_by.starts[fact], flat.added_by.starts[fact + 1]):
            part = flat.added_by.items[i]
            before = supporter[part]
            if before == _NOBODY or room.seen[before] == clock or room.seen[before] == now:
                continue
            if room.near[before] == now:
                continue
            passes = False
            for j in range(adds.starts[part], adds.starts[part + 1]):
                if room.near[adds.items[j]] == now:
                    passes = True
                    break
            if passes:
                continue
            if distance[before] < limit or room.open_marks[before] == now:
                room.open_marks[target] = now
                return True
            room.seen[before] = clock
            queue[end] = before
            end += 1
    for i in range(end):
        room.seen[queue[i]] = now  # cannot be reached in this round
    return False


def find_cut(flat: Relaxed, room: Room) -> int:
    """Put owners that cost something, of which every plan needs one, into `found`; how many.

    In the graph with an arc from the supporter of each part to what the part adds, these lead into
    the facts from which the goal can be reached at no cost.
    """
    supporter, stack, border = room.supporter, room.stack, room.border
    room.clock[0] += 1
    now = room.clock[0]
    room.near[flat.goal] = now
    stack[0] = flat.goal
    top, size, count = 1, 0, 0
    while top:
        top -= 1
        fact = stack[top]
        for i in range(flat.added_by.starts[fact], flat.added_by.starts[fact + 1]):
            part = flat.added_by.items[i]
            before = supporter[part]
            if before == _NOBODY:
                continue
            if room.costs[flat.owners[part]]:
                if room.border_marks[part] != now:
                    room.border_marks[part] = now
                    border[size] = part
                    size += 1
            elif room.near[before] != now:
                room.near[before] = now
                stack[top] = before
                top += 1
    for i in range(size):
        part = border[i]
        owner = flat.owners[part]
        if room.near[supporter[part]] == now or room.owner_marks[owner] == now:
            continue
        if _reaches(flat, room, supporter[part], now):
            room.owner_marks[owner] = now
            room.found[count] = owner
            count += 1
    return count


def lm_cut(flat: Relaxed, room: Room, facts: Array, out: Array, place: int) -> tuple[int, int]:
    """The estimate by the costs that are left, and where the landmarks end that are written.

    They are written from a place on: for each its share, how many operators, and these. `FAR` where
    the goal cannot be reached. There must be room for as many numbers as `out` has from the place
    on to a multiple of the operators; what does not fit is not written, and the end is -1 then.
    """
    explore(flat, room, facts)
    h_max = room.distance[flat.goal]
    if h_max == FAR:
        return FAR, -1
    total, fits = 0, True
    scratch = room.found
    while room.distance[flat.goal] > 0:
        count = find_cut(flat, room)
        least = room.costs[scratch[0]]
        for i in range(1, count):
            least = min(least, room.costs[scratch[i]])
        for i in range(count):
            room.costs[scratch[i]] -= least
        total += least
        fits = fits and place + count + 2 <= len(out)
        if fits:
            out[place], out[place + 1] = least, count
            for i in range(count):
                out[place + 2 + i] = scratch[i]
            place += count + 2
        update(flat, room, count)
    if not flat.are_alone:
        total = max(total, h_max)
    return total, place if fits else -1


def inherit(
    room: Room, start: int, end: int, operator: int, out: Array, place: int
) -> tuple[int, int]:
    """Take landmarks of a state over to the one that an operator leads to.

    They stand in `out`, and are written there anew from a place on. Their shares are taken off the
    costs that are left. Returns their sum, and the end of what is written, or -1 where it did not
    fit.
    """
    total, fits = 0, True
    while start < end:
        share, count = out[start], out[start + 1]
        start += 2
        is_kept = True
        for i in range(start, start + count):
            if out[i] == operator:
                is_kept = False
                break
        if is_kept:
            total += share
            fits = fits and place + count + 2 <= len(out)
            if fits:
                out[place], out[place + 1] = share, count
                for i in range(count):
                    out[place + 2 + i] = out[start + i]
                place += count + 2
            for i in range(start, start + count):
                room.costs[out[i]] -= share
        start += count
    return total, place if fits else -1


COMPILED = (_push_fact, _drop_fact, explore, update, _reaches, find_cut, lm_cut, inherit)
"""What is compiled, those that call others behind them."""
