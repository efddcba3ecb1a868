"""What the completion leaves out: atoms may not support each other in a cycle, nor edges form one.

Clauses for all cycles would be too many, so they are made once a model violates them.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from asplan.core.graphs import components_of
from asplan.engines.sat.completion import Completion, Numbers, Step, ragged
from asplan.engines.sat.sums import Weighted


@dataclass(frozen=True)
class Support:
    """A body of an atom in a cycle: its positive atoms there and its other literals."""

    inside: Weighted
    outside: Weighted
    least: int
    literal: int


Cycle = dict[int, list[Support]]  # the supports of each atom of a strongly connected component


@dataclass
class Cycles:
    """The positive cycles of a program, whose atoms may not support each other alone.

    Where they do in a model, a *loop formula* is added: an atom of that loop is true only if a body
    is that does not need the loop (Lin and Zhao, ASSAT, 2004). There may be exponentially many.
    """

    completion: Completion
    _cycles: list[Cycle] = field(default_factory=list)

    def add(self, step: Step, truth: Numbers) -> None:
        """Find the cycles of a step, where `truth` has a literal for the body of each rule."""
        sizes = step.size[step.of]
        heads = np.repeat(step.head, sizes)
        bodies = step.body[ragged(step.start[step.of], sizes)]
        sums = ((atom, n) for _, head, _, w in step.sums for atom in head for n, _ in w if n > 0)
        pairs = np.array([*sums], np.int64).reshape(-1, 2)
        pairs = np.append(pairs, np.column_stack([heads, bodies])[bodies > 0], axis=0)
        # clingo mostly numbers an atom after those that it rests on: then there is no cycle.
        if np.all(pairs[:, 1] < pairs[:, 0]):
            return
        # In a cycle is only what rests on something, and on which something rests.
        size = 3 * len(pairs)
        while 2 * len(pairs) < size:
            size = len(pairs)
            pairs = pairs[np.isin(pairs[:, 1], pairs[:, 0]) & np.isin(pairs[:, 0], pairs[:, 1])]
        below: dict[int, set[int]] = defaultdict(set)
        for atom, number in pairs.tolist():
            below[atom].add(number)
        cycle_of: dict[int, Cycle] = {}
        for part in components_of(below):
            if len(part) > 1 or part[0] in below[part[0]]:
                cycle: Cycle = {atom: [] for atom in part}
                cycle_of.update(dict.fromkeys(cycle, cycle))
                self._cycles.append(cycle)
        for at in np.nonzero(np.isin(step.head, [*cycle_of]))[0]:
            atom, rule = int(step.head[at]), step.of[at]
            body = {*step.body[step.start[rule] :][: step.size[rule]].tolist()}
            among = [(number, 1) for number in body]
            _add_support(cycle_of[atom], atom, among, len(among), int(truth[rule]))
        for _, head, least, weighted in step.sums:
            for atom in cycle_of.keys() & head:
                literal = self.completion.weighs(least, weighted)
                _add_support(cycle_of[atom], atom, weighted, least, literal)

    def violated(self, model: Set[int]) -> Iterator[list[int]]:
        """The loop formulas, as clauses, that a model of the solver violates."""
        for cycle in self._cycles:
            true = [atom for atom in cycle if self.completion.literal(atom) in model]
            if unfounded := self._unfounded(cycle, true, model):
                yield from self._formulas(cycle, unfounded, model)

    def _unfounded(self, cycle: Cycle, true: list[int], model: Set[int]) -> list[int]:
        """The true atoms of a cycle that no chain of supports reaches."""
        readers: dict[int, list[tuple[int, int]]] = defaultdict(list)
        missing: list[int] = []
        heads: list[int] = []
        founded: set[int] = set()
        left: list[int] = []
        for atom in true:
            for support in cycle[atom]:
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
        self, cycle: Cycle, unfounded: Sequence[int], model: Set[int]
    ) -> Iterator[list[int]]:
        """Formulas of those loops of unfounded atoms that rest on no other one."""
        after, among = dict[int, set[int]](), set(unfounded)
        for atom in unfounded:
            true = (support for support in cycle[atom] if support.literal in model)
            after[atom] = {n for support in true for n, _ in support.inside} & among
        for loop in map(set, components_of(after)):
            if any(not after[atom] <= loop for atom in loop):
                continue
            outside = [self._without(s, loop) for atom in loop for s in cycle[atom]]
            for atom in loop:
                yield [-self.completion.literal(atom), *outside]

    def _without(self, support: Support, loop: Set[int]) -> int:
        """A literal that is true where a body is even without the atoms of a loop."""
        kept = [pair for pair in support.inside if pair[0] not in loop]
        if len(kept) == len(support.inside):
            return support.literal
        return self.completion.weighs(support.least, [*kept, *support.outside])


def _add_support(cycle: Cycle, atom: int, weighted: Weighted, least: int, literal: int) -> None:
    inside = [pair for pair in weighted if pair[0] in cycle]
    outside = [pair for pair in weighted if pair[0] not in cycle]
    cycle[atom].append(Support(inside, outside, least, literal))


@dataclass
class Edges:
    """What `#edge` says: the edges whose conditions hold may not form a cycle."""

    completion: Completion
    _edges: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, step: Step) -> None:
        for start, end, condition in step.edges:
            self._edges[start, end].append(self.completion.all_of(condition))

    def violated(self, model: Set[int]) -> Iterator[list[int]]:
        """A clause for a shortest cycle in each strongly connected component."""
        present = {
            edge: literal
            for edge, literals in self._edges.items()
            for literal in literals
            if literal in model
        }
        after: dict[int, list[int]] = {node: [] for edge in present for node in edge}
        for start, end in present:
            after[start].append(end)
        for part in components_of(after):
            if len(part) > 1 or part[0] in after[part[0]]:
                yield [-present[edge] for edge in _shortest_cycle(after, set(part))]


def _shortest_cycle(after: Mapping[int, list[int]], part: Set[int]) -> Iterator[tuple[int, int]]:
    """The edges of a shortest cycle through one node of a strongly connected component."""
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
