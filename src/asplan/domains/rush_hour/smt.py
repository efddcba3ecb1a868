"""Rush Hour for the SMT solver Z3: the published formulas, and formulas that are solved faster.

A path with n moves has states at times 0 to n; the move at time t leads from the state at t - 1 to
the state at t. A *vehicle* is a car, given by its index.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations, product
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from asplan.core.errors import UsageError
from asplan.domains.rush_hour.model import Car, RushHour, State

Formula: TypeAlias = Any  # a term of z3, which has no types
Solution: TypeAlias = Any  # a model of z3, from literals and numbers to their values

RED_CAR = 0  # the index of the red car


class Vehicles:
    """A board with the pairs of vehicles that may hinder each other; the base of all formulas.

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
        self.same_line: list[tuple[int, int]] = []
        self.crossing: list[tuple[int, int]] = []
        in_order = sorted(range(len(self.cars)), key=model.start.__getitem__)
        for one, other in combinations(in_order, 2):
            if _line_of(self.cars[one]) == _line_of(self.cars[other]):
                self.same_line.append((one, other))
        for one, other in product(in_order, repeat=2):
            axes = (self.cars[one].axis, self.cars[other].axis)
            if axes == ("h", "v"):
                self.crossing.append((one, other))

    def unsolvable(self) -> str | None:
        """Return the reason why no plan exists, if walls keep the red car from its
        goal; else None.
        """
        if self.model.goal in self.model.ranges[RED_CAR]:
            return None
        return "a wall stands between the red car and its goal"


def _line_of(car: Car) -> tuple[str, int]:
    return car.axis, car.line


class Placement(NamedTuple):
    """A placement of a vehicle: its index and its offset, the column or row of its first cell."""

    vehicle: int
    offset: int


