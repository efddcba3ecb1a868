"""Clark's completion of a ground program, as clauses, step by step.

An atom of the completion is true if and only if the body of one of its rules is. For a program
without positive cycles the models of the completion are its answer sets (Fages, Consistency of
Clark's Completion and Existence of Stable Models, 1994). For other programs, `cycles` adds clauses.

The ground rules come as text in *aspif*, clingo's format of ground programs (Kaminski, Schaub and
Wanko, A Tutorial on Hybrid Answer Set Solving with clingo, 2017), and numpy parses its numbers in
bulk. A Python observer would be called for each rule, which takes longer than grounding it. Only
statements with symbols are observed.
"""

from __future__ import annotations

import os
from collections.abc import (
    Collection,
    Iterable,
    Sequence,
)
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from asplan.clingo import BackendType, Control, TruthValue
from asplan.engines.sat.solver import TRUE, Sat
from asplan.engines.sat.sums import Diagram, Weighted
from asplan.program.ground import Shown, Sum

Numbers = NDArray[np.int64]
Edge = tuple[int, int, Sequence[int]]  # two nodes, and the literals under which the edge exists

_RULE = b"1 "  # begins the lines of rules
_EDGE = b"8 "  # begins the lines of edges


class GroundStep:
    """The ground rules of a step, from lines in the format aspif.

    A plain body is a conjunction of literals; the other bodies are sums. The rules with plain
    bodies are numbered from 0, and stored in flat arrays.

    Attributes
    ----------
    body
        The literals of all plain bodies, one body after the other.
    start, size
        For each rule: the index of its first literal in `body`, and the number of its literals.
    rule
        For each literal in `body`: the number of its rule.
    head, of
        The head atoms of all rules, and for each of them the number of its rule.
    choice, is_constraint
        For each rule: whether it is a choice rule, and whether it has no head.
    sums
        The rules whose bodies are sums.
    edges
        The `#edge` statements, with their conditions.
    disjunctive
        True if a rule has a disjunction in its head.
    """

    def __init__(self, lines: Sequence[bytes]) -> None:
        rules = [line for line in lines if line.startswith(_RULE)]
        counts = (line.count(b" ") + 1 for line in rules)
        lengths = np.fromiter(counts, np.int64, len(rules))
        text = b"\n".join(rules).decode()
        values = np.fromstring(text, np.int64, sep=" ")
        starts = np.cumsum(lengths) - lengths
        choices = values[starts + 1]
        heads = values[starts + 2]
        body_kinds = values[starts + 3 + heads]
        plain = body_kinds == 0
        has_disjunction = (heads > 1) & (choices == 0)
        self.disjunctive = bool(np.any(has_disjunction))
        ends = np.append(starts[1:], len(values))
        spans = zip(starts[~plain], ends[~plain], strict=True)
        self.sums = [_sum(values[start:end].tolist()) for start, end in spans]
        starts = starts[plain]
        heads = heads[plain]
        numbers = np.arange(len(starts))
        self.choice = choices[plain] == 1
        self.head = values[ragged(starts + 3, heads)]
        self.of = np.repeat(numbers, heads)
        self.is_constraint = heads == 0
        bodies = starts + 3 + heads
        self.size = values[bodies + 1]
        self.body = values[ragged(bodies + 2, self.size)]
        self.start = np.cumsum(self.size) - self.size
        self.rule = np.repeat(numbers, self.size)
        self.edges = [_edge(line) for line in lines if line.startswith(_EDGE)]


def _edge(line: bytes) -> Edge:
    numbers = [*map(int, line.split())]
    return numbers[1], numbers[2], numbers[4:]


def _sum(numbers: Sequence[int]) -> Sum:
    """Return a rule whose body is a sum of weighted literals, from its line in aspif."""
    is_choice = numbers[1] == 1
    body = 3 + numbers[2]
    head = numbers[3:body]
    least = numbers[body + 1]
    literals = numbers[body + 3 :: 2]
    weights = numbers[body + 4 :: 2]
    return is_choice, head, least, list(zip(literals, weights, strict=True))


def ragged(
    starts: Numbers,
    lengths: Numbers,
) -> Numbers:
    """Return the indices of several slices of an array, one slice after the other.

    `ragged([5, 9], [2, 3])` -> `[5, 6, 9, 10, 11]`.
    """
    ends = np.cumsum(lengths)
    total = ends[-1] if len(ends) else 0
    shifts = starts - ends + lengths
    return np.repeat(shifts, lengths) + np.arange(total)


def _open_aspif(control: Control) -> BinaryIO:
    """Let a control write its ground rules as aspif; return the file, opened for reading.

    The file is in memory; if the system has no such files, it is a temporary file.
    """
    if hasattr(os, "memfd_create"):
        number = os.memfd_create("steps.aspif")
        control.register_backend(BackendType.Aspif, f"/proc/self/fd/{number}")
        return os.fdopen(number, "rb")
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder, "steps.aspif")
        control.register_backend(BackendType.Aspif, str(path))
        return path.open("rb")


