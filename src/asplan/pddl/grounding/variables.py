"""State variables for the atoms of a ground task, and their order.

Greedily the group with the most atoms that are not yet covered becomes a variable, with `none` as
a further value where perhaps none of its atoms holds (Helmert, Concise Finite-Domain
Representations for PDDL Planning Tasks, 2009, section 6). An atom of a variable with more than two
values, whose absence somebody asks for, gets a second variable, which says that it is absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from asplan.core.graphs import components
from asplan.pddl.grounding.ground import ALWAYS, GroundTask, Numbers, among, ramps


@dataclass(frozen=True)
class Encoding:
    """The variables that encode atoms."""

    members: tuple[tuple[int, ...], ...]  # the atoms of each variable in the order of its values
    has_none: Numbers  # whether a variable has one more value, for none of these
    variable: Numbers  # that of each atom, or -1
    value: Numbers  # that of each atom
    # The second variable of an atom, which has no members, or -1. Its values are that the atom
    # does not hold, and that it does.
    absence: Numbers

    @property
    def sizes(self) -> Numbers:
        """The number of values of each variable."""
        counts = np.array([len(atoms) for atoms in self.members], dtype=np.int64)
        return np.where(counts == 0, 2, counts + self.has_none)


def encode(task: GroundTask, groups: Iterable[tuple[int, ...]]) -> Encoding:
    """Variables for all atoms that change or are derived."""
    changed = np.zeros((2, task.size), dtype=bool)
    changed[task.effects[1] % 2, task.effects[1] // 2] = True
    live = np.where(task.initial, changed[1], changed[0])  # derived ones are not among them
    derived = [(atom,) for atom in sorted(task.axioms)]
    members = [*sorted(_cover(np.flatnonzero(live).tolist(), groups)), *derived]
    negated = set(_negated(task, _places(members, task.size)[0]))
    asked = [sum(atom in negated for atom in atoms) for atoms in members]
    if any(2 * count > len(atoms) > 1 for atoms, count in zip(members, asked, strict=True)):
        # Where most would get a second variable each had better be one.
        pairs, members = zip(members, asked, strict=True), []
        for atoms, count in pairs:
            members += [(atom,) for atom in atoms] if 2 * count > len(atoms) else [atoms]
    variable, value = _places(members, task.size)
    has_none = np.array([len(atoms) == 1 for atoms in members], dtype=bool)
    has_none[_emptied(task, variable)] = True
    holding = np.zeros(len(members), dtype=bool)
    holding[variable[np.flatnonzero(task.initial & live)]] = True
    has_none |= ~holding
    absence = np.full(task.size, -1)
    sizes = np.array([len(atoms) for atoms in members], dtype=np.int64) + has_none
    for atom in _negated(task, variable):
        if sizes[variable[atom]] > 2:
            absence[atom] = len(members)
            members.append(())
    rest = np.zeros(len(members) - len(has_none), dtype=bool)
    return Encoding(tuple(members), np.concatenate((has_none, rest)), variable, value, absence)


def _places(members: Sequence[tuple[int, ...]], size: int) -> Numbers:
    """The variable and the value of each atom, -1 where it has none."""
    found = np.full((2, size), -1)
    for number, atoms in enumerate(members):
        found[:, list(atoms)] = np.full(len(atoms), number), np.arange(len(atoms))
    return found


def _cover(atoms: Sequence[int], groups: Iterable[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """The atoms of each variable: groups as large as can be, then single atoms."""
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
    yield from ((atom,) for atom in atoms if atom in free)


def _emptied(task: GroundTask, variable: Numbers) -> list[int]:
    """Variables of which an operator may delete an atom without adding another."""
    owners, changes, places = task.effects
    variables = variable[changes // 2]
    count = int(variable.max(initial=-1)) + 1
    keys = owners * count + variables
    adds, always = changes % 2 == 0, places == ALWAYS
    open_ = ~adds & ~among(keys, keys[adds & always]) & (variables >= 0)
    sure = open_ & (always | ~among(keys, keys[adds]))
    found = set(variables[sure].tolist())
    unsure = np.flatnonzero(open_ & ~sure).tolist()
    conditions: dict[int, list[int]] = {}
    for place in np.flatnonzero(adds & among(keys, keys[unsure])).tolist():
        conditions.setdefault(int(keys[place]), []).append(int(places[place]))
    for place in unsure:
        deleted = task.conditions[places[place]]
        if not any(task.conditions[add] <= deleted for add in conditions[int(keys[place])]):
            found.add(int(variables[place]))
    return sorted(found)


def _negated(task: GroundTask, variable: Numbers) -> list[int]:
    """The atoms whose absence something asks for, and does not follow from what else it does."""
    found = set(needs_of(task, variable)[1].tolist())
    bodies = [*task.conditions, *(body for rules in task.axioms.values() for body in rules)]
    for body in (*bodies, *filter(None, [task.goal])):
        present = {variable[literal // 2] for literal in body if literal % 2 == 0}
        found.update(lit for lit in body if lit % 2 and variable[lit // 2] not in present)
    return sorted(literal // 2 for literal in found if literal % 2)


def needs_of(task: GroundTask, variable: Numbers) -> Numbers:
    """What operators need, without absences that follow from another atom of the variable."""
    owners, literals = task.needs
    keys = owners * (int(variable.max(initial=-1)) + 1) + variable[literals // 2]
    return task.needs[:, (literals % 2 == 0) | ~among(keys, keys[literals % 2 == 0])]


_MOST = 2_000_000
"""Pairs of what an operator needs and what it changes; of more some operators are left out."""

_GOAL = 100_000  # what an influence on a variable of the goal counts more


def causal_order(
    needs: Numbers, changes: Numbers, reads: Numbers, goal: Iterable[int], count: int
) -> list[int]:
    """The order of `count` variables: what an operator asks for stands before what it changes.

    Searches break ties by this order. Where variables depend on each other in a cycle, those on
    which the fewest others that are left have an influence come first, and those of the goal last
    (Helmert, The Fast Downward Planning System, Journal of Artificial Intelligence Research 26,
    2006, section 5).

    `needs` and `changes` are pairs of an operator and a variable, in the order of operators;
    `reads` are pairs of a variable and one that its conditions or axioms read.
    """
    operators = max(int(rows[0, -1]) + 1 if rows.size else 0 for rows in (needs, changes))
    first = np.searchsorted(changes[0], np.arange(operators + 1))
    counts = np.diff(first)[needs[0]]
    if (total := int(counts.sum())) > _MOST:
        some = needs[0] % -(-total // _MOST) == 0
        needs, counts = needs[:, some], counts[some]
    places = ramps(counts) + np.repeat(first[needs[0]], counts)
    influences = np.stack((np.repeat(needs[1], counts), changes[1, places]))
    edges: list[dict[int, int]] = [{} for _ in range(count)]
    sources, targets = np.concatenate((influences, reads[::-1]), axis=1)
    keys, weights = np.unique(sources * count + targets, return_counts=True)
    for key, weight in zip(keys.tolist(), weights.tolist(), strict=True):
        source, target = divmod(key, count)
        if source != target:
            edges[source][target] = weight
    wanted = set(goal)
    # Seen from the last variable, so that those without influences stay in their order.
    last = count - 1
    parts = list(components([sorted(last - v for v in after) for after in reversed(edges)]))
    ordered = (sorted(last - v for v in part) for part in reversed(parts))
    return [v for part in ordered for v in _acyclic(part, edges, wanted)]


def _acyclic(
    part: Sequence[int], edges: Sequence[Mapping[int, int]], goal: set[int]
) -> Iterator[int]:
    """A strongly connected component, variable by variable."""
    weights = dict.fromkeys(part, 0)

    def inside(variable: int) -> Iterator[tuple[int, int]]:
        for target, count in edges[variable].items():
            if target in weights:
                yield target, count + _GOAL * (target in goal)

    for variable in part:
        for target, weight in inside(variable):
            weights[target] += weight
    heap = [(weight, variable) for variable, weight in weights.items()]
    heapify(heap)
    while heap:
        weight, variable = heappop(heap)
        if weights.get(variable) != weight:
            continue
        yield variable
        del weights[variable]
        for target, less in inside(variable):
            weights[target] -= less
            heappush(heap, (weights[target], target))
