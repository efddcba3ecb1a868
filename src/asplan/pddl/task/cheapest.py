"""The A* search for a plan of a finite-domain task with the least cost, or the fewest actions.

Two A* searches of the same task take turns. One is guided by the heuristic LM-cut. The other has no
heuristic, which is enough for small state spaces and better where estimates are poor. Both start as
plain Python. If they last and numba is installed, the same functions continue, compiled, from the
current states.

Among the open states with the least f = g + h, the one with the least h is expanded; on ties, the
state that was reached last. LM-cut is not consistent, so a state is opened again if it is reached
at less cost.

This module is a fast variant of `core.search.best_first`, and tests compare the two. With LM-cut on
the model of the task, `best_first` takes 9 to 200 times as long on shipped tasks that take this
module 0.05 seconds or more (`scripts/search_variants.py`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

from asplan.core.budget import ENDLESS, Budget, Reporter, ignore_report
from asplan.core.compiling import (
    WAIT,
    as_arrays,
    compile_functions,
    load,
    resize,
)
from asplan.core.text import amount
from asplan.domains.base import Effort, Found
from asplan.pddl.task import landmark_cut, states
from asplan.pddl.task.landmark_cut import (
    FAR,
    RelaxedTask,
    Room,
    inherit,
    lm_cut,
    relaxed_of,
    room_for,
)
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.relaxation import Flat
from asplan.pddl.task.states import (
    STATES,
    Array,
    Known,
    apply_operator,
    enter_state,
    holds,
    place_of,
    read_state,
)
from asplan.pddl.task.task import Task, contradicts_itself

GOES_ON = 0
"""The status that `go_on` returns if the search is not finished."""

FOUND = 1
"""The status that `go_on` returns if it has found a cheapest plan."""

EXHAUSTED = 2
"""The status that `go_on` returns if no state is open, so that there is no plan."""

FULL = 3
"""The status that `go_on` returns if a list of the table is full and must be enlarged."""

HEAP = STATES + 1
"""The index in `counts` of the number of pairs in the heap of open states."""

BOUND = STATES + 2
"""The index in `counts` of a lower bound of the cost of every plan."""

EXPANDED = STATES + 3
"""The index in `counts` of the number of expanded states."""

GENERATED = STATES + 4
"""The index in `counts` of the number of generated states."""

WRITTEN = STATES + 5
"""The index in `counts` of the number of entries of `landmarks` that are used."""

GOAL = STATES + 6
"""The index in `counts` of the number of the goal state that was reached."""

MOST_NUMBERS = 1 << 26
"""The largest length of the list of landmarks. If it is full, new states store no landmarks."""


class PricedMoves(NamedTuple):
    """A task whose operators have costs.

    Attributes
    ----------
    moves
        The effects of operators, and the axioms.
    order
        All variables, basic ones first.
    basic
        The number of basic variables. Operators set basic variables; axioms set the others.
    watched
        For each fact, by its number, the operators that are tested only if this fact holds. An
        operator is listed at one fact of its precondition.
    free
        The operators without a precondition.
    asks
        The precondition of each operator.
    costs
        The cost of each operator.
    relaxed, room
        The delete relaxation, and the working memory of LM-cut.
    """

    moves: states.Moves
    order: Array
    basic: int
    watched: states.Lists
    free: Array
    asks: states.FactLists
    costs: Array
    relaxed: RelaxedTask
    room: Room


class Table(NamedTuple):
    """The reached states of A*, and the heap of open ones.

    Attributes
    ----------
    known
        The reached states, numbered from 0, and the current state.
    g, h
        For each state, the least cost of a path to it so far, and the estimate of its distance.
    closed
        For each state, whether it was expanded at its current cost.
    starts, ends
        For each state, the indices in `landmarks` at which its landmarks begin and end.
    heap_f, heap_nodes
        The pairs in the heap: f = g + h, and the number of a state.
    landmarks
        The landmarks of all states, as `landmark_cut.lm_cut` writes them.
    facts
        Working memory for the numbers of the basic facts of the current state.
    applicable
        Working memory for the applicable operators of the current state.
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
    """Write the operators that apply in the current state to `table.applicable`.

    Return their number.

    If an action has several applicable operators, only the first is written. `table.known.values`
    must hold the values of all variables in the state.
    """
    moves = task.moves
    watched = task.watched
    applicable = table.applicable
    values = table.known.values
    size = 0
    for operator in task.free:
        applicable[size] = operator
        size += 1
    for variable in task.order:
        fact = moves.offsets[variable] + values[variable]
        for i in range(watched.starts[fact], watched.starts[fact + 1]):
            operator = watched.items[i]
            if holds(task.asks, operator, values):
                applicable[size] = operator
                size += 1
    if not moves.has_twins:
        return size
    _sort(applicable, size)
    return _drop_twins(task, table, size)


