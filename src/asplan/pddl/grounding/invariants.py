"""Mutex groups: sets of atoms of which at most one holds in each reachable state.

Each group is an instance of an invariant of predicates. For example, the predicates `at(?package,
?place)` and `in(?package, ?truck)` form an invariant with the parameter `?package`: each package
has exactly one place or truck. The argument that is not a parameter, such as `?place`, is called
counted; each predicate has at most one.

A candidate for an invariant is tested on the ground operators. It is an invariant if no operator
adds two atoms with the same parameters (then the candidate is too heavy), and if each operator that
adds an atom also deletes one that has the same parameters and held before (else the addition is
unbalanced). If an addition is unbalanced, the candidate is refined: it gets a further predicate,
whose atom the operator deletes (Helmert, Concise Finite-Domain Representations for PDDL Planning
Tasks, 2009, section 5). A test on ground operators finds more invariants than a test on action
schemas.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import permutations

import numpy as np

from asplan.core.dataclass import dataclass
from asplan.pddl.grounding.arrays import (
    Array,
    Columns,
    columns_of,
    first_places,
    is_member,
    joined_ranges,
)
from asplan.pddl.grounding.ground import UNCONDITIONAL, GroundTask

_Part = tuple[str, tuple[int, ...], int]
"""A predicate of a candidate: its name, the positions of the parameters, and the counted position.

