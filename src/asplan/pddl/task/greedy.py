"""Any plan, soon: greedy best-first search, guided by relaxed plans and landmarks.

A state is evaluated when it is taken out, and what follows it is queued by its estimates. Operators
of the relaxed plan are preferred: they are queued a second time, in lists that have precedence
after each progress. So few states are evaluated, which is what takes the time. One more queue is
for states of any estimate: of each kind (as far from the start, as far from the goal) one is as
likely as of another, which leads out of where the estimates mislead. It starts as plain Python;
where it lasts and numba is installed, the same functions go on compiled, from where they are.

Sources: Richter and Helmert, Preferred Operators and Deferred Evaluation in Satisficing Planning,
ICAPS 2009; Richter and Westphal, The LAMA Planner, 2010; Xie, Müller, Holte and Imai, Type-Based
Exploration with Multiple Search Queues for Satisficing Planning, AAAI 2014.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from asplan.core.compiling import WAIT, as_arrays, compiled, load, resized
from asplan.core.text import amount
from asplan.domains.base import Found, Heed
from asplan.pddl.task import kernel
from asplan.pddl.task.arrays import WIDE, Arrays, Memory, arrays_of, memory_for
from asplan.pddl.task.kernel import CHUNKS, EXHAUSTED, FOUND, FULL, QUEUES, STATES, WAITING
from asplan.pddl.task.model import TaskModel

PLAIN = 0.5
"""Seconds that the plain functions have before compiled ones, which take that long to load."""

_LOOK = 0.02
"""Seconds, about, between two looks at the clock."""


def find_plan(model: TaskModel, heed: Heed, plain: float = PLAIN) -> Found:
    """A plan, or that none exists, as all states were seen that may lead to one.

    `heed` is called now and then; what it raises ends the search. For `plain` seconds it does
    without compiled functions, or longer if they have to be compiled yet, unless that is 0.
    """
    task = arrays_of(model)
    memory, advance, is_larger = memory_for(task, model.task.initial), kernel.advance, False
    begun = last = time.monotonic()
    work = 1000
    while True:
        said = advance(task, memory, work, is_larger)
        seen = int(memory.counts[STATES])
        heed(f"searching, {seen} states looked at")
        now, is_larger = time.monotonic(), said == FULL
        if said == FOUND:
            how = f"found by greedy search among {amount(seen, 'state')}"
            return Found(_steps(model, memory), how)
        if said == EXHAUSTED:
            return Found(None, f"none of the {seen} states that may lead on is a goal")
        if is_larger:
            memory = enlarged(task, memory)
        elif now - last < _LOOK:
            work *= 2
        elif now - last > 2 * _LOOK:
            work = max(1, work // 2)
        if now - begun >= plain:
            arrays, again = load(_functions, partial(_compile, task, memory), not plain)
            plain = now - begun + WAIT if again else math.inf
            if arrays is not None:
                (task, memory), advance = arrays, _functions()["advance"]
        last = time.monotonic()


def _steps(model: TaskModel, memory: Memory) -> list[list[str]]:
    found, state = list[list[str]](), memory.counts[STATES] - 1
    while (before := memory.parents[state]) >= 0:
        found.append([model.task.operators[memory.operators[state]].action])
        state = before
    return found[::-1]


def _compile(task: Arrays, memory: Memory) -> list[Any]:
    """A task and a search's memory as arrays of numpy, for which `kernel.advance` is compiled."""
    arrays = [as_arrays(part, {"int64": WIDE}, "int32") for part in (task, memory)]
    _functions()["advance"](*arrays, 0, False)
    return arrays


@cache
def _functions() -> Mapping[str, Any]:
    return compiled((*kernel.CALLED, kernel.advance))


_FEWEST = 256
"""States and entries for which there is space at first."""


def enlarged(task: Arrays, memory: Memory) -> Memory:
    """A search's memory with twice the space where it is short of it, and an empty table."""
    counts = memory.counts
    states = max(_FEWEST, len(memory.parents))
    states *= 2 if counts[STATES] >= len(memory.parents) else 1
    entries = max(_FEWEST, len(memory.entry_next))
    entries *= 2 if counts[WAITING] + QUEUES + 1 > len(memory.entry_next) else 1
    chunks, room = len(memory.chunks), len(task.twins)
    chunks = max(2 * chunks, 2 * room, _FEWEST) if counts[CHUNKS] + room > chunks else chunks
    sizes = {
        **dict.fromkeys(("parents", "operators", "depths"), states),
        **dict.fromkeys(("entry_state", "entry_begin", "entry_end", "entry_next"), entries),
        "states": states * len(memory.row),
        "reached": states * memory.mark_words,
        "chunks": chunks,
    }
    larger = {name: resized(getattr(memory, name), size) for name, size in sizes.items()}
    return memory._replace(**larger, table=resized(memory.table[:0], 2 * states, -1))
