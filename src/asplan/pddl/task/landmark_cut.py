"""The heuristic LM-cut: landmarks of the delete relaxation, each with its share of the costs.

The delete relaxation consists of *parts*: an operator's unconditional effects, and each of its
conditional effects. Each round finds a cut, that is, parts of which every plan needs one. The round
subtracts the least of their costs from all of them, and adds it to the estimate. The operators of a
cut are a landmark, and the subtracted cost is its *share*.

The parts of an operator share its cost: whatever part is cut, the cost of the operator falls. Every
plan has an operator of each cut, whose cost is at least the sum that all cuts subtract from it. So
the estimate is at most the cost of the plan. (If parts had costs of their own, a plan with two
effects of one action would pay twice. Röger, Pommerening and Helmert, Optimal Planning in the
Presence of Conditional Effects, ECAI 2014, split operators by context instead.) One effect may make
another free, so the sum can be below h-max. The estimate is the larger of both.

Among equally distant preconditions of a part, the one that the fewest parts add becomes its
supporter. This makes cuts small, and on most tasks the estimates larger than other orders do.

A landmark of a state that does not contain the next action is also a landmark of the next state.
Such landmarks are inherited, and new ones are only searched with the remaining costs.

Sources: Helmert and Domshlak, Landmarks, Critical Paths and Abstractions: What's the Difference
Anyway?, ICAPS 2009; Pommerening and Helmert, Incremental LM-Cut, ICAPS 2013.

All functions work on lists, and compiled on arrays (`core.compiling`).
"""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

from asplan.pddl.task.relaxation import AXIOM, Flat
from asplan.pddl.task.states import Array, Lists, lists

FAR = 1 << 60
"""The distance of facts that the delete relaxation cannot reach."""

_NONE = -1
"""The supporter of a part whose precondition is not reached."""


class RelaxedTask(NamedTuple):
    """The delete relaxation of a task in flat lists; `relaxation.Flat` explains most of them.

    Attributes
    ----------
    owners, costs
        The operator of each part, and the cost of each operator. One more operator, without cost,
        owns all axioms.
    siblings
        The parts of each operator.
    sizes
        The number of preconditions of each part.
    goal, start
        The fact that stands for the goal, and a fact that holds in every state.
    are_alone
        True if no operator has several parts.
    """

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
    border_marks border owner_marks cut clock
    """,
)
"""The working memory of LM-cut.

