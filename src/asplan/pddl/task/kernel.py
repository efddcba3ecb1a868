"""The steps of the search for any plan, on flat lists: as plain Python, or compiled by numba.

The functions are like those of `states`. What they work on is made by `greedy`; where that becomes
too small they return, and are called again once it is larger.

The estimate is that of FF with the supporters of h-add: Hoffmann and Nebel, The FF Planning System,
2001; Keyder and Geffner, Heuristics for Planning with Action Costs Revisited, ECAI 2008.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

from asplan.pddl.task import states
from asplan.pddl.task.landmark_cut import Relaxed
from asplan.pddl.task.states import (
    BITS,
    STATES,
    Array,
    FactLists,
    Lists,
    Moves,
    apply_operator,
    enter_state,
    fill_table,
    holds,
    place_of,
    read_state,
)

GOES_ON, FOUND, EXHAUSTED, FULL = range(4)  # what `advance` returns

WAITING, FREE, CHUNKS, STAMP, WORK, TYPES, CHANCE = range(STATES + 1, 8)
"""Places in `counts`: entries used, the first that is free again, operators in chunks, the number
of the state in hand, parts looked at since the call, types of which there are entries, and what
random numbers are made of."""

QUEUES, TYPED = 4, 4
"""By relaxed plans and by landmarks, each of all operators (even) and of the preferred (odd); and
one more, from whose types one is drawn. The type of a state is how far it is from both ends."""

DEEP, FAR = 512, 256
"""Steps from the start and to the goal, beyond which all states are of one type."""

BOOST = 1000  # turns of the preferred operators after each progress

_HALF = (1 << 31) - 1


class Guided(NamedTuple):
    """A task with what its search is guided by.

    `asking` has for each fact the operators that ask for it, which ask for so many in all
    (`operator_sizes`); those that are `free` ask for nothing. Of the landmarks (`marks`) it is said
    which are of the goal (`mark_goals`), and which others each of them needs.
    """

    moves: Moves
    relaxed: Relaxed
    part_costs: Array
    free: Array
    asking: Lists
    operator_sizes: Array
    marks: FactLists
    mark_goals: Array
    mark_needs: Lists


Memory = namedtuple(
    "Memory",
    """known reached depths chunks entry_state entry_begin entry_end entry_next heads tails types
    least turns best buckets origin asked mark_words again cost unreached support settled missing
    sums chosen useful stack bucket_first bucket_next bucket_fact
    """,
)
"""What a search knows: states, with what is known of each; what waits in the queues; then space."""


def advance(task: Guided, memory: Memory, work: int, is_larger: bool) -> int:
    """Evaluate states until the work is done, and say why it ends.

    The state in hand has the `origin` that it comes from. It is evaluated if it is new,
    and what follows it is queued. Then the next one is taken. If the memory `is_larger` than it
    was, its table is empty.
    """
    known, counts, operators = memory.known, memory.known.counts, len(task.operator_sizes)
    if is_larger:
        fill_table(known)
    counts[WORK] = 0
    while counts[WORK] < work:
        counts[WORK] += 1
        if (
            counts[STATES] >= len(known.parents)
            or counts[WAITING] + QUEUES + 1 > len(memory.entry_next)
            or counts[CHUNKS] + operators > len(memory.chunks)
        ):
            return FULL
        state = add_state(memory)
        if state >= 0:
            read_state(task.moves, known, state)
            if holds(task.moves.goal, 0, known.values):
                return FOUND
            by_plan = relaxed_plan(task, memory)
            if by_plan >= 0:
                queue_operators(task, memory, state, by_plan, landmarks_left(task, memory, state))
        if not take_next(task, memory):
            return EXHAUSTED
    return GOES_ON


def add_state(memory: Memory) -> int:
    """Add the state in hand to those that are known; its number, or -1 if it is not new."""
    known, parent = memory.known, memory.origin[0]
    place = place_of(known)
    if known.table[place] >= 0:
        return -1
    state = enter_state(known, place, parent, memory.origin[1])
    memory.depths[state] = memory.depths[parent] + 1 if parent >= 0 else 0
    return state


def relaxed_plan(task: Guided, memory: Memory) -> int:
    """How many operators a relaxed plan has, which are stamped as `useful`; -1 if there is none."""
    relaxed, counts, defaults = task.relaxed, memory.known.counts, task.moves.defaults
    goal, (parts_at, parts_of), (adds_at, adds) = relaxed.goal, relaxed.needed_by, relaxed.adds
    cost, support, missing, sums = memory.cost, memory.support, memory.missing, memory.sums
    first, after, holder = memory.bucket_first, memory.bucket_next, memory.bucket_fact
    settled, values, offsets = memory.settled, memory.known.values, task.moves.offsets
    counts[STAMP] += 1
    stamp = counts[STAMP]
    missing[:] = relaxed.sizes
    sums[:] = task.part_costs
    cost[:] = memory.unreached
    cost[relaxed.start], support[relaxed.start] = 0, -1
    holder[0], after[0], first[0] = relaxed.start, -1, 0
    used, at, far, last, looked = 1, 0, 0, len(first) - 1, 0
    for v in range(len(values)):
        if defaults[v] < 0:
            fact = offsets[v] + values[v]
            cost[fact], support[fact] = 0, -1
            holder[used], after[used], first[0] = fact, first[0], used
            used += 1
    while at <= far:
        entry = first[at]
        if entry < 0:
            at += 1
            continue
        first[at] = after[entry]
        fact = holder[entry]
        if settled[fact] == stamp:
            continue
        settled[fact] = stamp
        if fact == goal:
            break
        value, begin, end = cost[fact], parts_at[fact], parts_at[fact + 1]
        looked += end - begin
        for k in range(begin, end):
            part = parts_of[k]
            missing[part] -= 1
            sums[part] += value
            if missing[part] == 0:
                total = sums[part]
                bucket = total if total < last else last
                for j in range(adds_at[part], adds_at[part + 1]):
                    added = adds[j]
                    if cost[added] < 0 or (total < cost[added] and settled[added] != stamp):
                        cost[added], support[added] = total, part
                        holder[used], after[used], first[bucket] = added, first[bucket], used
                        used += 1
                        if bucket > far:
                            far = bucket
    counts[WORK] += looked
    for bucket in range(at, far + 1):
        first[bucket] = -1
    if cost[goal] < 0:
        return -1
    return choose_parts(task, memory, stamp)


def choose_parts(task: Guided, memory: Memory, stamp: int) -> int:
    """Stamp what supports the goal, and what supports that; how many operators that makes."""
    stack, chosen, useful, support = memory.stack, memory.chosen, memory.useful, memory.support
    needs = task.relaxed.preconditions
    stack[0] = task.relaxed.goal
    size, length = 1, 0
    while size:
        size -= 1
        part = support[stack[size]]
        if part >= 0 and chosen[part] != stamp:
            chosen[part] = stamp
            owner = task.relaxed.owners[part]
            if owner < len(useful) and useful[owner] != stamp:  # no axiom
                useful[owner] = stamp
                length += 1
            for k in range(needs.starts[part], needs.starts[part + 1]):
                stack[size] = needs.items[k]
                size += 1
    return length


def landmarks_left(task: Guided, memory: Memory, state: int) -> int:
    """How many landmarks are still to be reached, or again; those reached are written down."""
    variables, marks = task.marks.variables.items, len(task.mark_goals)
    if marks == 0:
        return 0
    words, reached, parent = memory.mark_words, memory.reached, memory.known.parents[state]
    for k in range(words):
        reached[state * words + k] = reached[parent * words + k] if parent >= 0 else 0
    again, values, needs = memory.again, memory.known.values, task.mark_needs
    again[:] = task.mark_goals
    left = 0
    for i in range(marks):
        at, bit = state * words + i // BITS, 1 << i % BITS
        if values[variables[i]] == task.marks.values[i]:
            reached[at] |= bit
            again[i] = -1
        if not reached[at] & bit:
            left += 1
    for i in range(marks):
        if not reached[state * words + i // BITS] & 1 << i % BITS:
            for k in range(needs.starts[i], needs.starts[i + 1]):
                if again[needs.items[k]] == 0:
                    again[needs.items[k]] = 1
    for i in range(marks):
        if again[i] == 1 and reached[state * words + i // BITS] & 1 << i % BITS:
            left += 1
    return left


def queue_operators(task: Guided, memory: Memory, state: int, by_plan: int, by_marks: int) -> None:
    """Queue the operators that apply, those first that are useful, and see if there is progress."""
    counts, best, turns = memory.known.counts, memory.best, memory.turns
    if by_plan < best[0] or by_marks < best[1]:
        best[0], best[1] = min(best[0], by_plan), min(best[1], by_marks)
        for q in range(1, QUEUES, 2):
            turns[q] -= BOOST
    begin = counts[CHUNKS]
    middle = end = begin
    chunks, missing, stamp, useful = memory.chunks, memory.asked, counts[STAMP], memory.useful
    (asking_at, asking), twins = task.asking, task.moves.twins
    offsets, values = task.moves.offsets, memory.known.values
    missing[:] = task.operator_sizes
    for k in range(len(task.free)):
        middle, end = put(chunks, middle, end, task.free[k], useful[task.free[k]] == stamp)
    for v in range(len(values)):
        fact = offsets[v] + values[v]
        for k in range(asking_at[fact], asking_at[fact + 1]):
            o = asking[k]
            missing[o] -= 1
            if missing[o] == 0:
                middle, end = put(chunks, middle, end, o, useful[o] == stamp)
    kept, k = begin, begin
    if task.moves.has_twins:
        preferred = middle
        while k < end:
            twin = twins[chunks[k]]
            while twin >= 0 and missing[twin]:
                twin = twins[twin]
            if twin < 0:
                chunks[kept] = chunks[k]
                kept += 1
            elif k < preferred:
                middle -= 1
            k += 1
        end = kept
    counts[CHUNKS] = end
    for q in range(QUEUES):
        last = end if q % 2 == 0 else middle
        if begin < last:
            value = min(by_plan if q < 2 else by_marks, memory.buckets - 1)
            memory.least[q] = min(memory.least[q], value)
            add_entry(memory, q * memory.buckets + value, state, begin, last)
    if begin < end:
        kind = min(memory.depths[state], DEEP - 1) * FAR + min(by_plan, FAR - 1)
        if memory.heads[QUEUES * memory.buckets + kind] < 0:
            memory.types[counts[TYPES]] = kind
            counts[TYPES] += 1
        add_entry(memory, QUEUES * memory.buckets + kind, state, begin, end)


def put(chunks: Any, middle: int, end: int, operator: int, is_useful: bool) -> tuple[int, int]:
    """Put an operator at the end of a chunk, or of its first part, whose end is the middle."""
    chunks[end] = operator
    if is_useful:
        chunks[end], chunks[middle] = chunks[middle], operator
        middle += 1
    return middle, end + 1


def add_entry(memory: Memory, place: int, state: int, begin: int, end: int) -> None:
    """Queue a chunk of operators, which is used up from its end, behind what is in a place."""
    counts, after = memory.known.counts, memory.entry_next
    entry = counts[FREE]
    if entry >= 0:
        counts[FREE] = after[entry]
    else:
        entry = counts[WAITING]
        counts[WAITING] += 1
    memory.entry_state[entry] = state
    memory.entry_begin[entry], memory.entry_end[entry] = begin, end
    after[entry] = -1
    if memory.heads[place] < 0:
        memory.heads[place] = entry
    else:
        after[memory.tails[place]] = entry
    memory.tails[place] = entry


def take_next(task: Guided, memory: Memory) -> bool:
    """Let the state in hand be the next that is due; false if nothing waits."""
    known, turns, least, heads = memory.known, memory.turns, memory.least, memory.heads
    counts, buckets, chosen = known.counts, memory.buckets, -1
    for q in range(QUEUES):
        while least[q] < buckets and heads[q * buckets + least[q]] < 0:
            least[q] += 1
        if least[q] < buckets and (chosen < 0 or turns[q] < turns[chosen]):
            chosen = q
    if chosen < 0:
        return False
    drawn = -1
    if turns[TYPED] < turns[chosen] and counts[TYPES] > 0:
        chosen = TYPED
        counts[CHANCE] = (counts[CHANCE] * 1103515245 + 12345) & _HALF
        drawn = (counts[CHANCE] >> 8) % counts[TYPES]
        place = QUEUES * buckets + memory.types[drawn]
    else:
        place = chosen * buckets + least[chosen]
    turns[chosen] += 1
    entry = heads[place]
    memory.entry_end[entry] -= 1
    state, operator = memory.entry_state[entry], memory.chunks[memory.entry_end[entry]]
    if memory.entry_begin[entry] == memory.entry_end[entry]:
        heads[place] = memory.entry_next[entry]
        memory.entry_next[entry] = counts[FREE]
        counts[FREE] = entry
        if drawn >= 0 and heads[place] < 0:
            counts[TYPES] -= 1
            memory.types[drawn] = memory.types[counts[TYPES]]
    if task.moves.has_conditions[operator]:
        read_state(task.moves, known, state)
    apply_operator(task.moves, known, state, operator)
    memory.origin[0], memory.origin[1] = state, operator
    return True


COMPILED = (
    *(*states.COMPILED, add_state, choose_parts, relaxed_plan, landmarks_left, put, add_entry),
    *(queue_operators, take_next, advance),
)
"""What is compiled, those that call others behind them."""
