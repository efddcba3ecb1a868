"""Clauses that Clark's completion lacks: against unfounded loops of atoms and cycles of edges.

There may be exponentially many such clauses, so a clause is added only once a model violates it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import (
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from dataclasses import field
from itertools import chain, product

import numpy as np

from asplan.core.dataclass import dataclass
from asplan.core.graphs import components_of
from asplan.engines.sat.completion import (
    Completion,
    GroundStep,
    Numbers,
    ragged,
)
from asplan.engines.sat.sums import Weighted


@dataclass(frozen=True)
class SupportClause:
    """The body of a rule whose head is in a positive cycle.

    A plain body is a sum whose literals weigh 1 and must all be true.

    Attributes
    ----------
    inside
        The positive body literals that are atoms of the cycle, with their weights.
    outside
        The other body literals, with their weights.
    least
        The body is true if its true literals weigh at least this much.
    literal
        The solver's literal of the body.
    """

    inside: Weighted
    outside: Weighted
    least: int
    literal: int


Cycle = dict[
    int, list[SupportClause]
]  # the supports of each atom of a strongly connected component


@dataclass
class Cycles:
    """The positive cycles of a program, and their loop formulas.

    A loop is a set of atoms that depend positively on each other. Its loop formula excludes models
    in which these atoms support only each other: an atom of the loop may be true only if a body of
    one of its atoms is true without atoms of the loop (Lin and Zhao, ASSAT, 2004).
    """

    completion: Completion
    _cycles: list[Cycle] = field(default_factory=list)

    def add(
        self,
        step: GroundStep,
        truth: Numbers,
    ) -> None:
        """Add the positive cycles of a step; `truth` has the solver literal of each plain body."""
        pairs = _dependencies(step)
        # Mostly each head has a greater number than the atoms in its bodies: then no cycle exists.
        if np.all(pairs[:, 1] < pairs[:, 0]):
            return
        cycle_of: dict[int, Cycle] = {}
        for part in _cyclic_components(_core(pairs)):
            cycle: Cycle = {atom: [] for atom in part}
            cycle_of.update(dict.fromkeys(cycle, cycle))
            self._cycles.append(cycle)
        self._add_plain_supports(step, truth, cycle_of)
        for _, head, least, weighted in step.sums:
            for atom in cycle_of.keys() & head:
                literal = self.completion.weighs(least, weighted)
                _add_support(cycle_of[atom], atom, weighted, least, literal)

    def _add_plain_supports(
        self,
        step: GroundStep,
        truth: Numbers,
        cycle_of: Mapping[int, Cycle],
    ) -> None:
        """Add the plain bodies of atoms in cycles; `cycle_of` maps an atom to its cycle."""
        in_cycle = np.isin(step.head, [*cycle_of])
        for place in np.nonzero(in_cycle)[0]:
            atom = int(step.head[place])
            rule = step.of[place]
            start = step.start[rule]
            end = start + step.size[rule]
            body = set(step.body[start:end].tolist())
            weighted = [(number, 1) for number in body]
            literal = int(truth[rule])
            _add_support(cycle_of[atom], atom, weighted, len(weighted), literal)

    def violated(self, model: Set[int]) -> Iterator[list[int]]:
        """Yield the loop formulas that a model violates, as clauses.

        `model` is the set of true literals of the solver.
        """
        for cycle in self._cycles:
            true = [atom for atom in cycle if self.completion.literal(atom) in model]
            if unfounded := self._unfounded(cycle, true, model):
                yield from self._formulas(cycle, unfounded, model)

    def _unfounded(
        self,
        cycle: Cycle,
        true: list[int],
        model: Set[int],
    ) -> list[int]:
        """Return the true atoms of a cycle that are only supported by each other.

        `true` has all true atoms of the cycle.
        """
        foundation = _Foundation()
        for atom in true:
            for support in cycle[atom]:
                if support.literal in model:
                    weight = self._true_weight(support.outside, model)
                    foundation.add(atom, support, support.least - weight)
        founded = foundation.atoms()
        return [atom for atom in true if atom not in founded]

    def _true_weight(
        self,
        weighted: Weighted,
        model: Set[int],
    ) -> int:
        literal = self.completion.literal
        return sum(weight for number, weight in weighted if literal(number) in model)

    def _formulas(
        self,
        cycle: Cycle,
        unfounded: Sequence[int],
        model: Set[int],
    ) -> Iterator[list[int]]:
        """Yield clauses: the loop formulas of the loops among `unfounded` atoms of a cycle.

        A loop that depends on another one of these loops is skipped. `model` has the true literals.
        """
        among = set(unfounded)
        after: dict[int, set[int]] = {}
        for atom in unfounded:
            true = (support.inside for support in cycle[atom] if support.literal in model)
            after[atom] = among.intersection(number for number, _ in chain.from_iterable(true))
        for loop in map(set, components_of(after)):
            if any(not after[atom] <= loop for atom in loop):
                continue
            supports = chain.from_iterable(cycle[atom] for atom in loop)
            outside = [self._without(support, loop) for support in supports]
            for atom in loop:
                yield [-self.completion.literal(atom), *outside]

    def _without(
        self,
        support: SupportClause,
        loop: Set[int],
    ) -> int:
        """Return a solver literal that is true if a body is true without any atom of a loop."""
        kept = [pair for pair in support.inside if pair[0] not in loop]
        if len(kept) == len(support.inside):
            return support.literal
        return self.completion.weighs(support.least, [*kept, *support.outside])


class _Foundation:
    """The computation of the atoms of a cycle that have well-founded support in a model.

    It has the true bodies of the cycle, each with the weight that is missing until its head is
    founded.
    """

    def __init__(self) -> None:
        self._heads: list[int] = []
        self._missing: list[int] = []
        # The bodies of each atom, by number, with its weight in them.
        self._readers: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._ready: list[int] = []

    def add(
        self,
        head: int,
        support: SupportClause,
        missing: int,
    ) -> None:
        """Add a true body of the rule for `head`.

        `missing` is the weight that founded atoms of the cycle have to contribute to the body.
        """
        if missing <= 0:
            self._ready.append(head)
        for atom, weight in support.inside:
            self._readers[atom].append((len(self._heads), weight))
        self._heads.append(head)
        self._missing.append(missing)

    def atoms(self) -> set[int]:
        """Return the atoms with well-founded support; call this once, as it uses the bodies up."""
        founded: set[int] = set()
        while self._ready:
            atom = self._ready.pop()
            if atom in founded:
                continue
            founded.add(atom)
            for number, weight in self._readers[atom]:
                self._missing[number] -= weight
                if self._missing[number] <= 0:
                    self._ready.append(self._heads[number])
        return founded


def _dependencies(step: GroundStep) -> Numbers:
    """Return pairs of a head atom and a positive atom in the body of its rule, as rows."""
    sizes = step.size[step.of]
    heads = np.repeat(step.head, sizes)
    starts = step.start[step.of]
    bodies = step.body[ragged(starts, sizes)]
    plain = np.column_stack([heads, bodies])[bodies > 0]
    sums: list[tuple[int, int]] = []
    for _, head, _, weighted in step.sums:
        positive = [number for number, _ in weighted if number > 0]
        sums += product(head, positive)
    in_sums = np.array(sums, np.int64).reshape(-1, 2)
    return np.append(in_sums, plain, axis=0)


def _core(pairs: Numbers) -> Numbers:
    """Drop most pairs of a head and a body atom that are on no cycle; return the other pairs.

    Each atom on a cycle is the head of one pair and the body atom of another. Pairs with other
    atoms are dropped, round by round, until a round drops less than half.
    """
    size = 3 * len(pairs)
    while 2 * len(pairs) < size:
        size = len(pairs)
        heads = pairs[:, 0]
        bodies = pairs[:, 1]
        pairs = pairs[np.isin(bodies, heads) & np.isin(heads, bodies)]
    return pairs


def _cyclic_components(pairs: Numbers) -> Iterator[list[int]]:
    """Yield the strongly connected components that have a cycle, as lists of atoms."""
    below: dict[int, set[int]] = defaultdict(set)
    for atom, number in pairs.tolist():
        below[atom].add(number)
    for part in components_of(below):
        if len(part) > 1 or part[0] in below[part[0]]:
            yield part


def _add_support(
    cycle: Cycle,
    atom: int,
    weighted: Weighted,
    least: int,
    literal: int,
) -> None:
    inside = [pair for pair in weighted if pair[0] in cycle]
    outside = [pair for pair in weighted if pair[0] not in cycle]
    cycle[atom].append(SupportClause(inside, outside, least, literal))


@dataclass
class Edges:
    """The edges of `#edge` statements; edges with true conditions must not form a cycle."""

    completion: Completion
    _edges: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, step: GroundStep) -> None:
        """Add the edges that a step has grounded."""
        for start, end, condition in step.edges:
            self._edges[start, end].append(self.completion.all_of(condition))

    def violated(self, model: Set[int]) -> Iterator[list[int]]:
        """Yield a clause that excludes a shortest cycle, for each component of a model's edges.

        `model` is the set of true literals of the solver. Without a cycle there is no clause.
        """
        present: dict[tuple[int, int], int] = {}
        for edge, literals in self._edges.items():
            true = [literal for literal in literals if literal in model]
            if true:
                present[edge] = true[-1]
        after: dict[int, list[int]] = {node: [] for node in chain.from_iterable(present)}
        for start, end in present:
            after[start].append(end)
        for part in components_of(after):
            if len(part) > 1 or part[0] in after[part[0]]:
                yield [-present[edge] for edge in _shortest_cycle(after, set(part))]


def _shortest_cycle(
    after: Mapping[int, list[int]],
    part: Set[int],
) -> Iterator[tuple[int, int]]:
    """Yield the edges of a shortest cycle through one node of a component, in reverse order.

    `after` maps a node to its successors, and `part` has the nodes of the component.
    """
    start = next(node for node in after if node in part)
    before: dict[int, int] = {}
    queue = deque([start])
    while start not in before:
        node = queue.popleft()
        for child in after[node]:
            if child in part and child not in before:
                before[child] = node
                queue.append(child)
    node = start
    while True:
        yield before[node], node
        node = before[node]
        if node == start:
            return
