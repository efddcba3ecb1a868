"""A task, and what a search through its states knows, in flat arrays: what `kernel` works on.

Lists of lists are laid end to end: what belongs to number n of `x` is from `x_at[n]` to
`x_at[n + 1]`. A fact is a number: the offset of its variable, and its value.
"""

from __future__ import annotations

from collections import deque, namedtuple
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import Any

from asplan.pddl.task.flat import Flat
from asplan.pddl.task.kernel import BITS, DEEP, FAR, QUEUES
from asplan.pddl.task.model import TaskModel

Arrays = namedtuple(
    "Arrays",
    """words shifts masks offsets defaults goal_variables goal_values
    free asking_at asking operator_sizes twins has_twins
    effects_at effect_variables effect_values conditions_at condition_variables condition_values
    has_conditions layers layered rule_sizes rule_variables rule_values rules_at rules_of
    start goal parts_at parts_of part_sizes part_costs needs_at needs adds_at adds owners
    mark_variables mark_values mark_goals mark_needs_at mark_needs""",
)
"""A task. Of an operator that others share their action with, `twins` has the one before."""

Memory = namedtuple(
    "Memory",
    """states reached parents operators depths table chunks
    entry_state entry_begin entry_end entry_next heads tails types least turns best counts buckets
    row origin values queue lacks asked mark_words again cost unreached support settled missing sums
    chosen useful bucket_first bucket_next bucket_fact
    """,
)
"""What a search knows: states with what is known of each; what waits in the queues; then space."""

WIDE = frozenset(("words", "shifts", "masks", "states", "reached", "turns", "counts", "row"))
"""Arrays of 64 bits; all others have 32."""

_BUCKETS = 4096
"""Estimates that have a queue of their own; larger ones share the last."""


def arrays_of(model: TaskModel) -> Arrays:
    task, variables = model.task, range(len(model.task.variables))
    flat = Flat(model, [1] * len(task.operators))
    sizes = [len(variable.values) for variable in task.variables]
    offsets = list(accumulate(sizes, initial=0))[:-1]
    words, shifts = _fields(model)
    asking: list[list[int]] = [[] for _ in range(sum(sizes))]
    twins, last = [-1] * len(task.operators), dict[str, int]()
    effects, conditions = list[list[tuple[int, int]]](), list[Sequence[tuple[int, int]]]()
    for o, operator in enumerate(task.operators):
        for v, d in set(operator.precondition):
            asking[offsets[v] + d].append(o)
        twins[o] = last.get(operator.action, -1)
        last[operator.action] = o
        ordered = sorted(operator.effects, key=lambda effect: bool(effect.condition))
        effects.append([effect.fact for effect in ordered])
        conditions += [effect.condition for effect in ordered]
    rules, of_rules = task.firing_axioms, list[list[int]]([] for _ in asking)
    for r, rule in enumerate(rules):
        for v, d in set(rule.condition):
            of_rules[offsets[v] + d].append(r)
    layers = 1 + max((variable.layer for variable in task.variables), default=-1)
    layered = [[v for v in variables if task.variables[v].layer == n] for n in range(layers)]
    asking_at, asks = _joined(asking)
    effects_at, all_effects = _joined(effects)
    conditions_at, all_conditions = _joined(conditions)
    layers_at, all_layered = _joined(layered)
    rules_at, rules_of = _joined(of_rules)
    parts_at, parts_of = _joined(flat.needed_by)
    needs_at, needs = _joined(flat.preconditions)
    adds_at, adds = _joined(flat.adds)
    facts = list(chain.from_iterable(map(task.facts_of, variables)))
    marks, mark_needs = landmarks(flat, flat.facts_of(model.initial), len(facts))
    mark_needs_at, all_mark_needs = _joined(mark_needs)
    return Arrays(
        words=words,
        shifts=shifts,
        masks=[model.packing.masks[v] for v in variables],
        offsets=offsets,
        defaults=[task.initial[v] if task.variables[v].is_derived else -1 for v in variables],
        goal_variables=[v for v, _ in task.goal],
        goal_values=[d for _, d in task.goal],
        free=[o for o, operator in enumerate(task.operators) if not operator.precondition],
        asking_at=asking_at,
        asking=asks,
        operator_sizes=[len(set(operator.precondition)) for operator in task.operators],
        twins=twins,
        has_twins=int(len(last) < len(twins)),
        effects_at=effects_at,
        effect_variables=[v for v, _ in all_effects],
        effect_values=[d for _, d in all_effects],
        conditions_at=conditions_at,
        condition_variables=[v for v, _ in all_conditions],
        condition_values=[d for _, d in all_conditions],
        has_conditions=[int(any(e.condition for e in o.effects)) for o in task.operators],
        layers=layers_at,
        layered=all_layered,
        rule_sizes=[len(set(rule.condition)) for rule in rules],
        rule_variables=[rule.fact[0] for rule in rules],
        rule_values=[rule.fact[1] for rule in rules],
        rules_at=rules_at,
        rules_of=rules_of,
        start=flat.start,
        goal=flat.goal,
        parts_at=parts_at,
        parts_of=parts_of,
        part_sizes=flat.sizes,
        part_costs=flat.costs,
        needs_at=needs_at,
        needs=needs,
        adds_at=adds_at,
        adds=adds,
        owners=flat.owners,
        mark_variables=[facts[fact][0] for fact in marks],
        mark_values=[facts[fact][1] for fact in marks],
        mark_goals=[int(fact in flat.preconditions[-1]) for fact in marks],
        mark_needs_at=mark_needs_at,
        mark_needs=all_mark_needs,
    )


