"""States of a task in flat lists: what searches have in common that go on compiled.

A state is a row of words, in which each variable that operators set has a field of bits. States
stand one behind the other, and are found by a table with open addresses. A fact is a number: the
offset of its variable, and its value.

The functions work on lists, and compiled on arrays (`core.compiling`): they only index, add and
compare, no number needs more than 63 bits, and nothing is allocated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple

from asplan.core.compiling import resize
from asplan.pddl.task.task import Fact, Task

Array = Any  # a list of numbers, or an array of numpy with one dimension
BITS = 62  # of a word that holds bits or fields
STATES = 0  # the place in `counts` of the number of states that are known

_HALF = (1 << 31) - 1
_MANY = 1 << 60


class Lists(NamedTuple):
    """Lists of numbers, one behind the other: list i is `items[starts[i]:starts[i + 1]]`."""

    starts: Array
    items: Array


def lists(rows: Iterable[Sequence[int]]) -> Lists:
    """Some lists, one behind the other."""
    rows = list(rows)
    return Lists([*accumulate(map(len, rows), initial=0)], [*chain.from_iterable(rows)])


class FactLists(NamedTuple):
    """Lists of variables, with a value for each of them."""

    variables: Lists
    values: Array


def fact_lists(rows: Iterable[Iterable[Fact]]) -> FactLists:
    rows = [list(row) for row in rows]
    variables = lists([v for v, _ in row] for row in rows)
    return FactLists(variables, [d for row in rows for _, d in row])


class Moves(NamedTuple):
    """What operators do, and what axioms derive from it.

    The field of a variable is in one of the `words` of a state, so many `shifts` from its lowest
    bit; `masks` are the largest values. Of derived variables `defaults` has the value that they
    have without axioms; of others it is -1. `whens` has a condition for each of the `effects`; of
    an operator that others share their action with, `twins` has the one before. `layered` are the
    derived variables of each layer. An axiom sets one of the `heads`, and asks for so many facts
    (`rule_sizes`); `rules_of` says by which facts it does.
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
    """The states that a search knows, with the state and the operator that each comes from.

    The state in hand is `row`, and `values` may have what it says of all variables. Behind the
    number of states a search may count other things. The rest is space for what is derived.
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
    variables = task.variables
    sizes = [len(variable.values) for variable in variables]
    offsets = list(accumulate(sizes, initial=0))[:-1]
    words, shifts, word, used = [0] * len(sizes), [0] * len(sizes), 0, 0
    for v in task.basic:
        if used + task.packing.widths[v] > BITS:
            word, used = word + 1, 0
        words[v], shifts[v] = word, used
        used += task.packing.widths[v]
    twins, last = [-1] * len(task.operators), dict[str, int]()
    for o, operator in enumerate(task.operators):
        twins[o] = last.get(operator.action, -1)
        last[operator.action] = o
    effects = [
        sorted(operator.effects, key=lambda effect: bool(effect.condition))
        for operator in task.operators
    ]
    rules = task.firing_axioms
    rules_of: list[list[int]] = [[] for _ in task.facts]
    for r, rule in enumerate(rules):
        for v, d in set(rule.condition):
            rules_of[offsets[v] + d].append(r)
    layers: list[list[int]] = [[] for _ in range(1 + max((v.layer for v in variables), default=-1))]
    for v in task.derived:
        layers[variables[v].layer].append(v)
    return Moves(
        words=words,
        shifts=shifts,
        masks=task.packing.masks[:],
        offsets=offsets,
        defaults=[task.initial[v] if variables[v].is_derived else -1 for v in range(len(sizes))],
        goal=fact_lists([task.goal]),
        effects=fact_lists([effect.fact for effect in several] for several in effects),
        whens=fact_lists(effect.condition for several in effects for effect in several),
        has_conditions=[int(any(e.condition for e in several)) for several in effects],
        twins=twins,
        has_twins=len(last) < len(twins),
        layered=lists(layers),
        heads=fact_lists([[rule.fact for rule in rules]]),
        rule_sizes=[len(set(rule.condition)) for rule in rules],
        rules_of=lists(rules_of),
    )


def known_from(moves: Moves, initial: Sequence[int], counts: list[int]) -> Known:
    """No states yet; the state in hand is one that gives the variables these values."""
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
    """The same with space for so many states, and an empty table, which has to be filled."""
    return known._replace(
        states=resize(known.states, states * len(known.row)),
        parents=resize(known.parents, states),
        operators=resize(known.operators, states),
        table=resize(known.table[:0], 2 * states, -1),
    )


def steps_to(known: Known, task: Task, state: int) -> list[list[str]]:
    """The actions that lead to a state, each as a step."""
    found = list[list[str]]()
    while known.parents[state] >= 0:
        found.append([task.operators[known.operators[state]].action])
        state = known.parents[state]
    return found[::-1]


def hash_of(states: Array, at: int, words: int) -> int:
    found = 0
    for k in range(words):
        word = states[at + k]
        for half in (word & _HALF, word >> 31):
            found = ((found ^ half) * 1103515245 + 12345) & (_MANY - 1)
            found = (found ^ (found >> 29)) & _HALF
    return found


def place_of(known: Known) -> int:
    """The place of the state in hand in the table, or the free one where it would be."""
    row, states, table = known.row, known.states, known.table
    words, mask = len(row), len(table) - 1
    place = hash_of(row, 0, words) & mask
    while table[place] >= 0:
        at, k = table[place] * words, 0
        while k < words and states[at + k] == row[k]:
            k += 1
        if k == words:
            return place
        place = (place + 1) & mask
    return place


def enter_state(known: Known, place: int, parent: int, operator: int) -> int:
    """Enter the state in hand, which is new, at its place in the table; its number."""
    words = len(known.row)
    state: int = known.counts[STATES]
    known.counts[STATES] = state + 1
    known.table[place] = state
    known.parents[state], known.operators[state] = parent, operator
    for k in range(words):
        known.states[state * words + k] = known.row[k]
    return state


def fill_table(known: Known) -> None:
    """Enter all states into an empty table."""
    states, table, words = known.states, known.table, len(known.row)
    mask = len(table) - 1
    for state in range(known.counts[STATES]):
        place = hash_of(states, state * words, words) & mask
        while table[place] >= 0:
            place = (place + 1) & mask
        table[place] = state


def read_state(moves: Moves, known: Known, state: int) -> None:
    """Let `values` have the value of each variable, derived ones included."""
    at, values, states = state * len(known.row), known.values, known.states
    word, shift, mask, default = moves.words, moves.shifts, moves.masks, moves.defaults
    for v in range(len(values)):
        values[v] = default[v] if default[v] >= 0 else states[at + word[v]] >> shift[v] & mask[v]
    if len(moves.layered.items):
        derive(moves, known)


def derive(moves: Moves, known: Known) -> None:
    """Let the axioms set `values`, layer by layer.

    What an axiom sets is true for good. What no axiom has set when a layer is done keeps the value
    that it had, which counts for the layers above (Helmert, The Fast Downward Planning System).
    """
    values, default, offsets, missing = known.values, moves.defaults, moves.offsets, known.lacks
    heads, to, layered = moves.heads.variables.items, moves.heads.values, moves.layered
    queue, size, at = known.queue, 0, 0
    missing[:] = moves.rule_sizes
    for r in range(len(missing)):
        if missing[r] == 0 and values[heads[r]] != to[r]:
            values[heads[r]] = to[r]
            queue[size] = offsets[heads[r]] + to[r]
            size += 1
    for v in range(len(values)):
        if default[v] < 0:
            queue[size] = offsets[v] + values[v]
            size += 1
    for layer in range(len(layered.starts) - 1):
        while at < size:
            fact, at = queue[at], at + 1
            for k in range(moves.rules_of.starts[fact], moves.rules_of.starts[fact + 1]):
                r = moves.rules_of.items[k]
                missing[r] -= 1
                if missing[r] == 0 and values[heads[r]] != to[r]:
                    values[heads[r]] = to[r]
                    queue[size] = offsets[heads[r]] + to[r]
                    size += 1
        for k in range(layered.starts[layer], layered.starts[layer + 1]):
            v = layered.items[k]
            if values[v] == default[v]:
                queue[size] = offsets[v] + values[v]
                size += 1


def holds(conditions: FactLists, index: int, values: Array) -> bool:
    """Whether all facts of a list hold."""
    starts, variables = conditions.variables
    for i in range(starts[index], starts[index + 1]):
        if values[variables[i]] != conditions.values[i]:
            return False
    return True


def apply_operator(moves: Moves, known: Known, state: int, operator: int) -> None:
    """Let the state in hand be what follows a state by an operator that applies.

    If that has conditional effects, `values` must be those of the state.
    """
    row, words, effects = known.row, len(known.row), moves.effects
    for k in range(words):
        row[k] = known.states[state * words + k]
    for e in range(effects.variables.starts[operator], effects.variables.starts[operator + 1]):
        if not moves.has_conditions[operator] or holds(moves.whens, e, known.values):
            v = effects.variables.items[e]
            place, shift = moves.words[v], moves.shifts[v]
            row[place] = row[place] & ~(moves.masks[v] << shift) | effects.values[e] << shift


COMPILED = (
    *(hash_of, place_of, enter_state, fill_table, derive, read_state, holds, apply_operator),
)
"""What is compiled, those that call others behind them."""
