"""A ground task without what makes no difference.

An atom that holds at the start and that nothing deletes always holds; one that nothing adds never
does. What is derived by one rule stands for its condition, and the negation of what follows from
single literals for all of their negations, so that few rules are left where a condition only
speaks of all objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from asplan.core.graphs import components
from asplan.pddl.grounding.ground import ALWAYS, Condition, GroundTask, Numbers, among, distinct

MOST = 50  # literals at most that a derived atom, or its negation, is replaced by


def simplify(task: GroundTask) -> GroundTask:
    """The task without constants, without effects that change nothing, and with few axioms."""
    # What inlining leaves may be constant once more.
    return settle(inline(settle(without_idle_effects(task))))


def without_idle_effects(task: GroundTask) -> GroundTask:
    """The task without effects that another one outdoes, and without deletions of what is absent.

    An atom that an operator adds is not deleted by it. Operators without effects are left out.
    """
    owners, changes, places = task.effects
    keys, needed = task.effect_keys, task.needs[0] * task.size + task.needs[1] // 2
    adds, always = changes % 2 == 0, places == ALWAYS
    added = among(keys, keys[adds & always])
    kept = ~added | (adds & always)  # one that always adds outdoes all others
    deleted = among(keys, keys[kept & ~adds & always])
    kept &= ~deleted | always | adds  # and so does one that always deletes all others that do
    kept &= adds | ~among(keys, needed[task.needs[1] % 2 == 1])
    busy = np.zeros(task.count, dtype=bool)
    busy[owners[kept]] = True
    return task.kept(busy, kept)


def settle(task: GroundTask) -> GroundTask:
    """The task without atoms that always hold, or never."""
    fluent = ~task.derived
    while True:
        changed = np.zeros((2, task.size), dtype=bool)
        changed[task.effects[1] % 2, task.effects[1] // 2] = True
        true = fluent & task.initial & ~changed[1]
        false = fluent & ~task.initial & ~changed[0]
        axioms = _settled_axioms(task, true, false)
        holds, fails = _literals(true, false)
        alive = np.ones(task.count, dtype=bool)
        alive[task.needs[0, fails[task.needs[1]]]] = False
        conditions = tuple(_reduced(one, holds, fails) for one in task.conditions)
        places = task.effects[2]
        possible = np.array([one is not None for one in conditions] + [True])[places]
        empty = np.array([one is not None and not one for one in conditions] + [True])[places]
        moves = possible & ~holds[task.effects[1]] & ~fails[task.effects[1] ^ 1]
        task = replace(
            task,
            needs=task.needs[:, ~holds[task.needs[1]]],
            effects=np.stack((*task.effects[:2], np.where(empty, ALWAYS, places))),
            conditions=tuple(one or frozenset() for one in conditions),
            axioms=axioms,
            goal=None if task.goal is None else _reduced(task.goal, holds, fails),
        )
        before = task.effects.shape[1]
        task = without_idle_effects(task.kept(alive, moves))
        if task.effects.shape[1] == before:
            return task


def _literals(true: Numbers, false: Numbers) -> tuple[Numbers, Numbers]:
    """Whether each literal always holds, and never does, from the same of atoms."""
    return np.stack((true, false), axis=1).ravel(), np.stack((false, true), axis=1).ravel()


def _reduced(condition: Condition, holds: Numbers, fails: Numbers) -> Condition | None:
    """A condition without what always holds; None if it never does."""
    if any(fails[literal] for literal in condition):
        return None
    return frozenset(literal for literal in condition if not holds[literal])


def _settled_axioms(
    task: GroundTask, true: Numbers, false: Numbers
) -> dict[int, frozenset[Condition]]:
    """The axioms without constants; a derived atom may turn out to be one."""
    axioms = dict(task.axioms)
    false |= task.derived
    false[list(axioms)] = False
    while True:
        holds, fails = _literals(true, false)
        settled = 0
        for head, bodies in list(axioms.items()):
            reduced = {_reduced(body, holds, fails) for body in bodies} - {None}
            if frozenset() in reduced:
                true[head] = True
            elif not reduced:
                false[head] = True
            else:
                axioms[head] = frozenset(reduced)  # type: ignore[arg-type]
                continue
            settled += 1
            del axioms[head]
        if not settled:
            return axioms


_Meaning = Mapping[int, Condition | None]  # what literals stand for; None for what never holds.


def inline(task: GroundTask) -> GroundTask:
    """The task with conditions in place of derived literals, where that is easy."""
    meaning, axioms = _meanings(task.axioms)
    if not meaning:
        return task
    alive = np.ones(task.count, dtype=bool)
    needs = [task.needs[:, ~among(task.needs[1], np.array(list(meaning)))]]
    for literal in sorted({*task.needs[1].tolist()} & meaning.keys()):
        owners = task.needs[0, task.needs[1] == literal]
        condition = meaning[literal]
        if condition is None:
            alive[owners] = False
            continue
        for one in condition:
            needs.append(np.stack((owners, np.full(len(owners), one))))
    conditions = tuple(_replaced(one, meaning) for one in task.conditions)
    possible = np.array([one is not None for one in conditions] + [True])[task.effects[2]]
    needed = distinct(np.concatenate(needs, axis=1))
    task = replace(
        task,
        needs=needed,
        conditions=tuple(one or frozenset() for one in conditions),
        axioms=axioms,
        goal=None if task.goal is None else _replaced(task.goal, meaning),
    )
    return without_idle_effects(task.kept(alive, possible))


def _meanings(
    axioms: Mapping[int, frozenset[Condition]],
) -> tuple[dict[int, Condition | None], dict[int, frozenset[Condition]]]:
    """What derived literals stand for, where that is a conjunction; and axioms with these."""
    heads = list(axioms)
    places = {head: place for place, head in enumerate(heads)}
    below = [
        [places[lit // 2] for body in axioms[head] for lit in body if lit // 2 in places]
        for head in heads
    ]
    meaning: dict[int, Condition | None] = {}
    found: dict[int, frozenset[Condition]] = {}
    for part in components(below):
        for place in part:
            head = heads[place]
            replaced = (_replaced(body, meaning) for body in axioms[head])
            bodies = frozenset(body for body in replaced if body is not None)
            found[head] = bodies
            if len(part) > 1 or place in below[place]:
                continue
            if not bodies or frozenset() in bodies:
                meaning[2 * head] = frozenset() if bodies else None
                meaning[2 * head + 1] = None if bodies else frozenset()
                del found[head]
                continue
            if len(bodies) == 1 and len(next(iter(bodies))) <= MOST:
                (meaning[2 * head],) = bodies
            if len(bodies) <= MOST and all(len(body) == 1 for body in bodies):
                opposites = frozenset(literal ^ 1 for body in bodies for literal in body)
                is_void = any(literal ^ 1 in opposites for literal in opposites)
                meaning[2 * head + 1] = None if is_void else opposites
    return meaning, found


def _replaced(condition: Condition, meaning: _Meaning) -> Condition | None:
    """A condition with meanings in place of literals; None if it contradicts itself."""
    found = set[int]()
    for literal in condition:
        means = meaning.get(literal, frozenset((literal,)))
        if means is None:
            return None
        found |= means
    return None if any(literal ^ 1 in found for literal in found) else frozenset(found)
