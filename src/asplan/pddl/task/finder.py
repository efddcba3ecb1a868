"""The search for any plan: greedy best-first search, guided by relaxed plans and landmarks.

Evaluation of states takes most of the time, so it is deferred: successors are queued by the
estimates of their parent, and evaluated when they leave the queue. Operators of the relaxed plan
are preferred: they are queued a second time, in queues that have precedence after each progress.
One more queue leads out of regions where the estimates mislead. It draws a type of states at random
and takes a state of this type; a type is a distance from the start together with an estimate.

The search starts as plain Python. If it lasts and numba is installed, the same functions continue,
compiled, from the current state. On seven larger benchmarks, `core.search.best_first` with h-add
takes 1.2 to 200 times as long, 17 times in the geometric mean (`scripts/search_variants.py`). Small
tasks take both some hundredths of a second. Tests compare which tasks have a plan.

Sources: Richter and Helmert, Preferred Operators and Deferred Evaluation in Satisficing Planning,
ICAPS 2009; Richter and Westphal, The LAMA Planner, 2010; Xie, Müller, Holte and Imai, Type-Based
Exploration with Multiple Search Queues for Satisficing Planning, AAAI 2014.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

from asplan.core.budget import ENDLESS, Budget, Reporter, ignore_report
from asplan.core.compiling import (
    WAIT,
    as_arrays,
    compile_functions,
    load,
    resize,
)
from asplan.core.text import amount
from asplan.domains.base import Found
from asplan.pddl.task import kernel, states
from asplan.pddl.task.kernel import (
    FULL,
    QUEUES,
    GuidedTask,
    Memory,
)
from asplan.pddl.task.landmark_cut import relaxed_of
from asplan.pddl.task.landmarks import landmarks
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.relaxation import Flat
from asplan.pddl.task.states import STATES
from asplan.pddl.task.task import Task

_LOOK = 0.02
"""The approximate number of seconds between two looks at the clock."""

PLAIN = 0.5
"""The seconds for which plain Python runs first; compiled functions take about as long to load."""


def find_plan(
    model: TaskModel,
    budget: Budget = ENDLESS,
    report: Reporter[str] = ignore_report,
    plain: float = PLAIN,
) -> Found:
    """Find a plan by asplan's greedy search within a budget, or prove that there is none.

    Parameters
    ----------
    report
        Receives a sentence about the current activity several times a second.
    plain
        The seconds for which the search runs in plain Python. Then it uses compiled functions, as
        soon as they are ready. With 0 it waits for them and never uses plain Python.
    """
    task = guide(model.task)
    memory = memory_for(task, model.task.initial)
    advance = kernel.advance
    is_larger = False
    begun = time.monotonic()
    last = begun
    work = 1000
    while True:
        status = advance(task, memory, work, is_larger)
        seen = int(memory.known.counts[STATES])
        report(f"searching, {seen} states visited")
        budget.check()
        now = time.monotonic()
        is_larger = status == FULL
        if status == kernel.FOUND:
            how = f"found by greedy search among {amount(seen, 'state')}"
            return Found(
                states.steps_to(
                    memory.known,
                    model.task,
                    seen - 1,
                ),
                how,
            )
        if status == kernel.EXHAUSTED:
            return Found(None, f"none of the {seen} states that may lead to a goal is a goal")
        if is_larger:
            memory = enlarge(task, memory)
        else:
            work = _adjust(work, now - last)
        if now - begun >= plain:
            arrays, again = load(
                _functions,
                partial(_compile, task, memory),
                not plain,
            )
            plain = now - begun + WAIT if again else math.inf
            if arrays is not None:
                task, memory = arrays
                advance = _functions()["advance"]
        last = time.monotonic()


def _adjust(work: int, seconds: float) -> int:
    """Return the amount of work for the next call of `kernel.advance`.

    `work` is the amount of the last call, and `seconds` its duration. The result is twice this
    amount after a short call, and half of it after a long one.
    """
    if seconds < _LOOK:
        return work * 2
    if seconds > 2 * _LOOK:
        return max(1, work // 2)
    return work


_WIDE = frozenset(
    (
        "words",
        "shifts",
        "masks",
        "states",
        "row",
        "counts",
        "reached",
        "turns",
    )
)
"""The lists that become arrays of 64-bit numbers; all others become arrays of 32-bit numbers."""


def _compile(task: GuidedTask, memory: Memory) -> list[Any]:  # Any: the same tuples, with arrays
    """Compile `kernel.advance` for a task and a memory; return both with numpy arrays."""
    arrays = [as_arrays(part, {"int64": _WIDE}, "int32") for part in (task, memory)]
    _functions()["advance"](*arrays, 0, False)
    return arrays


@cache
def _functions() -> Mapping[str, Any]:  # Any: functions of numba
    return compile_functions(kernel.COMPILED)


_FEWEST = 256
"""The number of states, and of queue entries, for which a new memory has space."""

_BUCKETS = 4096
"""The number of estimates that are told apart in a queue.

