"""The steps of the search for any plan, on flat arrays: as plain Python, or compiled by numba.

Every function here runs both ways, on lists and on arrays of numpy: they only index, add and
compare, no number needs more than 63 bits, and nothing is allocated. What they work on is in
`arrays`; where that becomes too small they return, and are called again once it is larger.

The estimate is that of FF with the supporters of h-add: Hoffmann and Nebel, The FF Planning System,
2001; Keyder and Geffner, Heuristics for Planning with Action Costs Revisited, ECAI 2008.
"""

from __future__ import annotations

from typing import Any

GOES_ON, FOUND, EXHAUSTED, FULL = range(4)
"""What `advance` returns."""

STATES, WAITING, FREE, CHUNKS, STAMP, WORK, TYPES, CHANCE = range(8)
"""Places in `counts`: states known, entries used, the first that is free again, operators in
chunks, the number of the state in hand, parts looked at since the call, types of which there are
entries, and what random numbers are made of."""

QUEUES, TYPED = 4, 4
"""By relaxed plans and by landmarks, each of all operators (even) and of the preferred (odd); and
one more, from whose types one is drawn. The type of a state is how far it is from both ends."""

DEEP, FAR = 512, 256
"""Steps from the start and to the goal, beyond which all states are of one type."""

BOOST = 1000
"""Turns of the preferred operators after each progress."""

BITS = 62
"""Of a word that holds bits or fields."""

_HALF = (1 << 31) - 1
_MANY = 1 << 60


def advance(task: Any, memory: Any, work: int, is_larger: bool) -> int:
    """Evaluate states until the work is done, and say why it ends.

    The state in hand is `row`, with the `origin` that it comes from. It is evaluated if it is new,
    and what follows it is queued. Then the next one is taken. If the memory `is_larger` than it
    was, its table is empty.
    """
    counts, operators = memory.counts, len(task.operator_sizes)
    if is_larger:
        fill_table(memory)
    counts[WORK] = 0
    while counts[WORK] < work:
        counts[WORK] += 1
        if (
            counts[STATES] >= len(memory.parents)
            or counts[WAITING] + QUEUES + 1 > len(memory.entry_next)
            or counts[CHUNKS] + operators > len(memory.chunks)
        ):
            return FULL
        if add_state(task, memory):
            state = counts[STATES] - 1
            read_state(task, memory, state)
            derive(task, memory)
            if holds_goal(task, memory):
                return FOUND
            by_plan = relaxed_plan(task, memory)
            if by_plan >= 0:
                queue_operators(task, memory, state, by_plan, landmarks_left(task, memory, state))
        if not take_next(task, memory):
            return EXHAUSTED
    return GOES_ON


def add_state(task: Any, memory: Any) -> bool:
    """Add the state in hand to those that are known; whether it is new."""
    counts, row, states, table = memory.counts, memory.row, memory.states, memory.table
    words, mask = len(row), len(table) - 1
    place = hash_of(row, 0, words) & mask
    while table[place] >= 0:
        at, k = table[place] * words, 0
        while k < words and states[at + k] == row[k]:
            k += 1
        if k == words:
            return False
        place = (place + 1) & mask
    state = counts[STATES]
    for k in range(words):
        states[state * words + k] = row[k]
    table[place] = state
    parent = memory.origin[0]
    memory.parents[state], memory.operators[state] = parent, memory.origin[1]
    memory.depths[state] = memory.depths[parent] + 1 if parent >= 0 else 0
    counts[STATES] = state + 1
    return True


def fill_table(memory: Any) -> None:
    """Enter all states into an empty table."""
    states, table, words = memory.states, memory.table, len(memory.row)
    mask = len(table) - 1
    for state in range(memory.counts[STATES]):
        place = hash_of(states, state * words, words) & mask
        while table[place] >= 0:
            place = (place + 1) & mask
        table[place] = state


