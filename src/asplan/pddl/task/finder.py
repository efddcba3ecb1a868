"""Any plan, soon: by Fast Downward where it is installed, and by asplan's own greedy search.

Fast Downward's search runs as a program of its own, on the task as it is: nothing is translated a
second time. Its plans come from LAMA's first iteration. Where it has none after a while, for
whatever reason, asplan's own search goes on beside it: best first, guided by relaxed plans and
landmarks.

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
import re
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from asplan.core.child import set_process_option
from asplan.core.compiling import WAIT, as_arrays, compile_functions, load, resize
from asplan.core.text import amount
from asplan.domains.base import Found, Heed
from asplan.pddl.task import kernel, states
from asplan.pddl.task.kernel import FULL, QUEUES, Guided, Memory
from asplan.pddl.task.landmark_cut import relaxed_of
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.relaxation import Flat
from asplan.pddl.task.states import STATES
from asplan.pddl.task.task import NONE, Fact, Task

_LOOK = 0.02  # seconds, about, between two looks at the program and at the clock
ALONE = 3.0  # seconds before asplan's own search begins beside the program
_PR_SET_PDEATHSIG = 1  # from Linux's sys/prctl.h

_LAMA_FIRST = (
    "let(hlm, eval_modify_costs(landmark_sum(lm_factory=lm_reasonable_orders_hps(lm_rhw()),"
    "pref=false),cost_type=one),let(hff, eval_modify_costs(ff(),cost_type=one),"
    "lazy_greedy([hff,hlm],preferred=[hff,hlm],cost_type=one,reopen_closed=false)))"
)


def find_any_plan(model: TaskModel, heed: Heed) -> Found:
    """A plan, or that there is none; `heed` is called now and then, and may end it by an error."""
    if (program := downward()) is None:
        return find_plan(model, heed)
    with _searching(program, model.task) as (process, written):
        begun = time.monotonic()
        while process.poll() is None and time.monotonic() < begun + ALONE:
            heed("searching by Fast Downward")
            time.sleep(_LOOK)

        def heed_both(doing: str) -> None:
            heed(doing)
            if process.poll() is not None and written.exists():
                raise _Answered

        try:
            heed_both("searching")
            return find_plan(model, heed_both)
        except _Answered:
            text = written.read_text(encoding="utf-8")
            numbers = map(int, re.findall(r"^\(o(\d+) *\)", text, re.MULTILINE))
            steps = [[model.task.operators[number].action] for number in numbers]
            return Found(steps, "found by Fast Downward, lama-first")


class _Answered(Exception):
    """The other search has found a plan."""


def downward() -> Path | None:
    """Fast Downward's search, which the package up-fast-downward brings."""
    if (package := find_spec("up_fast_downward")) is None or package.origin is None:
        return None
    program = Path(package.origin).parent / "downward/builds/release/bin/downward"
    return program if program.is_file() else None


@contextmanager
def _searching(program: Path, task: Task) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """Fast Downward's search, which ends with the block, and the file for its plan."""
    with tempfile.TemporaryDirectory(prefix="asplan-") as folder:
        sas, plan = Path(folder) / "task.sas", Path(folder) / "plan"
        sas.write_text(to_sas(task), encoding="utf-8")
        words = [str(program), "--search", _LAMA_FIRST, "--internal-plan-file", str(plan)]
        with sas.open() as given:
            process = subprocess.Popen(
                words,
                stdin=given,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                preexec_fn=partial(set_process_option, _PR_SET_PDEATHSIG, signal.SIGKILL),
            )
        try:
            yield process, plan
        finally:
            process.kill()
            process.wait()


def to_sas(task: Task) -> str:
    """A task as Fast Downward reads it; its operators are called o0, o1, …

    The format: https://www.fast-downward.org/latest/documentation/translator-output-format/
    """
    found = list[object]()

    def block(name: str, *lines: object) -> None:
        found.extend([f"begin_{name}", *lines, f"end_{name}"])

    def facts(several: Sequence[Fact]) -> list[object]:
        return [len(several), *(f"{v} {d}" for v, d in several)]

    block("version", 3)
    block("metric", int(task.has_costs))
    found.append(len(task.variables))
    for v, variable in enumerate(task.variables):
        # Fast Downward makes disjunctive landmarks of atoms with one predicate.
        values = [
            "<none of those>" if atom == NONE else f"Atom {atom}{'' if '(' in atom else '()'}"
            for atom in variable.values
        ]
        block("variable", f"var{v}", variable.layer, len(values), *values)
    found.append(len(task.mutexes))
    for group in task.mutexes:
        block("mutex_group", *facts(group))
    block("state", *task.initial)
    block("goal", *facts(task.goal))
    found.append(len(task.operators))
    for o, operator in enumerate(task.operators):
        before, changed = dict(operator.precondition), {e.fact[0] for e in operator.effects}
        lasting = tuple(fact for fact in operator.precondition if fact[0] not in changed)
        effects = [
            " ".join([*map(str, facts(effect.condition)), f"{v} {before.get(v, -1)} {d}"])
            for effect in operator.effects
            for v, d in [effect.fact]
        ]
        block("operator", f"o{o}", *facts(lasting), len(effects), *effects, operator.cost)
    found.append(len(task.axioms))
    for axiom in task.axioms:
        v, d = axiom.fact
        block("rule", *facts(axiom.condition), f"{v} {task.initial[v]} {d}")
    return "".join(f"{line}\n" for line in found)


