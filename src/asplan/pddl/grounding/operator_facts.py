"""The preconditions and effects of ground operators, as facts of the state variables.

A fact is a variable with a value. Facts are numbered, variable by variable.
"""

from __future__ import annotations

from collections.abc import (
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from itertools import product

import numpy as np

from asplan.core.dataclass import dataclass
from asplan.pddl.grounding.arrays import (
    Array,
    Columns,
    distinct_columns,
    first_places,
    is_member,
)
from asplan.pddl.grounding.ground import UNCONDITIONAL, GroundTask
from asplan.pddl.grounding.variables import Encoding, needs_of

Facts = frozenset[int]
"""A conjunction of facts, by their numbers."""

ConditionalFact = tuple[int, Facts]
"""A conditional effect: the fact that an operator makes true, and the condition of the effect."""

_NOT_ENCODED = "a literal that no variable encodes"


class FactNumbers:
    """The numbers of facts: first come the values of the first variable, then of the second, etc.

    Attributes
    ----------
    first
        The number of each variable's first fact. One more entry has the number of all facts.
    owner
        The variable of each fact.
    of_literals
        The fact of each literal of the ground task (the atom a has the literals 2a and 2a+1); -1 if
        no condition mentions the literal.
    """

    def __init__(self, encoding: Encoding) -> None:
        sizes = encoding.sizes
        self.first: Array = np.concatenate(([0], np.cumsum(sizes)))
        self.owner: Array = np.repeat(np.arange(len(sizes)), sizes)
        variable = encoding.variable
        is_encoded = variable >= 0
        # The variable -1, for atoms without one, selects this last entry.
        first = np.append(self.first[:-1], 0)
        sizes = np.append(sizes, 0)
        present = np.where(is_encoded, first[variable] + encoding.value, -1)
        is_binary = is_encoded & (sizes[variable] == 2)
        other_value = np.where(is_binary, 2 * first[variable] + 1 - present, -1)
        absent = np.where(encoding.absence >= 0, first[encoding.absence], other_value)
        self.of_literals: Array = np.stack((present, absent), axis=1).ravel()
        # Lists are faster than arrays for single entries.
        self.first_list: list[int] = self.first.tolist()
        self.owner_list: list[int] = self.owner.tolist()
        self.literal_list: list[int] = self.of_literals.tolist()
        self._variable: list[int] = variable.tolist()

    def conjunction(
        self,
        literals: Iterable[int],
    ) -> Facts | None:
        """Return the facts of a conjunction of literals; None if it contradicts itself.

        A negated atom is left out if another atom of the same variable is required.
        """
        variable = self._variable
        present = {variable[literal // 2]: literal for literal in literals if literal % 2 == 0}
        facts = {self.literal_list[literal] for literal in literals if literal % 2 == 0}
        for literal in literals:
            if literal % 2 == 0:
                continue
            other = present.get(variable[literal // 2])
            if other is None:
                facts.add(self.literal_list[literal])
            elif other == literal - 1:
                return None
        return self.consistent(facts)

    def consistent(
        self,
        facts: Iterable[int],
    ) -> Facts | None:
        """Return the facts as a set; None if two of them are different values of one variable."""
        chosen = frozenset(facts)
        owner = self.owner_list
        assert -1 not in chosen, _NOT_ENCODED
        return None if len({owner[fact] for fact in chosen}) < len(chosen) else chosen

    def values(self, variable: int) -> range:
        """Return the numbers of the facts of a variable."""
        return range(self.first_list[variable], self.first_list[variable + 1])

    def excluding(
        self,
        condition: Facts,
        others: Sequence[Facts],
    ) -> Iterator[Facts]:
        """Yield conjunctions that together mean: `condition` holds, and none of `others` holds."""
        if not others:
            yield condition
            return
        choices = list[list[int]]()
        for other in others:
            violations = list[int]()
            for fact in other:
                values = self.values(self.owner_list[fact])
                violations += [value for value in values if value != fact]
            choices.append(violations)
        for choice in product(*choices):
            conjunction = self.consistent(condition.union(choice))
            if conjunction is not None:
                yield conjunction


@dataclass(frozen=True)
class OperatorFacts:
    """The preconditions and effects of operators, which have the same numbers as in `GroundTask`.

    Attributes
    ----------
    needs
        The preconditions as columns: an operator and a fact.
    alive
        False for operators whose precondition contradicts itself.
    effects
        The effects of operators that have no conditional effects in PDDL, as columns: an operator,
        a fact that it makes true, and a fact as the condition of the effect, or -1. (The deletion
        of an atom may need this condition: that the atom holds.)
    conditional
        The effects of operators that have conditional effects in PDDL, by operator; only for
        operators that are alive.
    """

    needs: Columns
    alive: Array
    effects: Columns
    conditional: Mapping[int, Sequence[ConditionalFact]]

    def conditional_facts(self) -> list[tuple[int, int, Facts]]:
        """Return the effects in `conditional` as triples: an operator, a fact and a condition."""
        triples = list[tuple[int, int, Facts]]()
        for operator, effects in self.conditional.items():
            triples += [(operator, fact, condition) for fact, condition in effects]
        return triples


def operator_facts(
    task: GroundTask,
    encoding: Encoding,
    numbers: FactNumbers,
) -> OperatorFacts:
    """Convert the preconditions and effects of all operators to facts."""
    operators, literals = needs_of(task, encoding.variable)
    facts = numbers.of_literals[literals]
    assert (facts >= 0).all(), _NOT_ENCODED
    needs = distinct_columns(np.stack((operators, facts)))
    alive = np.ones(task.operator_count, dtype=bool)
    alive[_contradictory(needs, numbers)] = False
    # Operators without conditional effects are converted all at once, the others one by one.
    is_simple = np.ones(task.operator_count, dtype=bool)
    is_simple[task.effects[0, ~task.is_unconditional]] = False
    effects = _simple_effects(task, encoding, numbers, needs, is_simple)
    others = np.flatnonzero(~is_simple & alive).tolist()
    converter = _ConditionalEffects(task, encoding, numbers, needs)
    conditional = {operator: converter.effects_of(operator) for operator in others}
    return OperatorFacts(needs, alive, effects, conditional)


def _contradictory(needs: Columns, numbers: FactNumbers) -> Array:
    """Return the operators that need two different facts of one variable.

    `needs` is sorted, so the facts of one variable are neighbours there.
    """
    operators, facts = needs
    variables = numbers.owner[facts]
    same_operator = operators[1:] == operators[:-1]
    same_variable = variables[1:] == variables[:-1]
    contradictory: Array = operators[1:][same_operator & same_variable]
    return contradictory


def _simple_effects(
    task: GroundTask,
    encoding: Encoding,
    numbers: FactNumbers,
    needs: Columns,
    is_simple: Array,
) -> Columns:
    """Return the effects of operators without conditional effects, as in `OperatorFacts.effects`.

    If an operator deletes an atom and adds no other atom of the variable, the variable gets its
    last value, `none`.

    Parameters
    ----------
    task, encoding, numbers
        The ground task, its variables, and the numbers of their facts.
    needs
        The preconditions as columns: an operator and a fact.
    is_simple
        For each operator, whether it has no conditional effects.
    """
    owners, changes, _ = task.effects[:, is_simple[task.effects[0]]]
    count = len(encoding.sizes)
    atoms = changes // 2
    adds = changes % 2 == 0
    variables = encoding.variable[atoms]
    present = numbers.of_literals[2 * atoms]
    keys = owners * count + variables
    needed = _needed_values(needs, numbers, keys, count)
    may_hold = (needed == present) | (needed == -1)
    is_reset = ~adds & ~is_member(keys, keys[adds]) & may_hold
    none = numbers.first[variables + 1] - 1
    if_present = (needed == -1) & (encoding.sizes[variables] > 2)
    unconditional = np.full(len(owners), -1)
    second = encoding.absence[atoms]
    second_value = np.where(adds, numbers.first[second] + 1, numbers.first[second])
    parts = [
        np.stack((owners, present, unconditional))[:, adds],
        np.stack((owners, none, np.where(if_present, present, -1)))[:, is_reset],
        np.stack((owners, second_value, unconditional))[:, second >= 0],
    ]
    effects = distinct_columns(np.concatenate(parts, axis=1))
    total = int(numbers.first[-1])
    changed = effects[0] * total + effects[1]
    held = needs[0] * total + needs[1]
    is_idle = is_member(changed, held)
    return effects[:, ~is_idle]


def _needed_values(
    needs: Columns,
    numbers: FactNumbers,
    keys: Array,
    count: int,
) -> Array:
    """Return, for each key, the fact that the key's operator needs of the key's variable.

    A key is the number of the operator times `count`, plus the number of the variable. The result
    is -1 if the operator needs no fact of this variable.
    """
    needed_keys = needs[0] * count + numbers.owner[needs[1]]
    if not len(needed_keys):
        return np.full(len(keys), -1)
    order = np.argsort(needed_keys)
    places = np.searchsorted(needed_keys, keys, sorter=order)
    places = order[np.minimum(places, len(order) - 1)]
    return np.where(needed_keys[places] == keys, needs[1, places], -1)


_Change = tuple[int, Facts]
"""An atom that an operator adds or deletes, and the condition of this beyond the precondition."""


class _ConditionalEffects:
    """A converter of the effects of operators that have conditional effects."""

    def __init__(
        self,
        task: GroundTask,
        encoding: Encoding,
        numbers: FactNumbers,
        needs: Columns,
    ) -> None:
        self._numbers = numbers
        self._variable: list[int] = encoding.variable.tolist()
        self._absence: list[int] = encoding.absence.tolist()
        self._conditions = [numbers.conjunction(condition) for condition in task.conditions]
        self._needs = needs[1]
        self._needs_first: list[int] = first_places(needs[0], task.operator_count).tolist()
        self._changes: list[list[int]] = task.effects[1:].T.tolist()
        self._first: list[int] = first_places(task.effects[0], task.operator_count).tolist()

    def effects_of(
        self,
        operator: int,
    ) -> list[ConditionalFact]:
        """Return the effects of an operator.

        If an addition overrides a deletion, the condition of the deletion requires that the
        condition of the addition does not hold.
        """
        begin, end = self._needs_first[operator : operator + 2]
        needed = frozenset(self._needs[begin:end].tolist())
        adds, deletes = self._possible_changes(operator, needed)
        effects: dict[ConditionalFact, None] = {}
        for change in adds:
            effects.update(dict.fromkeys(self._addition(change)))
        for change in deletes:
            effects.update(
                dict.fromkeys(
                    self._deletion(
                        change,
                        adds,
                        needed,
                    )
                )
            )
        return [(fact, condition) for fact, condition in effects if fact not in needed]

    def _possible_changes(
        self, operator: int, needed: Facts
    ) -> tuple[list[_Change], list[_Change]]:
        """Return the additions and deletions whose conditions do not contradict the precondition.

        `needed` are the facts of the precondition.
        """
        adds = list[_Change]()
        deletes = list[_Change]()
        for literal, number in self._changes[self._first[operator] : self._first[operator + 1]]:
            condition: Facts | None = frozenset()
            if number != UNCONDITIONAL:
                condition = self._conditions[number]
            if condition is None or self._numbers.consistent(condition | needed) is None:
                continue
            changes = deletes if literal % 2 else adds
            changes.append((literal // 2, condition - needed))
        return adds, deletes

    def _addition(
        self,
        change: _Change,
    ) -> Iterator[ConditionalFact]:
        """Yield the effects of an addition.

        They set the variable of the added atom and, if there is one, the atom's second variable.
        """
        atom, condition = change
        yield self._numbers.literal_list[2 * atom], condition
        second = self._absence[atom]
        if second >= 0:
            yield self._numbers.first_list[second] + 1, condition

    def _deletion(
        self,
        change: _Change,
        adds: Sequence[_Change],
        needed: Facts,
    ) -> Iterator[ConditionalFact]:
        """Yield the effects of a deletion: if the atom holds, its variable gets the value `none`.

        Additions of other atoms of this variable override the deletion. `adds` are all additions
        of the operator, and `needed` are the facts of its precondition.
        """
        atom, condition = change
        numbers = self._numbers
        second = self._absence[atom]
        if second >= 0:
            overriding = [added for other, added in adds if other == atom]
            for guarded in numbers.excluding(condition | needed, overriding):
                yield numbers.first_list[second], guarded - needed
        present = numbers.consistent(condition | needed | {numbers.literal_list[2 * atom]})
        if present is None:
            return
        variable = self._variable[atom]
        overriding = [added for other, added in adds if self._variable[other] == variable]
        for guarded in numbers.excluding(present, overriding):
            yield numbers.first_list[variable + 1] - 1, guarded - needed
