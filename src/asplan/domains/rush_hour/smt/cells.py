"""The second model: a Boolean for each vehicle, offset and state, and one state added at a time.

Where `positions` is given all states at once and minimizes, this one asks for a plan of exactly
1, 2, … moves; what was learned about the first states is kept. In metric slide no vehicle moves
twice running, and of two moves that could as well be made the other way round (vehicles that
cannot meet) only one order is allowed: a plan can be sorted, so no length is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from asplan.domains.rush_hour.lines import State
from asplan.domains.rush_hour.model import RushHour
from asplan.domains.rush_hour.smt.board import board_of


class Cells:
    """The constraints, state by state."""

    def __init__(self, z3: Any, model: RushHour) -> None:
        self.z3, self.model, self.board = z3, model, board_of(model)
        self.at: list[list[dict[int, Any]]] = []
        self.moving: list[list[Any]] = []

    def unsolvable(self) -> str | None:
        """A wall may stand between the red car and its goal."""
        return self.board.unsolvable()

    def add_state(self) -> Iterator[Any]:
        """The constraints of one more state, and of the move that leads to it."""
        z3, s = self.z3, len(self.at)
        self.at.append(
            [
                {o: z3.Bool(f"at_{v.name}_{o}_{s}") for o in range(v.least, v.most + 1)}
                for v in self.board.vehicles
            ]
        )
        for vehicle, at in zip(self.board.vehicles, self.at[s], strict=True):
            yield z3.PbEq([(literal, 1) for literal in at.values()], 1)
            if s == 0:
                yield at[vehicle.start]
        yield from self._apart(s)
        if s:
            yield from self._one_move(s)

    def goal(self) -> Any:
        """That the red car is at its goal in the last state."""
        return self.at[-1][0][self.board.goal]

    def states_of(self, solution: Any) -> list[State]:
        """The states, from the first to the one with the red car out."""
        return [
            self.model.state(
                tuple(next(o for o, literal in at.items() if solution[literal]) for at in state)
            )
            for state in self.at
        ]

    @cached_property
    def _conflicts(self) -> list[tuple[int, int, int, int]]:
        """Vehicle and offset twice: what cannot be together in a state."""
        vehicles, found = self.board.vehicles, []
        for a, b in self.board.same_line:
            for o in range(vehicles[a].least, vehicles[a].most + 1):
                for p in range(vehicles[b].least, vehicles[b].most + 1):
                    if o + vehicles[a].length > p:
                        found.append((a, o, b, p))
        for h, v in self.board.crossing:
            for o in range(vehicles[h].least, vehicles[h].most + 1):
                for p in range(vehicles[v].least, vehicles[v].most + 1):
                    meet = vehicles[v].line in vehicles[h].covers(o)
                    if meet and vehicles[h].line in vehicles[v].covers(p):
                        found.append((h, o, v, p))
        return found

    @cached_property
    def _met(self) -> set[frozenset[int]]:
        """The pairs of vehicles that can be in each other's way."""
        return {frozenset((a, b)) for a, _, b, _ in self._conflicts}

    def _apart(self, s: int) -> Iterator[Any]:
        z3, at = self.z3, self.at[s]
        for a, o, b, p in self._conflicts:
            yield z3.Or(z3.Not(at[a][o]), z3.Not(at[b][p]))

    def _one_move(self, s: int) -> Iterator[Any]:
        """One vehicle moves, the others stay, and the mover sweeps free cells only."""
        z3, vehicles = self.z3, self.board.vehicles
        before, after = self.at[s - 1], self.at[s]
        moving = [z3.Bool(f"moving_{vehicle.name}_{s}") for vehicle in vehicles]
        yield z3.PbEq([(literal, 1) for literal in moving], 1)
        for index, vehicle in enumerate(vehicles):
            for o in range(vehicle.least, vehicle.most + 1):
                was, now = before[index][o], after[index][o]
                yield z3.Or(z3.Not(was), now == z3.Not(moving[index]))
                if self.board.steps_only:
                    near = [after[index][p] for p in (o - 1, o + 1) if p in after[index]]
                    yield z3.Or(z3.Not(was), now, *near)
        if not self.board.steps_only:
            yield from self._no_jump(s)
        yield from self._sorted(moving)
        self.moving.append(moving)

    def _no_jump(self, s: int) -> Iterator[Any]:
        """Nothing gets in one move from one side of an offset that is taken to the other.

        An offset is taken if it conflicts with where another vehicle is.
        """
        z3, before, after = self.z3, self.at[s - 1], self.at[s]
        for a, o, b, p in self._conflicts:
            for mover, taken, other, place in ((a, o, b, p), (b, p, a, o)):
                below = [q for q in before[mover] if q < taken]
                above = [q for q in before[mover] if q > taken]
                if below and above:
                    was = z3.Or([before[mover][q] for q in below])
                    now = z3.Or([after[mover][q] for q in below])
                    yield z3.Implies(before[other][place], was == now)

    def _sorted(self, moving: list[Any]) -> Iterator[Any]:
        """After a vehicle comes no earlier one that it can never meet; with slides, not itself."""
        z3 = self.z3
        if not self.moving:
            return
        for second, later in enumerate(moving):
            for first in range(second, len(moving)):
                again = first == second and not self.board.steps_only
                if again or (first > second and frozenset((first, second)) not in self._met):
                    yield z3.Or(z3.Not(self.moving[-1][first]), z3.Not(later))
