"""The published model: an integer for the position of each vehicle in each state.

Source: the thesis on A* and Z3 for Rush Hour (2025). Each state but the last has one vehicle whose
`move` is not 0, the next position is the sum; vehicles overlap nowhere and jump over nothing; the
red car is at the exit in some state, and as few moves as possible are made. Walls, which the
thesis has not, only narrow the range of a vehicle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from asplan.domains.rush_hour.lines import State
from asplan.domains.rush_hour.model import RushHour
from asplan.domains.rush_hour.smt.board import Vehicle, board_of


class Positions:
    """The constraints for a number of states; `alternate` adds that none moves twice running."""

    def __init__(self, z3: Any, model: RushHour, states: int, alternate: bool) -> None:
        self.z3, self.model, self.board, self.states = z3, model, board_of(model), states
        names = [vehicle.name for vehicle in self.board.vehicles]
        self.position = [[z3.Int(f"p_{n}_{s}") for s in range(states)] for n in names]
        self.move = [[z3.Int(f"m_{n}_{s}") for s in range(states - 1)] for n in names]
        self.moves = z3.Int("moves")
        self.constraints = [
            *self._frame(),
            *self._one_move(alternate),
            *self._same_line(),
            *self._crossing(),
        ]

    def states_of(self, solution: Any) -> list[State]:
        """The states, from the first to the one with the red car out."""
        last = solution[self.moves].as_long()
        return [
            self.model.state(tuple(solution[at[s]].as_long() for at in self.position))
            for s in range(last + 1)
        ]

    def _frame(self) -> Iterator[Any]:
        """Start, ranges, what a move does, and the exit."""
        z3 = self.z3
        for vehicle, positions, moves in zip(
            self.board.vehicles, self.position, self.move, strict=True
        ):
            yield positions[0] == vehicle.start
            for s, move in enumerate(moves):
                yield positions[s + 1] == positions[s] + move
                if self.board.steps_only:
                    yield z3.And(move >= -1, move <= 1)
            for position in positions:
                yield z3.And(position >= vehicle.least, position <= vehicle.most)
        red = self.position[0]
        yield z3.Or(
            [z3.And(self.moves == s, red[s] == self.board.goal) for s in range(self.states)]
        )

    def _one_move(self, alternate: bool) -> Iterator[Any]:
        z3 = self.z3
        for s in range(self.states - 1):
            moving = [(moves[s] != 0, 1) for moves in self.move]
            yield z3.If(self.moves > s, z3.PbEq(moving, 1), z3.PbEq(moving, 0))
            if alternate and s:
                yield from (z3.Or(moves[s - 1] == 0, moves[s] == 0) for moves in self.move)

    def _same_line(self) -> Iterator[Any]:
        """No overlap, and no jump: who is first stays first."""
        z3, vehicles = self.z3, self.board.vehicles
        for a, b in self.board.same_line:
            for s in range(self.states):
                before = self.position[a][s] + vehicles[a].length <= self.position[b][s]
                after = self.position[b][s] + vehicles[b].length <= self.position[a][s]
                yield z3.Or(before, after)
                if s:
                    was = self.position[a][s - 1] < self.position[b][s - 1]
                    yield was == (self.position[a][s] < self.position[b][s])

    def _crossing(self) -> Iterator[Any]:
        """No horizontal vehicle crosses a vertical one, and none jumps across the other."""
        z3, vehicles = self.z3, self.board.vehicles
        for h, v in self.board.crossing:
            for s in range(self.states):
                across = self._covers(vehicles[h], self.position[h][s], vehicles[v].line)
                upright = self._covers(vehicles[v], self.position[v][s], vehicles[h].line)
                yield z3.Not(z3.And(across, upright))
                if s:
                    yield from self._no_jump(h, v, s)
                    yield from self._no_jump(v, h, s)

    def _no_jump(self, mover: int, other: int, s: int) -> Iterator[Any]:
        """While the other covers its line, the mover stays on its side of the other's line."""
        z3, vehicle = self.z3, self.board.vehicles[mover]
        there = self.board.vehicles[other]
        in_the_way = self._covers(there, self.position[other][s - 1], vehicle.line)
        was, now = self.position[mover][s - 1], self.position[mover][s]
        yield z3.Implies(z3.And(in_the_way, was < there.line), now < there.line)
        yield z3.Implies(z3.And(in_the_way, was > there.line), now > there.line)

    def _covers(self, vehicle: Vehicle, position: Any, line: int) -> Any:
        return self.z3.And(position <= line, line < position + vehicle.length)