`costs` has the remaining costs of operators, `distance` the distance (h-max) of each fact, and
`cut` the operators of the current cut. `supporter` has for each part the precondition with the
largest distance, and `support` this distance. A mark is valid if it equals the current `clock`, so
marks need no reset.
"""


def relaxed_of(flat: Flat) -> RelaxedTask:
    """Return a delete relaxation as the flat lists of `RelaxedTask`."""
    operators = len(flat.siblings) + 1
    costs = [0] * operators
    for owner, cost in zip(flat.owners, flat.costs, strict=True):
        costs[owner] = cost
    return RelaxedTask(
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
    """Return working memory for LM-cut, which serves one computation at a time."""
    facts = flat.facts
    parts = len(flat.sizes)
    operators = len(flat.siblings) + 1
    pairs = zip(flat.adds, flat.sizes, strict=True)
    waiting = facts + 1 + sum(len(adds) * (1 + size) for adds, size in pairs)
    sizes = {
        **dict.fromkeys(("distance", "near", "seen", "open_marks"), facts),
        **dict.fromkeys(
            (
                "supporter",
                "support",
                "missing",
                "border_marks",
                "border",
            ),
            parts,
        ),
        **dict.fromkeys(("costs", "owner_marks", "cut"), operators),
        **dict.fromkeys(("heap_values", "heap_facts"), waiting),
        "stack": waiting + facts,
        "clock": 1,
    }
    return Room(**{name: [0] * size for name, size in sizes.items()})


def _push_fact(
    values: Array,
    facts: Array,
    size: int,
    value: int,
    fact: int,
) -> int:
    """Add a fact with its distance `value` to a heap of `size` pairs; return its new size."""
    place = size
    while place > 0:
        above = (place - 1) >> 1
        if values[above] <= value:
            break
        values[place] = values[above]
        facts[place] = facts[above]
        place = above
    values[place] = value
    facts[place] = fact
    return size + 1


def _drop_fact(values: Array, facts: Array, size: int) -> int:
    """Remove the first pair from a heap of `size` pairs of distances and facts.

    Return its new size.
    """
    size -= 1
    value = values[size]
    fact = facts[size]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and values[below + 1] < values[below]:
            below += 1
        if values[below] >= value:
            break
        values[place] = values[below]
        facts[place] = facts[below]
        place = below
    values[place] = value
    facts[place] = fact
    return size


def begin_exploration(flat: RelaxedTask, room: Room, facts: Array) -> int:
    """Reset the supporters of parts and the distances of facts; put the given facts on the stack.

    The given facts hold, so they have the distance 0. Return their number.
    """
    for part in range(len(room.missing)):
        room.missing[part] = flat.sizes[part]
        room.supporter[part] = _NONE
    for fact in range(len(room.distance)):
        room.distance[fact] = FAR
    top = 0
    for fact in facts:
        room.distance[fact] = 0
        room.stack[top] = fact
        top += 1
    return top


def explore(flat: RelaxedTask, room: Room, facts: Array) -> None:  # noqa: C901  calls would take longer
    """Compute the distance (h-max) of each fact from the given facts, which hold.

    The costs of operators are in `room.costs`; earlier cuts have reduced them.
    """
    distance = room.distance
    missing = room.missing
    supporter = room.supporter
    needed = flat.needed_by
    adds = flat.adds
    preconditions = flat.preconditions
    values = room.heap_values
    waiting = room.heap_facts
    stack = room.stack
    top = begin_exploration(flat, room, facts)
    size = 0
    value = 0
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
                for j in range(preconditions.starts[part], preconditions.starts[part + 1]):
                    if distance[preconditions.items[j]] == value:
                        supporter[part] = preconditions.items[j]
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


def push_cheaper(flat: RelaxedTask, room: Room, count: int) -> int:
    """Push to the heap the facts that became nearer because operators became cheaper.

    The first `count` operators in `room.cut` became cheaper. Return the size of the heap.
    """
    distance = room.distance
    adds = flat.adds
    size = 0
    for place in range(count):
        owner = room.cut[place]
        for i in range(flat.siblings.starts[owner], flat.siblings.starts[owner + 1]):
            part = flat.siblings.items[i]
            if room.supporter[part] == _NONE:
                continue
            far = room.support[part] + room.costs[owner]
            for j in range(adds.starts[part], adds.starts[part + 1]):
                added = adds.items[j]
                if far < distance[added]:
                    distance[added] = far
                    size = _push_fact(room.heap_values, room.heap_facts, size, far, added)
    return size


def update(flat: RelaxedTask, room: Room, count: int) -> None:  # noqa: C901  calls would take longer
    """Update the distances (h-max) after the first `count` operators in `room.cut` became cheaper.

    A fact that is at least as far as the goal may keep a distance that is too large. This does no
    harm, because the distance of the goal never grows: before such a fact matters, it must come
    nearer than the goal, and then this function visits it.
    """
    distance = room.distance
    supporter = room.supporter
    support = room.support
    needed = flat.needed_by
    adds = flat.adds
    preconditions = flat.preconditions
    values = room.heap_values
    waiting = room.heap_facts
    stack = room.stack
    size = push_cheaper(flat, room, count)
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
                for j in range(preconditions.starts[part], preconditions.starts[part + 1]):
                    other = preconditions.items[j]
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


def _reaches(  # noqa: C901  calls would take longer
    flat: RelaxedTask,
    room: Room,
    target: int,
    now: int,
) -> bool:
    """Return whether a path leads from the initial facts to `target` without a fact near the goal.

    A fact is near the goal if the goal can be reached from it at no cost. If the distance of a fact
    is smaller than that of the goal, its shortest path has no fact near the goal. So the search
    goes backwards from `target` until it finds a fact whose distance is smaller. `now` is the
    number of this round, which marks facts in `near`, `seen` and `open_marks`.
    """
    distance = room.distance
    supporter = room.supporter
    queue = room.stack
    limit = distance[flat.goal]
    adds = flat.adds
    if distance[target] < limit or room.open_marks[target] == now:
        return True
    if room.seen[target] == now:
        return False
    room.clock[0] += 1
    clock = room.clock[0]
    room.seen[target] = clock
    queue[0] = target
    first = 0
    end = 1
    while first < end:
        fact = queue[first]
        first += 1
        for i in range(flat.added_by.starts[fact], flat.added_by.starts[fact + 1]):
            part = flat.added_by.items[i]
            before = supporter[part]
            if before == _NONE or room.seen[before] == clock or room.seen[before] == now:
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
        # These facts cannot be reached in this round.
        room.seen[queue[i]] = now
    return False


def find_cut(flat: RelaxedTask, room: Room) -> int:
    """Find a cut; write its operators to `room.cut` and return their number.

    The graph of supporters has an edge from the supporter of each part to the facts that the part
    adds. A fact is near the goal if the goal can be reached from it at no cost. The cut consists of
    the edges with a cost that lead from reachable facts to facts near the goal.
    """
    room.clock[0] += 1
    now = room.clock[0]
    size = find_border(flat, room, now)
    count = 0
    for i in range(size):
        part = room.border[i]
        owner = flat.owners[part]
        before = room.supporter[part]
        if room.near[before] == now or room.owner_marks[owner] == now:
            continue
        if _reaches(flat, room, before, now):
            room.owner_marks[owner] = now
            room.cut[count] = owner
            count += 1
    return count


def find_border(flat: RelaxedTask, room: Room, now: int) -> int:
    """Mark the facts near the goal with `now`; write to `border` the parts that add them at a cost.

    A fact is near the goal if the goal can be reached from it at no cost. Return the number of the
    written parts.
    """
    supporter = room.supporter
    stack = room.stack
    border = room.border
    room.near[flat.goal] = now
    stack[0] = flat.goal
    top = 1
    size = 0
    while top:
        top -= 1
        fact = stack[top]
        for i in range(flat.added_by.starts[fact], flat.added_by.starts[fact + 1]):
            part = flat.added_by.items[i]
            before = supporter[part]
            if before == _NONE:
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
    return size


def lm_cut(
    flat: RelaxedTask,
    room: Room,
    facts: Array,
    out: Array,
    place: int,
) -> tuple[int, int]:
    """Compute the LM-cut estimate from the costs in `room.costs`, and write its landmarks to `out`.

    A landmark is written as its share of the costs, the number of its operators, and these
    operators. The costs must be set before, and are reduced by the shares.

    Parameters
    ----------
    facts
        The facts that hold, including the artificial fact `flat.start`.
    out, place
        The list for the landmarks, and the index of the first entry to write.

    Returns
    -------
    tuple[int, int]
        The estimate, or `FAR` if the goal is unreachable; and the end of the landmarks in `out`, or
        -1 if not all of them fit.
    """
    explore(flat, room, facts)
    h_max = room.distance[flat.goal]
    if h_max == FAR:
        return FAR, -1
    total = 0
    fits = True
    while room.distance[flat.goal] > 0:
        count = find_cut(flat, room)
        share = subtract_least(room, count)
        total += share
        fits = fits and place + count + 2 <= len(out)
        if fits:
            place = write_landmark(out, place, share, room.cut, 0, count)
        update(flat, room, count)
    if not flat.are_alone:
        total = max(total, h_max)
    return total, place if fits else -1


def subtract_least(room: Room, count: int) -> int:
    """Subtract the least cost in the cut from its operators' costs; return this cost.

    `count` is the number of operators in `room.cut`.
    """
    cut = room.cut
    least: int = room.costs[cut[0]]
    for i in range(1, count):
        least = min(least, room.costs[cut[i]])
    for i in range(count):
        room.costs[cut[i]] -= least
    return least


def write_landmark(
    out: Array,
    place: int,
    share: int,
    operators: Array,
    start: int,
    count: int,
) -> int:
    """Write a landmark to `out` from an index `place` on; return the index after it.

    Its operators are `operators[start:start + count]`, and `share` is its cost.
    """
    out[place] = share
    out[place + 1] = count
    for i in range(count):
        out[place + 2 + i] = operators[start + i]
    return place + count + 2


def inherit(
    room: Room,
    start: int,
    end: int,
    operator: int,
    out: Array,
    place: int,
) -> tuple[int, int]:
    """Copy the landmarks of a state that do not contain an operator to the state after it.

    They are also landmarks of the later state. Subtract their shares from the costs in
    `room.costs`.

    Parameters
    ----------
    start, end
        The landmarks of the state before are `out[start:end]`.
    place
        The index in `out` to which landmarks are copied.

    Returns
    -------
    tuple[int, int]
        The sum of the copied shares; and the end of the copy, or -1 if not all landmarks fit.
    """
    total = 0
    fits = True
    while start < end:
        share = out[start]
        count = out[start + 1]
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
                place = write_landmark(out, place, share, out, start, count)
            for i in range(start, start + count):
                room.costs[out[i]] -= share
        start += count
    return total, place if fits else -1


COMPILED = (
    _push_fact,
    _drop_fact,
    begin_exploration,
    explore,
    push_cheaper,
    update,
    _reaches,
    find_border,
    find_cut,
    subtract_least,
    write_landmark,
    lm_cut,
    inherit,
)
"""The functions to compile, callees first."""
