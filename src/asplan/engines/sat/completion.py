"""Ground rules as clauses: Clark's completion, for the atoms of each ground call.

For a program without positive cycles the models of the completion are its answer sets (Fages,
Consistency of Clark's Completion and Existence of Stable Models, 1994). Where atoms support each
other in a cycle, or edges form one, a clause against that is added once a model violates it.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate

from clingo import TruthValue

from asplan.core.graphs import components, components_of
from asplan.engines.sat.solver import TRUE, Sat
from asplan.program.ground import Ground

Weighted = Sequence[tuple[int, int]]  # literals of a program, each with its weight


@dataclass
class Completion:
    """The atoms of a program as literals of a solver.

    An atom is true exactly if the body of one of its rules is; where that rule is a choice it may
    be. All its rules are there once a step is solved, but for those of an external atom.
    """

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
        for atom, those in bodies.items():
            self._define(atom, those)
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

    def add(self, ground: Ground) -> None:
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
        # clingo mostly numbers an atom after those that it rests on: then there is no cycle.
        if not suspicious:
            return
        cycle_of: dict[int, Cycle] = {}
        for part in components_of(below):
            if len(part) > 1 or part[0] in below[part[0]]:
                cycle: Cycle = {atom: [] for atom in part}
                cycle_of.update(dict.fromkeys(cycle, cycle))
                self._cycles.append(cycle)
        for _, head, body in ground.rules:
            for atom in cycle_of.keys() & head:
                pairs, literal = [(n, 1) for n in set(body)], self.completion.all_of(body)
                _add_support(cycle_of[atom], atom, pairs, len(pairs), literal)
        for _, head, least, weighted in ground.sums:
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

    def add(self, ground: Ground) -> None:
        for start, end, condition in ground.edges:
            self._edges[start, end].append(self.completion.all_of(condition))

    def violated(self, model: Set[int]) -> Iterator[list[int]]:
        """A clause for a shortest cycle in each strongly connected component."""
        present = {
            edge: literal
            for edge, literals in self._edges.items()
            for literal in literals
            if literal in model
        }
        nodes = list(dict.fromkeys(node for edge in present for node in edge))
        index = {node: n for n, node in enumerate(nodes)}
        after: list[list[int]] = [[] for _ in nodes]
        for start, end in present:
            after[index[start]].append(index[end])
        for part in components(after):
            if len(part) > 1 or part[0] in after[part[0]]:
                yield [-present[nodes[a], nodes[b]] for a, b in _shortest_cycle(after, set(part))]


def _shortest_cycle(after: list[list[int]], part: Set[int]) -> Iterator[tuple[int, int]]:
    """The edges of a shortest cycle through one node of a strongly connected component."""
    start = min(part)
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


def at_least(sat: Sat, value: int, weighted: Iterable[tuple[int, int]]) -> int:
    """A literal that is true exactly where the true ones of some literals weigh so much.

    The sum of the `weighted` pairs of a literal and its weight, above 0, becomes a decision
    diagram. A node (i, k) says that the literals from the i-th on weigh at least k: a choice by the
    i-th between two nodes of the next level, of which the one without implies the one with. With
    six clauses a node propagation finds all that follows (Eén and Sörensson, Translating
    Pseudo-Boolean Constraints into SAT, 2006). There are at most as many nodes as literals times
    the least value.
    """
    pairs = list(weighted)
    value -= sum(weight for literal, weight in pairs if literal == TRUE)
    pairs = sorted((p for p in pairs if abs(p[0]) != TRUE), key=lambda pair: -pair[1])
    left = [0, *accumulate(weight for _, weight in reversed(pairs))][::-1]

    def settled(level: int, wanted: int) -> bool:
        return wanted <= 0 or left[level] < wanted

    levels: list[list[int]] = [[value]]
    for level, (_, weight) in enumerate(pairs):
        open_ones = (wanted for wanted in levels[-1] if not settled(level, wanted))
        levels.append(sorted({w for wanted in open_ones for w in (wanted, wanted - weight)}))
    below: dict[int, int] = {}
    for level in range(len(levels) - 1, -1, -1):
        known: dict[tuple[int, int], int] = {}
        here: dict[int, int] = {}
        for wanted in levels[level]:
            if settled(level, wanted):
                here[wanted] = TRUE if wanted <= 0 else -TRUE
                continue
            literal, weight = pairs[level]
            both = below[wanted - weight], below[wanted]
            if both not in known:
                known[both] = _choice(sat, literal, *both)
            here[wanted] = known[both]
        below = here
    return below[value]


def _choice(sat: Sat, condition: int, then: int, otherwise: int) -> int:
    """A literal that is `then` where the condition holds, else `otherwise`, which implies it."""
    if then == otherwise:
        return then
    if then == TRUE and otherwise == -TRUE:
        return condition
    node = sat.new()
    for clause in (
        [-node, -condition, then],
        [-node, condition, otherwise],
        [-node, then],
        [node, -condition, -then],
        [node, condition, -otherwise],
        [node, -otherwise],
    ):
        if TRUE not in clause:
            sat.add([literal for literal in clause if literal != -TRUE])
    return node