def _sort(items: Array, size: int) -> None:
    """Sort the first `size` items in place, by insertion."""
    for i in range(1, size):
        item = items[i]
        place = i
        while place and items[place - 1] > item:
            items[place] = items[place - 1]
            place -= 1
        items[place] = item


def _drop_twins(task: PricedMoves, table: Table, size: int) -> int:
    """Keep only the first applicable operator of each action; return how many operators remain.

    The first `size` entries of `table.applicable` must be sorted.
    """
    applicable = table.applicable
    kept = 0
    for i in range(size):
        twin = task.moves.twins[applicable[i]]
        while twin >= 0 and not holds(
            task.asks,
            twin,
            table.known.values,
        ):
            twin = task.moves.twins[twin]
        if twin < 0:
            applicable[kept] = applicable[i]
            kept += 1
    return kept


def _before(
    table: Table,
    f: int,
    node: int,
    f_other: int,
    other: int,
) -> bool:
    """Return whether a state comes before another one in the heap.

    `f` and `f_other` are the values of f with which the states `node` and `other` were pushed. The
    smaller f comes first, then the smaller h, then the later state.
    """
    if f != f_other:
        return f < f_other
    h = table.h[node]
    h_other = table.h[other]
    return h < h_other or (h == h_other and node > other)


def _push(table: Table, node: int) -> None:
    """Add a state, given by its number, to the heap of open states."""
    fs = table.heap_f
    nodes = table.heap_nodes
    f = table.g[node] + table.h[node]
    place = table.known.counts[HEAP]
    table.known.counts[HEAP] += 1
    while place > 0:
        above = (place - 1) >> 1
        if not _before(
            table,
            f,
            node,
            fs[above],
            nodes[above],
        ):
            break
        fs[place] = fs[above]
        nodes[place] = nodes[above]
        place = above
    fs[place] = f
    nodes[place] = node


def _drop(table: Table) -> None:
    """Remove the first pair of the heap of open states."""
    fs = table.heap_f
    nodes = table.heap_nodes
    table.known.counts[HEAP] -= 1
    size = table.known.counts[HEAP]
    f = fs[size]
    node = nodes[size]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and _before(
            table, fs[below + 1], nodes[below + 1], fs[below], nodes[below]
        ):
            below += 1
        if not _before(
            table,
            fs[below],
            nodes[below],
            f,
            node,
        ):
            break
        fs[place] = fs[below]
        nodes[place] = nodes[below]
        place = below
    fs[place] = f
    nodes[place] = node


