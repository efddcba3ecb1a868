"""A grounded step, solved by clingo for one state after the other.

This serves programs of every kind, disjunctive ones and those with circles through negation
included. It is also what the circuit is tested against.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from clingo import Control, Model


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
            with self._projected.solve(given, yield_=True) as handle:
                found = {self._row(model) for model in handle}
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

    def _row(self, model: Model) -> bytes:
        bits = 0
        for place, out in enumerate(self.outputs):
            if out == 0 or (out is not None and model.is_true(out)):
                bits |= 1 << place
        return bits.to_bytes((len(self.outputs) + 7) // 8, "little")
