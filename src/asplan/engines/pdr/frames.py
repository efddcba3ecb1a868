"""Frames of property-directed reachability: sets of states that are far from any goal."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from asplan.engines.pdr.relation import Cube, Relation


class Frames:
    """The cubes of all frames; a cube is a set of literals, for all states in which they are true.

    A cube of frame n has no state from which a goal can be reached within n steps, except goals
    themselves. It is stored in the largest frame for which this is proven, and belongs to all
    smaller frames. The transition relation excludes steps into stored cubes.
    """

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self._cubes: list[dict[Cube, tuple[int, int]]] = [{}]

    def refutes(
        self,
        state: bytes,
        frame: int,
    ) -> bool:
        """Return whether a cube of a frame contains a state.

        If so, no goal can be reached from the state within `frame` steps.
        """
        bits = int.from_bytes(state, "little")
        for cubes in self._cubes[frame:]:
            for true, false in cubes.values():
                if bits & true == true and not bits & false:
                    return True
        return False

    def add(
        self,
        cube: Cube,
        frame: int,
    ) -> None:
        """Add a cube to a frame; drop stored cubes whose literals include all of its literals."""
        while len(self._cubes) <= frame:
            self._cubes.append({})
        for cubes in self._cubes[: frame + 1]:
            for other in [other for other in cubes if cube <= other]:
                del cubes[other]
        true = _bits(x for x in cube if x > 0)
        false = _bits(-x for x in cube if x < 0)
        self._cubes[frame][cube] = true, false
        self.relation.exclude(cube, frame)

    def learn(
        self,
        reason: Cube,
        frame: int,
        last: int,
    ) -> None:
        """Generalize a cube of states that are far from a goal, and add it.

        No step leads from a state in `reason` to a goal or out of the cubes of `frame - 1`. Drop as
        many literals as possible, then raise the frame as far as possible, at most to `last`.
        """
        cube = reason
        for literal in sorted(reason, key=lambda x: (x > 0, abs(x))):
            if literal in cube:
                smaller = self.relation.steps_out(cube - {literal}, frame - 1)
                cube = cube if smaller is None else smaller
        while frame < last and self.relation.steps_out(cube, frame) is not None:
            frame += 1
        self.add(cube, frame)

    def push(self, last: int) -> list[Cube] | None:
        """Move each cube of the frames 1 to `last` to the next frame if it provably belongs there.

        If a frame equals the next one, return its cubes: no step leads out of them. Else return
        None.
        """
        for frame in range(1, last + 1):
            for cube in self._of(frame):
                is_kept = cube in self._cubes[frame]
                if is_kept and self.relation.steps_out(cube, frame) is not None:
                    self.add(cube, frame + 1)
            if not self._of(frame):
                return list(chain.from_iterable(self._cubes[frame:]))
        return None

    def __len__(self) -> int:
        return sum(map(len, self._cubes))

    def _of(self, frame: int) -> list[Cube]:
        return list(self._cubes[frame]) if frame < len(self._cubes) else []


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)
