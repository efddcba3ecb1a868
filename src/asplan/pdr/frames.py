"""What is known of the states that are near a goal.

Frame n is a set of cubes: no state with such a cube, and no goal, leads to a goal within n steps. A
cube is kept in the largest frame that it is known for, and counts in all smaller ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from asplan.pdr.relation import Cube, Relation

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