class Grounded(Shown):
    """The ground program of a clingo control: all that is grounded after this object is made.

    Attributes
    ----------
    defined
        The atoms in heads of rules so far, as numbers of the ground program.
    externals
        The values of external atoms that are no heads of rules.
    """

    def __init__(self, control: Control) -> None:
        super().__init__()
        self.externals: dict[int, TruthValue] = {}
        self.defined: set[int] = set()
        self._control = control
        self._file = _open_aspif(control)
        control.register_observer(self)

    def step(self) -> GroundStep:
        """Return the ground rules since the last call; call it after clingo has solved.

        Some rules are missing if clingo has derived a contradiction. Raises `MemoryError` if clingo
        could not write all rules.
        """
        *lines, rest = self._file.read().split(b"\n")
        is_complete = not rest and lines[-1:] in ([b"0"], [])
        if not is_complete and not self.contradicts:
            raise MemoryError
        step = GroundStep(lines)
        self.defined.update(step.head.tolist())
        for _, head, _, _ in step.sums:
            self.defined.update(head)
        for atom in self.defined.intersection(self.externals):
            del self.externals[atom]
        return step

    @property
    def contradicts(self) -> bool:
        """True if clingo has derived that the program has no answer set and can never get one."""
        return self._control.is_conflicting

    def clear(self) -> None:
        """Forget the shown symbols and the released externals, which have been processed."""
        self.shown.clear()
        self.terms.clear()
        for atom in self.released():
            del self.externals[atom]

    def released(self) -> list[int]:
        """Return the external atoms that clingo has released: they are false from now on."""
        return [atom for atom, value in self.externals.items() if value == TruthValue.Release]

    def external(
        self,
        atom: int,
        value: TruthValue,
    ) -> None:
        """Record the value of an external atom; clingo calls this as an observer."""
        self.externals[atom] = value