def memory_for(task: Arrays, initial: Sequence[int]) -> Memory:
    """That of a search that begins with some values of the variables."""
    words = 1 + max(task.words, default=0)
    row = [0] * words
    for v, value in enumerate(initial):
        if task.defaults[v] < 0:
            row[task.words[v]] |= value << task.shifts[v]
    facts, parts, operators = task.goal + 1, len(task.owners), len(task.twins)
    entries = facts + len(task.adds)
    return Memory(
        states=[],
        reached=[],
        parents=[],
        operators=[],
        depths=[],
        table=[-1],
        chunks=[],
        entry_state=[],
        entry_begin=[],
        entry_end=[],
        entry_next=[],
        heads=[-1] * (QUEUES * _BUCKETS + DEEP * FAR),
        tails=[-1] * (QUEUES * _BUCKETS + DEEP * FAR),
        types=[0] * (DEEP * FAR),
        least=[_BUCKETS] * QUEUES,
        turns=[0] * (QUEUES + 1),
        best=[1 << 30] * 2,
        counts=[0, 0, -1, 0, 0, 0, 0, 1],
        buckets=_BUCKETS,
        row=row,
        origin=[-1, -1],
        values=[0] * len(initial),
        queue=[0] * (facts + len(task.needs)),
        lacks=[0] * len(task.rule_sizes),
        asked=[0] * operators,
        mark_words=-(-len(task.mark_variables) // BITS),
        again=[0] * len(task.mark_variables),
        cost=[0] * facts,
        unreached=[-1] * facts,
        support=[-1] * facts,
        settled=[0] * facts,
        missing=[0] * parts,
        sums=[0] * parts,
        chosen=[0] * parts,
        useful=[0] * operators,
        bucket_first=[-1] * _BUCKETS,
        bucket_next=[0] * entries,
        bucket_fact=[0] * entries,
    )


def _fields(model: TaskModel) -> tuple[list[int], list[int]]:
    """For each variable its word in a state, and its lowest bit there; 0 for derived ones."""
    words, shifts = [0] * len(model.task.variables), [0] * len(model.task.variables)
    word, used = 0, 0
    for v in model.basic:
        width = model.packing.widths[v]
        if used + width > BITS:
            word, used = word + 1, 0
        words[v], shifts[v] = word, used
        used += width
    return words, shifts


def _joined(lists: Iterable[Sequence[Any]]) -> tuple[list[int], list[Any]]:
    """Where each list begins, and at last where they end; and all of them, end to end."""
    lists = list(lists)
    return list(accumulate(map(len, lists), initial=0)), list(chain.from_iterable(lists))


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