class Cells(Vehicles):
    """Formulas with a Boolean for each vehicle, offset and time, for exactly 0, 1, 2, … moves.

    The solver keeps everything that it learned from fewer moves. Two constraints exclude paths for
    which an equally short path exists, so no plan length is lost. In metric slide no vehicle moves
    twice in a row. If two vehicles can never meet, their moves commute, and one order is allowed.

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
        time = len(self.at)
        state = [self._literals(vehicle, time) for vehicle in range(len(self.cars))]
        self.at.append(state)
        for vehicle, at in enumerate(state):
            yield self._exactly_one(list(at.values()))
            if time == 0:
                start = self.model.start[vehicle]
                yield at[start]
        for one, other in self._conflicts:
            first = state[one.vehicle][one.offset]
            second = state[other.vehicle][other.offset]
            yield self._not_both(first, second)
        if time > 0:
            yield from self._one_move(time)

    def _literals(self, vehicle: int, time: int) -> dict[int, Formula]:
        """Make the Booleans of a vehicle at a time, one for each offset."""
        name = self.model.names[vehicle]
        literals: dict[int, Formula] = {}
        for offset in self.model.ranges[vehicle]:
            literals[offset] = self.z3.Bool(f"at_{name}_{offset}_{time}")
        return literals

    def _exactly_one(self, literals: list[Formula]) -> Formula:
        weighted = [(literal, 1) for literal in literals]
        return self.z3.PbEq(weighted, 1)

    def _not_both(self, one: Formula, other: Formula) -> Formula:
        z3 = self.z3
        return z3.Or(z3.Not(one), z3.Not(other))

    def goal(self) -> Formula:
        """Return a formula that holds if the last state is a goal."""
        last = self.at[-1]
        return last[RED_CAR][self.model.goal]

    def states_of(self, solution: Solution) -> list[State]:
        """Return the states of a solution, in order of time."""
        states: list[State] = []
        for literals in self.at:
            offsets = [_true_offset(solution, at) for at in literals]
            states.append(self.model.state(offsets))
        return states

    @cached_property
    def _conflicts(self) -> list[tuple[Placement, Placement]]:
        """The pairs of placements (vehicle and offset) that cover a common cell."""
        conflicts: list[tuple[Placement, Placement]] = []
        for a, b in (*self.same_line, *self.crossing):
            placements = [Placement(a, offset) for offset in self.model.ranges[a]]
            others = [Placement(b, offset) for offset in self.model.ranges[b]]
            for one, other in product(placements, others):
                if self._overlap(one, other):
                    conflicts.append((one, other))
        return conflicts

    def _overlap(self, one: Placement, other: Placement) -> bool:
        """Return True if two placements cover a common cell.

        If both vehicles are on the same line, `one` must be the placement of the first vehicle
        there.
        """
        car = self.cars[one.vehicle]
        other_car = self.cars[other.vehicle]
        if car.axis == other_car.axis:
            return one.offset + car.length > other.offset
        covers_other_line = one.offset <= other_car.line < one.offset + car.length
        is_covered = other.offset <= car.line < other.offset + other_car.length
        return covers_other_line and is_covered

    @cached_property
    def _meeting(self) -> set[frozenset[int]]:
        """The pairs of vehicles that can cover a common cell, and so can hinder each other."""
        pairs: set[frozenset[int]] = set()
        for one, other in self._conflicts:
            pairs.add(frozenset((one.vehicle, other.vehicle)))
        return pairs

    def _one_move(self, time: int) -> Iterator[Formula]:
        """Yield the constraints that exactly one vehicle moves, over free cells, and the others
        stay.
        """
        z3 = self.z3
        before = self.at[time - 1]
        after = self.at[time]
        moving = [z3.Bool(f"moving_{name}_{time}") for name in self.model.names]
        yield self._exactly_one(moving)
        for vehicle, moves in enumerate(moving):
            after_at = after[vehicle]
            for offset, was in before[vehicle].items():
                now = after_at[offset]
                stays = z3.Not(moves)
                yield z3.Or(z3.Not(was), now == stays)
                if self.steps_only:
                    neighbours = (offset - 1, offset + 1)
                    near = [after_at[place] for place in neighbours if place in after_at]
                    yield z3.Or(z3.Not(was), now, *near)
        if not self.steps_only:
            yield from self._no_jump(time)
        if self.moving:
            yield from self._order_moves(self.moving[-1], moving)
        self.moving.append(moving)

    def _no_jump(self, time: int) -> Iterator[Formula]:
        """Yield the constraints that no vehicle jumps over another one in the move to `time`."""
        z3 = self.z3
        before = self.at[time - 1]
        after = self.at[time]
        for pair in self._conflicts:
            for mover, blocker in (pair, pair[::-1]):
                before_at = before[mover.vehicle]
                after_at = after[mover.vehicle]
                below = [offset for offset in before_at if offset < mover.offset]
                above = [offset for offset in before_at if offset > mover.offset]
                if below and above:
                    was_below = z3.Or([before_at[offset] for offset in below])
                    is_below = z3.Or([after_at[offset] for offset in below])
                    is_blocked = before[blocker.vehicle][blocker.offset]
                    yield z3.Implies(is_blocked, was_below == is_below)

    def _order_moves(
        self,
        earlier: list[Formula],
        later: list[Formula],
    ) -> Iterator[Formula]:
        """Yield constraints that allow only one order of two successive commuting moves.

        The vehicle of lower index moves first. `earlier` and `later` are Booleans by index of the
        vehicle: the vehicle makes the first of the two moves, or the second. In metric slide no
        vehicle may move twice in a row, because one slide is enough.
        """
        for second in range(len(later)):
            for first in range(second, len(earlier)):
                if first == second:
                    is_needless = not self.steps_only
                else:
                    pair = frozenset((first, second))
                    is_needless = pair not in self._meeting
                if is_needless:
                    yield self._not_both(earlier[first], later[second])


def _true_offset(solution: Solution, at: dict[int, Formula]) -> int:
    true_offsets = (offset for offset, literal in at.items() if solution[literal])
    return next(true_offsets)


class Published(Vehicles):
    """The published formulas: an integer for the position of each vehicle at each time.

    At each time but the last, one vehicle has a `move` that is not 0. Vehicles do not overlap, and
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

    def __init__(
        self,
        z3: ModuleType,
        model: RushHour,
        alternate: bool = False,
    ) -> None:
        super().__init__(z3, model)
        self.alternate = alternate

    def formula(self, states: int) -> Published:
        """Make the constraints for paths with a number of states, and return this object."""
        z3 = self.z3
        self.states = states
        self.position: list[list[Formula]] = []
        self.move: list[list[Formula]] = []
        for name in self.model.names:
            positions = [z3.Int(f"p_{name}_{time}") for time in range(states)]
            self.position.append(positions)
        for name in self.model.names:
            moves = [z3.Int(f"m_{name}_{time}") for time in range(states - 1)]
            self.move.append(moves)
        self.moves: Formula = z3.Int("moves")
        self.constraints: list[Formula] = []
        self.constraints.extend(self._frame())
        self.constraints.extend(self._one_move())
        self.constraints.extend(self._same_line())
        self.constraints.extend(self._crossing())
        return self

    def states_of(self, solution: Solution) -> list[State]:
        """Return the states of a solution, in order of time."""
        states: list[State] = []
        moves = solution[self.moves].as_long()
        for time in range(moves + 1):
            positions = [positions[time] for positions in self.position]
            offsets = [solution[position].as_long() for position in positions]
            states.append(self.model.state(offsets))
        return states

    def _frame(self) -> Iterator[Formula]:
        """Yield the constraints on initial positions, ranges, effects of moves, and the red car's
        goal.
        """
        z3 = self.z3
        for vehicle, positions in enumerate(self.position):
            yield positions[0] == self.model.start[vehicle]
            for time, move in enumerate(self.move[vehicle]):
                yield positions[time + 1] == positions[time] + move
                if self.steps_only:
                    yield z3.And(move >= -1, move <= 1)
            offsets = self.model.ranges[vehicle]
            for position in positions:
                yield z3.And(position >= offsets[0], position <= offsets[-1])
        ends: list[Formula] = []
        for time, position in enumerate(self.position[RED_CAR]):
            is_last = self.moves == time
            ends.append(z3.And(is_last, position == self.model.goal))
        yield z3.Or(ends)

    def _one_move(self) -> Iterator[Formula]:
        """Yield the constraints that one vehicle moves at each time before `moves`, and none
        afterwards.
        """
        z3 = self.z3
        for time in range(self.states - 1):
            moving = [(moves[time] != 0, 1) for moves in self.move]
            one_moves = z3.PbEq(moving, 1)
            none_moves = z3.PbEq(moving, 0)
            yield z3.If(self.moves > time, one_moves, none_moves)
            if self.alternate and time > 0:
                for moves in self.move:
                    rested = moves[time - 1] == 0
                    rests = moves[time] == 0
                    yield z3.Or(rested, rests)

    def _same_line(self) -> Iterator[Formula]:
        """Yield the constraints that vehicles on one line do not overlap and keep their order."""
        z3 = self.z3
        for a, b in self.same_line:
            length = self.cars[a].length
            other_length = self.cars[b].length
            was_first: Formula = None
            for one, other in zip(self.position[a], self.position[b], strict=True):
                is_before = one + length <= other
                is_after = other + other_length <= one
                yield z3.Or(is_before, is_after)
                is_first = one < other
                if was_first is not None:
                    yield was_first == is_first
                was_first = is_first

    def _crossing(self) -> Iterator[Formula]:
        """Yield the constraints that vehicles of different axes neither overlap nor jump over each
        other.
        """
        z3 = self.z3
        for h, v in self.crossing:
            for time in range(self.states):
                covers = self._covers(h, v, time)
                is_covered = self._covers(v, h, time)
                yield z3.Not(z3.And(covers, is_covered))
                if time > 0:
                    yield from self._no_jump(h, v, time)
                    yield from self._no_jump(v, h, time)

    def _no_jump(
        self,
        mover: int,
        other: int,
        time: int,
    ) -> Iterator[Formula]:
        """Yield the constraints that the vehicle `mover` does not jump over the vehicle `other`.

        If `other` covers a cell of the line of `mover`, `mover` stays on the same side of this
        cell.
        """
        z3 = self.z3
        line = self.cars[other].line
        is_blocked = self._covers(other, mover, time - 1)
        was = self.position[mover][time - 1]
        now = self.position[mover][time]
        blocked_below = z3.And(is_blocked, was < line)
        blocked_above = z3.And(is_blocked, was > line)
        yield z3.Implies(blocked_below, now < line)
        yield z3.Implies(blocked_above, now > line)

    def _covers(
        self,
        vehicle: int,
        other: int,
        time: int,
    ) -> Formula:
        """Return a formula that holds if a vehicle covers a cell of the line of the vehicle
        `other`.
        """
        position = self.position[vehicle][time]
        end = position + self.cars[vehicle].length
        line = self.cars[other].line
        return self.z3.And(position <= line, line < end)


def alternating(z3: ModuleType, model: RushHour) -> Published:
    """Make the published formulas with their optional constraint: no vehicle moves twice in a row.

    Raises `UsageError` for metric step.
    """
    if model.metric == "step":
        raise UsageError("engine smt-alternating is for --metric slide")
    return Published(z3, model, alternate=True)