@dataclass
class Completion:
    """Clark's completion of a program in a SAT solver, with a solver literal for each atom.

    An atom can be true only if the body of one of its rules is true; then it must be true, unless
    the rule is a choice rule. After a step has been solved, no later step adds rules for its atoms,
    except for external atoms.
    """

    sat: Sat
    _literals: Numbers = field(default_factory=lambda: np.zeros(1, np.int64))
    _bodies: dict[frozenset[int], int] = field(default_factory=dict)
    _sums: dict[Weighted, Diagram] = field(default_factory=dict)
    _unsettled: list[int] = field(default_factory=list)

    def literal(self, number: int) -> int:
        """Return the solver's literal for a literal of the ground program."""
        atom = abs(number)
        self._make_room(atom)
        if not self._literals[atom]:
            self._literals[atom] = self.sat.new()
            self._unsettled.append(atom)
        literal = int(self._literals[atom])
        return -literal if number < 0 else literal

    def literals(self, numbers: Numbers) -> Numbers:
        """Return the solver's literals for an array of literals of the ground program."""
        atoms = np.abs(numbers)
        self._unsettled += self._name(atoms).tolist()
        signs = np.where(numbers < 0, -1, 1)
        return signs * self._literals[atoms]

    def _name(self, atoms: Numbers) -> Numbers:
        """Make a solver variable for each atom that has none; return the atoms that got one."""
        self._make_room(atoms.max(initial=0))
        unnamed = self._literals[atoms] == 0
        new = np.unique(atoms[unnamed])
        self._literals[new] = self.sat.new_ones(len(new))
        return new

    def _make_room(self, atom: int) -> None:
        if atom >= len(self._literals):
            room = np.zeros(atom, np.int64)
            self._literals = np.append(self._literals, room)

    def all_of(self, numbers: Iterable[int]) -> int:
        """Return a solver literal that is equivalent to a conjunction of the program's literals."""
        key = frozenset(map(self.literal, numbers)) - {TRUE}
        if -TRUE in key:
            return -TRUE
        if len(key) < 2:
            return next(iter(key), TRUE)
        if key not in self._bodies:
            self._bodies[key] = self._conjunction(key)
        return self._bodies[key]

    def _conjunction(self, literals: Collection[int]) -> int:
        conjunction = self.sat.new()
        for literal in literals:
            self.sat.add([-conjunction, literal])
        self.sat.add([conjunction, *(-literal for literal in literals)])
        return conjunction

    def weighs(
        self,
        least: int,
        weighted: Iterable[tuple[int, int]],
    ) -> int:
        """Return a solver literal that is true if and only if a sum is at least `least`.

        The sum adds the weights of all true literals in `weighted`, which has literals of the
        ground program with their weights.
        """
        key = tuple(weighted)
        if key not in self._sums:  # gringo writes the same sum for each bound
            own = [(self.literal(number), weight) for number, weight in key]
            self._sums[key] = Diagram(self.sat, own)
        return self._sums[key].at_least(least)

    def add(self, step: GroundStep) -> Numbers:
        """Add the clauses of a complete step; return the solver literal of each plain rule body."""
        self._bodies.clear()
        self._sums.clear()
        definitions: list[tuple[int, bool, int]] = []
        constraints: list[int] = []
        for is_choice, head, least, weighted in step.sums:
            literal = self.weighs(least, weighted)
            definitions += [(atom, is_choice, literal) for atom in head]
            if not head:
                constraints.append(literal)
        truth = self._bodies_of(step)
        for literal in constraints:
            self.sat.add([-literal])
        atoms, choices, literals = np.array(definitions, np.int64).reshape(-1, 3).T
        self._define(
            np.append(step.head, atoms),
            np.append(step.choice[step.of], choices == 1),
            np.append(truth[step.of], literals),
        )
        return truth

    def _bodies_of(self, step: GroundStep) -> Numbers:
        """Return a solver literal for each plain body, and add a clause for each constraint."""
        values = self.literals(step.body)
        count = len(step.size)
        for length in np.unique(step.size[step.is_constraint]):
            chosen = step.is_constraint & (step.size == length)
            rows = _rows(values, step.start[chosen], length)
            self.sat.add_all(-rows)
        in_constraint = step.is_constraint[step.rule]
        kept = (values != TRUE) & ~in_constraint
        values = values[kept]
        rule = step.rule[kept]
        size = np.bincount(rule, minlength=count)
        start = np.cumsum(size) - size
        truth = np.full(count, TRUE)
        truth[rule] = values  # right for bodies of at most one literal
        same = _first_same(values, start, size)
        (long,) = np.nonzero(size > 1)
        first = np.unique(same[long])
        truth[first] = self.sat.new_ones(len(first))
        for length in np.unique(size[first]):
            chosen = first[size[first] == length]
            rows = _rows(values, start[chosen], length)
            own = truth[chosen]
            pairs = [np.repeat(-own, length), rows.ravel()]
            self.sat.add_all(np.column_stack(pairs))
            self.sat.add_all(np.column_stack([own, -rows]))
        truth[long] = truth[same[long]]
        return truth

    def _define(
        self,
        atoms: Numbers,
        choices: NDArray[np.bool_],
        bodies: Numbers,
    ) -> None:
        """Make each atom equivalent to the disjunction of its bodies.

        The arrays have an element for each pair of a head atom and a body: the atom, whether the
        rule is a choice, and the solver literal of the body. An atom with a single body gets the
        literal of this body.
        """
        order = np.argsort(atoms, kind="stable")
        atoms = atoms[order]
        choices = choices[order]
        bodies = bodies[order]
        each, start, count = np.unique(
            atoms,
            return_index=True,
            return_counts=True,
        )
        self._make_room(each.max(initial=0))
        unnamed = self._literals[each] == 0
        alone = (count == 1) & ~choices[start] & unnamed
        self._literals[each[alone]] = bodies[start[alone]]
        each = each[~alone]
        start = start[~alone]
        count = count[~alone]
        self._name(each)
        derived = ~choices & np.isin(atoms, each)
        heads = self._literals[atoms[derived]]
        self.sat.add_all(np.column_stack([heads, -bodies[derived]]))
        for size in np.unique(count):
            chosen = count == size
            heads = self._literals[each[chosen]]
            rows = _rows(bodies, start[chosen], size)
            self.sat.add_all(np.column_stack([-heads, rows]))

    def settle(self, ground: Grounded) -> None:
        """Make atoms without rules false, except external atoms that are not released."""
        for atom in self._unsettled:
            if atom not in ground.defined and atom not in ground.externals:
                self.sat.add([-self.literal(atom)])
        for atom in ground.released():
            self.sat.add([-self.literal(atom)])
        self._unsettled.clear()


def _rows(
    values: Numbers,
    starts: Numbers,
    length: int,
) -> Numbers:
    """Return slices of an array, all of the same length, as the rows of a matrix."""
    indices = starts[:, None] + np.arange(length)
    rows: Numbers = values[indices]
    return rows


def _first_same(
    values: Numbers,
    start: Numbers,
    size: Numbers,
) -> Numbers:
    """Return for each body the number of the first body with the same literals.

    The literals of body i are the `size[i]` values from `start[i]` on. A body with less than two
    literals gets its own number.
    """
    same: Numbers = np.arange(len(size))
    for length in np.unique(size[size > 1]):
        (chosen,) = np.nonzero(size == length)
        rows = np.sort(_rows(values, start[chosen], length))
        same[chosen] = chosen[_first_equal(rows)]
    return same


def _first_equal(rows: Numbers) -> Numbers:
    """Return for each row of a matrix the index of the first row that equals it."""
    generator = np.random.default_rng(0)
    factors = generator.integers(1, 2**62, rows.shape[1])
    _, first, equal = np.unique(
        rows @ factors,
        return_index=True,
        return_inverse=True,
    )
    candidates: Numbers = first[equal]
    if np.array_equal(rows[candidates], rows):  # no two hashes of different rows are equal
        return candidates
    _, first, equal = np.unique(
        rows,
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    return first[equal]