def _estimate(
    task: PricedMoves,
    table: Table,
    node: int,
    parent: int,
) -> int:
    """Return the LM-cut estimate of the current state, and store its landmarks if there is space.

    Parameters
    ----------
    node
        The number of the current state.
    parent
        The number of the state before it, whose landmarks are reused; -1 for the initial state.

    Returns
    -------
    int
        The estimate, or `FAR` if the delete relaxation cannot reach the goal.
    """
    counts = table.known.counts
    flat = task.relaxed
    room = task.room
    _write_facts(task, table)
    for owner in range(len(room.costs)):
        room.costs[owner] = flat.costs[owner]
    inherited = 0
    place = counts[WRITTEN]
    if parent >= 0 and flat.are_alone and table.ends[parent] > 0:
        start = table.starts[parent]
        end = table.ends[parent]
        operator = table.known.operators[node]
        inherited, place = inherit(
            room,
            start,
            end,
            operator,
            table.landmarks,
            place,
        )
    if place < 0:
        place = len(table.landmarks)
    total, end = lm_cut(
        flat,
        room,
        table.facts,
        table.landmarks,
        place,
    )
    if total == FAR:
        return FAR
    if end >= 0 and flat.are_alone and total + inherited > 0:
        table.starts[node] = counts[WRITTEN]
        table.ends[node] = end
        counts[WRITTEN] = end
    return inherited + total


def _write_facts(task: PricedMoves, table: Table) -> None:
    """Write the numbers of the basic facts of the current state into `table.facts`."""
    moves = task.moves
    row = table.known.row
    for i in range(task.basic):
        v = task.order[i]
        value = row[moves.words[v]] >> moves.shifts[v] & moves.masks[v]
        table.facts[i] = moves.offsets[v] + value


def _reach(
    task: PricedMoves,
    table: Table,
    guided: bool,
    parent: int,
    operator: int,
) -> None:
    """Add the current state to the reached states, or lower its cost if the new path is cheaper.

    Parameters
    ----------
    guided
        True for the estimates of LM-cut, false for the estimate 0.
    parent, operator
        The state before the current one and the operator that led from it; both -1 for the initial
        state.
    """
    known = table.known
    g = table.g[parent] + task.costs[operator] if parent >= 0 else 0
    place = place_of(known)
    node = known.table[place]
    if node >= 0:
        if g < table.g[node]:
            table.g[node] = g
            known.parents[node] = parent
            known.operators[node] = operator
            if table.h[node] != FAR:
                table.closed[node] = False
                _push(table, node)
        return
    node = enter_state(known, place, parent, operator)
    table.g[node] = g
    table.closed[node] = False
    table.starts[node] = 0
    table.ends[node] = 0
    table.h[node] = (
        _estimate(
            task,
            table,
            node,
            parent,
        )
        if guided
        else 0
    )
    if table.h[node] != FAR:
        _push(table, node)


def go_on(
    task: PricedMoves,
    table: Table,
    guided: bool,
    reached: int,
) -> int:
    """Continue the A* search until `reached` further states are reached; return its status.

    The search also pauses after it has looked at the first state of the heap some thousand times.
    `guided` is true for the estimates of LM-cut, false for the estimate 0. The status is `GOES_ON`,
    `FOUND`, `EXHAUSTED` or `FULL`.
    """
    moves = task.moves
    known = table.known
    counts = known.counts
    reached += counts[STATES]
    if not counts[STATES]:
        # The current state is the initial one.
        nobody = -1
        _reach(task, table, guided, nobody, nobody)
    looks = 1 << 14
    while counts[HEAP]:
        if counts[STATES] >= reached or not looks:
            return GOES_ON
        looks -= 1
        f = table.heap_f[0]
        node = table.heap_nodes[0]
        if table.closed[node] or f != table.g[node] + table.h[node]:
            _drop(table)
            continue
        read_state(moves, known, node)
        counts[BOUND] = max(counts[BOUND], f)
        if holds(moves.goal, 0, known.values):
            counts[GOAL] = node
            return FOUND
        size = _find_applicable(task, table)
        if _is_full(table, size):
            return FULL
        _drop(table)
        table.closed[node] = True
        counts[EXPANDED] += 1
        counts[GENERATED] += size
        for i in range(size):
            operator = table.applicable[i]
            apply_operator(moves, known, node, operator)
            _reach(task, table, guided, node, operator)
    return EXHAUSTED


