"""A grounded step as a relation between states, with queries by clingo."""

from __future__ import annotations

from collections.abc import (
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from typing import Any

from asplan.core.limits import hold_interrupts
from asplan.statespace.model import ProgramModel, bits_of

Cube = frozenset[int]
"""Literals of a state, and the set of all states that have them.

Literal 3 means that the third atom of a state is true, and -3 that it is false. The goal is not an
atom of a state.
"""


@dataclass(frozen=True)
class Transition:
    """The actions of a step, and the next state."""

    happening: tuple[str, ...]
    state: bytes
    is_goal: bool


class Relation:
    """The transition relation of a program; `calls` is the number of solve calls."""

    def __init__(self, model: ProgramModel) -> None:
        step = model.step
        self.calls = 0
        self._control = step.control
        solving: Any = self._control.configuration.solve  # clingo's options have no types
        solving.models = 1
        self._inputs = list(model.generator.inputs)
        self._after = [step.after[number] for number in self._inputs]
        self._goal_missed = step.goal_missed
        self._actions = step.actions
        self._levels: list[int] = []
        self._chosen: dict[int, int] = {}  # an atom for each literal of a state
        self._outside = self._add_outside()

    def _add_outside(self) -> int:
        """Add an atom that is true if the next state is a goal or lacks a chosen literal."""
        with self._control.backend() as backend:
            outside: int = backend.add_atom()
            if self._goal_missed != 0:
                backend.add_rule([outside], [-self._goal_missed] if self._goal_missed else [])
            for place, after in enumerate(self._after, 1):
                for literal in (place, -place):
                    atom = backend.add_atom()
                    self._chosen[literal] = atom
                    backend.add_rule([atom], [], True)
                    fails = signed(after, -literal)
                    if fails is not None:
                        backend.add_rule([outside], [atom, fails] if fails else [atom])
        return outside

    def literals(self, state: bytes) -> Cube:
        """Return all literals of a state."""
        bits = int.from_bytes(state, "little")
        places = range(1, len(self._inputs) + 1)
        return frozenset(place if bits >> place & 1 else -place for place in places)

    def exclude(
        self,
        cube: Collection[int],
        level: int,
    ) -> None:
        """Exclude steps of a level to states of a cube that are no goals."""
        while len(self._levels) <= level:
            with self._control.backend() as backend:
                self._levels.append(backend.add_atom())
                backend.add_rule([self._levels[-1]], [], True)
        body = [self._goal_missed, *(signed(self._after[abs(x) - 1], x) for x in cube)]
        if None not in body:
            with self._control.backend() as backend:
                backend.add_rule([], [self._levels[level], *(x for x in body if x)])

    def step(
        self,
        cube: Collection[int],
        level: int,
    ) -> Transition | Cube:
        """Return a step from a state of a cube to a goal, or to a state that no level excludes.

        The levels are those from `level` on; level 0 excludes all states but goals. If there is no
        such step, return literals of the cube that are a reason.
        """
        before = self._before(cube)
        near = self._near(level)
        if near is None:
            return frozenset()
        self.calls += 1
        with hold_interrupts(), self._control.solve([*before, *near], yield_=True) as handle:
            model = handle.model()
            if model is None:
                return _reason(before, handle.core())
            bits = bits_of((self._goal_missed, *self._after), model.is_true)
            happening = (str(a) for a, x in self._actions if not x or model.is_true(x))
            state = bits.to_bytes(len(self._inputs) // 8 + 1, "little")
            return Transition(tuple(happening), state, not bits & 1)

    def steps_out(
        self,
        cube: Collection[int],
        level: int,
    ) -> Cube | None:
        """Return None if a step as in `step` leaves the cube, as one to a goal always does.

        Otherwise return literals of the cube that are a reason.
        """
        before = self._before(cube)
        near = self._near(level)
        if near is None:
            return frozenset()
        chosen = (a if literal in cube else -a for literal, a in self._chosen.items())
        core: list[int] = []
        self.calls += 1
        assumed = [*before, self._outside, *chosen, *near]
        with hold_interrupts():
            answer = self._control.solve(assumed, on_core=core.extend)
        return None if answer.satisfiable else _reason(before, core)

    def _before(self, cube: Collection[int]) -> dict[int, int]:
        """Return the literals of a cube by literals of the ground program."""
        inputs = self._inputs
        return {inputs[x - 1] if x > 0 else -inputs[-x - 1]: x for x in cube}

    def _near(self, level: int) -> Sequence[int] | None:
        """Return assumptions about the state after the step; None if they are unsatisfiable."""
        if level:
            return self._levels[level:]
        if self._goal_missed == 0:
            return None
        return [-self._goal_missed] if self._goal_missed else []


def _reason(
    before: Mapping[int, int],
    core: Iterable[int],
) -> Cube:
    """Return the literals of a cube in an unsatisfiable core."""
    return frozenset(before[literal] for literal in core if literal in before)


def signed(
    after: int | None,
    sign: int,
) -> int | None:
    """Return a literal after a step, negated if the sign is negative; 0 is true, None is false."""
    if sign > 0:
        return after
    if not after:
        return 0 if after is None else None
    return -after
