"""The state variables that encode the atoms of a ground task, and their order.

A mutex group of atoms becomes one variable, whose values are the atoms. Groups are taken by size:
the largest group of atoms that have no variable yet comes first. A variable has the further value
`none` if perhaps none of its atoms holds (Helmert, Concise Finite-Domain Representations for PDDL
Planning Tasks, 2009, section 6). If a condition negates an atom of a variable with more than two
values, the atom also gets a second variable, with two values: the atom is false, or it is true.
"""

from __future__ import annotations

from collections.abc import (
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from heapq import heapify, heappop, heappush

import numpy as np

from asplan.core.dataclass import dataclass
from asplan.core.graphs import components
from asplan.pddl.grounding.arrays import (
    Array,
    Columns,
    is_member,
    joined_ranges,
)
from asplan.pddl.grounding.ground import GroundTask


@dataclass(frozen=True)
class Encoding:
    """The variables that encode atoms.

    An atom is a value of one variable. It may have a second variable, with two values, for
    conditions that negate the atom.

    Attributes
    ----------
    members
        The atoms of each variable in the order of its values; empty for the second variable of an
        atom.
    has_none
        For each variable, whether it has the further value `none`, for none of its atoms.
    variable, value
        The variable and the value of each atom; -1 if it has none.
    absence
        The second variable of each atom; -1 if the atom has none. Its value is 0 if the atom is
        false, and 1 if the atom is true.
    """

    members: tuple[tuple[int, ...], ...]
    has_none: Array
    variable: Array
    value: Array
    absence: Array

    @property
    def sizes(self) -> Array:
        """The number of values of each variable."""
        counts = np.array([len(atoms) for atoms in self.members], dtype=np.int64)
        return np.where(counts == 0, 2, counts + self.has_none)


def encode(
    task: GroundTask,
    groups: Iterable[tuple[int, ...]],
) -> Encoding:
    """Return variables for all atoms that change or are derived; `groups` are the mutex groups."""
    added, deleted = task.added_and_deleted
    changing = np.where(task.initial, deleted, added)
    derived = [(atom,) for atom in sorted(task.axioms)]
    covered = sorted(_cover(np.flatnonzero(changing).tolist(), groups))
    members = _split_negated(task, [*covered, *derived])
    variable, value = _places(members, task.atom_count)
    has_none = _has_none(
        task,
        members,
        variable,
        task.initial & changing,
    )
    sizes = np.array([len(atoms) for atoms in members], dtype=np.int64) + has_none
    absence = np.full(task.atom_count, -1)
    for atom in _negated_atoms(task, variable):
        if sizes[variable[atom]] > 2:
            absence[atom] = len(members)
            members.append(())
    second = np.zeros(len(members) - len(has_none), dtype=bool)
    return Encoding(
        tuple(members),
        np.concatenate((has_none, second)),
        variable,
        value,
        absence,
    )


def _split_negated(
    task: GroundTask,
    members: list[tuple[int, ...]],
) -> list[tuple[int, ...]]:
    """Split variables, so that each of their atoms has a variable of its own.

    A variable is split if conditions negate more than half of its atoms. `members` has the atoms of
    each variable.
    """
    variable, _ = _places(members, task.atom_count)
    negated = set(_negated_atoms(task, variable))
    split = list[tuple[int, ...]]()
    for atoms in members:
        count = sum(atom in negated for atom in atoms)
        if 2 * count > len(atoms):
            split += [(atom,) for atom in atoms]
        else:
            split.append(atoms)
    return split


def _has_none(
    task: GroundTask,
    members: Sequence[tuple[int, ...]],
    variable: Array,
    holding_atoms: Array,
) -> Array:
    """Return for each variable whether it needs the value `none`.

    It needs this value if there may be a state in which none of its atoms holds.
    `members` has the atoms of each variable, and `variable` the variable of each atom.
    `holding_atoms` marks the atoms that hold initially.
    """
    has_none = np.array([len(atoms) == 1 for atoms in members], dtype=bool)
    has_none[_emptied_variables(task, variable)] = True
    holding = np.zeros(len(members), dtype=bool)
    holding[variable[np.flatnonzero(holding_atoms)]] = True
    return has_none | ~holding


def _places(
    members: Sequence[tuple[int, ...]],
    size: int,
) -> Columns:
    """Return two rows: the variable and the value of each of `size` atoms.

    An atom without a variable has -1 in both rows.
    """
    places = np.full((2, size), -1)
    for number, atoms in enumerate(members):
        places[0, list(atoms)] = number
        places[1, list(atoms)] = np.arange(len(atoms))
    return places


def _cover(
    atoms: Sequence[int],
    groups: Iterable[tuple[int, ...]],
) -> Iterator[tuple[int, ...]]:
    """Yield the atoms of each new variable: the largest mutex groups first, then single atoms.

    An atom that has a variable is removed from the other groups.
    """
    free = set(atoms)
    heap = [(-len(group), -place, group) for place, group in enumerate(groups)]
    heapify(heap)
    while heap:
        size, place, group = heappop(heap)
        left = tuple(atom for atom in group if atom in free)
        if len(left) < 2:
            continue
        if len(left) < -size:
            heappush(heap, (-len(left), place, left))
            continue
        free.difference_update(left)
        yield left
    for atom in atoms:
        if atom in free:
            yield (atom,)


def _emptied_variables(
    task: GroundTask,
    variable: Array,
) -> list[int]:
    """Return the variables of which all atoms may be false after some operator.

    The operator deletes an atom of the variable, and may add no other atom of it. `variable` has
    the variable of each atom.
    """
    owners, changes, numbers = task.effects
    variables = variable[changes // 2]
    count = int(variable.max(initial=-1)) + 1
    keys = owners * count + variables
    adds = task.is_addition
    always = task.is_unconditional
    unbalanced = ~adds & ~is_member(keys, keys[adds & always]) & (variables >= 0)
    certain = unbalanced & (always | ~is_member(keys, keys[adds]))
    emptied = set(variables[certain].tolist())
    uncertain = np.flatnonzero(unbalanced & ~certain).tolist()
    # The conditions under which an operator adds another atom of the variable.
    conditions: dict[int, list[int]] = {}
    for place in np.flatnonzero(adds & is_member(keys, keys[uncertain])).tolist():
        conditions.setdefault(int(keys[place]), []).append(int(numbers[place]))
    for place in uncertain:
        deleted = task.conditions[numbers[place]]
        added = conditions[int(keys[place])]
        if not any(task.conditions[number] <= deleted for number in added):
            emptied.add(int(variables[place]))
    return sorted(emptied)


def _negated_atoms(
    task: GroundTask,
    variable: Array,
) -> list[int]:
    """Return the atoms that conditions negate.

    A negation does not count if it follows from the rest of the condition: from another atom of the
    same variable. `variable` has the variable of each atom.
    """
    negated = set(needs_of(task, variable)[1].tolist())
    bodies = list(task.conditions)
    for several in task.axioms.values():
        bodies += several
    if task.goal is not None:
        bodies.append(task.goal)
    for body in bodies:
        present = {variable[literal // 2] for literal in body if literal % 2 == 0}
        for literal in body:
            if literal % 2 and variable[literal // 2] not in present:
                negated.add(literal)
    return sorted(literal // 2 for literal in negated if literal % 2)


def needs_of(task: GroundTask, variable: Array) -> Columns:
    """Return the preconditions, without redundant negations.

    A negated atom is redundant if the operator also needs another atom of the same variable.
    `variable` has the variable of each atom.
    """
    owners, literals = task.needs
    keys = owners * (int(variable.max(initial=-1)) + 1) + variable[literals // 2]
    is_positive = literals % 2 == 0
    return task.needs[:, is_positive | ~is_member(keys, keys[is_positive])]


_MOST_PAIRS = 2_000_000
"""The maximum number of pairs of a precondition and an effect; beyond it, operators are sampled."""

_GOAL_WEIGHT = 100_000
"""The additional weight of an edge to a variable of the goal."""


def causal_order(
    needs: Columns,
    changes: Columns,
    reads: Columns,
    goal: Iterable[int],
    count: int,
) -> list[int]:
    """Order the variables so that variables of preconditions precede variables of effects.

    Searches break ties by this order. In a cycle of the causal graph, the variables with the least
    influence by the remaining ones come first, and the variables of the goal last (Helmert, The
    Fast Downward Planning System, Journal of Artificial Intelligence Research 26, 2006, section 5).

    Parameters
    ----------
    needs, changes
        Columns in the order of operators: an operator and a variable that it reads or changes.
    reads
        Columns: a variable, and another one that its conditional effects or axioms read.
    goal
        The variables of the goal.
    count
        The number of variables.
    """
    edges = _influences(needs, changes, reads, count)
    wanted = set(goal)
    # Number the variables from the last, so that those without influences keep their order.
    last = count - 1
    reversed_edges = [sorted(last - v for v in after) for after in reversed(edges)]
    parts = list(components(reversed_edges))
    order = list[int]()
    for part in reversed(parts):
        order += _break_cycles(
            sorted(last - v for v in part),
            edges,
            wanted,
        )
    return order


def _influences(
    needs: Columns,
    changes: Columns,
    reads: Columns,
    count: int,
) -> list[dict[int, int]]:
    """Return the edges of the causal graph: for each variable the weights of its edges by target.

    An edge leads from a variable that an operator or axiom reads to one that it changes. Its weight
    is the number of such pairs.
    """
    operators = max(int(rows[0, -1]) + 1 if rows.size else 0 for rows in (needs, changes))
    first = np.searchsorted(changes[0], np.arange(operators + 1))
    counts = np.diff(first)[needs[0]]
    total = int(counts.sum())
    if total > _MOST_PAIRS:
        sample = needs[0] % -(-total // _MOST_PAIRS) == 0
        needs = needs[:, sample]
        counts = counts[sample]
    places = joined_ranges(counts) + np.repeat(first[needs[0]], counts)
    pairs = np.stack((np.repeat(needs[1], counts), changes[1, places]))
    sources, targets = np.concatenate((pairs, reads[::-1]), axis=1)
    keys, weights = np.unique(sources * count + targets, return_counts=True)
    edges: list[dict[int, int]] = [{} for _ in range(count)]
    for key, weight in zip(keys.tolist(), weights.tolist(), strict=True):
        source, target = divmod(key, count)
        if source != target:
            edges[source][target] = weight
    return edges


def _break_cycles(
    part: Sequence[int],
    edges: Sequence[Mapping[int, int]],
    goal: set[int],
) -> Iterator[int]:
    """Yield the variables of a strongly connected component, the least influenced first.

    The influence on a variable is the weight of the edges from variables that were not yet yielded.
    `part` is the component, and `edges` has the weights of the edges from each variable, by target.
    """
    weights = dict.fromkeys(part, 0)

    def inner_edges(variable: int) -> Iterator[tuple[int, int]]:
        for target, count in edges[variable].items():
            if target in weights:
                yield target, count + _GOAL_WEIGHT * (target in goal)

    for variable in part:
        for target, weight in inner_edges(variable):
            weights[target] += weight
    heap = [(weight, variable) for variable, weight in weights.items()]
    heapify(heap)
    while heap:
        weight, variable = heappop(heap)
        if weights.get(variable) != weight:
            continue
        yield variable
        del weights[variable]
        for target, less in inner_edges(variable):
            weights[target] -= less
            heappush(heap, (weights[target], target))