def _is_full(table: Table, size: int) -> bool:
    """Return whether there is no space for `size` more states, or little for landmarks."""
    counts = table.known.counts
    if counts[STATES] + size > len(table.g) or counts[HEAP] + size > len(table.heap_f):
        return True
    numbers = len(table.landmarks)
    is_short: bool = numbers < MOST_NUMBERS and 2 * counts[WRITTEN] > numbers
    return is_short


COMPILED = (
    *states.COMPILED,
    *landmark_cut.COMPILED,
    _sort,
    _drop_twins,
    _find_applicable,
    _before,
    _push,
    _drop,
    _write_facts,
    _estimate,
    _reach,
    _is_full,
    go_on,
)
"""The functions to compile, callees first."""


_Functions = Mapping[str, Any]  # Any: plain functions, or functions of numba
_ArrayMoves = Any  # Any: `PricedMoves` with numpy arrays

PLAIN = 0.6
"""The seconds for which plain Python runs first.

Compiled functions take about twice that to load.
"""

BLIND = 0.1
"""The time for the search without heuristic, as a share of the time for the search with LM-cut.

This share holds for tasks without axioms and conditional effects. In other tasks LM-cut is less
informed, and both searches get the same time.
"""

_TURN = 0.1
"""The seconds of the first turn of each search."""

_LONGER = 1.5
"""The factor by which turns grow."""

_PAUSE = 0.05
"""The approximate number of seconds between two looks at the clock."""

_NODES = 1 << 10
"""The number of states for which a new table has space."""

_NUMBERS = 1 << 14
"""The length of the list of landmarks in a new table."""


def find_cheapest(
    model: TaskModel,
    priced: bool,
    budget: Budget = ENDLESS,
    report: Reporter[Effort] = ignore_report,
    plain: float = PLAIN,
) -> Found:
    """Find a plan of the least cost within a budget, or prove that there is none.

    Parameters
    ----------
    priced
        True if the costs of actions count, false if each action costs 1.
    report
        Receives the effort so far several times a second.
    plain
        The seconds for which the search runs in plain Python. Then it uses compiled functions, as
        soon as they are ready. With 0 it waits for them and never uses plain Python.
    """
    return _Searches(model, priced, budget, report).run(plain)


