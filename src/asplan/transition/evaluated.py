"""A grounded step between states: which bit of a state is which atom, and what evaluates the step.

The first bit of a state says that the goal does not hold. The others are the open atoms that
have a bearing on constraints, on what happens, on the goal, or on such atoms after the step: states
that differ in nothing else are the same for every search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from clingo import Symbol

from asplan.transition.circuit import Circuit
from asplan.transition.enumeration import Enumeration
from asplan.transition.opening import OpenStep
from asplan.transition.wiring import Unwired, Wiring


@dataclass(frozen=True, eq=False)
class Evaluated:
    """A step that can be taken.

    Attributes
    ----------
    step
        What was grounded.
    wiring
        How its rules depend on each other; None where they cannot be put in order.
    inputs
        The open atoms that are bits of a state, behind the first bit.
    """

    step: OpenStep
    wiring: Wiring | None
    inputs: Sequence[int]
    _plain: Circuit | Enumeration
    _full: Circuit | Enumeration

    @classmethod
    def of(cls, step: OpenStep, all_states: bool = False, wired: bool = True) -> Evaluated:
        """The fastest way to take a step; not `wired` is by clingo.

        With `all_states` all atoms of the time before that any rule reads are bits of a state.
        """
        acting = [literal for _, literal in step.actions]
        wiring, inputs = None, list(step.before)
        if wired:
            try:
                wiring = Wiring(step.ground, step.before)
                inputs = _inputs(step, wiring, all_states)
            except Unwired:
                pass
        bits = [step.amiss, *(step.after[number] for number in inputs)]
        both = [*bits, *acting]
        places = [0, *inputs]
        if wiring is None:
            full = Enumeration(step.control, places, both)
            return cls(step, None, inputs, full, full)
        stages = wiring.stages(out for out in both if out)
        plain, whole = (Circuit(stages, places, outputs) for outputs in (bits, both))
        return cls(step, wiring, inputs, plain, whole)

    @property
    def atoms(self) -> list[Symbol]:
        """The atoms of a state, in the order of its bits behind the first."""
        return [self.step.before[number] for number in self.inputs]

    @property
    def fluents(self) -> list[Symbol]:
        """The same without their times."""
        return [self.step.fluents[number] for number in self.inputs]

    def starts(self) -> list[bytes]:
        """The initial states."""
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
        lanes = {
            lane for lane, _, found in self._onto(self._plain, states, after) if found == after
        }
        return [states[lane] for lane in sorted(lanes)]

    def between(self, state: bytes, after: bytes) -> list[int]:
        """What may happen between two states: the places of the actions as bits."""
        rows = self._onto(self._full, [state], after)
        return [happening for _, happening, found in rows if found == after]

    def _onto(
        self, step: Circuit | Enumeration, states: Sequence[bytes], after: bytes
    ) -> Iterator[tuple[int, int, bytes]]:
        """As `ways`, but nothing need be said of those that lead elsewhere."""
        if isinstance(step, Circuit):
            step = step.onto(after, len(self.inputs) + 1)
        for lane, row in zip(*step.run(states), strict=True):
            yield lane, *self._parted(row)

    def ways(self, states: Sequence[bytes]) -> Iterator[tuple[int, int, bytes]]:
        """The number of a state, the places of the actions as bits, and the state that follows."""
        for lane, row in zip(*self._full.run(states), strict=True):
            yield lane, *self._parted(row)

    @property
    def _size(self) -> int:
        return len(self.inputs) // 8 + 1

    def _parted(self, row: bytes) -> tuple[int, bytes]:
        bits, width = int.from_bytes(row, "little"), len(self.inputs) + 1
        after = bits & ((1 << width) - 1)
        return bits >> width, after.to_bytes(self._size, "little")


def _inputs(step: OpenStep, wiring: Wiring, all_states: bool) -> list[int]:
    """The open atoms that have a bearing on what is to be known."""
    outputs = {step.amiss, *(literal for _, literal in step.actions)}
    if all_states:
        outputs |= wiring.atoms()
    inputs: set[int] = set()
    while True:
        found = wiring.needed_inputs(out for out in outputs if out)
        if found == inputs:
            return [number for number in step.before if number in inputs]
        inputs = found
        outputs |= {step.after[number] for number in found}