def hash_of(states: Any, at: int, words: int) -> int:
    found = 0
    for k in range(words):
        word = states[at + k]
        for half in (word & _HALF, word >> 31):
            found = ((found ^ half) * 1103515245 + 12345) & (_MANY - 1)
            found = (found ^ (found >> 29)) & _HALF
    return found


def read_state(task: Any, memory: Any, state: int) -> None:
    """Let `values` have the value of each variable; of derived ones that without axioms."""
    at, values, states = state * len(memory.row), memory.values, memory.states
    word, shift, mask, default = task.words, task.shifts, task.masks, task.defaults
    for v in range(len(values)):
        values[v] = default[v] if default[v] >= 0 else states[at + word[v]] >> shift[v] & mask[v]


def derive(task: Any, memory: Any) -> None:
    """Let the axioms set `values`, layer by layer.

    What an axiom sets is true for good. What no axiom has set when a layer is done keeps the value
    that it had, which counts for the layers above (Helmert, The Fast Downward Planning System).
    """
    layers = len(task.layers) - 1
    if layers == 0:
        return
    values, default, offsets, missing = memory.values, task.defaults, task.offsets, memory.lacks
    queue, size, at = memory.queue, 0, 0
    missing[:] = task.rule_sizes
    for r in range(len(missing)):
        if missing[r] == 0:
            v = task.rule_variables[r]
            if values[v] != task.rule_values[r]:
                values[v] = task.rule_values[r]
                queue[size] = offsets[v] + values[v]
                size += 1
    for v in range(len(values)):
        if default[v] < 0:
            queue[size] = offsets[v] + values[v]
            size += 1
    for layer in range(layers):
        while at < size:
            fact, at = queue[at], at + 1
            for k in range(task.rules_at[fact], task.rules_at[fact + 1]):
                r = task.rules_of[k]
                missing[r] -= 1
                v = task.rule_variables[r]
                if missing[r] == 0 and values[v] != task.rule_values[r]:
                    values[v] = task.rule_values[r]
                    queue[size] = offsets[v] + values[v]
                    size += 1
        for k in range(task.layers[layer], task.layers[layer + 1]):
            v = task.layered[k]
            if values[v] == default[v]:
                queue[size] = offsets[v] + values[v]
                size += 1


def holds_goal(task: Any, memory: Any) -> bool:
    for k in range(len(task.goal_variables)):
        if memory.values[task.goal_variables[k]] != task.goal_values[k]:
            return False
    return True


def relaxed_plan(task: Any, memory: Any) -> int:
    """How many operators a relaxed plan has, which are stamped as `useful`; -1 if there is none."""
    counts, goal, defaults = memory.counts, task.goal, task.defaults
    parts_at, parts_of, adds_at, adds = task.parts_at, task.parts_of, task.adds_at, task.adds
    cost, support, missing, sums = memory.cost, memory.support, memory.missing, memory.sums
    first, after, holder = memory.bucket_first, memory.bucket_next, memory.bucket_fact
    settled, values, offsets = memory.settled, memory.values, task.offsets
    counts[STAMP] += 1
    stamp = counts[STAMP]
    missing[:] = task.part_sizes
    sums[:] = task.part_costs
    cost[:] = memory.unreached
    cost[task.start], support[task.start] = 0, -1
    holder[0], after[0], first[0] = task.start, -1, 0
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


def choose_parts(task: Any, memory: Any, stamp: int) -> int:
    """Stamp what supports the goal, and what supports that; how many operators that makes."""
    queue, chosen, useful, support = memory.queue, memory.chosen, memory.useful, memory.support
    queue[0] = task.goal
    size, length = 1, 0
    while size:
        size -= 1
        part = support[queue[size]]
        if part >= 0 and chosen[part] != stamp:
            chosen[part] = stamp
            owner = task.owners[part]
            if owner >= 0 and useful[owner] != stamp:
                useful[owner] = stamp
                length += 1
            for k in range(task.needs_at[part], task.needs_at[part + 1]):
                queue[size] = task.needs[k]
                size += 1
    return length