class _Searches:
    """The search with LM-cut and the search without heuristic, run in turns on one task.

    `run` returns the result of the search that finishes first.
    """

    def __init__(
        self,
        model: TaskModel,
        priced: bool,
        budget: Budget,
        report: Reporter[Effort],
    ) -> None:
        self._model = model
        self._budget = budget
        self._report = report
        self._functions: _Functions = {f.__name__: f for f in COMPILED}
        self._task: PricedMoves | _ArrayMoves = prepare(model.task, priced)
        self._tables: dict[bool, Table] = {}
        for guided in (False, True):
            self._tables[guided] = empty_table(self._task, model.task.initial)

    def run(self, plain: float) -> Found:
        """Run both searches in turns until one has found a plan or proven that there is none.

        The searches use plain Python for `plain` seconds, and then compiled functions.
        """
        share = self._blind_share()
        begun = time.monotonic()
        turn = _TURN
        # The numbers of arrays have 64 bits.
        fits = sum(operator.cost for operator in self._model.task.operators) < 1 << 40
        while True:
            if fits and time.monotonic() - begun >= plain:
                is_loaded, again = self._load(waits=not plain)
                plain = time.monotonic() - begun + WAIT if again else inf
                if is_loaded:
                    turn = _TURN
            for guided, seconds in ((True, turn), (False, turn * share)):
                status = self._search(guided, max(seconds, _TURN))
                if status != GOES_ON:
                    return self._answer(guided, status)
            turn *= _LONGER

    def _blind_share(self) -> float:
        """Return the time of the search without heuristic, relative to the search with LM-cut."""
        is_strips = self._task.relaxed.are_alone and not self._model.has_axioms
        return BLIND if is_strips else 1.0

    def _load(self, waits: bool) -> tuple[bool, bool]:
        """Switch to compiled functions if they are ready.

        If `waits` is set, wait until they are. Return two truth values: whether the switch was
        made, and whether a later attempt may succeed.
        """
        use = partial(_compile, self._task, self._model.task.initial)
        arrays, again = load(_functions, use, waits)
        if arrays is None:
            return False, again
        self._functions = _functions()
        self._tables = {guided: _as_arrays(table) for guided, table in self._tables.items()}
        self._task = _better_ordered(
            self._functions,
            arrays,
            self._tables[True],
        )
        return True, again

    def _search(self, guided: bool, seconds: float) -> int:
        """Continue one of the searches for some seconds; return its status, as `go_on` does."""
        status = GOES_ON
        reached = 1
        end = time.monotonic() + seconds
        while status == GOES_ON:
            began = time.monotonic()
            if began >= end:
                break
            status = self._functions["go_on"](self._task, self._tables[guided], guided, reached)
            self._report(self._effort())
            self._budget.check()
            if status == FULL:
                self._tables[guided] = enlarge(self._tables[guided])
                self._functions["fill_table"](self._tables[guided].known)
                status = GOES_ON
            elif time.monotonic() - began < _PAUSE:
                reached *= 2
            else:
                reached = max(1, reached // 2)
        return status

    def _effort(self) -> Effort:
        """Return the counts of both searches together, with the larger lower bound."""
        counts = [table.known.counts for table in self._tables.values()]
        bound = max(int(some[BOUND]) for some in counts)
        totals = list[int]()
        for place in (STATES, HEAP, EXPANDED, GENERATED):
            totals.append(sum(int(some[place]) for some in counts))
        return Effort(bound, *totals)

    def _answer(self, guided: bool, status: int) -> Found:
        """Return the plan, or the proof that there is none, of the finished search."""
        known = self._tables[guided].known
        if status == EXHAUSTED:
            count = amount(int(known.counts[STATES]), "state")
            return Found(None, f"none of the {count} that may lead to a goal is a goal")
        steps = states.steps_to(
            known,
            self._model.task,
            known.counts[GOAL],
        )
        by = "lm-cut" if guided else "zero"
        return Found(steps, f"no state with a smaller f is left, and {by} is admissible")


def prepare(task: Task, priced: bool) -> PricedMoves:
    """Convert a task to the flat lists of `PricedMoves`; without `priced` each operator costs 1."""
    moves = states.moves_of(task)
    costs = [operator.cost if priced else 1 for operator in task.operators]
    flat = Flat(task, costs)
    return PricedMoves(
        moves=moves,
        order=[*task.basic, *task.derived],
        basic=len(task.basic),
        watched=states.lists(_watched(task, moves.offsets)),
        free=[o for o, operator in enumerate(task.operators) if not operator.precondition],
        asks=states.fact_lists(sorted(set(operator.precondition)) for operator in task.operators),
        costs=costs,
        relaxed=relaxed_of(flat),
        room=room_for(flat),
    )


def _watched(
    task: Task,
    offsets: Sequence[int],
) -> list[list[int]]:
    """Return for each fact, by its number, the operators that are tested only if it holds.

    Each operator is listed at the fact of its precondition that fewest operators need. Operators
    with an empty or contradictory precondition are not listed. `offsets` has the number of the
    first fact of each variable.
    """
    counts = Counter(fact for operator in task.operators for fact in operator.precondition)
    watched: list[list[int]] = [[] for _ in task.facts]
    for index, operator in enumerate(task.operators):
        needed = operator.precondition
        if needed and not contradicts_itself(needed):
            v, d = min(needed, key=lambda fact: counts[fact])
            watched[offsets[v] + d].append(index)
    return watched


_as_arrays = partial(as_arrays, kinds={}, usual="int64")


@cache
def _functions() -> _Functions:
    return compile_functions(COMPILED)


def _compile(task: PricedMoves, initial: Sequence[int]) -> _ArrayMoves:
    """Compile the functions for a task; return the task with numpy arrays instead of lists.

    `initial` has the initial value of each variable.
    """
    arrays = _as_arrays(task)
    table = _as_arrays(empty_table(task, initial))
    _functions()["go_on"](arrays, table, True, 0)
    _functions()["fill_table"](table.known)
    return arrays


_SAMPLE = 20
"""The approximate number of states on which `_better_ordered` compares two orders."""


def _better_ordered(functions: _Functions, task: _ArrayMoves, table: Table) -> _ArrayMoves:
    """Return the task with the order of preconditions for which LM-cut's estimates are larger.

    Among equally distant preconditions of a part, LM-cut takes the first one as the supporter. The
    given order is better in most tasks, and the reversed order is much better in some. A sample of
    the reached states in `table` decides.
    """
    relaxed = task.relaxed
    starts, items = relaxed.preconditions
    reversed_items = items.copy()
    for start, end in pairwise(starts.tolist()):
        reversed_items[start:end] = sorted(items[start:end].tolist(), reverse=True)
    other = relaxed._replace(preconditions=states.Lists(starts, reversed_items))
    sums = list[int]()
    for ordered in (relaxed, other):
        estimates = _sample_estimates(functions, task._replace(relaxed=ordered), table)
        sums.append(sum(estimates))
    return task._replace(relaxed=relaxed if sums[0] >= sums[1] else other)


def _sample_estimates(
    functions: _Functions,
    task: _ArrayMoves,
    table: Table,
) -> Iterator[int]:
    """Yield the LM-cut estimates of a sample of the reached states."""
    count = int(table.known.counts[STATES])
    basic = task.order[: task.basic]
    for node in range(0, count, max(1, count // _SAMPLE)):
        functions["read_state"](task.moves, table.known, node)
        table.facts[:-1] = task.moves.offsets[basic] + table.known.values[basic]
        task.room.costs[:] = task.relaxed.costs
        nothing = table.landmarks[:0]
        estimate, _ = functions["lm_cut"](task.relaxed, task.room, table.facts, nothing, 0)
        yield estimate


def empty_table(task: PricedMoves, initial: Sequence[int]) -> Table:
    """Return a table without reached states, whose current state is the initial state.

    `initial` has the initial value of each variable.
    """
    known = states.known_from(
        task.moves,
        initial,
        [0] * (GOAL + 1),
    )
    return Table(
        known=states.with_room(known, _NODES),
        **{name: [0] * _NODES for name in ("g", "h", "closed", "starts", "ends")},
        heap_f=[0] * (2 * _NODES),
        heap_nodes=[0] * (2 * _NODES),
        landmarks=[0] * _NUMBERS,
        facts=[task.relaxed.start] * (task.basic + 1),
        applicable=[0] * (len(task.costs) + 1),
    )


def enlarge(table: Table) -> Table:
    """Return a table with twice the space for landmarks or for states.

    The space for landmarks is doubled if over half of it is used, else the space for states. The
    hash table of the new table is empty; `fill_table` must fill it.
    """
    nodes = len(table.g)
    numbers = len(table.landmarks)
    if 2 * table.known.counts[WRITTEN] > numbers and numbers < MOST_NUMBERS:
        return table._replace(
            landmarks=resize(table.landmarks, 2 * numbers),
            known=states.with_room(table.known, nodes),
        )
    doubled = dict[str, Array]()
    for name in (
        "g",
        "h",
        "closed",
        "starts",
        "ends",
        "heap_f",
        "heap_nodes",
    ):
        array = getattr(table, name)
        doubled[name] = resize(array, 2 * len(array))
    return table._replace(known=states.with_room(table.known, 2 * nodes), **doubled)
