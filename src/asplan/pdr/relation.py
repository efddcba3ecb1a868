"""Questions about a single step, which clingo answers under assumptions.

Literals of a state are numbers: 3 says that the third of the atoms that make a state holds, -3 that
it does not. Whether the goal holds is not among them. A cube is a set of literals, and stands for
all states that have them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from asplan.transition.model import ProgramModel

Cube = frozenset[int]


@dataclass(frozen=True)
class Following:
    """What happens in a step, and the state that follows."""

    happening: tuple[str, ...]
    state: bytes
    is_goal: bool


@dataclass(eq=False)
class Relation:
    """A grounded step, with the means to ask what leads where.

    Attributes
    ----------
    model
        The program's own model, the step of which is asked about.
    calls
        The questions so far.
    """

    model: ProgramModel
    calls: int = 0
    _levels: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        step = self.model.step
        self._control = step.control
        solving: Any = self._control.configuration.solve
        solving.models = 1
        self._inputs = list(self.model.evaluated.inputs)
        self._after = [step.after[number] for number in self._inputs]
        self._amiss, self._actions = step.amiss, step.actions
        self._choose_cube()

    def _choose_cube(self) -> None:
        """Add an atom for each literal, and one that is true unless the next state has all chosen.

        A goal state has no cube.
        """
        self._chosen: dict[int, int] = {}
        with self._control.backend() as backend:
            self._outside = backend.add_atom()
            if self._amiss != 0:
                backend.add_rule([self._outside], [-self._amiss] if self._amiss else [])
            for place, after in enumerate(self._after, 1):
                for literal in (place, -place):
                    atom = self._chosen[literal] = backend.add_atom()
                    backend.add_rule([atom], [], True)
                    fails = _negated(_signed(after, literal))
                    if fails is not None:
                        backend.add_rule([self._outside], [atom, fails] if fails else [atom])

    def literals(self, state: bytes) -> Cube:
        """The literals of a state."""
        bits = int.from_bytes(state, "little")
        return frozenset(
            place if bits >> place & 1 else -place for place in range(1, len(self._inputs) + 1)
        )

    def exclude(self, cube: Collection[int], level: int) -> None:
        """No step of a level is to lead to a state with a cube that is no goal."""
        while len(self._levels) <= level:
            with self._control.backend() as backend:
                self._levels.append(backend.add_atom())
                backend.add_rule([self._levels[-1]], [], True)
        body = [self._levels[level]]
        for literal in (self._amiss, *(_signed(self._after[abs(x) - 1], x) for x in cube)):
            if literal is None:
                return
            if literal:
                body.append(literal)
        with self._control.backend() as backend:
            backend.add_rule([], body)

    def step(self, cube: Collection[int], level: int) -> Following | Cube:
        """A step from a state with a cube to a goal, or to one that no level from this on excludes.

        Level 0 excludes all but goals. Without such a step: the literals of the cube that say why.
        """
        given, near = self._given(cube), self._near(level)
        if near is None:
            return frozenset()
        self.calls += 1
        with self._control.solve([*given, *near], yield_=True) as handle:
            model = handle.model()
            if model is not None:
                return self._following(model.is_true)
            return frozenset(given[literal] for literal in handle.core() if literal in given)

    def steps_out(self, cube: Collection[int], level: int) -> Cube | None:
        """None if there is such a step that leaves the cube, as one to a goal always does."""
        given, near = self._given(cube), self._near(level)
        if near is None:
            return frozenset()
        chosen = (a if literal in cube else -a for literal, a in self._chosen.items())
        reasons: list[int] = []
        self.calls += 1
        found = self._control.solve([*given, self._outside, *chosen, *near], on_core=reasons.extend)
        if found.satisfiable:
            return None
        return frozenset(given[literal] for literal in reasons if literal in given)

    def _given(self, cube: Collection[int]) -> dict[int, int]:
        """The literals of a cube by those of the ground program."""
        inputs = self._inputs
        return {inputs[x - 1] if x > 0 else -inputs[-x - 1]: x for x in cube}

    def _near(self, level: int) -> Sequence[int] | None:
        """What is assumed of the state after the step; None if that cannot be."""
        if level:
            return self._levels[level:]
        if self._amiss == 0:
            return None
        return [-self._amiss] if self._amiss else []

    def _following(self, is_true: Callable[[int], bool]) -> Following:
        bits = 0
        for place, out in enumerate((self._amiss, *self._after)):
            if out == 0 or (out is not None and is_true(out)):
                bits |= 1 << place
        state = bits.to_bytes(len(self._inputs) // 8 + 1, "little")
        happening = (str(a) for a, literal in self._actions if not literal or is_true(literal))
        return Following(tuple(happening), state, not bits & 1)


def _signed(after: int | None, literal: int) -> int | None:
    """What a literal of the next state is in the ground program; 0 is true, None is false."""
    return after if literal > 0 else _negated(after)


def _negated(literal: int | None) -> int | None:
    if literal is None:
        return 0
    return None if literal == 0 else -literal
