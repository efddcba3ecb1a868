"""A grounded step, evaluated for many states at once.

A number stands for the values of an atom in all states of a batch: bit i is its value in the i-th.
Rules are then `&` and `|` of long numbers, and cost about as much for a thousand states as for one.
At a choice the states in which an atom may be true are followed first, and then those in which it
may be false; what is left at the end of the stages are the answer sets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from asplan.transition.wiring import Add, Body, Choose, Close, Define, Refute, Stage

_CELLS = 1 << 23
"""Values of outputs that are kept until they are put together to states."""

_HEED = 16
"""Ways through the choices between two calls of `heed`; one takes some milliseconds, at most."""

Totals = dict[int, dict[int, int]]
"""For each sum the values that it has by now, each with the states in which it has it."""

Rows = tuple[list[int], list[bytes]]
"""For each answer set the number of the state it follows, and its outputs as bits."""


@dataclass(frozen=True, eq=False)
class Circuit:
    """The stages of a step.

    Attributes
    ----------
    inputs
        The atoms that the bits of a state say; 0 for bits without a meaning.
    outputs
        The literals that make the bits of a result; 0 is true, and None false.
    """

    stages: Sequence[Stage]
    inputs: Sequence[int]
    outputs: Sequence[int | None]

    def run(self, states: Sequence[bytes], heed: Callable[[], None] = lambda: None) -> Rows:
        """The answer sets in which some states are the time before.

        `heed` is called now and then: where many things may happen together, there are many.
        """
        lanes: list[int] = []
        rows: list[bytes] = []
        size, width = (len(states) + 7) // 8, len(self.outputs)
        blocks: list[bytes] = []
        for active, values in self._leaves(columns(states, len(self.inputs)), len(states)):
            found = (0 if out is None else values[out] & active for out in self.outputs)
            block = b"".join(n.to_bytes(size, "little") for n in chain((active,), found))
            blocks.append(block)
            if len(blocks) % _HEED == 0:
                heed()
            if len(blocks) * (width + 1) * size * 8 > _CELLS:
                _put_together(blocks, size, lanes, rows)
        _put_together(blocks, size, lanes, rows)
        return lanes, rows

    def onto(self, row: bytes, width: int) -> Circuit:
        """The circuit with only those answer sets in which the first outputs are the bits of a row.

        What an output must not be is refuted as soon as it is known, so that hardly any choice is
        followed to its end.
        """
        bits = int.from_bytes(row, "little")
        against: dict[int, list[Refute]] = defaultdict(list)
        for place, out in enumerate(self.outputs[:width]):
            if out:
                against[abs(out)].append(Refute((-out,) if bits >> place & 1 else (out,)))
            elif bool(bits >> place & 1) != (out == 0):
                against[0].append(Refute(()))
        stages = list[Stage]()
        for stage in self.stages:
            stages.append(stage)
            for atom in _known_by(stage):
                stages += against.pop(atom, ())
        # What is left is an input, or the same in all states.
        return replace(self, stages=[*chain.from_iterable(against.values()), *stages])

    @cached_property
    def _top(self) -> int:
        """The largest number of an atom or a sum."""
        return max(chain(map(abs, atoms_of(self.stages)), self.inputs), default=0)

    def _leaves(self, given: Sequence[int], number: int) -> Iterator[tuple[int, list[int]]]:
        """For each way through the choices the states it is an answer set of, and all values."""
        full = (1 << number) - 1
        # Literals are places in the list: those of negated ones count from its end.
        values = [full] + [0] * self._top + [full] * self._top
        for atom, column in zip(self.inputs, given, strict=True):
            if atom:
                values[atom], values[-atom] = column, full ^ column
        return _follow(self.stages, values, full)


def _follow(
    stages: Sequence[Stage], values: list[int], active: int
) -> Iterator[tuple[int, list[int]]]:
    totals: Totals = {}
    kept: list[tuple[int, int, int, Totals]] = []
    position = 0
    while True:
        while active and position < len(stages):
            stage = stages[position]
            position += 1
            if isinstance(stage, Define):
                x = any_of(stage.bodies, values, active)
                values[stage.atom], values[-stage.atom] = x, active ^ x
            elif isinstance(stage, Refute):
                active ^= all_of(stage.body, values, active)
            elif isinstance(stage, Choose):
                must = any_of(stage.must, values, active)
                may = must | any_of(stage.may, values, active)
                if may and (rest := active ^ must):
                    kept.append((position, stage.atom, rest, dict(totals)))
                active = may or active
                values[stage.atom], values[-stage.atom] = may, active ^ may
            elif isinstance(stage, Add):
                reached = totals_with(stage, values, totals, active)
                values[stage.sum], values[-stage.sum] = reached, active ^ reached
            else:
                _close(stage, values, active)
        if active:
            yield active, values
        if not kept:
            return
        position, atom, active, totals = kept.pop()
        values[atom], values[-atom] = 0, active


def all_of(body: Sequence[int], values: Sequence[int], active: int) -> int:
    """The states in which a body holds."""
    for literal in body:
        active &= values[literal]
        if not active:
            break
    return active


def any_of(bodies: Sequence[Body], values: Sequence[int], active: int) -> int:
    """The states in which one of some bodies holds."""
    found = 0
    for body in bodies:
        here = active
        for literal in body:
            here &= values[literal]
            if not here:
                break
        else:
            found |= here
    return found


def totals_with(stage: Add, values: Sequence[int], totals: Totals, active: int) -> int:
    """Note which value a sum has by now, up to its bound; the states in which it has that."""
    before = {0: active} if stage.first else totals[stage.sum]
    literal, bound = values[stage.literal], stage.bound
    after: dict[int, int] = {}
    for total, states in before.items():
        for more, here in ((stage.weight, states & literal), (0, states & ~literal)):
            if here:
                now = min(total + more, bound)
                after[now] = after.get(now, 0) | here
    totals[stage.sum] = after
    return after.get(bound, 0) & active


def _close(stage: Close, values: list[int], active: int) -> None:
    """Derive the atoms of a circle from each other until nothing is new."""
    for define in stage.defined:
        values[define.atom] = 0
    changed = True
    while changed:
        changed = False
        for define in stage.defined:
            x = any_of(define.bodies, values, active)
            if x != values[define.atom]:
                values[define.atom], changed = x, True
    for define in stage.defined:
        values[-define.atom] = active ^ values[define.atom]


def columns(states: Sequence[bytes], width: int) -> list[int]:
    """From a row of bits for each state to a number for each bit."""
    rows = np.frombuffer(b"".join(states), np.uint8).reshape(len(states), -1)
    bits = np.unpackbits(rows, axis=1, count=width, bitorder="little")
    packed = np.packbits(bits.T, axis=1, bitorder="little")
    return [int.from_bytes(column.tobytes(), "little") for column in packed]


def _put_together(blocks: list[bytes], size: int, lanes: list[int], rows: list[bytes]) -> None:
    """Turn blocks of columns, of which the first says where the others count, into rows."""
    if not blocks:
        return
    packed = np.frombuffer(b"".join(blocks), np.uint8).reshape(len(blocks), -1, size)
    blocks.clear()
    bits = np.unpackbits(packed, axis=2, bitorder="little")
    block, lane = np.nonzero(bits[:, 0, :])
    found = np.packbits(bits[block, 1:, lane], axis=1, bitorder="little")
    lanes += lane.tolist()
    rows += found.view(f"V{found.shape[1]}").ravel().tolist()


def _known_by(stage: Stage) -> Iterator[int]:
    """The atoms and sums whose values are known behind a stage for the first time."""
    if isinstance(stage, Close):
        yield from (define.atom for define in stage.defined)
    elif isinstance(stage, Define | Choose):
        yield stage.atom
    elif isinstance(stage, Add) and stage.last:
        yield stage.sum


def atoms_of(stages: Sequence[Stage]) -> Iterator[int]:
    """All literals that stages name."""
    for stage in stages:
        if isinstance(stage, Add):
            yield from (stage.sum, stage.literal)
        elif isinstance(stage, Refute):
            yield from stage.body
        elif isinstance(stage, Choose):
            yield from (stage.atom, *chain.from_iterable((*stage.may, *stage.must)))
        else:
            for define in stage.defined if isinstance(stage, Close) else (stage,):
                yield from (define.atom, *chain.from_iterable(define.bodies))
