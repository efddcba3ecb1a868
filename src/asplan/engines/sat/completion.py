"""Ground rules as clauses: Clark's completion, for the atoms of each ground call.

For a program without positive cycles the models of the completion are its answer sets (Fages,
Consistency of Clark's Completion and Existence of Stable Models, 1994). Where atoms support each
other in a cycle, or edges form one, a clause against that is added once a model violates it.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
from clingo import TruthValue
from numpy.typing import NDArray

from asplan.core.graphs import components, components_of
from asplan.engines.sat.grounded import Grounded, Numbers, Step, ragged
from asplan.engines.sat.solver import TRUE, Sat

Weighted = Sequence[tuple[int, int]]  # literals of a program, each with its weight


@dataclass
class Completion:
    """The atoms of a program as literals of a solver.

    An atom is true exactly if the body of one of its rules is; where that rule is a choice it may
    be. All its rules are there once a step is solved, but for those of an external atom.
    """

    sat: Sat
    _known: Numbers = field(default_factory=lambda: np.zeros(1, np.int64))
    _bodies: dict[frozenset[int], int] = field(default_factory=dict)
    _unsettled: list[int] = field(default_factory=list)

    def literal(self, number: int) -> int:
        """The literal of the solver for one of the program."""
        atom = abs(number)
        self._make_room(atom)
        if not self._known[atom]:
            self._known[atom] = self.sat.new()
            self._unsettled.append(atom)
        return int(self._known[atom]) * (-1 if number < 0 else 1)

    def literals(self, numbers: Numbers) -> Numbers:
        """The same for many literals of the program."""
        atoms = np.abs(numbers)
        self._unsettled += self._name(atoms).tolist()
        return np.where(numbers < 0, -1, 1) * self._known[atoms]

    def _name(self, atoms: Numbers) -> Numbers:
        """Give those atoms a variable that have none, and return them."""
        self._make_room(atoms.max(initial=0))
        new = np.unique(atoms[self._known[atoms] == 0])
        self._known[new] = self.sat.new_ones(len(new))
        return new

    def _make_room(self, atom: int) -> None:
        if atom >= len(self._known):
            self._known = np.append(self._known, np.zeros(atom, np.int64))

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

    def add(self, step: Step) -> Numbers:
        """Add the clauses of a completed step, and return a literal for the body of each rule."""
        self._bodies.clear()
        sums = [(choice, head, self.weighs(least, w)) for choice, head, least, w in step.sums]
        truth = self._bodies_of(step)
        for _, head, literal in sums:
            if not head:
                self.sat.add([-literal])
        pairs = [(atom, choice, literal) for choice, head, literal in sums for atom in head]
        atoms, choices, literals = np.array(pairs, np.int64).reshape(-1, 3).T
        self._define(
            np.append(step.head, atoms),
            np.append(step.choice[step.of], choices == 1),
            np.append(truth[step.of], literals),
        )
        return truth

    def _bodies_of(self, step: Step) -> Numbers:
        """A literal for each body, which is true exactly where it is; a constraint is a clause."""
        values, count = self.literals(step.body), len(step.size)
        for length in np.unique(step.size[step.is_constraint]):
            which = step.is_constraint & (step.size == length)
            self.sat.add_all(-_rows(values, step.start[which], length))
        kept = (values != TRUE) & ~step.is_constraint[step.rule]
        values, rule = values[kept], step.rule[kept]
        size = np.bincount(rule, minlength=count)
        start, truth = np.cumsum(size) - size, np.full(count, TRUE)
        truth[rule] = values
        same = np.arange(count)
        for length in np.unique(size[size > 1]):
            (which,) = np.nonzero(size == length)
            rows = np.sort(_rows(values, start[which], length))
            same[which] = which[_first_equal(rows)]
        (long,) = np.nonzero(size > 1)
        first = np.unique(same[long])
        truth[first] = self.sat.new_ones(len(first))
        for length in np.unique(size[first]):
            which = first[size[first] == length]
            rows, own = _rows(values, start[which], length), truth[which]
            self.sat.add_all(np.column_stack([np.repeat(-own, length), rows.ravel()]))
            self.sat.add_all(np.column_stack([own, -rows]))
        truth[long] = truth[same[long]]
        return truth

    def _define(self, atoms: Numbers, choices: NDArray[np.bool_], bodies: Numbers) -> None:
        """Make each atom what its bodies are; with a single one it needs no variable of its own."""
        order = np.argsort(atoms, kind="stable")
        atoms, choices, bodies = atoms[order], choices[order], bodies[order]
        each, start, count = np.unique(atoms, return_index=True, return_counts=True)
        self._make_room(each.max(initial=0))
        alone = (count == 1) & ~choices[start] & (self._known[each] == 0)
        self._known[each[alone]] = bodies[start[alone]]
        each, start, count = each[~alone], start[~alone], count[~alone]
        self._name(each)
        derived = ~choices & np.isin(atoms, each)
        self.sat.add_all(np.column_stack([self._known[atoms[derived]], -bodies[derived]]))
        for size in np.unique(count):
            which = count == size
            rows = _rows(bodies, start[which], size)
            self.sat.add_all(np.column_stack([-self._known[each[which]], rows]))

    def settle(self, ground: Grounded) -> None:
        """Make false what no rule defines, but externals; a released one is false for good."""
        for atom in self._unsettled:
            if atom not in ground.defined and atom not in ground.externals:
                self.sat.add([-self.literal(atom)])
        for atom, value in ground.externals.items():
            if value == TruthValue.Release:
                self.sat.add([-self.literal(atom)])
        self._unsettled.clear()


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


def _rows(values: Numbers, starts: Numbers, length: int) -> Numbers:
    """The pieces of an array that start there and are so long, as rows."""
    rows: Numbers = values[starts[:, None] + np.arange(length)]
    return rows


def _first_equal(rows: Numbers) -> Numbers:
    """For each row the first one with the same numbers."""
    factors = np.random.default_rng(0).integers(1, 2**62, rows.shape[1])
    _, first, equal = np.unique(rows @ factors, return_index=True, return_inverse=True)
    found: Numbers = first[equal]
    if np.array_equal(rows[found], rows):
        return found
    _, first, equal = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first[equal]


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
