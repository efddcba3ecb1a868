"""The transition relation of a program: a grounded step, queried by clingo."""

from __future__ import annotations

from collections.abc import (
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from typing import Any

from asplan.core.dataclass import dataclass
from asplan.core.limits import hold_interrupts
from asplan.statespace.model import ProgramModel, bits_of

Cube = frozenset[int]
"""A set of literals, which stands for all states in which they are true.

Literal 3 means that the third atom of a state is true, and -3 that it is false. The goal is not an
atom of a state.
"""


@dataclass(frozen=True)
class Transition:
    """A step: its actions (`happening`), the state that it leads to, and whether that is a goal."""

    happening: tuple[str, ...]
    state: bytes
    is_goal: bool


class Relation:
    """The transition relation of a program, without steps into excluded cubes.

    An excluded cube has a level: the frame of property-directed reachability that it belongs to.
    `calls` is the number of solve calls so far.
    """

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
        """Return a new atom that is true if the next state is a goal or outside of a cube.

        A query chooses the cube: `_chosen` has a new atom for each literal of states, and the cube
        has the literals whose atoms the query makes true.
        """
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
        """Return the cube that has only this state: the literals of all its atoms."""
        bits = int.from_bytes(state, "little")
        places = range(1, len(self._inputs) + 1)
        return frozenset(place if bits >> place & 1 else -place for place in places)

    def exclude(
        self,
        cube: Collection[int],
        level: int,
    ) -> None:
        """Exclude steps into a cube, except to goals, for queries of this or a smaller level."""
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
        """Return a step from a state in a cube to a goal, or to a state that is not excluded.

        The cubes of `level` and larger levels exclude states; at level 0 all states except goals
        are excluded. If there is no step, return a subset of the cube's literals that is enough to
        prevent one.
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
        """Return None if a step leads from a state in the cube to a goal or out of the cube.

        The goal may lie in the cube; other states must lie outside and not be excluded (see
        `step`). If there is no such step, return a subset of the cube's literals that is enough to
        prevent one.
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
        """Map literals of the ground step to the literals of a cube that they stand for."""
        inputs = self._inputs
        return {inputs[x - 1] if x > 0 else -inputs[-x - 1]: x for x in cube}

    def _near(self, level: int) -> Sequence[int] | None:
        """Return assumptions under which no step leads to a state that is excluded at `level`.

        At level 0 all states are excluded, except goals. Return None if no step leads to a goal.
        """
        if level:
            return self._levels[level:]
        if self._goal_missed == 0:
            return None
        return [-self._goal_missed] if self._goal_missed else []


def _reason(
    before: Mapping[int, int],
    core: Iterable[int],
) -> Cube:
    """Return the literals of a cube that are in an unsatisfiable core.

    `before` maps literals of the ground step to the cube's literals.
    """
    return frozenset(before[literal] for literal in core if literal in before)


def signed(
    after: int | None,
    sign: int,
) -> int | None:
    """Return the literal `after` of the state after a step, negated if `sign` is negative.

    In the parameter and in the returned value, 0 stands for a literal that is always true, and None
    for one that is always false.
    """
    if sign > 0:
        return after
    if not after:
        return 0 if after is None else None
    return -after
