"""A ground task: its atoms and operators, with preconditions and effects as numbers of literals.

The literal of the atom number a is 2a, and its negation is 2a+1. Since there may be a million
preconditions, they are the columns of an array, each a pair of an operator and a literal; so are
the effects. An operator is a ground action: an instance of an action schema.
"""

from __future__ import annotations

from collections.abc import (
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import replace
from functools import cached_property

import numpy as np

from asplan.core.dataclass import dataclass
from asplan.pddl.grounding.arrays import (
    Array,
    Columns,
    distinct_columns,
    joined_columns,
)
from asplan.pddl.grounding.grounder import Rows
from asplan.pddl.grounding.lifted import (
    LiftedTask,
    SchemaEffect,
    normalize,
)
from asplan.pddl.grounding.relaxed import Reachable, find_reachable
from asplan.pddl.language.conditions import EQUAL, PddlLiteral
from asplan.pddl.language.syntax import GroundAtom, TaskText

UNCONDITIONAL = -1
"""The number that stands for the condition of an effect without a condition."""

Condition = frozenset[int]
"""A conjunction of literals, by their numbers."""

_Binding = Mapping[str, Array]
"""The values of variables: for each variable an array of object numbers, one for each instance."""


@dataclass(frozen=True)
class GroundTask:
    """The atoms and operators of a task by their numbers.

    Attributes
    ----------
    lifted, reachable
        The task before grounding, and its reachable atoms and instances.
    offsets
        The number of the first atom of each predicate; the atoms of a predicate have consecutive
        numbers, in the order of their rows in `reachable.atoms`.
    operators
        Two rows: the number of each operator's schema, and the operator's row among the instances
        of the schema.
    needs
        The preconditions as columns: an operator, and a literal that must hold.
    effects
        The effects as columns: an operator, a literal that it makes true, and the index of the
        effect's condition in `conditions`, or `UNCONDITIONAL`.
    conditions
        The different conditions of conditional effects.
    initial
        For each atom, whether it holds initially; False for derived atoms.
    axioms
        For each derived atom the conditions from which it follows.
    goal
        The goal; None if it cannot hold.
    """

    lifted: LiftedTask
    reachable: Reachable
    offsets: Mapping[str, int]
    operators: Columns
    needs: Columns
    effects: Columns
    conditions: tuple[Condition, ...]
    initial: Array
    axioms: Mapping[int, frozenset[Condition]]
    goal: Condition | None

    @property
    def atom_count(self) -> int:
        """The number of reachable atoms, without atoms of static predicates."""
        return len(self.initial)

    @property
    def operator_count(self) -> int:
        """The number of operators."""
        return len(self.operators[0])

    @property
    def effect_keys(self) -> Array:
        """For each effect, a number: the same for all effects of one operator on one atom."""
        keys: Array = self.effects[0] * self.atom_count + self.effects[1] // 2
        return keys

    @property
    def is_addition(self) -> Array:
        """For each effect, whether it adds its atom (otherwise it deletes the atom)."""
        adds: Array = self.effects[1] % 2 == 0
        return adds

    @property
    def is_unconditional(self) -> Array:
        """For each effect, whether it has no condition."""
        always: Array = self.effects[2] == UNCONDITIONAL
        return always

    @property
    def positive_needs(self) -> Columns:
        """The positive preconditions, as columns: an operator and a literal."""
        needs: Columns = self.needs[:, self.needs[1] % 2 == 0]
        return needs

    @property
    def added_and_deleted(self) -> Columns:
        """Two rows of truth values: True for atoms that effects add, and for atoms they delete."""
        changed = np.zeros((2, self.atom_count), dtype=bool)
        changed[self.effects[1] % 2, self.effects[1] // 2] = True
        return changed

    @cached_property
    def derived(self) -> Array:
        """For each atom, whether it is derived by axioms."""
        derived = np.zeros(self.atom_count, dtype=bool)
        for key in self.lifted.derived:
            first = self.offsets[key]
            derived[first : first + len(self.reachable.atoms[key])] = True
        return derived

    def restrict(
        self,
        operators: Array,
        effects: Array | None = None,
    ) -> GroundTask:
        """Return the task with only some operators and effects; the operators are numbered anew.

        Parameters
        ----------
        operators
            For each operator, whether to keep it.
        effects
            For each effect, whether to keep it (default: all effects of the operators that are
            kept).
        """
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


def ground(text: TaskText) -> GroundTask:
    """Ground a task; raise `Stopped` or `MemoryError` at a limit, as `find_reachable` does."""
    task = normalize(text)
    return _Grounder(task, find_reachable(task)).task()


class _RowIndex:
    """An index of the rows of a matrix, which finds the number of a row from its values.

    A look-up goes through the columns from left to right. Rows that are equal so far have the same
    rank; this rank and the value in the next column form a key, which gives the next rank. All
    values are below `objects`.
    """

    def __init__(
        self,
        rows: Rows,
        objects: int,
    ) -> None:
        self._objects = max(objects, 1)
        self._keys = list[Array]()
        self._size = len(rows)
        rank = np.zeros(len(rows), dtype=np.int64)
        for column in rows.T:
            keys, rank = np.unique(rank * self._objects + column, return_inverse=True)
            self._keys.append(keys)

    def find(
        self,
        columns: Sequence[Array],
        length: int,
    ) -> Array:
        """Return the number of each wanted row in the matrix; -1 for a row that is absent.

        `columns` are the columns of the wanted rows, and `length` is the number of these rows.
        """
        rank = np.zeros(length, dtype=np.int64)
        if not self._size:
            return rank - 1
        is_there = np.ones(length, dtype=bool)
        for keys, column in zip(self._keys, columns, strict=True):
            wanted = rank * self._objects + column
            rank = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            is_there &= keys[rank] == wanted
        return np.where(is_there, rank, -1)


@dataclass(frozen=True)
class _Instances:
    """The instances of an effect.

    Attributes
    ----------
    owners
        The operator of each instance.
    binding
        The values of the variables in each instance.
    """

    owners: Array
    binding: _Binding


class _Grounder:
    """A builder of a ground task, which adds the operators of one schema after the other.

    A method with the parameters `binding` and `length` works on many instances of a schema, rule or
    effect at once: `length` is their number, and `binding` has the values of their variables.
    """

    def __init__(
        self,
        task: LiftedTask,
        reachable: Reachable,
    ) -> None:
        self.lifted = task
        self.reachable = reachable
        self.objects = reachable.objects
        count = len(reachable.objects)
        self.indexes = dict[str, _RowIndex]()
        self.offsets = dict[str, int]()
        self.size = 0
        for key, rows in reachable.atoms.items():
            self.indexes[key] = _RowIndex(rows, count)
            self.offsets[key] = self.size
            self.size += len(rows)
        self.facts = {atom.ground() for atom in task.text.problem.initial}
        self.needs = list[Columns]()
        self.effects = list[Columns]()
        self.conditions: dict[Condition, int] = {}

    def task(self) -> GroundTask:
        """Ground all operators, axioms and the goal, and return the task."""
        operators = list[Columns]()
        first = 0
        for i, rows in enumerate(self.reachable.schemas):
            numbers = np.arange(len(rows))
            operators.append(np.stack((np.full(len(rows), i), numbers)))
            self._add_operators(i, rows, first)
            first += len(rows)
        return GroundTask(
            self.lifted,
            self.reachable,
            self.offsets,
            joined_columns(operators, 2),
            distinct_columns(joined_columns(self.needs, 2)),
            distinct_columns(joined_columns(self.effects, 3)),
            tuple(self.conditions),
            self._initial(),
            self._axioms(),
            self._goal(),
        )

    def _initial(self) -> Array:
        """Return for each atom whether it holds initially."""
        initial = np.zeros(self.size, dtype=bool)
        for atom in self.facts:
            if atom[0] in self.lifted.fluents:
                initial[self._atoms(atom, {}, 1)] = True
        return initial

    def _atoms(
        self,
        atom: GroundAtom,
        binding: _Binding,
        length: int,
    ) -> Array:
        """Return the number of the atom in each instance; -1 if it is unreachable."""
        key, *words = atom
        index = self.indexes.get(key)
        if index is None:
            index = self._index_of_static(key, len(words))
            self.indexes[key] = index
        places = index.find(
            self._columns(
                words,
                binding,
                length,
            ),
            length,
        )
        return np.where(places < 0, -1, places + self.offsets.get(key, 0))

    def _index_of_static(
        self,
        key: str,
        arity: int,
    ) -> _RowIndex:
        """Return an index of the initial atoms of a predicate that never changes."""
        atoms = {atom[1:] for atom in self.facts if atom[0] == key}
        rows = sorted([self.objects[word] for word in row] for row in atoms)
        numbers = np.array(rows, dtype=np.int64).reshape(len(rows), arity)
        return _RowIndex(numbers, len(self.objects))

    def _columns(
        self,
        words: Iterable[str],
        binding: _Binding,
        length: int,
    ) -> list[Array]:
        """Return an array for each word: the object that the word stands for in each instance.

        A word is an object, or a variable with values in `binding`.
        """
        return [
            binding[word] if word[0] == "?" else np.full(length, self.objects[word])
            for word in words
        ]

    def _possible(
        self,
        literals: Iterable[PddlLiteral],
        binding: _Binding,
        length: int,
    ) -> Array:
        """Return for each instance whether every literal, taken alone, can hold."""
        possible = np.ones(length, dtype=bool)
        for literal in literals:
            atom = (literal.predicate, *literal.arguments)
            if literal.predicate == EQUAL:
                left, right = self._columns(
                    literal.arguments,
                    binding,
                    length,
                )
                possible &= (left == right) == literal.positive
            elif literal.positive:
                possible &= self._atoms(atom, binding, length) >= 0
            elif literal.predicate not in self.lifted.fluents:
                possible &= self._atoms(atom, binding, length) < 0
        return possible

    def _literals(
        self,
        literals: Iterable[PddlLiteral],
        binding: _Binding,
        length: int,
    ) -> list[Array]:
        """Return an array for each literal of a fluent: the number of the literal in each instance.

        The number is -1 if the literal is always true. Literals of static predicates are left out.
        """
        columns = list[Array]()
        for literal in literals:
            if literal.predicate in self.lifted.fluents:
                atoms = self._atoms(
                    (literal.predicate, *literal.arguments),
                    binding,
                    length,
                )
                numbers = atoms * 2 + (not literal.positive)
                columns.append(np.where(atoms < 0, -1, numbers))
        return columns

    def _add_operators(
        self,
        i: int,
        rows: Rows,
        first: int,
    ) -> None:
        """Add the preconditions and effects of the operators of schema `i`.

        `rows` are the instances of the schema. The operators of the schema are numbered from
        `first`.
        """
        schema = self.lifted.schemas[i]
        binding = dict(zip(schema.body.variables, rows.T, strict=True))
        numbers = np.arange(first, first + len(rows))
        for literals in self._literals(
            schema.body.literals,
            binding,
            len(rows),
        ):
            matters = literals >= 0
            self.needs.append(np.stack((numbers[matters], literals[matters])))
        index = None
        for j, effect in enumerate(schema.effects):
            if not effect.body.ranges:
                instances = self._possible_instances(effect, numbers, binding)
            else:
                index = index or _RowIndex(rows, len(self.objects))
                instances = self._instances_of(i, j, index, first)
            self._add_effect(effect, instances)

    def _possible_instances(
        self, effect: SchemaEffect, numbers: Array, binding: _Binding
    ) -> _Instances:
        """Return the possible instances of an effect without quantified variables.

        `numbers` are the operators of the schema, and `binding` has the values of their parameters.
        """
        possible = self._possible(
            effect.body.literals,
            binding,
            len(numbers),
        )
        if possible.all():
            return _Instances(numbers, binding)
        inner = {word: column[possible] for word, column in binding.items()}
        return _Instances(numbers[possible], inner)

    def _instances_of(
        self,
        i: int,
        j: int,
        index: _RowIndex,
        first: int,
    ) -> _Instances:
        """Return the instances of effect `j` of schema `i`, which has quantified variables.

        `index` finds an instance of the schema by its values. The operators of the schema are
        numbered from `first`.
        """
        schema = self.lifted.schemas[i]
        rows = self.reachable.effects[i, j]
        outer = len(schema.body.ranges)
        owners = first + index.find(list(rows.T[:outer]), len(rows))
        variables = (*schema.body.variables, *schema.effects[j].body.variables)
        return _Instances(owners, dict(zip(variables, rows.T, strict=True)))

    def _add_effect(
        self,
        effect: SchemaEffect,
        instances: _Instances,
    ) -> None:
        """Add the instances of an effect, except instances whose atom is unreachable."""
        length = len(instances.owners)
        literals = self._literals(
            effect.body.literals,
            instances.binding,
            length,
        )
        conditions = self._number_conditions(literals, length)
        atoms = self._atoms(
            effect.atom,
            instances.binding,
            length,
        )
        changes = atoms * 2 + (not effect.positive)
        columns = np.stack((instances.owners, changes, conditions))
        self.effects.append(columns[:, atoms >= 0])

    def _number_conditions(
        self,
        literals: Sequence[Array],
        length: int,
    ) -> Array:
        """Return the index of each instance's condition in `conditions`.

        New conditions are added to `conditions`.
        """
        if not literals:
            return np.full(length, UNCONDITIONAL)
        numbers = list[int]()
        for condition in _conjunctions(literals):
            number = UNCONDITIONAL
            if condition:
                number = self.conditions.setdefault(condition, len(self.conditions))
            numbers.append(number)
        return np.array(numbers, dtype=np.int64)

    def _axioms(self) -> dict[int, frozenset[Condition]]:
        """Return for each derived atom the conditions from which it follows."""
        axioms = dict[int, set[Condition]]()
        for rule, rows in zip(self.lifted.rules, self.reachable.rules, strict=True):
            binding = dict(zip(rule.body.variables, rows.T, strict=True))
            heads = self._atoms(
                rule.head,
                binding,
                len(rows),
            ).tolist()
            literals = self._literals(
                rule.body.literals,
                binding,
                len(rows),
            )
            bodies = _conjunctions(literals) if literals else [Condition()] * len(rows)
            for head, body in zip(heads, bodies, strict=True):
                axioms.setdefault(head, set()).add(body)
        return {head: frozenset(bodies) for head, bodies in axioms.items()}

    def _goal(self) -> Condition | None:
        """Return the goal; None if a part of it is unreachable, or is static and false."""
        goal = set[int]()
        for literal in self.lifted.goal:
            atom = (literal.predicate, *literal.arguments)
            if literal.predicate not in self.lifted.fluents:
                holds = atom[1] == atom[2] if atom[0] == EQUAL else atom in self.facts
                if holds != literal.positive:
                    return None
                continue
            (number,) = self._atoms(
                atom,
                {},
                1,
            ).tolist()
            if number >= 0:
                goal.add(number * 2 + (not literal.positive))
            elif literal.positive:
                return None
        return frozenset(goal)


def _conjunctions(literals: Iterable[Array]) -> Iterator[Condition]:
    """Yield the conjunction of each instance, without literals that are always true (-1).

    `literals` has an array for each literal of the conjunction: its number in each instance.
    """
    rows = zip(*(column.tolist() for column in literals), strict=True)
    return (frozenset(row) - {-1} for row in rows)
