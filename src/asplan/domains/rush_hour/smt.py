"""Rush Hour for the SMT solver Z3: the published formulas, and formulas that are solved faster.

A path with n moves has states at times 0 to n; the move at time t leads from the state at t - 1 to
the state at t.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain, combinations, product
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from asplan.core.errors import UsageError
from asplan.domains.rush_hour.model import Car, RushHour, State

Formula: TypeAlias = Any  # a term of z3, which has no types
Solution: TypeAlias = Any  # a model of z3, from literals and numbers to their values

RED_CAR = 0  # the index of the red car


class Vehicles:
    """A board with the pairs of its vehicles that may hinder each other.

    Attributes
    ----------
    same_line
        Pairs of vehicles on one line, in their order there.
    crossing
        Pairs of a horizontal and a vertical vehicle.
    """

    def __init__(self, z3: ModuleType, model: RushHour) -> None:
        self.z3 = z3
        self.model = model
        self.cars = model.cars
        self.steps_only = model.metric == "step"
        in_order = sorted(range(len(self.cars)), key=lambda index: model.start[index])
        self.same_line: list[tuple[int, int]] = []
        for one, other in combinations(in_order, 2):
            if _line_of(self.cars[one]) == _line_of(self.cars[other]):
                self.same_line.append((one, other))
        horizontal = [index for index in in_order if self.cars[index].axis == "h"]
        vertical = [index for index in in_order if self.cars[index].axis == "v"]
        self.crossing = list(product(horizontal, vertical))

    def unsolvable(self) -> str | None:
        """Return the reason why no plan exists if a wall blocks the red car; else None."""
        if self.model.goal in self.model.ranges[RED_CAR]:
            return None
        return "a wall stands between the red car and its goal"


def _line_of(car: Car) -> tuple[str, int]:
    return car.axis, car.line


class Placement(NamedTuple):
    """A vehicle, by its index, at an offset."""

    vehicle: int
    offset: int


class Cells(Vehicles):
    """Formulas with a Boolean for each vehicle, offset and time, for exactly 0, 1, 2, … moves.

    The solver keeps all that it learned from fewer moves. Two constraints cut off paths that a
    sorted path replaces, so no plan length is lost. In metric slide no vehicle moves twice running.
    If two vehicles can never meet, their moves commute, and only one order of them is allowed.

    Attributes
    ----------
    at
        `at[time][vehicle][offset]` is true if the vehicle is at this offset at this time.
    moving
        `moving[time - 1][vehicle]` is true if the vehicle makes the move at this time.
    """

    def __init__(self, z3: ModuleType, model: RushHour) -> None:
        super().__init__(z3, model)
        self.at: list[list[dict[int, Formula]]] = []
        self.moving: list[list[Formula]] = []

    def add_state(self) -> Iterator[Formula]:
        """Yield the constraints of one more state, and of the move that leads to it."""
        z3 = self.z3
        time = len(self.at)
        state: list[dict[int, Formula]] = []
        for name, offsets in zip(self.model.names, self.model.ranges, strict=True):
            state.append({offset: z3.Bool(f"at_{name}_{offset}_{time}") for offset in offsets})
        self.at.append(state)
        for start, at in zip(self.model.start, state, strict=True):
            yield self._exactly_one(list(at.values()))
            if time == 0:
                yield at[start]
        for one, other in self._conflicts:
            first = state[one.vehicle][one.offset]
            second = state[other.vehicle][other.offset]
            yield z3.Or(z3.Not(first), z3.Not(second))
        if time > 0:
            yield from self._one_move(time)

    def _exactly_one(self, literals: list[Formula]) -> Formula:
        return self.z3.PbEq([(literal, 1) for literal in literals], 1)

    def goal(self) -> Formula:
        """Return the formula that the last state is a goal."""
        return self.at[-1][RED_CAR][self.model.goal]

    def states_of(self, solution: Solution) -> list[State]:
        """Return the states of a solution, in order of time."""
        states: list[State] = []
        for literals in self.at:
            offsets = [_true_offset(solution, at) for at in literals]
            states.append(self.model.state(offsets))
        return states

    @cached_property
    def _conflicts(self) -> list[tuple[Placement, Placement]]:
        """The pairs of placements that overlap."""
        conflicts: list[tuple[Placement, Placement]] = []
        for a, b in (*self.same_line, *self.crossing):
            for offset, other_offset in product(self.model.ranges[a], self.model.ranges[b]):
                one = Placement(a, offset)
                other = Placement(b, other_offset)
                if self._overlap(one, other):
                    conflicts.append((one, other))
        return conflicts

    def _overlap(self, one: Placement, other: Placement) -> bool:
        """Return True if two placements overlap; on one line, `one` is the first vehicle."""
        car = self.cars[one.vehicle]
        other_car = self.cars[other.vehicle]
        if car.axis == other_car.axis:
            return one.offset + car.length > other.offset
        covers_other_line = one.offset <= other_car.line < one.offset + car.length
        is_covered = other.offset <= car.line < other.offset + other_car.length
        return covers_other_line and is_covered

    @cached_property
    def _meeting(self) -> set[frozenset[int]]:
        """The pairs of vehicles that can hinder each other."""
        return {frozenset((one.vehicle, other.vehicle)) for one, other in self._conflicts}

    def _one_move(self, time: int) -> Iterator[Formula]:
        """One vehicle moves over free cells; the others stay."""
        z3 = self.z3
        before = self.at[time - 1]
        after = self.at[time]
        moving = [z3.Bool(f"moving_{name}_{time}") for name in self.model.names]
        yield self._exactly_one(moving)
        for index, offsets in enumerate(self.model.ranges):
            for offset in offsets:
                was = before[index][offset]
                now = after[index][offset]
                yield z3.Or(z3.Not(was), now == z3.Not(moving[index]))
                if self.steps_only:
                    neighbours = (offset - 1, offset + 1)
                    near = [after[index][place] for place in neighbours if place in after[index]]
                    yield z3.Or(z3.Not(was), now, *near)
        if not self.steps_only:
            yield from self._no_jump(time)
        if self.moving:
            yield from self._sorted(self.moving[-1], moving)
        self.moving.append(moving)

    def _no_jump(self, time: int) -> Iterator[Formula]:
        """No move passes from one side of an offset to the other while a vehicle blocks it."""
        z3 = self.z3
        before = self.at[time - 1]
        after = self.at[time]
        for pair in self._conflicts:
            for mover, blocker in (pair, pair[::-1]):
                offsets = before[mover.vehicle]
                below = [offset for offset in offsets if offset < mover.offset]
                above = [offset for offset in offsets if offset > mover.offset]
                if below and above:
                    was_below = z3.Or([before[mover.vehicle][offset] for offset in below])
                    is_below = z3.Or([after[mover.vehicle][offset] for offset in below])
                    is_blocked = before[blocker.vehicle][blocker.offset]
                    yield z3.Implies(is_blocked, was_below == is_below)

    def _sorted(self, earlier: list[Formula], later: list[Formula]) -> Iterator[Formula]:
        """Allow one order of two successive moves that commute, the lower index first.

        In metric slide, no vehicle moves in both: one slide is enough.
        """
        z3 = self.z3
        for second in range(len(later)):
            for first in range(second, len(earlier)):
                if first == second:
                    is_needless = not self.steps_only
                else:
                    is_needless = frozenset((first, second)) not in self._meeting
                if is_needless:
                    yield z3.Or(z3.Not(earlier[first]), z3.Not(later[second]))


def _true_offset(solution: Solution, at: dict[int, Formula]) -> int:
    return next(offset for offset, literal in at.items() if solution[literal])


class Published(Vehicles):
    """The published formulas: an integer for the position of each vehicle at each time.

    In each state but the last one vehicle has a `move` that is not 0. Vehicles do not overlap, and
    do not jump over each other. The red car is at its goal at the last time, and the number of
    moves is minimized. Source: the thesis on A* and Z3 for Rush Hour (2025). The thesis has no
    walls; here they only narrow the ranges of positions.

    Attributes
    ----------
    position
        `position[vehicle][time]` is the offset of the vehicle.
    move
        `move[vehicle][time]` is the change of its offset to the next time.
    moves
        The number of moves.
    constraints
        All constraints, for the number of `states` that `formula` was called with.
    """

    def __init__(self, z3: ModuleType, model: RushHour, alternate: bool = False) -> None:
        super().__init__(z3, model)
        self.alternate = alternate

    def formula(self, states: int) -> Published:
        """Set the constraints for a number of states, and return the object itself."""
        z3 = self.z3
        self.states = states
        self.position: list[list[Formula]] = []
        self.move: list[list[Formula]] = []
        for name in self.model.names:
            self.position.append([z3.Int(f"p_{name}_{time}") for time in range(states)])
        for name in self.model.names:
            self.move.append([z3.Int(f"m_{name}_{time}") for time in range(states - 1)])
        self.moves: Formula = z3.Int("moves")
        parts = (self._frame(), self._one_move(), self._same_line(), self._crossing())
        self.constraints = list(chain(*parts))
        return self

    def states_of(self, solution: Solution) -> list[State]:
        """Return the states of a solution, in order of time."""
        states: list[State] = []
        for time in range(solution[self.moves].as_long() + 1):
            offsets = [solution[positions[time]].as_long() for positions in self.position]
            states.append(self.model.state(offsets))
        return states

    def _frame(self) -> Iterator[Formula]:
        """Constrain starts, ranges, the effects of moves, and the goal of the red car."""
        z3 = self.z3
        cars = zip(self.model.start, self.model.ranges, self.position, self.move, strict=True)
        for start, offsets, positions, moves in cars:
            yield positions[0] == start
            for time, move in enumerate(moves):
                yield positions[time + 1] == positions[time] + move
                if self.steps_only:
                    yield z3.And(move >= -1, move <= 1)
            for position in positions:
                yield z3.And(position >= offsets[0], position <= offsets[-1])
        red = self.position[RED_CAR]
        goal = self.model.goal
        ends = [z3.And(self.moves == time, red[time] == goal) for time in range(self.states)]
        yield z3.Or(ends)

    def _one_move(self) -> Iterator[Formula]:
        """One vehicle moves at each time before the last move; afterwards none moves."""
        z3 = self.z3
        for time in range(self.states - 1):
            moving = [(moves[time] != 0, 1) for moves in self.move]
            yield z3.If(self.moves > time, z3.PbEq(moving, 1), z3.PbEq(moving, 0))
            if self.alternate and time > 0:
                for moves in self.move:
                    yield z3.Or(moves[time - 1] == 0, moves[time] == 0)

    def _same_line(self) -> Iterator[Formula]:
        """Vehicles on one line do not overlap, and keep their order."""
        z3 = self.z3
        for a, b in self.same_line:
            one = self.position[a]
            other = self.position[b]
            for time in range(self.states):
                is_before = one[time] + self.cars[a].length <= other[time]
                is_after = other[time] + self.cars[b].length <= one[time]
                yield z3.Or(is_before, is_after)
                if time > 0:
                    yield (one[time - 1] < other[time - 1]) == (one[time] < other[time])

    def _crossing(self) -> Iterator[Formula]:
        """Vehicles of different axes do not overlap, and do not jump across each other."""
        z3 = self.z3
        for h, v in self.crossing:
            for time in range(self.states):
                yield z3.Not(z3.And(self._covers(h, v, time), self._covers(v, h, time)))
                if time > 0:
                    yield from self._no_jump(h, v, time)
                    yield from self._no_jump(v, h, time)

    def _no_jump(self, mover: int, other: int, time: int) -> Iterator[Formula]:
        """While the other vehicle covers its line, the mover stays on its side of the other."""
        z3 = self.z3
        line = self.cars[other].line
        is_blocked = self._covers(other, mover, time - 1)
        was = self.position[mover][time - 1]
        now = self.position[mover][time]
        yield z3.Implies(z3.And(is_blocked, was < line), now < line)
        yield z3.Implies(z3.And(is_blocked, was > line), now > line)

    def _covers(self, vehicle: int, other: int, time: int) -> Formula:
        """Return the formula that a vehicle covers a cell of the other vehicle's line."""
        position = self.position[vehicle][time]
        line = self.cars[other].line
        return self.z3.And(position <= line, line < position + self.cars[vehicle].length)


def alternating(z3: ModuleType, model: RushHour) -> Published:
    """Make the published formulas with their optional constraint: no vehicle moves twice running.

    Raises `UsageError` for metric step.
    """
    if model.metric == "step":
        raise UsageError("engine smt-alternating is for --metric slide")
    return Published(z3, model, alternate=True)