PLAIN = 0.5
"""Seconds that the plain functions have before compiled ones, which take that long to load."""


def find_plan(model: TaskModel, heed: Heed, plain: float = PLAIN) -> Found:
    """A plan, or that none exists, as all states were seen that may lead to one.

    `heed` is called now and then; what it raises ends the search. For `plain` seconds it does
    without compiled functions, or longer if they have to be compiled yet, unless that is 0.
    """
    task = guided(model.task)
    memory, advance, is_larger = memory_for(task, model.task.initial), kernel.advance, False
    begun = last = time.monotonic()
    work = 1000
    while True:
        said = advance(task, memory, work, is_larger)
        seen = int(memory.known.counts[STATES])
        heed(f"searching, {seen} states looked at")
        now, is_larger = time.monotonic(), said == FULL
        if said == kernel.FOUND:
            how = f"found by greedy search among {amount(seen, 'state')}"
            return Found(states.steps_to(memory.known, model.task, seen - 1), how)
        if said == kernel.EXHAUSTED:
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


_WIDE = frozenset(("words", "shifts", "masks", "states", "row", "counts", "reached", "turns"))
"""Arrays of 64 bits; all others have 32."""


def _compile(task: Guided, memory: Memory) -> list[Any]:
    """A task and a search's memory as arrays of numpy, for which `kernel.advance` is compiled."""
    arrays = [as_arrays(part, {"int64": _WIDE}, "int32") for part in (task, memory)]
    _functions()["advance"](*arrays, 0, False)
    return arrays


@cache
def _functions() -> Mapping[str, Any]:
    return compile_functions(kernel.COMPILED)


_FEWEST = 256  # states and entries for which there is space at first


_BUCKETS = 4096  # estimates that have a queue of their own; larger ones share the last


def guided(task: Task) -> Guided:
    """A task, and what guides the search in it."""
    flat, moves = Flat(task, [1] * len(task.operators)), states.moves_of(task)
    asking: list[list[int]] = [[] for _ in task.facts]
    for o, operator in enumerate(task.operators):
        for v, d in set(operator.precondition):
            asking[moves.offsets[v] + d].append(o)
    initial = flat.numbers((v, task.initial[v]) for v in task.basic)
    marks, mark_needs = landmarks(flat, [*initial, flat.start], len(task.facts))
    return Guided(
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


def memory_for(task: Guided, initial: Sequence[int]) -> Memory:
    """That of a search that begins with some values of the variables."""
    relaxed, marks, operators = task.relaxed, len(task.mark_goals), len(task.operator_sizes)
    facts, parts = relaxed.goal + 1, len(relaxed.owners)
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
        known=states.known_from(task.moves, initial, [0, 0, -1, 0, 0, 0, 0, 1]),
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


def enlarged(task: Guided, memory: Memory) -> Memory:
    """A search's memory with twice the space where it is short of it, and an empty table."""
    known, counts = memory.known, memory.known.counts
    number = max(_FEWEST, len(known.parents))
    number *= 2 if counts[STATES] >= len(known.parents) else 1
    entries = max(_FEWEST, len(memory.entry_next))
    entries *= 2 if counts[kernel.WAITING] + QUEUES + 1 > len(memory.entry_next) else 1
    chunks, room = len(memory.chunks), len(task.operator_sizes)
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


def landmarks(flat: Flat, initial: list[int], facts: int) -> tuple[list[int], list[list[int]]]:
    """Facts that every plan reaches, those of the delete relaxation; and what each of them needs.

    A fact has as landmarks itself, and what all parts that add it have in common. What all parts
    that may be the first to add a landmark need, and is a landmark too, are places in the list.
    Facts from a number on are not of the task, and left out. Source: Keyder, Richter and Helmert,
    Sound and Complete Landmarks for And/Or Graphs, ECAI 2010.
    """
    known = _known_landmarks(flat, initial)
    mask = (known[flat.goal] or 0) & (1 << facts) - 1
    marks = [fact for fact in range(mask.bit_length()) if mask >> fact & 1]
    places, found = {fact: i for i, fact in enumerate(marks)}, list[list[int]]()
    for fact in marks:
        needs: set[int] | None = None
        for part in flat.added_by[fact]:
            asked = flat.preconditions[part]
            if not any((known[f] or -1) >> fact & 1 for f in asked):
                needs = set(asked) if needs is None else needs.intersection(asked)
        found.append([places[f] for f in sorted(needs or ()) if f in places])
    return marks, found


def _known_landmarks(flat: Flat, initial: list[int]) -> list[int | None]:
    """For each fact its landmarks as bits; None where it cannot be reached."""
    known: list[int | None] = [None] * flat.facts
    for fact in initial:
        known[fact] = 1 << fact
    waiting = deque(initial)
    queued = set(initial)
    while waiting:
        queued.discard(fact := waiting.popleft())
        for part in flat.needed_by[fact]:
            common = 0
            for asked in flat.preconditions[part]:
                if (found := known[asked]) is None:
                    break
                common |= found
            else:
                for added in flat.adds[part]:
                    old = known[added]
                    new = (common if old is None else common & old) | 1 << added
                    if new != old:
                        known[added] = new
                        if added not in queued:
                            queued.add(added)
                            waiting.append(added)
    return known
