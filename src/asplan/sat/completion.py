"""Ground rules as clauses: Clark's completion, for the atoms of each ground call.

An atom is true exactly if the body of one of its rules is; where that rule is a choice it may be
true. For a program without positive circles the models of these clauses are its answer sets (Fages,
Consistency of Clark's Completion and Existence of Stable Models, 1994); `unfounded` does the rest.

Which atoms a step can have rules for is settled once it is solved: clingo's multi-shot solving
wants all rules of an atom in one step. Only an external atom may be defined later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from clingo import TruthValue

from asplan.asp.ground import Ground
from asplan.sat.solver import TRUE, Sat
from asplan.sat.sums import at_least


@dataclass
class Completion:
    """The atoms of a program as literals of a solver."""

    sat: Sat
    _literals: dict[int, int] = field(default_factory=dict)
    _bodies: dict[frozenset[int], int] = field(default_factory=dict)
    _unsettled: list[int] = field(default_factory=list)

    def literal(self, number: int) -> int:
        """The literal of the solver for one of the program."""
        known = self._literals.get(number)
        if known is not None:
            return known
        atom = abs(number)
        self._unsettled.append(atom)
        self._name(atom, self.sat.new())
        return self._literals[number]

    def all_of(self, numbers: Iterable[int]) -> int:
        """A literal that is true exactly where all these literals of the program are."""
        key = frozenset(map(self.literal, numbers)) - {TRUE}
        if -TRUE in key:
            return -TRUE
        if len(key) < 2:
            return next(iter(key), TRUE)
        known = self._bodies.get(key)
        if known is None:
            known = self._bodies[key] = self.sat.new()
            for literal in key:
                self.sat.add([-known, literal])
            self.sat.add([known, *(-literal for literal in key)])
        return known

    def weighs(self, least: int, weighted: Iterable[tuple[int, int]]) -> int:
        """A literal that is true exactly where the true ones of some literals weigh so much."""
        return at_least(self.sat, least, ((self.literal(n), weight) for n, weight in weighted))

    def add(self, ground: Ground) -> None:
        """Add the clauses of a completed step."""
        self._bodies.clear()
        bodies: dict[int, list[tuple[bool, int]]] = defaultdict(list)
        for choice, head, least, weighted in ground.sums:
            literal = self.weighs(least, weighted)
            if not head:
                self.sat.add([-literal])
            for atom in head:
                bodies[atom].append((choice, literal))
        for choice, head, body in ground.rules:
            literal = self.all_of(body)
            for atom in head:
                bodies[atom].append((choice, literal))
        for atom, ways in bodies.items():
            self._define(atom, ways)
        literals, add = self._literals, self.sat.add
        for body in ground.constraints:
            try:
                add([-literals[number] for number in body])
            except KeyError:
                add([-self.literal(number) for number in body])

    def settle(self, ground: Ground) -> None:
        """Make false what no rule defines, but externals; a released one is false for good."""
        for atom in self._unsettled:
            if atom not in ground.defined and atom not in ground.externals:
                self.sat.add([-self.literal(atom)])
        for atom, value in ground.externals.items():
            if value == TruthValue.Release:
                self.sat.add([-self.literal(atom)])
        self._unsettled.clear()

    def _define(self, atom: int, bodies: list[tuple[bool, int]]) -> None:
        """Make an atom what its bodies are; with a single one it needs no variable of its own."""
        if len(bodies) == 1 and not bodies[0][0] and atom not in self._literals:
            self._name(atom, bodies[0][1])
            return
        own = self.literal(atom)
        for choice, literal in bodies:
            if not choice:
                self.sat.add([own, -literal])
        self.sat.add([-own, *(literal for _, literal in bodies)])

    def _name(self, atom: int, literal: int) -> None:
        self._literals[atom], self._literals[-atom] = literal, -literal
