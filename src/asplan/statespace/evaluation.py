"""A grounded step between states: which bit of a state is which atom, and what evaluates the step.

The first bit says that the goal does not hold. The others are the open atoms that have a bearing on
constraints, on what happens, on the goal, or on such atoms after the step. A circuit evaluates the
step; disjunctive programs, and those with cycles through negation, are solved by clingo for one
state after the other. The circuit is tested against that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from clingo import Control, Symbol

from asplan.core.limits import interrupts_held, is_interrupted
from asplan.statespace.circuit import Circuit, Unwired, Wiring
from asplan.statespace.step import OpenStep

_HEED = 16  # answer sets between calls of `heed`


@dataclass(frozen=True, eq=False)
class Enumeration:
    """The answer sets of a step; `inputs` and `outputs` are as those of a circuit."""

    control: Control
    inputs: Sequence[int]
    outputs: Sequence[int | None]

    def run(
        self, states: Sequence[bytes], heed: Callable[[], None] = lambda: None
    ) -> tuple[list[int], list[bytes]]:
        """The answer sets in which some states are the time before, told apart by outputs."""
        lanes, rows = list[int](), list[bytes]()
        for lane, state in enumerate(states):
            heed()
            bits = int.from_bytes(state, "little")
            given = [
                atom if bits >> place & 1 else -atom
                for place, atom in enumerate(self.inputs)
                if atom
            ]
            found = set[bytes]()
            with interrupts_held(), self._projected.solve(given, yield_=True) as handle:
                for model in handle:
                    if is_interrupted():
                        break
                    if found and len(found) % _HEED == 0:
                        heed()
                    bits = bits_of(self.outputs, model.is_true)
                    found.add(bits.to_bytes((len(self.outputs) + 7) // 8, "little"))
            rows += sorted(found)
            lanes += [lane] * len(found)
        return lanes, rows

    @cached_property
    def _projected(self) -> Control:
        """The control, set to find all answer sets that differ in outputs."""
        solving: Any = self.control.configuration.solve
        solving.models, solving.project = 0, "project"
        with self.control.backend() as backend:
            backend.add_project([abs(out) for out in self.outputs if out])
        return self.control


def bits_of(literals: Sequence[int | None], is_true: Callable[[int], bool]) -> int:
    """Literals as bits, of which 0 is true and None false."""
    bits = 0
    for place, out in enumerate(literals):
        if out == 0 or (out is not None and is_true(out)):
            bits |= 1 << place
    return bits


@dataclass(frozen=True, eq=False)
class Evaluated:
    """A step that can be taken.

    `wiring` says how its rules depend on each other, and is None where they cannot be put in order;
    `inputs` are the open atoms that are bits of a state, behind the first bit.
    """

    step: OpenStep
    wiring: Wiring | None
    inputs: Sequence[int]
    _plain: Circuit | Enumeration
    _full: Circuit | Enumeration

    @classmethod
    def of(cls, step: OpenStep, all_states: bool = False, wired: bool = True) -> Evaluated:
        """The fastest way to take a step; not `wired` is clingo's; `all_states` as in `Inputs`."""
        acting = [literal for _, literal in step.actions]
        wiring, inputs = None, list(step.before)
        if wired:
            with suppress(Unwired):
                wiring = Wiring(step.ground, step.before)
        if wiring is not None:
            outputs, needed = {step.goal_missed, *acting}, set[int]()
            if all_states:
                outputs |= wiring.atoms()
            while (more := wiring.needed_inputs(out for out in outputs if out)) != needed:
                needed = more
                outputs |= {step.after[number] for number in needed}
            inputs = [number for number in inputs if number in needed]
        bits = [step.goal_missed, *(step.after[number] for number in inputs)]
        both = [*bits, *acting]
        places = [0, *inputs]
        if wiring is None:
            full = Enumeration(step.control, places, both)
            return cls(step, None, inputs, full, full)
        stages = wiring.stages(out for out in both if out)
        plain, whole = (Circuit(stages, places, outputs, wiring.top) for outputs in (bits, both))
        return cls(step, wiring, inputs, plain, whole)

    @property
    def stages(self) -> int | None:
        """How many stages the circuit has; None where clingo takes the step."""
        return len(self._plain.stages) if isinstance(self._plain, Circuit) else None

    @property
    def atoms(self) -> list[Symbol]:
        """The atoms of a state, in the order of its bits behind the first."""
        return [self.step.before[number] for number in self.inputs]

    @property
    def fluents(self) -> list[Symbol]:
        """The same without their times."""
        return [self.step.fluents[number] for number in self.inputs]

    def starts(self) -> list[bytes]:
        found: dict[bytes, None] = {}
        for start in self.step.starts:
            bits = int(not start.is_goal)
            for place, atom in enumerate(self.atoms, 1):
                bits |= (atom in start.atoms) << place
            found[bits.to_bytes(self._size, "little")] = None
        return list(found)

    def after(
        self, states: Sequence[bytes], heed: Callable[[], None] = lambda: None
    ) -> list[bytes]:
        """The states that follow some others, with repetitions; `heed` is called now and then."""
        _, rows = self._plain.run(states, heed)
        return rows if self.wiring else [self._parted(row)[1] for row in rows]

    def leading(self, states: Sequence[bytes], after: bytes) -> list[bytes]:
        """Those of some states that are followed by one state, among others."""
        lanes = {lane for lane, _ in self._onto(self._plain, states, after)}
        return [states[lane] for lane in sorted(lanes)]

    def between(self, state: bytes, after: bytes) -> list[int]:
        """What may happen between two states: the places of the actions as bits."""
        return [happening for _, happening in self._onto(self._full, [state], after)]

    def _onto(
        self, step: Circuit | Enumeration, states: Sequence[bytes], after: bytes
    ) -> Iterator[tuple[int, int]]:
        """Of the transitions to one state the numbers of the states before, and what happens."""
        if isinstance(step, Circuit):
            step = step.onto(after, len(self.inputs) + 1)
        rows = self.transitions(states, step)
        return ((lane, happening) for lane, happening, found in rows if found == after)

    def transitions(
        self, states: Sequence[bytes], step: Circuit | Enumeration | None = None
    ) -> Iterator[tuple[int, int, bytes]]:
        """The number of a state, the places of the actions as bits, and the state that follows."""
        for lane, row in zip(*(step or self._full).run(states), strict=True):
            yield lane, *self._parted(row)

    @property
    def _size(self) -> int:
        return len(self.inputs) // 8 + 1

    def _parted(self, row: bytes) -> tuple[int, bytes]:
        bits, width = int.from_bytes(row, "little"), len(self.inputs) + 1
        after = bits & ((1 << width) - 1)
        return bits >> width, after.to_bytes(self._size, "little")
