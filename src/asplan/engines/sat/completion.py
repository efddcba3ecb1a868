"""What clingo grounds, read a step at a time, and as clauses: Clark's completion.

An observer in Python is called for each rule, which takes longer than to ground it. clingo's own
writer of *aspif* (Kaminski, Schaub and Wanko, A Tutorial on Hybrid Answer Set Solving with clingo,
2017) is quick, and its numbers are read in bulk. The few things that have a symbol are observed.

For a program without positive cycles the models of the completion are its answer sets (Fages,
Consistency of Clark's Completion and Existence of Stable Models, 1994). Where atoms support each
other in a cycle, or edges form one, `cycles` has a clause against that once a model violates it.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import numpy as np
from clingo import BackendType, Control, TruthValue
from numpy.typing import NDArray

from asplan.engines.sat.solver import TRUE, Sat
from asplan.engines.sat.sums import Diagram, Weighted
from asplan.program.ground import Shown, Sum

Numbers = NDArray[np.int64]
Edge = tuple[int, int, Sequence[int]]  # from node to node, under these literals

_RULE, _EDGE = b"1 ", b"8 "  # how their lines begin


class Step:
    """The rules of a step with plain bodies, numbered from 0, and its sums and edges.

    Rule i has `size[i]` literals in its body, which follow each other in `body`, from `start[i]`
    on; `rule` has the rule of each. `head` has the heads of all rules, and `of` the rule of each.
    """

    def __init__(self, lines: Sequence[bytes]) -> None:
        rules = [line for line in lines if line.startswith(_RULE)]
        lengths = np.fromiter((line.count(b" ") + 1 for line in rules), np.int64, len(rules))
        values = np.fromstring(b"\n".join(rules).decode(), np.int64, sep=" ")
        starts = np.cumsum(lengths) - lengths
        heads = values[starts + 2]
        plain = values[starts + 3 + heads] == 0
        self.disjunctive = bool(np.any((heads > 1) & (values[starts + 1] == 0)))
        spans = starts[~plain], np.append(starts[1:], len(values))[~plain]
        self.sums = [_sum(values[a:b].tolist()) for a, b in zip(*spans, strict=True)]
        starts, heads = starts[plain], heads[plain]
        self.choice = values[starts + 1] == 1
        self.head = values[ragged(starts + 3, heads)]
        self.of = np.repeat(np.arange(len(starts)), heads)
        self.is_constraint = heads == 0
        self.size = values[starts + 4 + heads]
        self.body = values[ragged(starts + 5 + heads, self.size)]
        self.start = np.cumsum(self.size) - self.size
        self.rule = np.repeat(np.arange(len(starts)), self.size)
        edges = ([*map(int, line.split())] for line in lines if line.startswith(_EDGE))
        self.edges: list[Edge] = [(edge[1], edge[2], edge[4:]) for edge in edges]


def _sum(numbers: Sequence[int]) -> Sum:
    """A rule whose body has weights, from the numbers of its line."""
    body = 3 + numbers[2]
    pairs = list(zip(numbers[body + 3 :: 2], numbers[body + 4 :: 2], strict=True))
    return numbers[1] == 1, numbers[3:body], numbers[body + 1], pairs


def ragged(starts: Numbers, lengths: Numbers) -> Numbers:
    """The indices of pieces of an array one after the other, each with its start and length."""
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)


def _written_by(control: Control) -> BinaryIO:
    """What clingo will write, in a file of the memory, or else one that soon has no name."""
    if hasattr(os, "memfd_create"):
        number = os.memfd_create("steps.aspif")
        control.register_backend(BackendType.Aspif, f"/proc/self/fd/{number}")
        return os.fdopen(number, "rb")
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder, "steps.aspif")
        control.register_backend(BackendType.Aspif, str(path))
        return path.open("rb")


class Grounded(Shown):
    """What a control grounds from now on.

    `step` reads the rules that were not read yet, after a solve call. `defined` are the atoms that
    are in the head of a rule so far, `externals` the values of those that no rule has defined.
    """

    def __init__(self, control: Control) -> None:
        super().__init__()
        self.externals: dict[int, TruthValue] = {}
        self.defined: set[int] = set()
        self._control = control
        self._file = _written_by(control)
        control.register_observer(self)

    def step(self) -> Step:
        """The step that is complete; raises `MemoryError` where it could not be written.

        Where clingo has seen that it contradicts itself, some of it is missing.
        """
        *lines, rest = self._file.read().split(b"\n")
        if (rest or lines[-1:] not in ([b"0"], [])) and not self.contradicts:
            raise MemoryError
        step = Step(lines)
        self.defined.update(step.head.tolist(), *(head for _, head, _, _ in step.sums))
        for atom in self.defined.intersection(self.externals):
            del self.externals[atom]
        return step

    @property
    def contradicts(self) -> bool:
        """Whether clingo has seen that what it has grounded has no answer set, nor will have."""
        return self._control.is_conflicting

    def clear(self) -> None:
        """Forget what was shown, and what was released."""
        self.shown.clear()
        self.terms.clear()
        for atom in [a for a, value in self.externals.items() if value == TruthValue.Release]:
            del self.externals[atom]

    def external(self, atom: int, value: TruthValue) -> None:
        self.externals[atom] = value


@dataclass
class Completion:
    """The atoms of a program as literals of a solver.

    An atom is true exactly if the body of one of its rules is; where that rule is a choice it may
    be. All its rules are there once a step is solved, but for those of an external atom.
    """

    sat: Sat
    _known: Numbers = field(default_factory=lambda: np.zeros(1, np.int64))
    _bodies: dict[frozenset[int], int] = field(default_factory=dict)
    _sums: dict[Weighted, Diagram] = field(default_factory=dict)
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
        key = tuple(weighted)
        if key not in self._sums:  # gringo writes a sum for each of its bounds
            own = [(self.literal(number), weight) for number, weight in key]
            self._sums[key] = Diagram(self.sat, own)
        return self._sums[key].at_least(least)

    def add(self, step: Step) -> Numbers:
        """Add the clauses of a completed step, and return a literal for the body of each rule."""
        self._bodies.clear()
        self._sums.clear()
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
