"""The greedy search on flat lists, as plain Python or compiled by numba.

The functions use only what numba can compile, as those of `states` do. `finder` makes the lists. If
a list is too small, `advance` returns `FULL`, and is called again with a larger memory.

Each state has two estimates: the length of a relaxed plan, and the number of landmarks left.
Relaxed plans are those of FF with the supporters of h-add: Hoffmann and Nebel, The FF Planning
System, 2001; Keyder and Geffner, Heuristics for Planning with Action Costs Revisited, ECAI 2008.

The operators of a state that wait to be applied are a *chunk*, preferred ones first. An *entry* of
a queue is a state with a chunk, or with the preferred part of it.
"""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

from asplan.pddl.task import states
from asplan.pddl.task.landmark_cut import RelaxedTask
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

GOES_ON = 0
"""The status that `advance` returns if the search is not finished."""

FOUND = 1
"""The status that `advance` returns if the state entered last is a goal state."""

EXHAUSTED = 2
"""The status that `advance` returns if no operator is left to apply, so that there is no plan."""

FULL = 3
"""The status that `advance` returns if a list of the memory is full and must be enlarged."""

WAITING = STATES + 1
"""The index in `counts` of the number of entries that were ever used."""

FREE = STATES + 2
"""The index in `counts` of the first of the used entries that are free again, or -1."""

CHUNKS = STATES + 3
"""The index in `counts` of the number of operators in all chunks."""

STAMP = STATES + 4
"""The index in `counts` of the number of the current evaluation, by which marks are told apart."""

WORK = STATES + 5
"""The index in `counts` of the work done in this call, mainly visited parts of the relaxation."""

TYPES = STATES + 6
"""The index in `counts` of the number of types that have entries."""

CHANCE = STATES + 7
"""The index in `counts` of the state of the random number generator."""

QUEUES = 4
"""The number of queues ordered by estimates: 0 and 1 by relaxed plans, 2 and 3 by landmarks.

Queues 1 and 3 hold preferred operators only.
"""

TYPED = 4
"""The number of the queue from which states of a random type are drawn.

The type of a state is its distance from the start together with its estimate.
"""

DEEP = 512
"""The number of distances from the start that types tell apart; larger ones count as the last."""

FAR = 256
"""The number of estimates that types tell apart; larger ones count as the last."""

BOOST = 1000
"""The number of turns for which preferred operators have precedence after each progress."""

_HALF = (1 << 31) - 1


class GuidedTask(NamedTuple):
    """A task with its relaxation and its landmarks.

    Attributes
    ----------
    moves, relaxed
        The effects of operators and the axioms, and the delete relaxation.
    part_costs
        The cost of each part of the relaxation.
    free
        The operators without a precondition.
    asking
        For each fact, by its number, the operators that have it as a precondition.
    operator_sizes
        The number of facts in the precondition of each operator.
    marks
        A list with the landmarks, which are facts.
    mark_goals
        For each landmark, 1 if it is a fact of the goal, else 0.
    mark_needs
        For each landmark, the landmarks that must be reached before it.
    """

    moves: Moves
    relaxed: RelaxedTask
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
"""The memory of a search.

It holds the visited states (`known`) with their reached landmarks and depths, the entries and heads
of the queues, the turns that each queue has had, the least estimates so far (`best`), the state and
the operator that led to the current state (`origin`), and working memory for relaxed plans.
"""


def advance(
    task: GuidedTask,
    memory: Memory,
    work: int,
    is_larger: bool,
) -> int:
    """Evaluate states until about `work` parts of the delete relaxation were visited.

    The current state was reached from the state and by the operator in `memory.origin`. If it is
    new, it is evaluated and its operators are queued. Then the next state becomes the current one.
    `is_larger` is true if the memory was enlarged since the last call; its hash table is empty
    then. Return the status of the search: `GOES_ON`, `FOUND`, `EXHAUSTED` or `FULL`.
    """
    known = memory.known
    counts = known.counts
    if is_larger:
        fill_table(known)
    counts[WORK] = 0
    while counts[WORK] < work:
        counts[WORK] += 1
        if is_full(task, memory):
            return FULL
        state = add_state(memory)
        if state >= 0:
            read_state(task.moves, known, state)
            if holds(task.moves.goal, 0, known.values):
                return FOUND
            by_plan = relaxed_plan(task, memory)
            if by_plan >= 0:
                queue_operators(
                    task,
                    memory,
                    state,
                    by_plan,
                    landmarks_left(task, memory, state),
                )
        if not take_next(task, memory):
            return EXHAUSTED
    return GOES_ON


