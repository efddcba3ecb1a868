"""What leads where in a single step, asked of clingo; and what is known of states near a goal.

Literals of a state are numbers: 3 says that the third of the atoms that make a state holds, -3 that
it does not. Whether the goal holds is not among them. A cube is a set of literals, and stands for
all states that have them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from asplan.core.interrupts import interrupts_held
from asplan.statespace.evaluation import bits_of
from asplan.statespace.model import ProgramModel

Cube = frozenset[int]


@dataclass(frozen=True)
class Transition:
    """What happens in a step, and the state that follows."""

    happening: tuple[str, ...]
    state: bytes
    is_goal: bool


class Relation:
    """A grounded step of a program's own model, with the means to ask what leads where.

    `calls` counts the questions.
    """

    def __init__(self, model: ProgramModel) -> None:
        step = model.step
        self.calls = 0
        self._control = step.control
        solving: Any = self._control.configuration.solve
        solving.models = 1
        self._inputs = list(model.evaluated.inputs)
        self._after = [step.after[number] for number in self._inputs]
        self._goal_missed, self._actions = step.goal_missed, step.actions
        self._levels: list[int] = []
        # An atom for each literal, and one that is true unless the next state has all that are
        # chosen. A goal state has no cube.
        self._chosen: dict[int, int] = {}
        with self._control.backend() as backend:
            self._outside = backend.add_atom()
            if self._goal_missed != 0:
                backend.add_rule([self._outside], [-self._goal_missed] if self._goal_missed else [])
            for place, after in enumerate(self._after, 1):
                for literal in (place, -place):
                    atom = self._chosen[literal] = backend.add_atom()
                    backend.add_rule([atom], [], True)
                    fails = signed(after, -literal)
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
        body = [self._goal_missed, *(signed(self._after[abs(x) - 1], x) for x in cube)]
        if None not in body:
            with self._control.backend() as backend:
                backend.add_rule([], [self._levels[level], *(x for x in body if x)])

    def step(self, cube: Collection[int], level: int) -> Transition | Cube:
        """A step from a state with a cube to a goal, or to one that no level from this on excludes.

        Level 0 excludes all but goals. Without such a step: the literals of the cube that say why.
        """
        given, near = self._given(cube), self._near(level)
        if near is None:
            return frozenset()
        self.calls += 1
        with interrupts_held(), self._control.solve([*given, *near], yield_=True) as handle:
            model = handle.model()
            if model is None:
                return frozenset(given[literal] for literal in handle.core() if literal in given)
            bits = bits_of((self._goal_missed, *self._after), model.is_true)
            happening = (str(a) for a, x in self._actions if not x or model.is_true(x))
            state = bits.to_bytes(len(self._inputs) // 8 + 1, "little")
            return Transition(tuple(happening), state, not bits & 1)

    def steps_out(self, cube: Collection[int], level: int) -> Cube | None:
        """None if there is such a step that leaves the cube, as one to a goal always does."""
        given, near = self._given(cube), self._near(level)
        if near is None:
            return frozenset()
        chosen = (a if literal in cube else -a for literal, a in self._chosen.items())
        reasons: list[int] = []
        self.calls += 1
        assumed = [*given, self._outside, *chosen, *near]
        with interrupts_held():
            found = self._control.solve(assumed, on_core=reasons.extend)
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
        if self._goal_missed == 0:
            return None
        return [-self._goal_missed] if self._goal_missed else []


def signed(after: int | None, sign: int) -> int | None:
    """A literal after a step, or its negation for a sign below 0; 0 is true, None is false."""
    if sign > 0:
        return after
    if not after:
        return 0 if after is None else None
    return -after


class Frames:
    """What is known of the states that are near a goal.

    Frame n is a set of cubes: no state with such a cube, and no goal, leads to a goal within n
    steps. A cube is kept in the largest frame that it is known for, and counts in all smaller ones.
    The relation excludes every cube.
    """

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self._cubes: list[dict[Cube, tuple[int, int]]] = [{}]

    def refutes(self, state: bytes, frame: int) -> bool:
        """Whether it is known that a state does not lead to a goal within so many steps."""
        bits = int.from_bytes(state, "little")
        return any(
            bits & holding == holding and not bits & failing
            for cubes in self._cubes[frame:]
            for holding, failing in cubes.values()
        )

    def add(self, cube: Cube, frame: int) -> None:
        """Note a cube; smaller ones stand for those that have more literals."""
        while len(self._cubes) <= frame:
            self._cubes.append({})
        for cubes in self._cubes[: frame + 1]:
            for other in [other for other in cubes if cube <= other]:
                del cubes[other]
        self._cubes[frame][cube] = _bits(x for x in cube if x > 0), _bits(-x for x in cube if x < 0)
        self.relation.exclude(cube, frame)

    def learn(self, reason: Cube, frame: int, last: int) -> None:
        """Note why a state has no step to the frame below, as generally as possible.

        A cube that only leads to itself leads to no goal: what leaves it comes too late.
        """
        kept = reason
        for literal in sorted(reason, key=lambda x: (x > 0, abs(x))):
            if literal in kept:
                found = self.relation.steps_out(kept - {literal}, frame - 1)
                kept = kept if found is None else found
        while frame < last and self.relation.steps_out(kept, frame) is not None:
            frame += 1
        self.add(kept, frame)

    def push(self, last: int) -> list[Cube] | None:
        """Move cubes up as far as they are right; if a frame is as good as the next, its cubes.

        Those are right for every number of steps.
        """
        for frame in range(1, last + 1):
            for cube in self._of(frame):
                if cube in self._cubes[frame] and self.relation.steps_out(cube, frame) is not None:
                    self.add(cube, frame + 1)
            if not self._of(frame):
                return [cube for cubes in self._cubes[frame:] for cube in cubes]
        return None

    def __len__(self) -> int:
        return sum(map(len, self._cubes))

    def _of(self, frame: int) -> list[Cube]:
        return list(self._cubes[frame]) if frame < len(self._cubes) else []


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)
