"""Rush Hour for the SMT solver Z3: the published model, and a second one that is faster."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain, combinations, product
from typing import Any

from asplan.core.errors import UsageError
from asplan.domains.rush_hour.model import RushHour, State


class Vehicles:
    """What both models know about a board: its cars, the red one first, and who can meet."""

    def __init__(self, z3: Any, model: RushHour) -> None:
        self.z3, self.model, self.cars = z3, model, model.cars
        self.steps_only = model.metric == "step"
        lines = [(car.axis, car.line) for car in self.cars]
        in_order = sorted(range(len(lines)), key=lambda index: model.start[index])
        self.same_line = [(a, b) for a, b in combinations(in_order, 2) if lines[a] == lines[b]]
        pairs = product(in_order, repeat=2)
        self.crossing = [(h, v) for h, v in pairs if lines[h][0] == "h" != lines[v][0]]

    def unsolvable(self) -> str | None:
        if self.model.goal in self.model.ranges[0]:
            return None
        return "a wall stands between the red car and its goal"


class Cells(Vehicles):
    """A Boolean for each vehicle, offset and state; a plan of exactly 1, 2, … moves is asked for.

    What was learned about the first states is kept. In metric slide no vehicle moves twice running,
    and of two moves of vehicles that cannot meet only one order is allowed: a plan can be sorted,
    so no length is lost.
    """

    def __init__(self, z3: Any, model: RushHour) -> None:
        super().__init__(z3, model)
        self.at: list[list[dict[int, Any]]] = []
        self.moving: list[list[Any]] = []

    def add_state(self) -> Iterator[Any]:
        z3, model, s = self.z3, self.model, len(self.at)
        places = zip(model.names, model.ranges, strict=True)
        self.at.append([{o: z3.Bool(f"at_{n}_{o}_{s}") for o in offsets} for n, offsets in places])
        for start, at in zip(model.start, self.at[s], strict=True):
            yield z3.PbEq([(literal, 1) for literal in at.values()], 1)
            if s == 0:
                yield at[start]
        for a, o, b, p in self._conflicts:
            yield z3.Or(z3.Not(self.at[s][a][o]), z3.Not(self.at[s][b][p]))
        if s:
            yield from self._one_move(s)

    def goal(self) -> Any:
        return self.at[-1][0][self.model.goal]

    def states_of(self, solution: Any) -> list[State]:
        return [
            self.model.state([next(o for o in at if solution[at[o]]) for at in state])
            for state in self.at
        ]

    @cached_property
    def _conflicts(self) -> list[tuple[int, int, int, int]]:
        """Vehicle and offset twice: what cannot be together in a state."""
        return [
            (a, o, b, p)
            for a, b in (*self.same_line, *self.crossing)
            for o, p in product(self.model.ranges[a], self.model.ranges[b])
            if self._overlap(a, o, b, p)
        ]

    def _overlap(self, a: int, o: int, b: int, p: int) -> bool:
        one, other = self.cars[a], self.cars[b]
        if one.axis == other.axis:
            return o + one.length > p
        return o <= other.line < o + one.length and p <= one.line < p + other.length

    @cached_property
    def _met(self) -> set[frozenset[int]]:
        """The pairs of vehicles that can be in each other's way."""
        return {frozenset((a, b)) for a, _, b, _ in self._conflicts}

    def _one_move(self, s: int) -> Iterator[Any]:
        """One vehicle moves, the others stay, and the mover sweeps free cells only."""
        z3 = self.z3
        before, after = self.at[s - 1], self.at[s]
        moving = [z3.Bool(f"moving_{name}_{s}") for name in self.model.names]
        yield z3.PbEq([(literal, 1) for literal in moving], 1)
        for index, offsets in enumerate(self.model.ranges):
            for o in offsets:
                was, now = before[index][o], after[index][o]
                yield z3.Or(z3.Not(was), now == z3.Not(moving[index]))
                if self.steps_only:
                    near = [after[index][p] for p in (o - 1, o + 1) if p in after[index]]
                    yield z3.Or(z3.Not(was), now, *near)
        if not self.steps_only:
            yield from self._no_jump(s)
        if self.moving:
            yield from self._sorted(self.moving[-1], moving)
        self.moving.append(moving)

    def _no_jump(self, s: int) -> Iterator[Any]:
        """Nothing gets in one move from one side of an offset that is taken to the other."""
        z3, before, after = self.z3, self.at[s - 1], self.at[s]
        for a, o, b, p in self._conflicts:
            for mover, taken, other, place in ((a, o, b, p), (b, p, a, o)):
                below = [q for q in before[mover] if q < taken]
                if below and any(q > taken for q in before[mover]):
                    was = z3.Or([before[mover][q] for q in below])
                    now = z3.Or([after[mover][q] for q in below])
                    yield z3.Implies(before[other][place], was == now)

    def _sorted(self, earlier: list[Any], moving: list[Any]) -> Iterator[Any]:
        """After a vehicle comes no earlier one that it can never meet; with slides, not itself."""
        z3 = self.z3
        for second, later in enumerate(moving):
            for first in range(second, len(moving)):
                again = first == second and not self.steps_only
                if again or (first > second and frozenset((first, second)) not in self._met):
                    yield z3.Or(z3.Not(earlier[first]), z3.Not(later))


