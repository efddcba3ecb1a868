"""States of a task in flat lists, for searches that numba can compile.

A state is a row of words in which each basic variable has a field of bits. All states are in one
list, one after the other. A hash table with open addressing maps a state to its number. The number
of a fact is the offset of its variable plus its value.

The functions work on lists and, compiled, on arrays (`core.compiling`). They only index, add and
compare, no number needs more than 63 bits, and nothing is allocated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple

from asplan.core.compiling import resize
from asplan.core.search import path_to
from asplan.pddl.task.task import Effect, Fact, Task

Array = Any  # Any: a list of numbers, or a numpy array with one dimension

BITS = 62
"""The number of bits of a word that hold fields of variables."""

STATES = 0
"""The index in `counts` of the number of states."""

_HALF = (1 << 31) - 1
_MANY = 1 << 60


class Lists(NamedTuple):
    """Several lists of numbers in one flat list: list i is `items[starts[i]:starts[i + 1]]`."""

    starts: Array
    items: Array


def lists(rows: Iterable[Sequence[int]]) -> Lists:
    """Pack rows of numbers into one flat list with their starts."""
    rows = list(rows)
    starts = accumulate(map(len, rows), initial=0)
    return Lists(list(starts), list(chain.from_iterable(rows)))


class FactLists(NamedTuple):
    """Lists of facts, packed like `Lists`: the variable and the value of each fact."""

    variables: Lists
    values: Array


def fact_lists(rows: Iterable[Iterable[Fact]]) -> FactLists:
    """Pack lists of facts into flat lists."""
    rows = [list(row) for row in rows]
    variables = lists([v for v, _ in row] for row in rows)
    return FactLists(variables, [d for _, d in chain.from_iterable(rows)])


class Moves(NamedTuple):
    """The effects of operators, and the axioms.

    Attributes
    ----------
    words, shifts, masks
        The field of each variable: the index of its word in a state, its lowest bit there, and the
        largest number that it can hold.
    offsets
        The number of the first fact of each variable.
    defaults
        The values of derived variables if no axiom applies; -1 for basic variables.
    goal
        A list with the facts of the goal.
    effects, whens
        The facts that each operator's effects make true; for each effect the facts of its
        condition.
    has_conditions
        For each operator, 1 if it has conditional effects, else 0.
    twins
        For each operator, the last operator before it with the same action, or -1.
    has_twins
        True if some action has several operators.
    layered
        The derived variables of each layer of axioms.
    heads
        A list with the fact that each axiom sets.
    rule_sizes
        The number of facts in the body of each axiom.
    rules_of
        For each fact, the axioms with this fact in their body.
    """

    words: Array
    shifts: Array
    masks: Array
    offsets: Array
    defaults: Array
    goal: FactLists
    effects: FactLists
    whens: FactLists
    has_conditions: Array
    twins: Array
    has_twins: bool
    layered: Lists
    heads: FactLists
    rule_sizes: Array
    rules_of: Lists


class Known(NamedTuple):
    """The visited states of a search, numbered from 0, and the current state.

    Attributes
    ----------
    states
        The words of all states, one state after the other.
    table
        A hash table of the numbers of states; -1 for a free entry.
    parents, operators
        For each state, the state before it and the operator that led from there.
    row
        The words of the current state.
    values
        The values of all variables in a state, as `read_state` sets them.
    counts
        The number of states, and further counts of the search.
    lacks, queue
        Working memory for the derivation of variables.
    """

    states: Array
    table: Array
    parents: Array
    operators: Array
    row: Array
    values: Array
    counts: Array
    lacks: Array
    queue: Array


def moves_of(task: Task) -> Moves:
    """Convert the operators and axioms of a task to flat lists."""
    variables = task.variables
    sizes = [len(variable.values) for variable in variables]
    offsets = list(accumulate(sizes, initial=0))[:-1]
    words, shifts = _fields(task)
    twins = _twins(task)
    effects = [_conditional_last(operator.effects) for operator in task.operators]
    all_effects = list(chain.from_iterable(effects))
    rules = task.firing_axioms
    return Moves(
        words=words,
        shifts=shifts,
        masks=task.packing.masks[:],
        offsets=offsets,
        defaults=_defaults(task),
        goal=fact_lists([task.goal]),
        effects=fact_lists([effect.fact for effect in several] for several in effects),
        whens=fact_lists(effect.condition for effect in all_effects),
        has_conditions=[int(_is_conditional(several)) for several in effects],
        twins=twins,
        has_twins=any(twin >= 0 for twin in twins),
        layered=lists(_layers(task)),
        heads=fact_lists([[rule.fact for rule in rules]]),
        rule_sizes=[len(set(rule.condition)) for rule in rules],
        rules_of=lists(_rules_by_fact(task, offsets)),
    )


def _conditional_last(effects: Sequence[Effect]) -> list[Effect]:
    """Return the unconditional effects, and then the conditional effects, each in order."""
    return sorted(effects, key=lambda effect: bool(effect.condition))


def _is_conditional(effects: Iterable[Effect]) -> bool:
    return any(effect.condition for effect in effects)


def _defaults(task: Task) -> list[int]:
    """Return the default value of each derived variable; -1 for basic variables."""
    defaults = list[int]()
    for variable, value in zip(task.variables, task.initial, strict=True):
        defaults.append(value if variable.is_derived else -1)
    return defaults


def _fields(task: Task) -> tuple[list[int], list[int]]:
    """Return for each variable the index of its word in a state, and its lowest bit there."""
    words = [0] * len(task.variables)
    shifts = [0] * len(task.variables)
    word = 0
    used = 0
    for v in task.basic:
        width = task.packing.widths[v]
        if used + width > BITS:
            word += 1
            used = 0
        words[v] = word
        shifts[v] = used
        used += width
    return words, shifts


def _twins(task: Task) -> list[int]:
    """Return for each operator the last operator before it with the same action, or -1."""
    last = dict[str, int]()
    twins = list[int]()
    for o, operator in enumerate(task.operators):
        twins.append(last.get(operator.action, -1))
        last[operator.action] = o
    return twins


def _rules_by_fact(
    task: Task,
    offsets: Sequence[int],
) -> list[list[int]]:
    """Return for each fact, by its number, the axioms that have this fact in their body."""
    rules: list[list[int]] = [[] for _ in task.facts]
    for r, rule in enumerate(task.firing_axioms):
        for v, d in set(rule.condition):
            rules[offsets[v] + d].append(r)
    return rules


def _layers(task: Task) -> list[list[int]]:
    """Return the derived variables of each layer of axioms."""
    highest = max((variable.layer for variable in task.variables), default=-1)
    layers: list[list[int]] = [[] for _ in range(highest + 1)]
    for v in task.derived:
        layers[task.variables[v].layer].append(v)
    return layers


def known_from(
    moves: Moves,
    initial: Sequence[int],
    counts: list[int],
) -> Known:
    """Return a memory without visited states, whose current state has the `initial` values.

    `counts` has the first values of the counts that the search needs.
    """
    row = [0] * (1 + max(moves.words, default=0))
    for v, value in enumerate(initial):
        if moves.defaults[v] < 0:
            row[moves.words[v]] |= value << moves.shifts[v]
    rules = len(moves.rule_sizes)
    return Known(
        states=[],
        table=[-1],
        parents=[],
        operators=[],
        row=row,
        values=[0] * len(initial),
        counts=counts,
        lacks=[0] * rules,
        queue=[0] * (2 * len(initial) + rules),
    )


def with_room(known: Known, states: int) -> Known:
    """Return the memory with space for this number of states, and an empty hash table.

    `fill_table` must fill the table if there are states.
    """
    return known._replace(
        states=resize(known.states, states * len(known.row)),
        parents=resize(known.parents, states),
        operators=resize(known.operators, states),
        table=resize(
            known.table[:0],
            2 * states,
            -1,
        ),
    )


def steps_to(
    known: Known,
    task: Task,
    state: int,
) -> list[list[str]]:
    """Return the actions on the path to a visited state, each as a step of its own."""

    def parent(state: int) -> int | None:
        before: int = known.parents[state]
        return None if before < 0 else before

    _, *states = path_to(state, parent)
    return [[task.operators[known.operators[after]].action] for after in states]


def hash_of(states: Array, at: int, words: int) -> int:
    """Return the hash of the state whose words are `states[at:at + words]`."""
    code = 0
    for k in range(words):
        word = states[at + k]
        for half in (word & _HALF, word >> 31):
            code = ((code ^ half) * 1103515245 + 12345) & (_MANY - 1)
            code = (code ^ (code >> 29)) & _HALF
    return code


def place_of(known: Known) -> int:
    """Return the index of the current state in the hash table, or of the free entry for it."""
    row = known.row
    states = known.states
    table = known.table
    words = len(row)
    mask = len(table) - 1
    place = hash_of(row, 0, words) & mask
    while table[place] >= 0:
        at = table[place] * words
        k = 0
        while k < words and states[at + k] == row[k]:
            k += 1
        if k == words:
            return place
        place = (place + 1) & mask
    return place


def enter_state(
    known: Known,
    place: int,
    parent: int,
    operator: int,
) -> int:
    """Add the current state, which is new, to the visited states; return its number.

    `place` is the index of its entry in the hash table, which is free. `operator` led to it from
    the state `parent`.
    """
    words = len(known.row)
    state: int = known.counts[STATES]
    known.counts[STATES] = state + 1
    known.table[place] = state
    known.parents[state] = parent
    known.operators[state] = operator
    for k in range(words):
        known.states[state * words + k] = known.row[k]
    return state


def fill_table(known: Known) -> None:
    """Enter all visited states into an empty hash table."""
    states = known.states
    table = known.table
    words = len(known.row)
    mask = len(table) - 1
    for state in range(known.counts[STATES]):
        place = hash_of(states, state * words, words) & mask
        while table[place] >= 0:
            place = (place + 1) & mask
        table[place] = state


def read_state(moves: Moves, known: Known, state: int) -> None:
    """Set `known.values` to the values of all variables in a visited state, given by its number."""
    first = state * len(known.row)
    values = known.values
    states = known.states
    words = moves.words
    shifts = moves.shifts
    masks = moves.masks
    defaults = moves.defaults
    for v in range(len(values)):
        if defaults[v] >= 0:
            values[v] = defaults[v]
        else:
            values[v] = states[first + words[v]] >> shifts[v] & masks[v]
    if len(moves.layered.items):
        derive(moves, known)


def derive(moves: Moves, known: Known) -> None:
    """Set the values of derived variables in `known.values` by the axioms, layer by layer.

    A value that an axiom has set stays. A variable that no axiom has set at the end of its layer
    keeps its default value, and the axioms of higher layers use this value (Helmert, The Fast
    Downward Planning System).
    """
    size = queue_basic_facts(moves, known)
    layered = moves.layered
    queue = known.queue
    values = known.values
    lacks = known.lacks
    starts, rules = moves.rules_of
    at = 0
    for layer in range(len(layered.starts) - 1):
        while at < size:
            fact = queue[at]
            at += 1
            for k in range(starts[fact], starts[fact + 1]):
                rule = rules[k]
                lacks[rule] -= 1
                if lacks[rule] == 0:
                    size = fire_rule(moves, known, rule, size)
        for k in range(layered.starts[layer], layered.starts[layer + 1]):
            v = layered.items[k]
            if values[v] == moves.defaults[v]:
                queue[size] = moves.offsets[v] + values[v]
                size += 1


def queue_basic_facts(moves: Moves, known: Known) -> int:
    """Queue the facts of basic variables, and the heads of axioms with empty bodies.

    Return the size of the queue. The queue has the facts from which `derive` starts.
    """
    size = 0
    known.lacks[:] = moves.rule_sizes
    for rule in range(len(known.lacks)):
        if known.lacks[rule] == 0:
            size = fire_rule(moves, known, rule, size)
    for v in range(len(known.values)):
        if moves.defaults[v] < 0:
            known.queue[size] = moves.offsets[v] + known.values[v]
            size += 1
    return size


def fire_rule(
    moves: Moves,
    known: Known,
    rule: int,
    size: int,
) -> int:
    """Set and queue the head of an axiom, unless it holds; return the new size of the queue."""
    v = moves.heads.variables.items[rule]
    value = moves.heads.values[rule]
    if known.values[v] != value:
        known.values[v] = value
        known.queue[size] = moves.offsets[v] + value
        size += 1
    return size


def holds(conditions: FactLists, index: int, values: Array) -> bool:
    """Return whether all facts of list `index` hold; `values` has the values of the variables."""
    starts, variables = conditions.variables
    for i in range(starts[index], starts[index + 1]):
        if values[variables[i]] != conditions.values[i]:
            return False
    return True


def apply_operator(
    moves: Moves,
    known: Known,
    state: int,
    operator: int,
) -> None:
    """Replace the current state by the state after an operator that applies in the visited `state`.

    If the operator has conditional effects, `known.values` must hold the values of that state.
    """
    row = known.row
    words = len(row)
    starts, variables = moves.effects.variables
    values = moves.effects.values
    for k in range(words):
        row[k] = known.states[state * words + k]
    for e in range(starts[operator], starts[operator + 1]):
        if not moves.has_conditions[operator] or holds(
            moves.whens,
            e,
            known.values,
        ):
            v = variables[e]
            place = moves.words[v]
            shift = moves.shifts[v]
            row[place] = row[place] & ~(moves.masks[v] << shift) | values[e] << shift


COMPILED = (
    hash_of,
    place_of,
    enter_state,
    fill_table,
    fire_rule,
    queue_basic_facts,
    derive,
    read_state,
    holds,
    apply_operator,
)
"""The functions to compile, callees first."""
