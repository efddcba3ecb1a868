"""The evaluation of a grounded step for many states at once.

Each value is a large whole number: bit i is the truth value of an atom in the i-th state of a
batch. Rules are `&` and `|` of such numbers, which cost about as much for a thousand states as for
one. The states that are still possible are called *active*. A choice makes two branches: first the
states in which the atom may be true, then those in which it may be false. States that are active at
the end of a branch have an answer set there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from asplan.core.budget import ENDLESS, Budget
from asplan.core.dataclass import dataclass
from asplan.statespace.stages import (
    Add,
    Body,
    Close,
    Define,
    Refute,
    Stage,
    find_assigned,
)

WORK = 4096  # stages between two checks of the budget: some milliseconds
_CELLS = 1 << 23  # output values that are collected before they are turned into rows

Totals = dict[int, dict[int, int]]  # for each sum, and each of its values, the states with it
Rows = tuple[list[int], list[bytes]]  # for each answer set the index of its state, and its outputs


@dataclass(frozen=True, eq=False)
class Circuit:
    """The evaluation of a step by stages.

    Attributes
    ----------
    inputs
        The atom of each bit of a state; 0 for a bit without an atom.
    outputs
        The literal of each bit of a result; 0 for true and None for false.
    top
        The largest number of an atom or a sum.
    """

    stages: Sequence[Stage]
    inputs: Sequence[int]
    outputs: Sequence[int | None]
    top: int

    def run(
        self,
        states: Sequence[bytes],
        budget: Budget = ENDLESS,
    ) -> Rows:
        """Return the answer sets of the step in each of some states, as two lists.

        The first list has for each answer set the index of its state, the second its outputs as
        bits. The budget is checked after each `WORK` stages.
        """
        lanes: list[int] = []
        rows: list[bytes] = []
        blocks: list[bytes] = []
        size = (len(states) + 7) // 8
        cells = (len(self.outputs) + 1) * size * 8
        given = pack_columns(states, len(self.inputs))
        for active, values in self._leaves(given, len(states), budget):
            shown = (0 if out is None else values[out] & active for out in self.outputs)
            block = b"".join(n.to_bytes(size, "little") for n in chain((active,), shown))
            blocks.append(block)
            if len(blocks) * cells > _CELLS:
                _append_rows(blocks, size, lanes, rows)
        _append_rows(blocks, size, lanes, rows)
        return lanes, rows

    def onto(
        self,
        row: bytes,
        width: int,
    ) -> Circuit:
        """Return a circuit for the answer sets whose first `width` outputs equal those of `row`.

        As soon as an output gets another value, the answer set is given up.
        """
        bits = int.from_bytes(row, "little")
        refutations: dict[int, list[Refute]] = defaultdict(list)
        for place, out in enumerate(self.outputs[:width]):
            is_wanted = bool(bits >> place & 1)
            if out:
                refutations[abs(out)].append(Refute((-out,) if is_wanted else (out,)))
            elif is_wanted != (out == 0):
                refutations[0].append(Refute(()))
        stages: list[Stage] = []
        for stage in self.stages:
            stages.append(stage)
            for atom in find_assigned(stage):
                stages += refutations.pop(atom, ())
        # The rest concerns inputs, and outputs that are the same in all states.
        first = chain.from_iterable(refutations.values())
        return replace(self, stages=[*first, *stages])

    def _leaves(
        self,
        given: Sequence[int],
        number: int,
        budget: Budget,
    ) -> Iterator[tuple[int, list[int]]]:
        """Yield, for each outcome of the choices, the states that have an answer set with it.

        The values of all literals in these states are yielded with them. `number` is the
        number of states, and `given` has the values of each input in all states.
        """
        full = (1 << number) - 1
        # Literals are indices of this list: those of negated ones count from its end.
        values = [full] + [0] * self.top + [full] * self.top
        for atom, column in zip(self.inputs, given, strict=True):
            if atom:
                values[atom] = column
                values[-atom] = full ^ column
        return _Evaluation(self.stages, values).leaves(full, budget)


@dataclass(frozen=True)
class _Branch:
    """A branch to follow later, in which a chosen atom is false.

    `position` is the index of the next stage, and `active` the states in which the atom may be
    false. `totals` are the values of sums before the choice.
    """

    position: int
    atom: int
    active: int
    totals: Totals


class _Evaluation:
    """An evaluation of stages: the values of all literals, and the branches still to follow."""

    def __init__(
        self,
        stages: Sequence[Stage],
        values: list[int],
    ) -> None:
        self._stages = stages
        self._values = values
        self._totals: Totals = {}
        self._branches: list[_Branch] = []

    def leaves(
        self,
        active: int,
        budget: Budget,
    ) -> Iterator[tuple[int, list[int]]]:
        """Yield the active states at the end of each branch, with the values of all literals."""
        position = 0
        work = 0
        while True:
            start = position
            position, active = self._advance(start, active)
            work += position - start
            while work >= WORK:
                work -= WORK
                budget.check()
            if active:
                yield active, self._values
            if not self._branches:
                return
            branch = self._branches.pop()
            position = branch.position
            active = branch.active
            self._totals = branch.totals
            self._values[branch.atom] = 0
            self._values[-branch.atom] = active

    def _advance(
        self,
        position: int,
        active: int,
    ) -> tuple[int, int]:
        """Evaluate stages from a position on until no stage or no active state is left.

        Return the position that was reached, and the states that are still active.
        """
        stages = self._stages
        values = self._values
        while active and position < len(stages):
            stage = stages[position]
            position += 1
            if isinstance(stage, Define):
                true = disjoin(stage.bodies, values, active)
                if stage.may:
                    true, active = self._choose(stage, true, active, position)
                values[stage.atom] = true
                values[-stage.atom] = active ^ true
            elif isinstance(stage, Refute):
                active ^= conjoin(stage.body, values, active)
            elif isinstance(stage, Add):
                reached = add_to_totals(stage, values, self._totals, active)
                values[stage.sum] = reached
                values[-stage.sum] = active ^ reached
            else:
                _close(stage, values, active)
        return position, active

    def _choose(
        self,
        stage: Define,
        true: int,
        active: int,
        position: int,
    ) -> tuple[int, int]:
        """Follow the branch in which an atom is true, and store the branch in which it is false.

        `true` are the states in which a rule derives the atom. Return two sets of states: those in
        which the atom is true, and the active ones of this branch. They are the same, namely all
        states in which the atom may be true. If there are none, the atom is false in this branch,
        and all states stay active.
        """
        may = true | disjoin(stage.may, self._values, active)
        if not may:
            return 0, active
        rest = active ^ true
        if rest:
            self._branches.append(_Branch(position, stage.atom, rest, dict(self._totals)))
        return may, may


def conjoin(
    body: Sequence[int],
    values: Sequence[int],
    active: int,
) -> int:
    """Return the active states in which a body holds.

    `values` has for each literal the states in which it holds.
    """
    for literal in body:
        active &= values[literal]
        if not active:
            break
    return active


def disjoin(
    bodies: Sequence[Body],
    values: Sequence[int],
    active: int,
) -> int:
    """Return the active states in which at least one of the bodies holds.

    `values` has for each literal the states in which it holds.
    """
    true = 0
    # This loop takes most of the time, so it does not call `conjoin`.
    for body in bodies:
        here = active
        for literal in body:
            here &= values[literal]
            if not here:
                break
        else:
            true |= here
    return true


def add_to_totals(
    stage: Add,
    values: Sequence[int],
    totals: Totals,
    active: int,
) -> int:
    """Add a weighted literal to a sum, up to its bound; return the states that reach the bound.

    `totals` has the states of each value of each sum, and is updated.
    """
    before = {0: active} if stage.first else totals[stage.sum]
    literal = values[stage.literal]
    after: dict[int, int] = {}
    for total, states in before.items():
        for more, here in ((stage.weight, states & literal), (0, states & ~literal)):
            if here:
                now = min(total + more, stage.bound)
                after[now] = after.get(now, 0) | here
    totals[stage.sum] = after
    return after.get(stage.bound, 0) & active


def _close(
    stage: Close,
    values: list[int],
    active: int,
) -> None:
    """Compute the least fixpoint of the atoms of a positive cycle."""
    for define in stage.defined:
        values[define.atom] = 0
    changed = True
    while changed:
        changed = False
        for define in stage.defined:
            true = disjoin(define.bodies, values, active)
            if true != values[define.atom]:
                values[define.atom] = true
                changed = True
    for define in stage.defined:
        values[-define.atom] = active ^ values[define.atom]


def pack_columns(
    states: Sequence[bytes],
    width: int,
) -> list[int]:
    """Return the columns of a matrix of bits whose rows are states.

    Column k, for k below `width`, is a number whose bit i is bit k of state i.
    """
    import numpy as np  # searches through other states do without it

    rows = np.frombuffer(b"".join(states), np.uint8).reshape(len(states), -1)
    bits = np.unpackbits(rows, axis=1, count=width, bitorder="little")
    packed = np.packbits(bits.T, axis=1, bitorder="little")
    return [int.from_bytes(column.tobytes(), "little") for column in packed]


def _append_rows(
    blocks: list[bytes],
    size: int,
    lanes: list[int],
    rows: list[bytes],
) -> None:
    """Turn blocks of columns into answer sets, append these to `rows`, and clear the blocks.

    A column has `size` bytes, with a bit for each state. The first column of a block marks the
    states that have an answer set; the others are outputs. A row has the outputs of one answer set.
    The index of its state is appended to `lanes`.
    """
    if not blocks:
        return
    import numpy as np

    packed = np.frombuffer(b"".join(blocks), np.uint8).reshape(len(blocks), -1, size)
    blocks.clear()
    bits = np.unpackbits(packed, axis=2, bitorder="little")
    block, lane = np.nonzero(bits[:, 0, :])
    outputs = np.packbits(bits[block, 1:, lane], axis=1, bitorder="little")
    lanes += lane.tolist()
    rows += outputs.view(f"V{outputs.shape[1]}").ravel().tolist()
