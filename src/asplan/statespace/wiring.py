"""The order in which a circuit evaluates the rules of a grounded step.

An atom comes after the atoms that it depends on, and a choice as late as possible. So the atoms
that do not depend on a choice are evaluated once for all its outcomes. A constraint follows the
last of its atoms. A sum grows with each of its literals, so a constraint can refute a sum before
all its literals have values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from heapq import heappop, heappush
from itertools import chain

from asplan.core.graphs import closure, components
from asplan.program.ground import Ground
from asplan.statespace.stages import Add, Body, Close, Define, Refute, Stage


class Unwired(Exception):
    """An error for a disjunction, or for a cycle through a negation, a choice or a sum."""


@dataclass(frozen=True)
class Sum:
    """A sum of weighted literals that holds if it reaches a bound."""

    bound: int
    weighted: Sequence[tuple[int, int]]


class Wiring:
    """The rules of a step with some atoms as inputs, and their dependencies.

    Raises `Unwired` if the rules cannot be evaluated one after the other.
    """

    def __init__(self, ground: Ground, inputs: Iterable[int]) -> None:
        if ground.disjunctive:
            raise Unwired
        self.inputs = set(inputs)
        self._must: dict[int, list[Body]] = defaultdict(list)
        self._may: dict[int, list[Body]] = defaultdict(list)
        self._sums: dict[int, Sum] = {}
        largest = max(self.inputs.union(_atoms_of(ground)), default=0)
        self.top = largest + len(ground.sums)
        self._add_rules(ground)
        self._add_sums(ground, largest + 1)
        parts = map(self._split, ground.constraints)
        self._constraints = list(chain.from_iterable(parts))
        dependencies = [self._dependencies(atom) for atom in range(self.top + 1)]
        # Strongly connected atoms are evaluated together, after those that they depend on.
        self._groups = list(components(dependencies))
        self._cycles = {
            group[0]
            for group in self._groups
            if len(group) > 1 or group[0] in dependencies[group[0]]
        }
        for group in self._groups:
            if group[0] in self._cycles:
                self._check_cycle(group)

    def atoms(self) -> set[int]:
        """Return the atoms and sums that a rule defines."""
        return {*self._must, *self._may}

    def needed_inputs(self, outputs: Iterable[int]) -> set[int]:
        """Return the inputs that the constraints and some outputs depend on."""
        return self._needed(outputs) & self.inputs

    def stages(self, outputs: Iterable[int]) -> list[Stage]:
        """Return the stages that evaluate the constraints and some outputs."""
        needed = self._needed(outputs) - self.inputs
        groups = [group for group in self._groups if not needed.isdisjoint(group)]
        sums = {number: each for number, each in self._sums.items() if number in needed}
        schedule = _Schedule(sums, self._constraints)
        stages = list(schedule.begin(sorted(self.inputs)))
        for group in self._order(groups):
            definitions = [self._definition(atom) for atom in group if atom not in self._sums]
            if group[0] in self._cycles:
                stages.append(Close(tuple(definitions)))
            else:
                stages += definitions
            for atom in group:
                stages += schedule.settle(atom)
        return stages

    def _add_rules(self, ground: Ground) -> None:
        for is_choice, head, body in ground.rules:
            bodies = self._may if is_choice else self._must
            for atom in head:
                bodies[atom].append(tuple(body))

    def _add_sums(self, ground: Ground, first: int) -> None:
        """Give numbers to the sums, the least of them `first`, and add rules with these bodies."""
        for number, (is_choice, head, bound, weighted) in enumerate(ground.sums, first):
            self._sums[number] = Sum(bound, weighted)
            bodies = self._may if is_choice else self._must
            for atom in head:
                bodies[atom].append((number,))

    def _only_body(self, atom: int) -> Body:
        """Return the body of an atom that is no choice and has one body; else an empty body."""
        bodies = self._must.get(atom, ())
        return bodies[0] if len(bodies) == 1 and atom not in self._may else ()

    def _inline_sums(self, body: Iterable[int]) -> Body:
        """Replace each atom that is defined by a single sum by this sum."""
        literals = []
        for literal in body:
            only = self._only_body(abs(literal))
            if len(only) == 1 and only[0] in self._sums:
                literals.append(only[0] if literal > 0 else -only[0])
            else:
                literals.append(literal)
        return tuple(literals)

    def _split(self, constraint: Iterable[int]) -> list[Body]:
        """Split a constraint with `not x`, if the only body of x has sums.

        `not x` holds if any literal of this body fails, so each literal makes a constraint.
        """
        body = self._inline_sums(constraint)
        for index, literal in enumerate(body):
            only = self._inline_sums(self._only_body(-literal)) if literal < 0 else ()
            if any(abs(inner) in self._sums for inner in only):
                rest = (*body[:index], *body[index + 1 :])
                return [(*rest, -inner) for inner in only]
        return [body]

    def _dependencies(self, atom: int) -> list[int]:
        """Return the atoms and sums, without inputs, that an atom or a sum depends on."""
        return [] if atom in self.inputs else sorted(self._read_by(atom) - self.inputs)

    def _read_by(self, atom: int) -> set[int]:
        """Return the atoms and sums in the definition of an atom or a sum."""
        if atom in self._sums:
            return {abs(literal) for literal, _ in self._sums[atom].weighted}
        bodies = (*self._must.get(atom, ()), *self._may.get(atom, ()))
        return set(map(abs, chain.from_iterable(bodies)))

    def _check_cycle(self, group: Sequence[int]) -> None:
        """Raise `Unwired` if a cycle has a negation, a choice or a sum."""
        cycle = set(group)
        for atom in group:
            literals = chain.from_iterable(self._must.get(atom, ()))
            is_negative = any(-literal in cycle for literal in literals)
            if is_negative or atom in self._sums or atom in self._may:
                raise Unwired

    def _needed(self, outputs: Iterable[int]) -> set[int]:
        """Return the atoms that the constraints and some outputs depend on, with the outputs."""

        def read(atom: int) -> Iterable[int]:
            return () if atom in self.inputs else self._read_by(atom)

        literals = chain(chain.from_iterable(self._constraints), outputs)
        return closure(map(abs, literals), read)

    def _order(self, groups: Sequence[list[int]]) -> Iterator[list[int]]:
        """Yield groups after those that they depend on, and choices as late as possible."""
        home = {atom: number for number, group in enumerate(groups) for atom in group}
        graph: dict[int, set[int]] = {}
        for number, group in enumerate(groups):
            read = set().union(*map(self._read_by, group))
            graph[number] = {home[atom] for atom in read if atom in home} - {number}
        sorter = TopologicalSorter(graph)
        sorter.prepare()
        ready: list[tuple[bool, int]] = []
        while sorter.is_active():
            for number in sorter.get_ready():
                is_choice = any(atom in self._may for atom in groups[number])
                heappush(ready, (is_choice, number))
            _, number = heappop(ready)
            yield groups[number]
            sorter.done(number)

    def _definition(self, atom: int) -> Define:
        return Define(atom, tuple(self._must.get(atom, ())), tuple(self._may.get(atom, ())))


class _Schedule:
    """The additions and constraints that become possible as atoms get their values."""

    def __init__(self, sums: Mapping[int, Sum], constraints: Sequence[Body]) -> None:
        self._sums = sums
        self._constraints = constraints
        self._additions: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for number, each in sums.items():
            for literal, weight in each.weighted:
                self._additions[abs(literal)].append((number, literal, weight))
        self._left = {number: len(each.weighted) for number, each in sums.items()}
        self._unset = [set(map(abs, body)) for body in constraints]
        self._waiting: dict[int, list[int]] = defaultdict(list)
        for index, atoms in enumerate(self._unset):
            for atom in atoms:
                self._waiting[atom].append(index)

    def begin(self, inputs: Iterable[int]) -> Iterator[Stage]:
        """Yield the stages that need no atoms but the inputs."""
        for body in self._constraints:
            if not body:
                yield Refute(())
        for atom in inputs:
            yield from self.settle(atom)
        for number, each in self._sums.items():
            if not each.weighted:
                yield Define(number, () if each.bound > 0 else ((),))

    def settle(self, atom: int) -> Iterator[Stage]:
        """Yield the stages that become possible once an atom or a sum has its value."""
        for index in self._waiting.get(atom, ()):
            self._unset[index].discard(atom)
            if not self._unset[index]:
                yield Refute(self._constraints[index])
        for number, literal, weight in self._additions.get(atom, ()):
            each = self._sums[number]
            is_first = self._left[number] == len(each.weighted)
            self._left[number] -= 1
            is_last = self._left[number] == 0
            yield Add(number, literal, weight, each.bound, is_first, is_last)
            if not is_last:
                yield from self._refute_early(number)

    def _refute_early(self, number: int) -> Iterator[Stage]:
        """Yield the constraints that an unfinished sum may violate by what it has reached."""
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