def landmarks_left(task: Any, memory: Any, state: int) -> int:
    """How many landmarks are still to be reached, or again; those reached are written down."""
    marks = len(task.mark_variables)
    if marks == 0:
        return 0
    words, reached, parent = memory.mark_words, memory.reached, memory.parents[state]
    for k in range(words):
        reached[state * words + k] = reached[parent * words + k] if parent >= 0 else 0
    again, values = memory.again, memory.values
    again[:] = task.mark_goals
    left = 0
    for i in range(marks):
        at, bit = state * words + i // BITS, 1 << i % BITS
        if values[task.mark_variables[i]] == task.mark_values[i]:
            reached[at] |= bit
            again[i] = -1
        if not reached[at] & bit:
            left += 1
    for i in range(marks):
        if not reached[state * words + i // BITS] & 1 << i % BITS:
            for k in range(task.mark_needs_at[i], task.mark_needs_at[i + 1]):
                if again[task.mark_needs[k]] == 0:
                    again[task.mark_needs[k]] = 1
    for i in range(marks):
        if again[i] == 1 and reached[state * words + i // BITS] & 1 << i % BITS:
            left += 1
    return left


def queue_operators(task: Any, memory: Any, state: int, by_plan: int, by_marks: int) -> None:
    """Queue the operators that apply, those first that are useful, and see if there is progress."""
    counts, best, turns = memory.counts, memory.best, memory.turns
    if by_plan < best[0] or by_marks < best[1]:
        best[0], best[1] = min(best[0], by_plan), min(best[1], by_marks)
        for q in range(1, QUEUES, 2):
            turns[q] -= BOOST
    begin = counts[CHUNKS]
    middle = end = begin
    chunks, missing, stamp, useful = memory.chunks, memory.asked, counts[STAMP], memory.useful
    asking_at, asking, offsets, values = task.asking_at, task.asking, task.offsets, memory.values
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
    if task.has_twins:
        preferred = middle
        while k < end:
            twin = task.twins[chunks[k]]
            while twin >= 0 and missing[twin]:
                twin = task.twins[twin]
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


def add_entry(memory: Any, place: int, state: int, begin: int, end: int) -> None:
    """Queue a chunk of operators, which is used up from its end, behind what is in a place."""
    counts, after = memory.counts, memory.entry_next
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


def take_next(task: Any, memory: Any) -> bool:
    """Let the state in hand be the next that is due; false if nothing waits."""
    counts, turns, least, heads = memory.counts, memory.turns, memory.least, memory.heads
    buckets, chosen = memory.buckets, -1
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
    apply_operator(task, memory, state, operator)
    memory.origin[0], memory.origin[1] = state, operator
    return True


def apply_operator(task: Any, memory: Any, state: int, operator: int) -> None:
    """Let the state in hand be what follows a state by an operator that applies."""
    row, words, states = memory.row, len(memory.row), memory.states
    for k in range(words):
        row[k] = states[state * words + k]
    if task.has_conditions[operator]:
        read_state(task, memory, state)
        derive(task, memory)
    for e in range(task.effects_at[operator], task.effects_at[operator + 1]):
        applies = True
        for k in range(task.conditions_at[e], task.conditions_at[e + 1]):
            if memory.values[task.condition_variables[k]] != task.condition_values[k]:
                applies = False
                break
        if applies:
            v = task.effect_variables[e]
            place, shift = task.words[v], task.shifts[v]
            row[place] &= ~(task.masks[v] << shift)
            row[place] |= task.effect_values[e] << shift


CALLED = (
    *(hash_of, fill_table, add_state, read_state, derive, holds_goal, choose_parts, relaxed_plan),
    *(landmarks_left, put, add_entry, queue_operators, apply_operator, take_next),
)
"""What `advance` calls."""