class Published(Vehicles):
    """The published model: an integer for the position of each vehicle in each state.

    Source: the thesis on A* and Z3 for Rush Hour (2025). Each state but the last has one vehicle
    whose `move` is not 0; vehicles overlap nowhere and jump over nothing; the red car is at the
    exit in some state, and moves are few. Walls, which the thesis has not, only narrow ranges.
    """

    def __init__(self, z3: Any, model: RushHour, alternate: bool = False) -> None:
        super().__init__(z3, model)
        self.alternate = alternate

    def formula(self, states: int) -> Published:
        """The constraints for a number of states."""
        z3, names = self.z3, self.model.names
        self.states = states
        self.position = [[z3.Int(f"p_{n}_{s}") for s in range(states)] for n in names]
        self.move = [[z3.Int(f"m_{n}_{s}") for s in range(states - 1)] for n in names]
        self.moves = z3.Int("moves")
        parts = (self._frame(), self._one_move(), self._same_line(), self._crossing())
        self.constraints = list(chain(*parts))
        return self

    def states_of(self, solution: Any) -> list[State]:
        return [
            self.model.state([solution[at[s]].as_long() for at in self.position])
            for s in range(solution[self.moves].as_long() + 1)
        ]

    def _frame(self) -> Iterator[Any]:
        """Start, ranges, what a move does, and the exit."""
        z3 = self.z3
        cars = zip(self.model.start, self.model.ranges, self.position, self.move, strict=True)
        for start, offsets, positions, moves in cars:
            yield positions[0] == start
            for s, move in enumerate(moves):
                yield positions[s + 1] == positions[s] + move
                if self.steps_only:
                    yield z3.And(move >= -1, move <= 1)
            for position in positions:
                yield z3.And(position >= offsets[0], position <= offsets[-1])
        red, goal = self.position[0], self.model.goal
        yield z3.Or([z3.And(self.moves == s, red[s] == goal) for s in range(self.states)])

    def _one_move(self) -> Iterator[Any]:
        z3 = self.z3
        for s in range(self.states - 1):
            moving = [(moves[s] != 0, 1) for moves in self.move]
            yield z3.If(self.moves > s, z3.PbEq(moving, 1), z3.PbEq(moving, 0))
            if self.alternate and s:
                yield from (z3.Or(moves[s - 1] == 0, moves[s] == 0) for moves in self.move)

    def _same_line(self) -> Iterator[Any]:
        """No overlap, and no jump: who is first stays first."""
        for a, b in self.same_line:
            one, other = self.position[a], self.position[b]
            for s in range(self.states):
                before = one[s] + self.model.cars[a].length <= other[s]
                after = other[s] + self.model.cars[b].length <= one[s]
                yield self.z3.Or(before, after)
                if s:
                    yield (one[s - 1] < other[s - 1]) == (one[s] < other[s])

    def _crossing(self) -> Iterator[Any]:
        """No horizontal vehicle crosses a vertical one, and none jumps across the other."""
        for h, v in self.crossing:
            for s in range(self.states):
                yield self.z3.Not(self.z3.And(self._covers(h, v, s), self._covers(v, h, s)))
                if s:
                    yield from self._no_jump(h, v, s)
                    yield from self._no_jump(v, h, s)

    def _no_jump(self, mover: int, other: int, s: int) -> Iterator[Any]:
        """While the other covers its line, the mover stays on its side of the other's line."""
        z3, line = self.z3, self.model.cars[other].line
        in_the_way = self._covers(other, mover, s - 1)
        was, now = self.position[mover][s - 1], self.position[mover][s]
        yield z3.Implies(z3.And(in_the_way, was < line), now < line)
        yield z3.Implies(z3.And(in_the_way, was > line), now > line)

    def _covers(self, vehicle: int, other: int, s: int) -> Any:
        """Whether a vehicle is on the line of another one."""
        position, line = self.position[vehicle][s], self.model.cars[other].line
        return self.z3.And(position <= line, line < position + self.model.cars[vehicle].length)


def alternating(z3: Any, model: RushHour) -> Published:
    """The published model with its optional constraint: no vehicle moves twice running."""
    if model.metric == "step":
        raise UsageError("engine smt-alternating is for --metric slide")
    return Published(z3, model, alternate=True)
