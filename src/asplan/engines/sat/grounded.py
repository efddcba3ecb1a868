"""What clingo grounds, read a step at a time from what it writes, into arrays.

An observer in Python is called for each rule, which takes longer than to ground it. clingo's own
writer of *aspif* (Kaminski, Schaub and Wanko, A Tutorial on Hybrid Answer Set Solving with clingo,
2017) is quick, and its numbers are read in bulk. The few things that have a symbol are observed.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import numpy as np
from clingo import BackendType, Control, TruthValue
from numpy.typing import NDArray

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