def is_full(task: GuidedTask, memory: Memory) -> bool:
    """Return whether the memory may lack space for one more state and its queue entries."""
    counts = memory.known.counts
    if counts[STATES] >= len(memory.known.parents):
        return True
    if counts[WAITING] + QUEUES + 1 > len(memory.entry_next):
        return True
    is_short: bool = counts[CHUNKS] + len(task.operator_sizes) > len(memory.chunks)
    return is_short


def add_state(memory: Memory) -> int:
    """Add the current state to the visited states.

    Return its number, or -1 if it was visited before.
    """
    known = memory.known
    parent = memory.origin[0]
    place = place_of(known)
    if known.table[place] >= 0:
        return -1
    state = enter_state(known, place, parent, memory.origin[1])
    memory.depths[state] = memory.depths[parent] + 1 if parent >= 0 else 0
    return state


def begin_plan(task: GuidedTask, memory: Memory) -> int:
    """Reset the costs of facts, and put the facts of the current state into bucket 0.

    Return the number of bucket entries that are used. A bucket lists facts of the same cost.
    """
    relaxed = task.relaxed
    values = memory.known.values
    cost = memory.cost
    support = memory.support
    first = memory.bucket_first
    memory.missing[:] = relaxed.sizes
    memory.sums[:] = task.part_costs
    cost[:] = memory.unreached
    cost[relaxed.start] = 0
    support[relaxed.start] = -1
    memory.bucket_fact[0] = relaxed.start
    memory.bucket_next[0] = -1
    first[0] = 0
    used = 1
    for v in range(len(values)):
        if task.moves.defaults[v] < 0:
            fact = task.moves.offsets[v] + values[v]
            cost[fact] = 0
            support[fact] = -1
            memory.bucket_fact[used] = fact
            memory.bucket_next[used] = first[0]
            first[0] = used
            used += 1
    return used


def relaxed_plan(task: GuidedTask, memory: Memory) -> int:  # noqa: C901  calls would take longer
    """Find a relaxed plan from the current state; return its number of operators, or -1 for none.

    The operators of the plan are marked: their entries in `useful` become the number of this
    evaluation.
    """
    counts = memory.known.counts
    goal = task.relaxed.goal
    parts_at, parts_of = task.relaxed.needed_by
    adds_at, adds = task.relaxed.adds
    cost = memory.cost
    support = memory.support
    missing = memory.missing
    sums = memory.sums
    first = memory.bucket_first
    after = memory.bucket_next
    holder = memory.bucket_fact
    settled = memory.settled
    counts[STAMP] += 1
    stamp = counts[STAMP]
    used = begin_plan(task, memory)
    at = 0
    far = 0
    last = len(first) - 1
    looked = 0
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
        value = cost[fact]
        begin = parts_at[fact]
        end = parts_at[fact + 1]
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
                        cost[added] = total
                        support[added] = part
                        holder[used] = added
                        after[used] = first[bucket]
                        first[bucket] = used
                        used += 1
                        if bucket > far:
                            far = bucket
    counts[WORK] += looked
    for bucket in range(at, far + 1):
        first[bucket] = -1
    if cost[goal] < 0:
        return -1
    return choose_parts(task, memory, stamp)


def choose_parts(task: GuidedTask, memory: Memory, stamp: int) -> int:
    """Mark the operators of the relaxed plan with `stamp`; return the number of these operators.

    The stamp is the number of the current evaluation. The operators are found backwards from the
    goal: each fact has a part that supports it, and the facts that this part needs are supported in
    turn.
    """
    stack = memory.stack
    chosen = memory.chosen
    useful = memory.useful
    needs = task.relaxed.preconditions
    stack[0] = task.relaxed.goal
    size = 1
    length = 0
    while size:
        size -= 1
        part = memory.support[stack[size]]
        if part >= 0 and chosen[part] != stamp:
            chosen[part] = stamp
            owner = task.relaxed.owners[part]
            is_operator = owner < len(useful)
            if is_operator and useful[owner] != stamp:
                useful[owner] = stamp
                length += 1
            for k in range(needs.starts[part], needs.starts[part + 1]):
                stack[size] = needs.items[k]
                size += 1
    return length


def landmarks_left(task: GuidedTask, memory: Memory, state: int) -> int:
    """Return the number of landmarks that must still be reached from a state.

    A landmark reached before counts if it is required again (see `count_required_again`).
    """
    if len(task.mark_goals) == 0:
        return 0
    inherit_marks(memory, state)
    return mark_reached(task, memory, state) + count_required_again(task, memory, state)


