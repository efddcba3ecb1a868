"""A task whose actions are ground: what they need and do, as numbers of atoms.

Everything is in arrays of pairs, such as an operator and an atom that it needs, since there may be
a million of them. A literal is twice the number of its atom, and one more if it is negated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from asplan.pddl.grounding.relaxed import Lifted, Relaxed, Rows, lifted, relax
from asplan.pddl.language.conditions import EQUAL, Literal
from asplan.pddl.language.syntax import GroundAtom, TaskText

Numbers = np.ndarray  # a row of whole numbers
ALWAYS = -1  # the condition of an effect that has none
Condition = frozenset[int]  # a conjunction of literals


@dataclass(frozen=True)
class GroundTask:
    """Atoms and operators by their numbers."""

    lifted: Lifted
    relaxed: Relaxed
    offsets: Mapping[str, int]  # the atoms of a predicate are counted from here on, row by row
    operators: Numbers  # for each its schema, and its row there
    needs: Numbers  # pairs of an operator and a literal that must hold before it, as two rows
    effects: Numbers  # an operator, a literal that holds after it, the place of its condition
    conditions: tuple[Condition, ...]
    initial: Numbers  # whether an atom holds at the start; of a derived one, always not
    axioms: Mapping[int, frozenset[Condition]]  # for derived atoms that from which they follow
    goal: Condition | None  # None if that can never be

    @property
    def size(self) -> int:
        """The number of atoms."""
        return len(self.initial)

    @property
    def count(self) -> int:
        """The number of operators."""
        return len(self.operators[0])

    @property
    def effect_keys(self) -> Numbers:
        """For each effect a number that tells its operator and its atom."""
        found: Numbers = self.effects[0] * self.size + self.effects[1] // 2
        return found

    @cached_property
    def derived(self) -> Numbers:
        """Whether an atom is derived."""
        found = np.zeros(self.size, dtype=bool)
        for key in self.lifted.derived:
            found[self.offsets[key] : self.offsets[key] + len(self.relaxed.atoms[key])] = True
        return found

    def kept(self, operators: Numbers, effects: Numbers | None = None) -> GroundTask:
        """The task with only those operators and effects for which an array says so."""
        stays = operators[self.effects[0]]
        if effects is not None:
            stays &= effects
        numbers = np.cumsum(operators) - 1
        needs = self.needs[:, operators[self.needs[0]]]
        kept = self.effects[:, stays]
        return replace(
            self,
            operators=self.operators[:, operators],
            needs=np.stack((numbers[needs[0]], needs[1])),
            effects=np.stack((numbers[kept[0]], kept[1], kept[2])),
        )


class _Table:
    """The rows of an array in their order, to be found again."""

    def __init__(self, rows: Rows, objects: int) -> None:
        self._objects = max(objects, 1)
        self._keys = list[Numbers]()
        self.size = len(rows)
        place = np.zeros(len(rows), dtype=np.int64)
        for column in rows.T:
            key, place = np.unique(place * self._objects + column, return_inverse=True)
            self._keys.append(key)

    def find(self, columns: Sequence[Numbers], length: int) -> Numbers:
        """The numbers of rows, of which the columns are given; -1 for one that is not there."""
        place = np.zeros(length, dtype=np.int64)
        if not self.size:
            return place - 1
        is_there = np.ones(length, dtype=bool)
        for key, column in zip(self._keys, columns, strict=True):
            wanted = place * self._objects + column
            place = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
            is_there &= key[place] == wanted
        return np.where(is_there, place, -1)


class _Grounder:
    def __init__(self, task: Lifted, relaxed: Relaxed) -> None:
        self.lifted, self.relaxed = task, relaxed
        count = len(relaxed.objects)
        self.tables = {key: _Table(rows, count) for key, rows in relaxed.atoms.items()}
        self.offsets, self.size = dict[str, int](), 0
        for key, rows in relaxed.atoms.items():
            self.offsets[key] = self.size
            self.size += len(rows)
        self.needs, self.effects = list[Rows](), list[Rows]()
        self.conditions: dict[Condition, int] = {}

    def task(self) -> GroundTask:
        operators, first = list[Rows](), 0
        for i, rows in enumerate(self.relaxed.schemas):
            operators.append(np.stack((np.full(len(rows), i), np.arange(len(rows)))))
            self._operators(i, rows, first)
            first += len(rows)
        initial = np.zeros(self.size, dtype=bool)
        for atom in {atom.ground() for atom in self.lifted.text.problem.initial}:
            if atom[0] in self.lifted.moving:
                initial[self._atoms(atom, {}, 1)] = True
        return GroundTask(
            self.lifted,
            self.relaxed,
            self.offsets,
            _joined(operators, 2),
            distinct(_joined(self.needs, 2)),
            distinct(_joined(self.effects, 3)),
            tuple(self.conditions),
            initial,
            self._axioms(),
            self._goal(),
        )

    def _atoms(self, atom: GroundAtom, columns: Mapping[str, Numbers], length: int) -> Numbers:
        """The numbers of an atom for each value of its variables; -1 where it never holds."""
        key, *words = atom
        if key not in self.tables:  # of a predicate that never changes
            initial = self.lifted.text.problem.initial
            found = {one.ground()[1:] for one in initial if one.name.key == key}
            rows = sorted([self.relaxed.objects[word] for word in row] for row in found)
            numbers = np.array(rows, dtype=np.int64).reshape(len(rows), len(words))
            self.tables[key] = _Table(numbers, len(self.relaxed.objects))
        places = self.tables[key].find(self._columns(words, columns, length), length)
        return np.where(places < 0, -1, places + self.offsets.get(key, 0))

    def _columns(
        self, words: Iterable[str], columns: Mapping[str, Numbers], length: int
    ) -> list[Numbers]:
        """The numbers of objects in place of words, some of which are variables."""
        return [
            columns[word] if word[0] == "?" else np.full(length, self.relaxed.objects[word])
            for word in words
        ]

    def _possible(
        self, literals: Iterable[Literal], columns: Mapping[str, Numbers], length: int
    ) -> Numbers:
        """Whether literals may hold together, each by itself, for each value of variables."""
        found = np.ones(length, dtype=bool)
        for literal in literals:
            atom = (literal.predicate, *literal.arguments)
            if literal.predicate == EQUAL:
                left, right = self._columns(literal.arguments, columns, length)
                found &= (left == right) == literal.positive
            elif literal.positive:
                found &= self._atoms(atom, columns, length) >= 0
            elif literal.predicate not in self.lifted.moving:
                found &= self._atoms(atom, columns, length) < 0
        return found

    def _literals(
        self, literals: Iterable[Literal], columns: Mapping[str, Numbers], length: int
    ) -> list[Numbers]:
        """For each literal of what may change its numbers; -1 where it holds anyway."""
        return [
            np.where(atoms < 0, -1, atoms * 2 + (not literal.positive))
            for literal in literals
            if literal.predicate in self.lifted.moving
            for atoms in [self._atoms((literal.predicate, *literal.arguments), columns, length)]
        ]

    def _operators(self, i: int, rows: Rows, first: int) -> None:
        schema = self.lifted.schemas[i]
        columns = dict(zip(schema.body.variables, rows.T, strict=True))
        numbers = np.arange(first, first + len(rows))
        for needed in self._literals(schema.body.literals, columns, len(rows)):
            known = needed >= 0
            self.needs.append(np.stack((numbers[known], needed[known])))
        table = None
        for j, effect in enumerate(schema.effects):
            if not effect.body.ranges:
                possible = self._possible(effect.body.literals, columns, len(rows))
                owners, inner = numbers[possible], columns
                if not possible.all():
                    inner = {word: column[possible] for word, column in columns.items()}
            else:
                found = self.relaxed.effects[i, j]
                table = table or _Table(rows, len(self.relaxed.objects))
                outer = len(schema.body.ranges)
                owners = first + table.find(list(found.T[:outer]), len(found))
                variables = (*schema.body.variables, *effect.body.variables)
                inner = dict(zip(variables, found.T, strict=True))
            literals = self._literals(effect.body.literals, inner, len(owners))
            conditions = np.full(len(owners), ALWAYS)
            if literals:  # the place of each conjunction among the conditions
                lists = zip(*(column.tolist() for column in literals), strict=True)
                sets, places = (frozenset(row) - {-1} for row in lists), self.conditions
                numbered = [places.setdefault(one, len(places)) if one else ALWAYS for one in sets]
                conditions = np.array(numbered, dtype=np.int64)
            atoms = self._atoms(effect.atom, inner, len(owners))
            known = atoms >= 0
            changes = atoms * 2 + (not effect.positive)
            self.effects.append(np.stack((owners, changes, conditions))[:, known])

    def _axioms(self) -> dict[int, frozenset[Condition]]:
        found: dict[int, set[Condition]] = {}
        for rule, rows in zip(self.lifted.rules, self.relaxed.rules, strict=True):
            columns = dict(zip(rule.body.variables, rows.T, strict=True))
            heads = self._atoms(rule.head, columns, len(rows))
            literals = self._literals(rule.body.literals, columns, len(rows))
            parts = zip(*(column.tolist() for column in literals), strict=True)
            bodies = map(frozenset, parts) if literals else [frozenset[int]()] * len(rows)
            for head, body in zip(heads.tolist(), bodies, strict=True):
                found.setdefault(head, set()).add(body - {-1})
        return {head: frozenset(bodies) for head, bodies in found.items()}

    def _goal(self) -> Condition | None:
        initial = {atom.ground() for atom in self.lifted.text.problem.initial}
        found = set[int]()
        for literal in self.lifted.goal:
            atom = (literal.predicate, *literal.arguments)
            if literal.predicate in self.lifted.moving:
                (number,) = self._atoms(atom, {}, 1).tolist()
                if number >= 0:
                    found.add(number * 2 + (not literal.positive))
                elif literal.positive:
                    return None
            else:
                holds = atom[1] == atom[2] if atom[0] == EQUAL else atom in initial
                if holds != literal.positive:
                    return None
        return frozenset(found)


def ground(text: TaskText) -> GroundTask:
    """Ground a task; raises as `relax` does."""
    task = lifted(text)
    return _Grounder(task, relax(task)).task()


def among(keys: Numbers, others: Numbers) -> Numbers:
    """Whether each key is one of some others; by sorting, as hashing is slow on millions."""
    if not len(others):
        return np.zeros(len(keys), dtype=bool)
    ordered = np.sort(others)
    places = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    return ordered[places] == keys  # type: ignore[no-any-return]


def distinct(columns: Rows) -> Rows:
    """The columns of an array in order, each once."""
    ordered = columns[:, np.lexsort(columns[::-1])]
    if not ordered.shape[1]:
        return ordered
    differs = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    return ordered[:, np.concatenate(([True], differs))]


def ramps(counts: Numbers) -> Numbers:
    """Numbers from 0 up to each of some counts, one after the other.

    >>> ramps(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    ends: Numbers = np.cumsum(counts)
    found: Numbers = np.arange(int(counts.sum())) - np.repeat(ends - counts, counts)
    return found


def _joined(rows: list[Rows], height: int) -> Rows:
    return np.concatenate([np.zeros((height, 0), dtype=np.int64), *rows], axis=1)
