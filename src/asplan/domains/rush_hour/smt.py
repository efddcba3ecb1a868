"""What both models know about a board: each vehicle's range, and which pairs can meet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from asplan.domains.rush_hour.lines import State
from asplan.domains.rush_hour.model import RushHour
from asplan.errors import UsageError


@dataclass(frozen=True)
class Vehicle:
    """A car with its offset at the start, and the offsets between which no wall stands."""

    name: str
    length: int
    axis: str
    line: int
    start: int
    least: int
    most: int

    def covers(self, offset: int) -> range:
        """The places of its line that it covers at an offset."""
        return range(offset, offset + self.length)


@dataclass(frozen=True)
class Board:
    """The vehicles, the red car first.

    Attributes
    ----------
    same_line
        Pairs of indices, the first being left of or above the second.
    crossing
        Pairs of indices of a horizontal and a vertical vehicle.
    """

    vehicles: tuple[Vehicle, ...]
    goal: int
    steps_only: bool
    same_line: tuple[tuple[int, int], ...]
    crossing: tuple[tuple[int, int], ...]

    def unsolvable(self) -> str | None:
        """Whether a wall stands between the red car and its goal; else None."""
        red = self.vehicles[0]
        if red.least <= self.goal <= red.most:
            return None
        return "a wall stands between the red car and its goal"


def board_of(model: RushHour) -> Board:
    """The board of an instance."""
    vehicles = tuple(_vehicle(model, index) for index in range(len(model.cars)))
    indices = sorted(range(len(vehicles)), key=lambda index: vehicles[index].start)
    same = [
        (a, b)
        for a, b in combinations(indices, 2)
        if (vehicles[a].axis, vehicles[a].line) == (vehicles[b].axis, vehicles[b].line)
    ]
    crossing = [
        (h, v) for h in indices for v in indices if vehicles[h].axis == "h" != vehicles[v].axis
    ]
    return Board(vehicles, model.goal, model.metric == "step", tuple(same), tuple(crossing))


def _vehicle(model: RushHour, index: int) -> Vehicle:
    car, start = model.cars[index], model.start[index]
    least = most = start
    while model.is_open(car.cell(least - 1)):
        least -= 1
    while model.is_open(car.cell(most + car.length)):
        most += 1
    return Vehicle(model.names[index], car.length, car.axis, car.line, start, least, most)


# The second model: a Boolean for each vehicle, offset and state, and one state added at a time.
#
# Where `positions` is given all states at once and minimizes, this one asks for a plan of exactly
# 1, 2, … moves; what was learned about the first states is kept. In metric slide no vehicle moves
# twice running, and of two moves that could as well be made the other way round (vehicles that
# cannot meet) only one order is allowed: a plan can be sorted, so no length is lost.


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


# The published model: an integer for the position of each vehicle in each state.
#
# Source: the thesis on A* and Z3 for Rush Hour (2025). Each state but the last has one vehicle whose
# `move` is not 0, the next position is the sum; vehicles overlap nowhere and jump over nothing; the
# red car is at the exit in some state, and as few moves as possible are made. Walls, which the
# thesis has not, only narrow the range of a vehicle.


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


# Rush Hour for the SMT solver Z3.
#
# `positions` is the published model, `cells` a second one that is faster; `board` is what both know.


@dataclass(frozen=True)
class Published:
    """The published model, for any number of states."""

    z3: Any
    model: RushHour
    alternate: bool

    def unsolvable(self) -> str | None:
        """A wall may stand between the red car and its goal."""
        return board_of(self.model).unsolvable()

    def formula(self, states: int) -> Positions:
        """The constraints for a number of states."""
        return Positions(self.z3, self.model, states, self.alternate)


def positions(z3: Any, model: RushHour) -> Published:
    """The published model."""
    return Published(z3, model, alternate=False)


def alternating(z3: Any, model: RushHour) -> Published:
    """The published model with its optional constraint: no vehicle moves twice running.

    Raises
    ------
    UsageError
        The metric is step, where a vehicle may have to move twice running.
    """
    if model.metric == "step":
        raise UsageError("engine smt-alternating is for --metric slide")
    return Published(z3, model, alternate=True)


__all__ = ["Cells", "alternating", "positions"]