The positions of the parameters have the same order in all parts of a candidate. The counted
position is -1 if there is none.
"""

_Candidate = frozenset[_Part]
"""A set of predicates that may form an invariant; each predicate occurs once."""

_SAMPLE = 40
"""The approximate number of operators of each schema on which a candidate is tested first."""

_MOST_WORK = 100_000_000
"""The search for invariants ends after a look at this many effects, all candidates together."""


def find_groups(task: GroundTask) -> tuple[tuple[int, ...], ...]:
    """Find sets of atoms of which exactly one holds in each reachable state.

    In large tasks the search ends early, so some groups may be missing.
    """
    return tuple(_Finder(task).groups())


def find_impossible(
    task: GroundTask,
    groups: Sequence[tuple[int, ...]],
) -> Array:
    """Return for each operator whether its precondition contradicts itself; then it never applies.

    The precondition contradicts itself if it contains two atoms of one mutex group, or an atom and
    its negation.
    """
    impossible: Array = np.zeros(task.operator_count, dtype=bool)
    keys = task.needs[0] * (2 * task.atom_count) + task.needs[1]
    impossible[task.needs[0, is_member(keys ^ 1, keys)]] = True
    if not groups:
        return impossible
    sizes = [len(group) for group in groups]
    atoms = np.array([atom for group in groups for atom in group], dtype=np.int64)
    # The groups of each atom: `numbers[first[atom]:first[atom + 1]]`.
    numbers = np.repeat(np.arange(len(groups)), sizes)
    numbers = numbers[np.argsort(atoms, kind="stable")]
    first = np.searchsorted(np.sort(atoms), np.arange(task.atom_count + 1))
    owners, literals = task.positive_needs
    needed = literals // 2
    counts = np.diff(first)[needed]
    # Repeat each precondition once for each group of its atom.
    places = np.repeat(first[needed], counts) + joined_ranges(counts)
    pairs = np.sort(np.repeat(owners, counts) * len(groups) + numbers[places])
    twice = pairs[1:][pairs[1:] == pairs[:-1]]
    impossible[twice // len(groups)] = True
    return impossible


@dataclass(frozen=True)
class _Effects:
    """The effects that matter for the test of a candidate, by units.

    A unit is either all unconditional effects of an operator, or one conditional effect.

    Attributes
    ----------
    owners
        The operator of each unit.
    adds
        Columns: a unit, and an atom that it adds and that may have been false before.
    deletes
        Columns, in the order of units: a unit, and an atom that it deletes and that held before.
    """

    owners: Array
    adds: Columns
    deletes: Columns

    def of_operators(self, chosen: Array) -> _Effects:
        """Return the effects of the operators that `chosen`, an array of truth values, selects."""
        units = chosen[self.owners]
        adds = self.adds[:, units[self.adds[0]]]
        deletes = self.deletes[:, units[self.deletes[0]]]
        return _Effects(self.owners, adds, deletes)


class _Verdict(Enum):
    """The result of the test of a candidate for an invariant."""

    INVARIANT = 0
    TOO_HEAVY = 1
    UNBALANCED = 2


@dataclass(frozen=True)
class _Test:
    """The result of the test of a candidate.

    Attributes
    ----------
    verdict
        Whether the candidate is an invariant.
    effects
        The effects on which it was tested.
    fault
        The index in `effects.adds` of an addition without a deletion that balances it, else -1.
    """

    verdict: _Verdict
    effects: _Effects
    fault: int = -1


class _Finder:
    """A breadth-first search for invariants.

    A candidate for an invariant is a set of predicates. If an operator adds an atom of it without
    deleting another one, the candidate is unbalanced, and a further predicate is added to it.

    Attributes
    ----------
    rows
        The arguments of all reachable atoms, by predicate.
    keys
        The predicates that candidates may have: all predicates but derived ones.
    object_count
        The number of objects.
    place_of_key
        The index in `keys` of each atom's predicate; -1 for atoms of derived predicates.
    all, some
        The effects of all operators, and of a few operators of each schema.
    work
        The number of effects that were looked at.
    """

    def __init__(self, task: GroundTask) -> None:
        self.task = task
        self.rows = task.reachable.atoms
        basic = self.rows.keys() - task.lifted.derived
        self.keys = [key for key in self.rows if key in basic and len(self.rows[key])]
        self.object_count = max(len(task.reachable.objects), 1)
        self.place_of_key = np.full(task.atom_count, -1)
        for place, key in enumerate(self.keys):
            first = task.offsets[key]
            self.place_of_key[first : first + len(self.rows[key])] = place
        self.all = _balance_effects(task)
        self.some = self.all.of_operators(_sample_of_operators(task))
        self.work = 0

    def groups(self) -> dict[tuple[int, ...], None]:
        """Return the mutex groups in the order in which they are found.

        The result is a dictionary because it keeps the order; its values mean nothing.
        """
        groups = dict[tuple[int, ...], None]()
        waiting = deque(self._first_candidates())
        seen = set(waiting)
        while waiting and self.work < _MOST_WORK:
            candidate = waiting.popleft()
            codes = self._codes(candidate)
            if codes is None:
                continue
            test = self._test(codes, self.some)
            if test.verdict is _Verdict.INVARIANT:
                test = self._test(codes, self.all)
            if test.verdict is _Verdict.INVARIANT:
                groups.update(dict.fromkeys(self._groups_of(codes)))
            elif test.verdict is _Verdict.UNBALANCED:
                new = set(self._refine(candidate, test)) - seen
                seen |= new
                waiting += sorted(new, key=sorted)
        return groups

    def _first_candidates(self) -> Iterator[_Candidate]:
        """Yield the candidates that consist of a single predicate.

        One argument of the predicate, or none, is counted; all other arguments are parameters.
        """
        for key in self.keys:
            places = range(self.rows[key].shape[1])
            yield frozenset(((key, tuple(places), -1),))
            for counted in places:
                rest = tuple(place for place in places if place != counted)
                yield frozenset(((key, rest, counted),))

    def _codes(self, candidate: _Candidate) -> Array | None:
        """Return a code for the parameters of each atom; None if the codes would be too large.

        Atoms of the candidate have the same code if they have the same parameters. Atoms of other
        predicates have the code -1.
        """
        codes = np.full(self.task.atom_count, -1)
        for key, order, _ in candidate:
            if self.object_count ** len(order) >= 1 << 62:
                return None
            rows = self.rows[key]
            first = self.task.offsets[key]
            code = np.zeros(len(rows), dtype=np.int64)
            for place in order:
                code = code * self.object_count + rows[:, place]
            codes[first : first + len(rows)] = code
        return codes

    def _test(
        self,
        codes: Array,
        effects: _Effects,
    ) -> _Test:
        """Test whether a candidate is an invariant.

        `codes` has a number for each atom: equal numbers for atoms of the candidate with the same
        parameters, and -1 for atoms of other predicates.
        """
        codes_of_adds = codes[effects.adds[1]]
        places = np.flatnonzero(codes_of_adds >= 0)
        self.work += len(codes_of_adds)
        if not len(places):
            return _Test(_Verdict.INVARIANT, effects)
        units, atoms = effects.adds[:, places]
        if _adds_two(
            effects.owners[units],
            codes[atoms],
            atoms,
        ):
            return _Test(_Verdict.TOO_HEAVY, effects)
        deleted = effects.deletes[:, codes[effects.deletes[1]] >= 0]
        self.work += 4 * (len(places) + deleted.shape[1])
        # Replace codes by their ranks, because a unit times a code could be too large.
        occurring = np.concatenate((codes[atoms], codes[deleted[1]]))
        values, numbers = np.unique(occurring, return_inverse=True)
        wanted = units * len(values) + numbers[: len(places)]
        given = deleted[0] * len(values) + numbers[len(places) :]
        faults = np.flatnonzero(~is_member(wanted, given))
        if not len(faults):
            return _Test(_Verdict.INVARIANT, effects)
        return _Test(
            _Verdict.UNBALANCED,
            effects,
            int(places[faults[0]]),
        )

    def _refine(
        self,
        candidate: _Candidate,
        test: _Test,
    ) -> Iterator[_Candidate]:
        """Yield the candidate with one further predicate that balances the unbalanced addition."""
        unit, atom = test.effects.adds[:, test.fault].tolist()
        orders = {key: order for key, order, _ in candidate}
        values = self._row(atom)
        order = orders[self._predicate(atom)]
        parameters = [values[place] for place in order]
        deleting_units, deleted = test.effects.deletes
        first, last = np.searchsorted(deleting_units, (unit, unit + 1))
        for other in deleted[first:last].tolist():
            key = self._predicate(other)
            if key not in orders:
                for places, counted in _placements(parameters, self._row(other)):
                    yield candidate | {(key, places, counted)}

    def _predicate(self, atom: int) -> str:
        """Return the predicate of an atom."""
        key: str = self.keys[self.place_of_key[atom]]
        return key

    def _row(
        self,
        atom: int,
    ) -> list[int]:
        """Return the arguments of an atom, as object numbers."""
        key = self._predicate(atom)
        place = atom - self.task.offsets[key]
        row: list[int] = self.rows[key][place].tolist()
        return row

    def _groups_of(
        self,
        codes: Array,
    ) -> Iterator[tuple[int, ...]]:
        """Yield the mutex groups of an invariant: atoms of one code, one of which holds initially.

        If none of the atoms holds initially, none is reachable, because an operator that adds one
        must delete another. If several hold initially, the atoms are no mutex group.
        """
        atoms = np.flatnonzero(codes >= 0)
        order = np.argsort(codes[atoms], kind="stable")
        atoms = atoms[order]
        _, starts, sizes = np.unique(
            codes[atoms],
            return_index=True,
            return_counts=True,
        )
        initial = self.task.initial[atoms].astype(int)
        holding = np.add.reduceat(initial, starts)
        groups = np.stack((starts, sizes, holding), axis=1)
        for start, size, count in groups.tolist():
            if count == 1:
                yield tuple(atoms[start : start + size].tolist())


def _sample_of_operators(task: GroundTask) -> Array:
    """Return an array that selects a few operators of each schema."""
    chosen = np.zeros(task.operator_count, dtype=bool)
    for schema in range(len(task.lifted.schemas)):
        places = np.flatnonzero(task.operators[0] == schema)
        chosen[places[:: max(1, len(places) // _SAMPLE)]] = True
    return chosen


def _adds_two(
    owners: Array,
    codes: Array,
    atoms: Array,
) -> bool:
    """Return whether an operator adds two different atoms with the same code.

    The arrays have an entry for each effect that adds an atom: the effect's operator, the code of
    the atom (a number for the atom's parameters), and the atom.
    """
    triples = np.stack((owners, codes, atoms))
    triples = triples[:, np.lexsort(triples[::-1])]
    differs = triples[:, 1:] != triples[:, :-1]
    same_code = ~differs[0] & ~differs[1]
    return bool((same_code & differs[2]).any())


def _placements(
    parameters: Sequence[int], row: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield each way in which an atom may be an instance of a candidate's predicate.

    `parameters` has the values of the candidate's parameters, and `row` the arguments of the atom.
    Each item has the position of an equal argument for each parameter, and the position of the
    argument that is left over (-1 if there is none). Yield nothing if several are left over.
    """
    if not len(parameters) <= len(row) <= len(parameters) + 1:
        return
    for places in permutations(range(len(row)), len(parameters)):
        if [row[place] for place in places] == parameters:
            rest = set(range(len(row))).difference(places)
            yield places, rest.pop() if rest else -1


def _balance_effects(task: GroundTask) -> _Effects:
    """Return the effects that matter for the test of candidates.

    These are additions of atoms that may be false before the operator, and deletions of atoms that
    hold before it. An atom holds before the operator if the precondition, or the condition of the
    effect, contains it.
    """
    owners, changes, _ = task.effects
    atoms = changes // 2
    adds = task.is_addition
    always = task.is_unconditional
    needed = task.positive_needs
    keys = task.effect_keys
    needed_keys = needed[0] * task.atom_count + needed[1] // 2
    held = is_member(keys, needed_keys)
    # If the operator also adds the atom, the atom may stay true.
    spared = is_member(keys, keys[adds])
    pairs = np.stack((owners, atoms))
    added = pairs[:, adds & always & ~held]
    deleted = pairs[:, ~adds & always & held & ~spared]
    units = np.arange(task.operator_count)
    conditional = np.flatnonzero(~always & adds & ~held)
    if not len(conditional):
        return _Effects(units, added, deleted)
    more_added, more_deleted = _conditional_effects(task, conditional, spared)
    return _Effects(
        np.concatenate((units, owners[conditional])),
        np.concatenate((added, more_added), axis=1),
        np.concatenate((deleted, more_deleted), axis=1),
    )


def _conditional_effects(
    task: GroundTask, conditional: Array, spared: Array
) -> tuple[Columns, Columns]:
    """Return the additions and deletions of the units that are conditional effects.

    A conditional effect happens together with the unconditional effects of its operator, and with
    other conditional effects whose condition it implies. So its unit deletes the atoms that any of
    these effects deletes.

    Parameters
    ----------
    task
        The ground task.
    conditional
        The indexes of the conditional effects in `task.effects`.
    spared
        For each effect, whether its operator also adds the atom, so that it may stay true.
    """
    owners, changes, numbers = task.effects
    needed = task.positive_needs
    needs_first = first_places(needed[0], task.operator_count).tolist()
    # The deletions, except those of atoms that the operator also adds.
    lost = task.effects[:, ~task.is_addition & ~spared]
    lost_first = first_places(lost[0], task.operator_count).tolist()
    lost_literals = (lost[1] - 1).tolist()
    lost_numbers = lost[2].tolist()
    added = list[tuple[int, int]]()
    deleted = list[tuple[int, int]]()
    for unit, place in enumerate(conditional.tolist(), task.operator_count):
        owner = int(owners[place])
        change = int(changes[place])
        precondition = needed[1, needs_first[owner] : needs_first[owner + 1]]
        before = {*task.conditions[numbers[place]], *precondition.tolist()}
        if change in before:
            continue
        added.append((unit, change // 2))
        for other in range(lost_first[owner], lost_first[owner + 1]):
            literal = lost_literals[other]
            if literal in before and _implies(
                task,
                before,
                lost_numbers[other],
            ):
                deleted.append((unit, literal // 2))
    return columns_of(added, 2), columns_of(deleted, 2)


def _implies(
    task: GroundTask,
    literals: set[int],
    number: int,
) -> bool:
    """Return whether literals imply the condition with this number in `task.conditions`."""
    return number == UNCONDITIONAL or task.conditions[number] <= literals
