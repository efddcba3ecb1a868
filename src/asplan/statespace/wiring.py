"""The order in which a circuit evaluates the rules of a grounded step.

An atom comes after the atoms on which it depends, and a choice as late as possible. So atoms that
do not depend on a choice are evaluated once for all its outcomes. A constraint follows the last of
its atoms. A sum grows with each of its literals, so a constraint can refute a sum before all its
literals have values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import (
    Iterable,
    Iterator,
    Sequence,
)
from graphlib import TopologicalSorter
from heapq import heappop, heappush
from itertools import chain
from typing import NamedTuple

from asplan.core.dataclass import dataclass
from asplan.core.graphs import closure, components
from asplan.program.ground import Ground
from asplan.statespace.stages import (
    Add,
    Body,
    Close,
    Define,
    Refute,
    Stage,
)


class Unwired(Exception):
    """The error for rules that no circuit can evaluate.

    These are disjunctions, and cycles through a negation, a choice or a sum.
    """


@dataclass(frozen=True)
class Sum:
    """A sum of weighted literals, which holds if it reaches its bound.

    It has a number like an atom. `weighted` are pairs of a literal and its weight.
    """

    number: int
    bound: int
    weighted: Sequence[tuple[int, int]]

    def read(self) -> set[int]:
        """Return the atoms and sums in the weighted literals."""
        return {abs(literal) for literal, _ in self.weighted}


class _Addition(NamedTuple):
    """A weighted literal and the sum to which it belongs."""

    sum: Sum
    literal: int
    weight: int


class Wiring:
    """The rules of a step with their dependencies; some atoms are inputs, whose values are given.

    The constructor raises `Unwired` if the rules cannot be evaluated one after the other.
    """

    def __init__(
        self,
        ground: Ground,
        inputs: Iterable[int],
    ) -> None:
        if ground.disjunctive:
            raise Unwired
        self.inputs = set(inputs)
        atoms = self.inputs.union(_atoms_of(ground))
        largest = max(atoms, default=0)
        self.top = largest + len(ground.sums)
        self._sums: dict[int, Sum] = {}
        self._definitions: dict[int, Define] = {}
        self._add_sums(ground, largest + 1)
        self._add_definitions(ground)
        parts = map(self._split, ground.constraints)
        self._constraints = list(chain.from_iterable(parts))
        dependencies = list(map(self._dependencies, range(self.top + 1)))
        # Strongly connected atoms are evaluated together, after those that they depend on.
        self._groups = list(components(dependencies))
        self._cycles: set[int] = set()
        for group in self._groups:
            first = group[0]
            if len(group) > 1 or first in dependencies[first]:
                self._check_cycle(group)
                self._cycles.add(first)

    def atoms(self) -> set[int]:
        """Return the atoms that have rules."""
        return set(self._definitions)

    def needed_inputs(self, outputs: Iterable[int]) -> set[int]:
        """Return the inputs on which the constraints and the given output literals depend."""
        return self._needed(outputs) & self.inputs

    def stages(self, outputs: Iterable[int]) -> list[Stage]:
        """Return the stages that evaluate the constraints and the given output literals."""
        needed = self._needed(outputs) - self.inputs
        groups = [group for group in self._groups if not needed.isdisjoint(group)]
        sums = [each for each in self._sums.values() if each.number in needed]
        schedule = _Schedule(sums, self._constraints)
        stages = list(schedule.begin(sorted(self.inputs)))
        for group in self._order(groups):
            atoms = [atom for atom in group if atom not in self._sums]
            definitions = map(self._definition, atoms)
            if group[0] in self._cycles:
                stages.append(Close(tuple(definitions)))
            else:
                stages += definitions
            for atom in group:
                stages += schedule.settle(atom)
        return stages

    def _add_sums(self, ground: Ground, first: int) -> None:
        """Assign numbers from `first` on to the sums of the ground program."""
        for number, (_, _, bound, weighted) in enumerate(ground.sums, first):
            self._sums[number] = Sum(number, bound, weighted)

    def _add_definitions(self, ground: Ground) -> None:
        """Collect the bodies of each atom; the body of a weight rule is its sum."""
        rules = [(choice, head, tuple(body)) for choice, head, body in ground.rules]
        for number, (choice, head, _, _) in zip(self._sums, ground.sums, strict=True):
            rules.append((choice, head, (number,)))
        must: dict[int, list[Body]] = defaultdict(list)
        may: dict[int, list[Body]] = defaultdict(list)
        for is_choice, head, body in rules:
            bodies = may if is_choice else must
            for atom in head:
                bodies[atom].append(body)
        for atom in (*must, *may):
            self._definitions[atom] = Define(
                atom,
                tuple(must.get(atom, ())),
                tuple(may.get(atom, ())),
            )

    def _definition(self, atom: int) -> Define:
        return self._definitions.get(atom, Define(atom))

    def _only_body(self, atom: int) -> Body:
        """Return the body of an atom's only rule.

        Return an empty body if the atom has several rules or may be chosen.
        """
        define = self._definition(atom)
        if define.may or len(define.bodies) != 1:
            return ()
        return define.bodies[0]

    def _inline_sums(self, body: Iterable[int]) -> Body:
        """Return a body in which a sum replaces each atom that is defined by this sum alone."""
        return tuple(map(self._inline_sum, body))

    def _inline_sum(self, literal: int) -> int:
        only = self._only_body(abs(literal))
        if len(only) != 1 or only[0] not in self._sums:
            return literal
        return only[0] if literal > 0 else -only[0]

    def _split(self, constraint: Iterable[int]) -> list[Body]:
        """Split a constraint with a literal `not x` into several, if the only body of x has sums.

        `not x` holds if any literal of this body is false, so each of its literals makes one
        constraint.
        """
        body = self._inline_sums(constraint)
        for index, literal in enumerate(body):
            if literal > 0:
                continue
            only = self._inline_sums(self._only_body(-literal))
            if not self._sums.keys().isdisjoint(map(abs, only)):
                rest = (*body[:index], *body[index + 1 :])
                return [(*rest, -inner) for inner in only]
        return [body]

    def _dependencies(self, atom: int) -> list[int]:
        """Return the atoms and sums, without inputs, on which an atom or a sum directly depends."""
        if atom in self.inputs:
            return []
        return sorted(self._read_by(atom) - self.inputs)

    def _read_by(self, atom: int) -> set[int]:
        """Return the atoms and sums that occur in the definition of an atom or a sum."""
        if atom in self._sums:
            return self._sums[atom].read()
        return self._definition(atom).read()

    def _check_cycle(self, group: Sequence[int]) -> None:
        """Raise `Unwired` if the cycle through these atoms has a negation, a choice or a sum."""
        cycle = set(group)
        for atom in group:
            define = self._definition(atom)
            literals = chain.from_iterable(define.bodies)
            is_negative = any(-literal in cycle for literal in literals)
            if is_negative or define.may or atom in self._sums:
                raise Unwired

    def _needed(self, outputs: Iterable[int]) -> set[int]:
        """Return all atoms and sums on which the constraints and output literals depend.

        The atoms of the outputs are among them.
        """

        def read(atom: int) -> Iterable[int]:
            return () if atom in self.inputs else self._read_by(atom)

        literals = chain(chain.from_iterable(self._constraints), outputs)
        return closure(map(abs, literals), read)

    def _order(self, groups: Sequence[list[int]]) -> Iterator[list[int]]:
        """Yield groups of mutually dependent atoms.

        Groups on which others depend come first, and choices as late as possible.
        """
        home: dict[int, int] = {}
        for number, group in enumerate(groups):
            home.update(dict.fromkeys(group, number))
        graph: dict[int, set[int]] = {}
        for number, group in enumerate(groups):
            read = set().union(*map(self._read_by, group))
            needed = {home[atom] for atom in read if atom in home}
            graph[number] = needed - {number}
        sorter = TopologicalSorter(graph)
        sorter.prepare()
        ready: list[tuple[bool, int]] = []
        while sorter.is_active():
            for number in sorter.get_ready():
                is_choice = any(self._definition(atom).may for atom in groups[number])
                heappush(ready, (is_choice, number))
            _, number = heappop(ready)
            yield groups[number]
            sorter.done(number)


class _Schedule:
    """The additions and constraints that wait for the values of atoms."""

    def __init__(
        self,
        sums: Sequence[Sum],
        constraints: Sequence[Body],
    ) -> None:
        self._sums = sums
        self._constraints = constraints
        self._left: dict[int, int] = {}
        self._additions: dict[int, list[_Addition]] = defaultdict(list)
        for each in sums:
            self._left[each.number] = len(each.weighted)
            for literal, weight in each.weighted:
                addition = _Addition(each, literal, weight)
                self._additions[abs(literal)].append(addition)
        self._unset: list[set[int]] = []
        self._waiting: dict[int, list[int]] = defaultdict(list)
        for index, body in enumerate(constraints):
            atoms = set(map(abs, body))
            self._unset.append(atoms)
            for atom in atoms:
                self._waiting[atom].append(index)

    def begin(self, inputs: Iterable[int]) -> Iterator[Stage]:
        """Yield the stages that need no values but those of the inputs."""
        for body in self._constraints:
            if not body:
                yield Refute(())
        for atom in inputs:
            yield from self.settle(atom)
        for each in self._sums:
            if not each.weighted:
                is_true = each.bound <= 0
                yield Define(each.number, ((),) if is_true else ())

    def settle(self, atom: int) -> Iterator[Stage]:
        """Yield the stages that become possible once this atom or sum has its value."""
        for index in self._waiting.get(atom, ()):
            self._unset[index].discard(atom)
            if not self._unset[index]:
                yield Refute(self._constraints[index])
        for addition in self._additions.get(atom, ()):
            yield from self._add(addition)

    def _add(self, addition: _Addition) -> Iterator[Stage]:
        """Yield the stage of an addition, and constraints that the sum may violate after it."""
        number = addition.sum.number
        is_first = self._left[number] == len(addition.sum.weighted)
        self._left[number] -= 1
        is_last = self._left[number] == 0
        yield Add(
            number,
            addition.literal,
            addition.weight,
            addition.sum.bound,
            is_first,
            is_last,
        )
        if not is_last:
            yield from self._refute_early(number)

    def _refute_early(self, number: int) -> Iterator[Stage]:
        """Yield the constraints that wait only for a sum, which may reach its bound early.

        An unfinished sum that has reached its bound violates them already. `number` is the number
        of the sum.
        """
        for index in self._waiting.get(number, ()):
            body = self._constraints[index]
            if self._unset[index] == {number} and number in body:
                yield Refute(body)


def _atoms_of(ground: Ground) -> Iterator[int]:
    """Yield the atoms of a ground program, with repetitions."""
    for _, head, body in ground.rules:
        yield from head
        yield from map(abs, body)
    for _, head, _, weighted in ground.sums:
        yield from head
        yield from (abs(literal) for literal, _ in weighted)
    bodies = chain(ground.constraints, (condition for _, condition in ground.terms))
    yield from map(abs, chain.from_iterable(bodies))
