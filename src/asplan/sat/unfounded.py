"""Positive circles: atoms may not support each other alone.

In a model of the completion atoms of a circle can be true because of each other. Then a *loop
formula* is added: an atom of that loop is true only if a body is that does not need the loop (Lin
and Zhao, ASSAT: computing answer sets of a logic program by SAT solvers, 2004). There may be
exponentially many of them, so only those that a model has violated are written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Set
from dataclasses import dataclass, field

from asplan.asp.ground import Ground
from asplan.graphs import components
from asplan.sat.completion import Completion


@dataclass(frozen=True)
class Support:
    """A body of an atom in a circle.

    Attributes
    ----------
    inside
        Its positive atoms in the same circle, each with its weight.
    outside
        All other literals of the program in it, each with its weight.
    least
        How much the true ones have to weigh.
    literal
        The literal of the solver that is true where the body is.
    """

    inside: tuple[tuple[int, int], ...]
    outside: tuple[tuple[int, int], ...]
    least: int
    literal: int


@dataclass
class Circles:
    """The circles of a program: for each of them the supports of its atoms."""

    completion: Completion
    _circles: list[dict[int, list[Support]]] = field(default_factory=list)

    def add(self, ground: Ground) -> None:
        """Look for circles among the rules of a completed step."""
        below: dict[int, set[int]] = defaultdict(set)
        suspicious = False
        for _, head, body in ground.rules:
            highest = max(body, default=0)
            for atom in head:
                below[atom].update(body)
                suspicious |= highest >= atom
        for _, head, _, weighted in ground.sums:
            for atom in head:
                below[atom].update(number for number, _ in weighted)
                suspicious |= any(number >= atom for number, _ in weighted)
        # clingo mostly numbers an atom after those that it rests on: then there is no circle.
        if suspicious:
            self._find(ground, below)

    def _find(self, ground: Ground, below: dict[int, set[int]]) -> None:
        atoms = list(below)
        index = {atom: n for n, atom in enumerate(atoms)}
        after = [[index[b] for b in below[atom] if b in index] for atom in atoms]
        member: dict[int, dict[int, list[Support]]] = {}
        for part in components(after):
            if len(part) > 1 or part[0] in after[part[0]]:
                circle: dict[int, list[Support]] = {atoms[n]: [] for n in part}
                member.update(dict.fromkeys(circle, circle))
                self._circles.append(circle)
        for _, head, body in ground.rules:
            for atom in head:
                if circle := member.get(atom, {}):
                    literal = self.completion.all_of(body)
                    self._support(circle, atom, [(n, 1) for n in set(body)], None, literal)
        for _, head, least, weighted in ground.sums:
            for atom in head:
                if circle := member.get(atom, {}):
                    literal = self.completion.weighs(least, weighted)
                    self._support(circle, atom, list(weighted), least, literal)

    def _support(
        self,
        circle: dict[int, list[Support]],
        atom: int,
        weighted: list[tuple[int, int]],
        least: int | None,
        literal: int,
    ) -> None:
        inside = tuple(pair for pair in weighted if pair[0] in circle)
        outside = tuple(pair for pair in weighted if pair[0] not in circle)
        least = len(weighted) if least is None else least
        circle[atom].append(Support(inside, outside, least, literal))

    def violated(self, model: Set[int]) -> Iterator[list[int]]:
        """The loop formulas, as clauses, that a model of the solver violates."""
        for circle in self._circles:
            true = [atom for atom in circle if self.completion.literal(atom) in model]
            unfounded = self._unfounded(circle, true, model)
            if unfounded:
                yield from self._formulas(circle, unfounded, model)

    def _unfounded(
        self, circle: dict[int, list[Support]], true: list[int], model: Set[int]
    ) -> list[int]:
        """The true atoms of a circle that no chain of supports reaches."""
        readers: dict[int, list[tuple[int, int]]] = defaultdict(list)
        missing: list[int] = []
        heads: list[int] = []
        founded: set[int] = set()
        left: list[int] = []
        for atom in true:
            for support in circle[atom]:
                if support.literal not in model:
                    continue
                weight = sum(w for n, w in support.outside if self.completion.literal(n) in model)
                if weight >= support.least:
                    left.append(atom)
                for n, w in support.inside:
                    readers[n].append((len(heads), w))
                heads.append(atom)
                missing.append(support.least - weight)
        while left:
            atom = left.pop()
            if atom in founded:
                continue
            founded.add(atom)
            for number, weight in readers[atom]:
                missing[number] -= weight
                if missing[number] <= 0:
                    left.append(heads[number])
        return [atom for atom in true if atom not in founded]

    def _formulas(
        self, circle: dict[int, list[Support]], unfounded: Collection[int], model: Set[int]
    ) -> Iterator[list[int]]:
        """Formulas of those loops of unfounded atoms that rest on no other one."""
        atoms = list(unfounded)
        index = {atom: n for n, atom in enumerate(atoms)}
        after = [
            [
                index[n]
                for support in circle[atom]
                if support.literal in model
                for n, _ in support.inside
                if n in index
            ]
            for atom in atoms
        ]
        for part in components(after):
            if any(n not in part for node in part for n in after[node]):
                continue
            loop = {atoms[n] for n in part}
            outside = [self._without(s, loop) for atom in loop for s in circle[atom]]
            for atom in loop:
                yield [-self.completion.literal(atom), *outside]

    def _without(self, support: Support, loop: Set[int]) -> int:
        """A literal that is true where a body is even without the atoms of a loop."""
        kept = [pair for pair in support.inside if pair[0] not in loop]
        if len(kept) == len(support.inside):
            return support.literal
        weighted = [*kept, *support.outside]
        return self.completion.weighs(support.least, weighted)
