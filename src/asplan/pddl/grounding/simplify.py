"""The simplification of a ground task.

It removes atoms that are constant: an initial atom that nothing deletes is always true, and another
atom that nothing adds is always false. It replaces a derived atom that has only one rule by the
body of this rule. If all rules of a derived atom have single literals as bodies, it replaces the
negation of the atom by the negations of these literals. So few axioms are left for a condition with
`forall`.

Atoms and literals are numbers: the atom a has the literal 2a, and its negation is 2a+1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from asplan.core.dataclass import dataclass
from asplan.core.graphs import components
from asplan.pddl.grounding.arrays import (
    Array,
    Columns,
    distinct_columns,
    is_member,
)
from asplan.pddl.grounding.ground import (
    UNCONDITIONAL,
    Condition,
    GroundTask,
)

MOST_LITERALS = 50
"""The maximum number of literals that may replace a derived literal."""


def simplify(task: GroundTask) -> GroundTask:
    """Return an equivalent task without constant atoms and without effects that change nothing.

    Small conditions replace derived atoms, so that the task has few axioms.
    """
    task = remove_constants(remove_idle_effects(task))
    # Inlining can make further atoms constant.
    return remove_constants(inline_axioms(task))


def remove_idle_effects(task: GroundTask) -> GroundTask:
    """Return the task without effects that never change a state.

    Operators without any other effect are removed, too. If an operator both adds and deletes an
    atom, the atom holds afterwards. An unconditional effect overrides the conditional effects of
    the operator on the same atom.
    """
    owners = task.effects[0]
    keys = task.effect_keys
    adds = task.is_addition
    always = task.is_unconditional
    added = is_member(keys, keys[adds & always])
    kept = ~added | (adds & always)
    deleted = is_member(keys, keys[kept & ~adds & always])
    kept &= ~deleted | always | adds
    absent = task.needs[:, task.needs[1] % 2 == 1]
    absent_keys = absent[0] * task.atom_count + absent[1] // 2
    kept &= adds | ~is_member(keys, absent_keys)
    busy = np.zeros(task.operator_count, dtype=bool)
    busy[owners[kept]] = True
    return task.restrict(busy, kept)


@dataclass(frozen=True)
class _Constants:
    """The constant literals: `holds` and `fails` are arrays over the numbers of all literals.

    `holds` is true for literals that hold in all states, `fails` for literals that hold in none.
    """

    holds: Array
    fails: Array

    @classmethod
    def of_atoms(
        cls,
        true: Array,
        false: Array,
    ) -> _Constants:
        """Return the constant literals.

        `true` and `false` mark the atoms that are always true and always false.
        """
        holds = np.stack((true, false), axis=1)
        fails = np.stack((false, true), axis=1)
        return cls(holds.ravel(), fails.ravel())

    def reduce(self, condition: Condition) -> Condition | None:
        """Return the condition without literals that always hold; None if a literal never holds."""
        holds = self.holds
        fails = self.fails
        if any(fails[literal] for literal in condition):
            return None
        return frozenset(literal for literal in condition if not holds[literal])


def remove_constants(task: GroundTask) -> GroundTask:
    """Return the task without atoms that are always true or always false."""
    while True:
        smaller = _remove_current_constants(task)
        is_done = smaller.effects.shape[1] == task.effects.shape[1]
        task = smaller
        if is_done:
            return task


def _remove_current_constants(task: GroundTask) -> GroundTask:
    """Return the task without its constant atoms.

    The removal of effects may make further atoms constant, so the caller repeats this step.
    """
    fluent = ~task.derived
    added, deleted = task.added_and_deleted
    true = fluent & task.initial & ~deleted
    false = fluent & ~task.initial & ~added
    axioms = _reduce_axioms(task, true, false)
    constants = _Constants.of_atoms(true, false)
    alive = np.ones(task.operator_count, dtype=bool)
    owners, needed = task.needs
    alive[owners[constants.fails[needed]]] = False
    conditions = tuple(map(constants.reduce, task.conditions))
    changes = task.effects[1]
    places = task.effects[2]
    # The last entry is for effects without a condition.
    possible = np.array([condition is not None for condition in conditions] + [True])[places]
    empty = np.array([condition == frozenset() for condition in conditions] + [True])[places]
    changing = possible & ~constants.holds[changes] & ~constants.fails[changes ^ 1]
    reduced = replace(
        task,
        needs=task.needs[:, ~constants.holds[needed]],
        effects=np.stack((*task.effects[:2], np.where(empty, UNCONDITIONAL, places))),
        conditions=tuple(condition or frozenset() for condition in conditions),
        axioms=axioms,
        goal=None if task.goal is None else constants.reduce(task.goal),
    )
    return remove_idle_effects(reduced.restrict(alive, changing))


def _reduce_axioms(
    task: GroundTask,
    true: Array,
    false: Array,
) -> dict[int, frozenset[Condition]]:
    """Return the axioms without constant literals, by derived atom.

    `true` and `false` mark the atoms that are constant. This function also marks, in the same
    arrays, the derived atoms that turn out to be constant.
    """
    axioms = dict(task.axioms)
    false |= task.derived
    false[list(axioms)] = False
    while True:
        constants = _Constants.of_atoms(true, false)
        before = len(axioms)
        for head, bodies in list(axioms.items()):
            reduced = {constants.reduce(body) for body in bodies} - {None}
            if frozenset() in reduced:
                true[head] = True
                del axioms[head]
            elif not reduced:
                false[head] = True
                del axioms[head]
            else:
                axioms[head] = frozenset(reduced)  # type: ignore[arg-type]
        if len(axioms) == before:
            return axioms


_Meaning = Mapping[int, Condition | None]
"""The conditions that replace derived literals, by literal; None for a literal that never holds."""


def inline_axioms(task: GroundTask) -> GroundTask:
    """Return the task in which small conditions replace derived literals."""
    meaning, axioms = _meanings(task.axioms)
    if not meaning:
        return task
    alive = np.ones(task.operator_count, dtype=bool)
    needs = _replace_needs(task, meaning, alive)
    conditions = tuple(_replace(condition, meaning) for condition in task.conditions)
    # The last entry is for effects without a condition.
    is_possible = np.array([condition is not None for condition in conditions] + [True])
    possible = is_possible[task.effects[2]]
    replaced = replace(
        task,
        needs=needs,
        conditions=tuple(condition or frozenset() for condition in conditions),
        axioms=axioms,
        goal=None if task.goal is None else _replace(task.goal, meaning),
    )
    return remove_idle_effects(replaced.restrict(alive, possible))


def _replace_needs(
    task: GroundTask,
    meaning: _Meaning,
    alive: Array,
) -> Columns:
    """Return the preconditions (pairs of an operator and a literal) with derived literals replaced.

    `meaning` has the condition that replaces each derived literal; None if the literal never holds.
    Set `alive` to False for the operators whose precondition then never holds.
    """
    replaced = np.array(list(meaning))
    needs = [task.needs[:, ~is_member(task.needs[1], replaced)]]
    for literal in sorted({*task.needs[1].tolist()} & meaning.keys()):
        owners = task.needs[0, task.needs[1] == literal]
        condition = meaning[literal]
        if condition is None:
            alive[owners] = False
            continue
        for part in condition:
            needs.append(np.stack((owners, np.full(len(owners), part))))
    return distinct_columns(np.concatenate(needs, axis=1))


def _meanings(
    axioms: Mapping[int, frozenset[Condition]],
) -> tuple[_Meaning, dict[int, frozenset[Condition]]]:
    """Return the conditions that replace derived literals, and the axioms after the replacement.

    Only small conditions replace a literal. Recursive derived atoms keep their axioms. `axioms` has
    the bodies of the rules of each derived atom.
    """
    heads = list(axioms)
    below = _dependencies(axioms)
    meaning: dict[int, Condition | None] = {}
    inlined: dict[int, frozenset[Condition]] = {}
    for part in components(below):
        is_recursive = len(part) > 1 or part[0] in below[part[0]]
        for place in part:
            head = heads[place]
            replaced = {_replace(body, meaning) for body in axioms[head]}
            bodies = frozenset(body for body in replaced if body is not None)
            is_constant = not bodies or frozenset() in bodies
            if is_recursive or not is_constant:
                inlined[head] = bodies
            if not is_recursive:
                meaning.update(_meaning_of(head, bodies))
    return meaning, inlined


def _dependencies(axioms: Mapping[int, frozenset[Condition]]) -> list[list[int]]:
    """Return, for each derived atom, the indexes of the derived atoms in its axioms.

    The index of a derived atom is its position among the keys of `axioms`.
    """
    places = {head: place for place, head in enumerate(axioms)}
    below = list[list[int]]()
    for bodies in axioms.values():
        atoms = [literal // 2 for body in bodies for literal in body]
        below.append([places[atom] for atom in atoms if atom in places])
    return below


def _meaning_of(
    head: int,
    bodies: frozenset[Condition],
) -> _Meaning:
    """Return the conditions that replace a derived atom `head` and its negation, if they are small.

    `bodies` are the bodies of its rules; the atom holds if one of them holds.
    """
    holds = 2 * head
    fails = 2 * head + 1
    if not bodies:
        return {holds: None, fails: frozenset()}
    if frozenset() in bodies:
        return {holds: frozenset(), fails: None}
    meaning: dict[int, Condition | None] = {}
    body, *others = bodies
    if not others and len(body) <= MOST_LITERALS:
        meaning[holds] = body
    if len(bodies) <= MOST_LITERALS and all(len(body) == 1 for body in bodies):
        opposites = frozenset(literal ^ 1 for (literal,) in bodies)
        meaning[fails] = None if _is_contradictory(opposites) else opposites
    return meaning


def _is_contradictory(literals: Condition | set[int]) -> bool:
    """Return whether a conjunction contains a literal and its negation."""
    return any(literal ^ 1 in literals for literal in literals)


def _replace(
    condition: Condition,
    meaning: _Meaning,
) -> Condition | None:
    """Replace the derived literals in a conjunction; return None if the result never holds."""
    literals = set[int]()
    for literal in condition:
        replacement = meaning.get(literal, frozenset((literal,)))
        if replacement is None:
            return None
        literals |= replacement
    return None if _is_contradictory(literals) else frozenset(literals)