def inherit_marks(memory: Memory, state: int) -> None:
    """Copy the marks of reached landmarks from the parent of a state to the state."""
    words = memory.mark_words
    reached = memory.reached
    parent = memory.known.parents[state]
    for k in range(words):
        reached[state * words + k] = reached[parent * words + k] if parent >= 0 else 0


def mark_reached(task: GuidedTask, memory: Memory, state: int) -> int:
    """Mark the landmarks that hold in a state; return the number of landmarks not reached so far.

    Also set `memory.again` for each landmark: -1 if it holds, else 1 if it is a goal and 0
    otherwise.
    """
    variables = task.marks.variables.items
    values = memory.known.values
    reached = memory.reached
    memory.again[:] = task.mark_goals
    left = 0
    for i in range(len(task.mark_goals)):
        at = state * memory.mark_words + i // BITS
        bit = 1 << i % BITS
        if values[variables[i]] == task.marks.values[i]:
            reached[at] |= bit
            memory.again[i] = -1
        if not reached[at] & bit:
            left += 1
    return left


def count_required_again(task: GuidedTask, memory: Memory, state: int) -> int:
    """Return the number of landmarks that were reached, do not hold, and are required again.

    A landmark is required again if it is a goal, or must hold before a landmark not reached so far.
    `mark_reached` must have set `memory.again`.
    """
    reached = memory.reached
    again = memory.again
    needs = task.mark_needs
    first = state * memory.mark_words
    for i in range(len(again)):
        if not reached[first + i // BITS] & 1 << i % BITS:
            for k in range(needs.starts[i], needs.starts[i + 1]):
                if again[needs.items[k]] == 0:
                    again[needs.items[k]] = 1
    count = 0
    for i in range(len(again)):
        if again[i] == 1 and reached[first + i // BITS] & 1 << i % BITS:
            count += 1
    return count


def queue_operators(
    task: GuidedTask,
    memory: Memory,
    state: int,
    by_plan: int,
    by_marks: int,
) -> None:
    """Queue the applicable operators of a state, preferred ones first.

    `by_plan` and `by_marks` are the state's estimates by a relaxed plan and by landmarks.
    """
    counts = memory.known.counts
    note_progress(memory, by_plan, by_marks)
    begin = counts[CHUNKS]
    middle, end = collect_applicable(task, memory, begin)
    if task.moves.has_twins:
        middle, end = drop_twins(task, memory, begin, middle, end)
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


def note_progress(memory: Memory, by_plan: int, by_marks: int) -> None:
    """Give precedence to preferred operators if one of the estimates is the least so far.

    `by_plan` and `by_marks` are the estimates by a relaxed plan and by landmarks.
    """
    best = memory.best
    if by_plan < best[0] or by_marks < best[1]:
        best[0] = min(best[0], by_plan)
        best[1] = min(best[1], by_marks)
        for q in range(1, QUEUES, 2):
            memory.turns[q] -= BOOST


def collect_applicable(
    task: GuidedTask,
    memory: Memory,
    begin: int,
) -> tuple[int, int]:
    """Write the applicable operators of the current state to `memory.chunks`, from `begin` on.

    The operators of the relaxed plan are preferred and come first. Return the end of the preferred
    operators, and the end of all operators.
    """
    chunks = memory.chunks
    missing = memory.asked
    useful = memory.useful
    stamp = memory.known.counts[STAMP]
    asking_at, asking = task.asking
    offsets = task.moves.offsets
    values = memory.known.values
    middle = begin
    end = begin
    missing[:] = task.operator_sizes
    for k in range(len(task.free)):
        middle, end = put(
            chunks,
            middle,
            end,
            task.free[k],
            useful[task.free[k]] == stamp,
        )
    for v in range(len(values)):
        fact = offsets[v] + values[v]
        for k in range(asking_at[fact], asking_at[fact + 1]):
            operator = asking[k]
            missing[operator] -= 1
            if missing[operator] == 0:
                middle, end = put(
                    chunks,
                    middle,
                    end,
                    operator,
                    useful[operator] == stamp,
                )
    return middle, end


def drop_twins(
    task: GuidedTask,
    memory: Memory,
    begin: int,
    middle: int,
    end: int,
) -> tuple[int, int]:
    """Keep only the first applicable operator of each action in `memory.chunks[begin:end]`.

    The preferred operators come first and end at `middle`. Return the new values of `middle` and
    `end`.
    """
    chunks = memory.chunks
    twins = task.moves.twins
    preferred = middle
    kept = begin
    for k in range(begin, end):
        twin = twins[chunks[k]]
        while twin >= 0 and memory.asked[twin]:
            twin = twins[twin]
        if twin < 0:
            chunks[kept] = chunks[k]
            kept += 1
        elif k < preferred:
            middle -= 1
    return middle, kept


def put(
    chunks: Array,
    middle: int,
    end: int,
    operator: int,
    is_useful: bool,
) -> tuple[int, int]:
    """Append an operator to the list of operators that ends in `chunks` at `end`.

    If it is useful, it is added to the preferred operators, which come first and end at `middle`.
    Return the new values of `middle` and `end`.
    """
    chunks[end] = operator
    if is_useful:
        chunks[end] = chunks[middle]
        chunks[middle] = operator
        middle += 1
    return middle, end + 1


def add_entry(
    memory: Memory,
    place: int,
    state: int,
    begin: int,
    end: int,
) -> None:
    """Append a state and its operators `chunks[begin:end]` as an entry to a queue.

    `place` is the index in `heads` of the queue for the state's estimate. The last operator is
    taken first.
    """
    counts = memory.known.counts
    after = memory.entry_next
    entry = counts[FREE]
    if entry >= 0:
        counts[FREE] = after[entry]
    else:
        entry = counts[WAITING]
        counts[WAITING] += 1
    memory.entry_state[entry] = state
    memory.entry_begin[entry] = begin
    memory.entry_end[entry] = end
    after[entry] = -1
    if memory.heads[place] < 0:
        memory.heads[place] = entry
    else:
        after[memory.tails[place]] = entry
    memory.tails[place] = entry


def take_next(task: GuidedTask, memory: Memory) -> bool:
    """Take the next operator from a queue and apply it; return false if all queues are empty.

    The state after the operator becomes the current one.
    """
    known = memory.known
    turns = memory.turns
    counts = known.counts
    queue = choose_queue(memory)
    if queue < 0:
        return False
    drawn = -1
    if turns[TYPED] < turns[queue] and counts[TYPES] > 0:
        queue = TYPED
        counts[CHANCE] = (counts[CHANCE] * 1103515245 + 12345) & _HALF
        drawn = (counts[CHANCE] >> 8) % counts[TYPES]
        place = QUEUES * memory.buckets + memory.types[drawn]
    else:
        place = queue * memory.buckets + memory.least[queue]
    turns[queue] += 1
    entry = memory.heads[place]
    memory.entry_end[entry] -= 1
    state = memory.entry_state[entry]
    operator = memory.chunks[memory.entry_end[entry]]
    if memory.entry_begin[entry] == memory.entry_end[entry]:
        free_entry(memory, place, entry, drawn)
    if task.moves.has_conditions[operator]:
        read_state(task.moves, known, state)
    apply_operator(task.moves, known, state, operator)
    memory.origin[0] = state
    memory.origin[1] = operator
    return True


def choose_queue(memory: Memory) -> int:
    """Return the nonempty queue with the fewest turns; -1 if all are empty.

    Only the queues that are sorted by an estimate count.
    """
    heads = memory.heads
    least = memory.least
    buckets = memory.buckets
    chosen = -1
    for q in range(QUEUES):
        while least[q] < buckets and heads[q * buckets + least[q]] < 0:
            least[q] += 1
        if least[q] < buckets and (chosen < 0 or memory.turns[q] < memory.turns[chosen]):
            chosen = q
    return chosen


def free_entry(
    memory: Memory,
    place: int,
    entry: int,
    drawn: int,
) -> None:
    """Remove an entry from the head of its queue, after all its operators were taken.

    `place` is the index of the queue in `heads`. If the queue is that of a type (states with the
    same distance from the start and the same estimate), `drawn` is the index of the type in
    `types`, else -1. A type whose queue becomes empty is removed.
    """
    counts = memory.known.counts
    memory.heads[place] = memory.entry_next[entry]
    memory.entry_next[entry] = counts[FREE]
    counts[FREE] = entry
    if drawn >= 0 and memory.heads[place] < 0:
        counts[TYPES] -= 1
        memory.types[drawn] = memory.types[counts[TYPES]]


COMPILED = (
    *states.COMPILED,
    is_full,
    add_state,
    begin_plan,
    choose_parts,
    relaxed_plan,
    inherit_marks,
    mark_reached,
    count_required_again,
    landmarks_left,
    put,
    add_entry,
    note_progress,
    collect_applicable,
    drop_twins,
    queue_operators,
    choose_queue,
    free_entry,
    take_next,
    advance,
)
"""The functions to compile, callees first."""