Larger estimates count as the last one.
"""


def guide(task: Task) -> GuidedTask:
    """Convert a task to flat lists, with its delete relaxation and its landmarks."""
    flat = Flat(task, [1] * len(task.operators))
    moves = states.moves_of(task)
    asking: list[list[int]] = [[] for _ in task.facts]
    for o, operator in enumerate(task.operators):
        for v, d in set(operator.precondition):
            asking[moves.offsets[v] + d].append(o)
    initial = flat.numbers((v, task.initial[v]) for v in task.basic)
    marks, mark_needs = landmarks(
        flat,
        [*initial, flat.start],
        len(task.facts),
    )
    return GuidedTask(
        moves=moves,
        relaxed=relaxed_of(flat),
        part_costs=flat.costs,
        free=[o for o, operator in enumerate(task.operators) if not operator.precondition],
        asking=states.lists(asking),
        operator_sizes=[len(set(operator.precondition)) for operator in task.operators],
        marks=states.fact_lists([[task.facts[fact] for fact in marks]]),
        mark_goals=[int(fact in flat.preconditions[-1]) for fact in marks],
        mark_needs=states.lists(mark_needs),
    )


def memory_for(task: GuidedTask, initial: Sequence[int]) -> Memory:
    """Return an empty memory for a search; `initial` has the initial value of each variable."""
    relaxed = task.relaxed
    marks = len(task.mark_goals)
    operators = len(task.operator_sizes)
    facts = relaxed.goal + 1
    parts = len(relaxed.owners)
    queues = QUEUES * _BUCKETS + kernel.DEEP * kernel.FAR
    sizes = {
        **dict.fromkeys(("reached", "depths", "chunks"), 0),
        **dict.fromkeys(("entry_state", "entry_begin", "entry_end", "entry_next"), 0),
        "types": kernel.DEEP * kernel.FAR,
        "turns": QUEUES + 1,
        "again": marks,
        **dict.fromkeys(("asked", "useful"), operators),
        **dict.fromkeys(("cost", "settled"), facts),
        **dict.fromkeys(("missing", "sums", "chosen"), parts),
        "stack": facts + len(relaxed.preconditions.items),
        **dict.fromkeys(("bucket_next", "bucket_fact"), facts + len(relaxed.adds.items)),
    }
    return Memory(
        known=states.known_from(
            task.moves,
            initial,
            [0, 0, -1, 0, 0, 0, 0, 1],
        ),
        heads=[-1] * queues,
        tails=[-1] * queues,
        least=[_BUCKETS] * QUEUES,
        best=[1 << 30] * 2,
        buckets=_BUCKETS,
        origin=[-1, -1],
        mark_words=-(-marks // states.BITS),
        unreached=[-1] * facts,
        support=[-1] * facts,
        bucket_first=[-1] * _BUCKETS,
        **{name: [0] * size for name, size in sizes.items()},
    )


def enlarge(task: GuidedTask, memory: Memory) -> Memory:
    """Return a memory with twice the space for each list that is full.

    Its hash table is empty; `kernel.advance` fills it again.
    """
    known = memory.known
    counts = known.counts
    number = max(_FEWEST, len(known.parents))
    if counts[STATES] >= len(known.parents):
        number *= 2
    entries = max(_FEWEST, len(memory.entry_next))
    if counts[kernel.WAITING] + QUEUES + 1 > len(memory.entry_next):
        entries *= 2
    chunks = len(memory.chunks)
    room = len(task.operator_sizes)
    if counts[kernel.CHUNKS] + room > chunks:
        chunks = max(2 * chunks, 2 * room, _FEWEST)
    sizes = {
        **dict.fromkeys(("entry_state", "entry_begin", "entry_end", "entry_next"), entries),
        "depths": number,
        "reached": number * memory.mark_words,
        "chunks": chunks,
    }
    larger = {name: resize(getattr(memory, name), size) for name, size in sizes.items()}
    return memory._replace(**larger, known=states.with_room(known, number))
