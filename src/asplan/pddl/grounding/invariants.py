"""Groups of atoms of which at most one holds in each state that can be reached.

A candidate is a set of predicates, each with the places of some parameters in it and at most one
further argument, as in `at(?package, place)` and `in(?package, truck)`. It is an invariant if no
operator adds two of its atoms for the same parameters, and each one that adds one deletes another
that held before. Where an operator adds without deleting, a further predicate of what it deletes
may help (Helmert, Concise Finite-Domain Representations for PDDL Planning Tasks, 2009, section 5).
Candidates are tried on ground operators, which knows more of them than their schemas tell.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from asplan.pddl.grounding.ground import ALWAYS, GroundTask, Numbers, among, ramps

_Part = tuple[str, tuple[int, ...], int]
"""A predicate, the arguments that are the parameters in their order, and the other one, or -1."""

_Candidate = frozenset[_Part]

_TOO_MUCH = -1  # the fault of a candidate of which an operator adds two atoms
_SAMPLE = 40  # operators of a schema on which a candidate is tried first
_WORK = 100_000_000  # effects that are looked at, over all candidates, before no more are tried


def find_groups(task: GroundTask) -> tuple[tuple[int, ...], ...]:
    """Groups of atoms of which exactly one holds, as far as they are found with so much work."""
    return tuple(_Finder(task).found())


def contradicts(task: GroundTask, groups: Sequence[tuple[int, ...]]) -> Numbers:
    """Whether an operator needs two atoms of one group, or an atom and its absence.

    Such an operator never applies.
    """
    found: Numbers = np.zeros(task.count, dtype=bool)
    keys = task.needs[0] * (2 * task.size) + task.needs[1]
    found[task.needs[0, among(keys ^ 1, keys)]] = True
    if not groups:
        return found
    sizes = [len(group) for group in groups]
    atoms = np.array([atom for group in groups for atom in group], dtype=np.int64)
    numbers = np.repeat(np.arange(len(groups)), sizes)[np.argsort(atoms, kind="stable")]
    first = np.searchsorted(np.sort(atoms), np.arange(task.size + 1))
    owners, needed = task.needs[:, task.needs[1] % 2 == 0]
    counts = np.diff(first)[needed // 2]
    # Each need once for each group that its atom is in.
    places = np.repeat(first[needed // 2], counts) + ramps(counts)
    keys = np.sort(np.repeat(owners, counts) * len(groups) + numbers[places])
    found[keys[1:][keys[1:] == keys[:-1]] // len(groups)] = True
    return found


@dataclass(frozen=True)
class _Effects:
    """Atoms that units add, and those that they delete and that held before.

    A unit is what an operator always does, or one conditional effect of it, which is in `owners`
    too; `adds` and `deletes` are pairs of a unit and an atom, these in the order of units.
    """

    owners: Numbers
    adds: Numbers
    deletes: Numbers


class _Finder:
    def __init__(self, task: GroundTask) -> None:
        self.task = task
        self.rows = task.relaxed.atoms
        self.keys = [k for k, rows in self.rows.items() if len(rows)]
        self.keys = [k for k in self.keys if k not in task.lifted.derived]
        self.objects = max(len(task.relaxed.objects), 1)
        self.predicate = np.full(task.size, -1)
        for place, key in enumerate(self.keys):
            first = task.offsets[key]
            self.predicate[first : first + len(self.rows[key])] = place
        self.all = _effects(task)
        chosen = np.zeros(task.count, dtype=bool)  # a few operators of each schema
        for schema in range(len(task.lifted.schemas)):
            places = np.flatnonzero(task.operators[0] == schema)
            chosen[places[:: max(1, len(places) // _SAMPLE)]] = True
        owners, adds, deletes = self.all.owners, self.all.adds, self.all.deletes
        units = chosen[owners]
        self.some = _Effects(owners, adds[:, units[adds[0]]], deletes[:, units[deletes[0]]])
        self.work = 0

    def found(self) -> dict[tuple[int, ...], None]:
        groups = dict[tuple[int, ...], None]()
        waiting = deque[_Candidate]()
        for key in self.keys:  # its arguments are parameters, all or all but one
            places = range(self.rows[key].shape[1])
            waiting.append(frozenset(((key, tuple(places), -1),)))
            for counted in places:
                rest = tuple(place for place in places if place != counted)
                waiting.append(frozenset(((key, rest, counted),)))
        seen = set(waiting)
        while waiting and self.work < _WORK:
            candidate = waiting.popleft()
            codes = self._codes(candidate)
            if codes is None:
                continue
            for effects in (self.some, self.all):
                fault = self._fault(codes, effects)
                if fault is not None:
                    break
            if fault is None:
                groups.update(dict.fromkeys(self._groups(codes)))
            elif fault != _TOO_MUCH:
                new = set(self._refined(candidate, effects, fault)) - seen
                seen |= new
                waiting += sorted(new, key=sorted)
        return groups

    def _codes(self, candidate: _Candidate) -> Numbers | None:
        """For each atom a number for its parameters; -1 where it has no part in the candidate."""
        codes = np.full(self.task.size, -1)
        for key, order, _ in candidate:
            if self.objects ** len(order) >= 1 << 62:
                return None
            rows, first = self.rows[key], self.task.offsets[key]
            code = np.zeros(len(rows), dtype=np.int64)
            for place in order:
                code = code * self.objects + rows[:, place]
            codes[first : first + len(rows)] = code
        return codes

    def _fault(self, codes: Numbers, effects: _Effects) -> int | None:
        """A place in what is added that is not balanced; None if there is none."""
        codes_of_adds = codes[effects.adds[1]]
        places = np.flatnonzero(codes_of_adds >= 0)
        self.work += len(codes_of_adds)
        if not len(places):
            return None
        units, atoms = effects.adds[:, places]
        both = np.stack((effects.owners[units], codes[atoms], atoms))
        both = both[:, np.lexsort(both[::-1])]
        same = (both[:2, 1:] == both[:2, :-1]).all(axis=0) & (both[2, 1:] != both[2, :-1])
        if same.any():
            return _TOO_MUCH
        deleted = effects.deletes[:, codes[effects.deletes[1]] >= 0]
        self.work += 4 * (len(places) + deleted.shape[1])
        # A number for each parameters that occur, as units times codes could be too large.
        known, numbers = np.unique(
            np.concatenate((codes[atoms], codes[deleted[1]])), return_inverse=True
        )
        wanted = units * len(known) + numbers[: len(places)]
        given = deleted[0] * len(known) + numbers[len(places) :]
        faults = np.flatnonzero(~among(wanted, given))
        if not len(faults):
            return None
        return int(places[faults[0]])

    def _refined(
        self, candidate: _Candidate, effects: _Effects, fault: int
    ) -> Iterator[_Candidate]:
        """The candidate with one further part, by which an effect is balanced."""
        unit, atom = effects.adds[:, fault].tolist()
        known = {key: (order, counted) for key, order, counted in candidate}
        values = self._row(atom)
        order, _ = known[self.keys[self.predicate[atom]]]
        parameters = [values[place] for place in order]
        first, last = np.searchsorted(effects.deletes[0], (unit, unit + 1))
        for other in effects.deletes[1, first:last].tolist():
            key = self.keys[self.predicate[other]]
            if key in known:
                continue
            row = self._row(other)
            if not len(parameters) <= len(row) <= len(parameters) + 1:
                continue
            for places in permutations(range(len(row)), len(parameters)):
                if [row[place] for place in places] == parameters:
                    rest = set(range(len(row))).difference(places)
                    yield candidate | {(key, places, rest.pop() if rest else -1)}

    def _row(self, atom: int) -> list[int]:
        key = self.keys[self.predicate[atom]]
        return self.rows[key][atom - self.task.offsets[key]].tolist()  # type: ignore[no-any-return]

    def _groups(self, codes: Numbers) -> Iterator[tuple[int, ...]]:
        """The groups of an invariant, one for all parameters for which one atom holds at the start.

        Where none does none can be reached: to add one, an operator needs another.
        """
        atoms = np.flatnonzero(codes >= 0)
        atoms = atoms[np.argsort(codes[atoms], kind="stable")]
        _, starts, sizes = np.unique(codes[atoms], return_index=True, return_counts=True)
        holding = np.add.reduceat(self.task.initial[atoms].astype(int), starts)
        for start, size, count in np.stack((starts, sizes, holding), axis=1).tolist():
            if count == 1:
                yield tuple(atoms[start : start + size].tolist())


def _effects(task: GroundTask) -> _Effects:
    owners, changes, places = task.effects
    adds, always = changes % 2 == 0, places == ALWAYS
    needed = task.needs[:, task.needs[1] % 2 == 0]
    keys = task.effect_keys
    held = among(keys, needed[0] * task.size + needed[1] // 2)
    spared = among(keys, keys[adds])  # what an effect adds may not be deleted after all
    added = [np.stack((owners, changes // 2))[:, adds & always & ~held]]
    deleted = [np.stack((owners, changes // 2))[:, ~adds & always & held & ~spared]]
    units = [np.arange(task.count)]
    conditional = np.flatnonzero(~always & adds & ~held)
    if len(conditional):
        first = np.searchsorted(owners, np.arange(task.count + 1)).tolist()
        needs_first = np.searchsorted(needed[0], np.arange(task.count + 1)).tolist()
        rows, lost = list[tuple[int, int]](), list[tuple[int, int]]()
        units.append(owners[conditional])
        for unit, place in enumerate(conditional.tolist(), task.count):
            owner, atom = int(owners[place]), int(changes[place]) // 2
            condition = task.conditions[places[place]]
            before = {*condition, *needed[1, needs_first[owner] : needs_first[owner + 1]].tolist()}
            if 2 * atom in before:
                continue
            rows.append((unit, atom))
            for other in range(first[owner], first[owner + 1]):
                if adds[other] or spared[other] or int(changes[other]) - 1 not in before:
                    continue
                if always[other] or task.conditions[places[other]] <= before:
                    lost.append((unit, int(changes[other]) // 2))
        added.append(np.array(rows, dtype=np.int64).reshape(-1, 2).T)
        deleted.append(np.array(lost, dtype=np.int64).reshape(-1, 2).T)
    return _Effects(
        np.concatenate(units), np.concatenate(added, axis=1), np.concatenate(deleted, axis=1)
    )
