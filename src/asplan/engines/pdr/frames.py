"""Questions about a single step, which clingo answers under assumptions.

Literals of a state are numbers: 3 says that the third of the atoms that make a state holds, -3 that
it does not. Whether the goal holds is not among them. A cube is a set of literals, and stands for
all states that have them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from asplan.interrupts import interrupts_held
from asplan.statespace.model import ProgramModel

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
        with interrupts_held(), self._control.solve([*given, *near], yield_=True) as handle:
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


# What is known of the states that are near a goal.
#
# Frame n is a set of cubes: no state with such a cube, and no goal, leads to a goal within n steps. A
# cube is kept in the largest frame that it is known for, and counts in all smaller ones.


Masks = tuple[int, int]
"""The places of the literals of a cube that hold, and of those that do not, as bits of a state."""


@dataclass
class Frames:
    """The frames, from 1 on.

    Attributes
    ----------
    relation
        It is told of every cube.
    """

    relation: Relation
    _cubes: list[dict[Cube, Masks]] = field(default_factory=lambda: [{}])

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
        self._cubes[frame][cube] = masks(cube)
        self.relation.exclude(cube, frame)

    def generalised(self, cube: Cube, reason: Cube, frame: int) -> Cube:
        """A part of a cube that still has no step to the frame below, but to itself.

        A cube that only leads to itself leads to no goal: what leaves it comes too late.
        """
        kept = reason
        for literal in sorted(reason, key=lambda x: (x > 0, abs(x))):
            if literal in kept:
                found = self.relation.steps_out(kept - {literal}, frame - 1)
                kept = kept if found is None else found
        return kept

    def pushed(self, cube: Cube, frame: int, last: int) -> int:
        """The largest frame up to a last one that a cube of a frame is right for."""
        while frame < last and self.relation.steps_out(cube, frame) is not None:
            frame += 1
        return frame

    def push(self, last: int) -> list[Cube] | None:
        """Move cubes up as far as they are right; if a frame is as good as the next, its cubes.

        Those are right for every number of steps.
        """
        for frame in range(1, last + 1):
            for cube in self._of(frame):
                if cube in self._cubes[frame] and self.pushed(cube, frame, frame + 1) > frame:
                    self.add(cube, frame + 1)
            if not self._of(frame):
                return [cube for cubes in self._cubes[frame:] for cube in cubes]
        return None

    def __len__(self) -> int:
        return sum(map(len, self._cubes))

    def _of(self, frame: int) -> list[Cube]:
        return list(self._cubes[frame]) if frame < len(self._cubes) else []


def masks(cube: Cube) -> Masks:
    """The places of literals as bits of a state."""
    return _bits(x for x in cube if x > 0), _bits(-x for x in cube if x < 0)


def _bits(places: Iterator[int]) -> int:
    return sum(1 << place for place in places)
