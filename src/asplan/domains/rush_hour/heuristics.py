"""Heuristics for Rush Hour: distances on boards with fewer cars, and counts of blocking cars.

A *projection* of a board has the cars of some lines only, the red car's line among them. A move of
the board is a move of the projection, or it leaves the projection's state unchanged. So the
distance to a goal of the projection is an admissible and consistent estimate. The distances of all
its states are a *pattern database*.

To *add* several pattern databases, each move may count in one of them only. The projections are
taken in turn. A projection *uses up* a move if the move ever brings it nearer to a goal; in later
projections this move costs 0. So the sum is admissible and consistent as well, in both metrics. A
move means here a change of one line from one placement of its cars to another.

Sources: Culberson and Schaeffer, Pattern Databases, 1998; Seipp, Keller and Helmert, Saturated Cost
Partitioning for Optimal Classical Planning, 2020.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import combinations
from math import comb, inf

from asplan.core.graphs import closure
from asplan.domains.heuristic import ZERO, Estimate, Heuristic, never
from asplan.domains.reading import Cell
from asplan.domains.rush_hour.model import Line, Memo, RushHour, State

LARGEST = 4000
"""The most placements of cars that the one large projection may have."""

RED_CAR = 0  # the index of the red car

LineMove = tuple[State, int]
"""A move within a line: the bits of the line before the move, and the change of the state."""


def abstraction(problem: RushHour) -> Estimate:
    """Return the estimate that adds the distances to a goal in several projections of the board.

    A projection keeps only the cars of some lines. One projection is large, and each of the others
    has three lines. Admissible and consistent in both metrics. Infinite if a projection has no path
    to its goal.
    """
    used: set[LineMove] = set()
    databases: list[tuple[State, Mapping[State, int]]] = []
    for projection in [_grow_projection(problem), *_three_line_projections(problem)]:
        distances = projection.distances(used)
        if not distances:
            return lambda state: inf
        if any(distances.values()):
            used |= projection.useful_moves(distances)
            databases.append((projection.bits, distances))

    def estimate(state: State) -> float:
        return sum(distances[state & bits] for bits, distances in databases)

    return estimate


class Projection:
    """The reachable states of a board that keeps only the cars of some lines.

    Attributes
    ----------
    lines
        The lines whose cars are kept; the red car's line is among them.
    bits
        The bits of these lines: `state & bits` is the projection of a state.
    start
        The projection of the initial state.
    goals
        The reachable goal states.
    predecessors
        For each reachable state its predecessors, each with the move that leads from it.
    """

    def __init__(self, problem: RushHour, lines: Collection[Line]) -> None:
        self.lines = lines
        self.bits = sum(line.bits for line in lines)
        self.start = problem.initial & self.bits
        self.goals: list[State] = []
        self.predecessors: dict[State, list[tuple[State, LineMove]]] = {self.start: []}
        self._explore(problem)

    def _explore(self, problem: RushHour) -> None:
        """Find all reachable states, and fill `goals` and `predecessors`."""
        tables: list[tuple[State, State, Memo[tuple[int, ...]]]] = []
        for line in self.lines:
            view, changes = line.table(problem.reach)
            tables.append((line.bits, view, changes))
        predecessors = self.predecessors
        frontier = [self.start]
        while frontier:
            state = frontier.pop()
            if problem.is_goal(state):
                self.goals.append(state)
            for line_bits, view, changes in tables:
                for change in changes[state & view]:
                    after = state + change
                    if after not in predecessors:
                        predecessors[after] = []
                        frontier.append(after)
                    move = (state & line_bits, change)
                    predecessors[after].append((state, move))

    def distances(self, used: Collection[LineMove] = ()) -> dict[State, int]:
        """Return the distance of each state to a goal; moves in `used` cost 0, all others 1.

        This is a 0-1 breadth-first search backwards from the goals: the frontier is a double-ended
        queue; a state is added in front if its move costs 0, and else at the end. It is a fast
        variant of `core.search.best_first`, which takes 1.7 to 2 times as long with the same costs
        (`scripts/search_variants.py`); tests compare the distances.
        """
        distances = dict.fromkeys(self.goals, 0)
        frontier = deque(self.goals)
        while frontier:
            state = frontier.popleft()
            for before, move in self.predecessors[state]:
                cost = 0 if move in used else 1
                distance = distances[state] + cost
                if before not in distances or distance < distances[before]:
                    distances[before] = distance
                    if cost:
                        frontier.append(before)
                    else:
                        frontier.appendleft(before)
        return distances

    def useful_moves(self, distances: Mapping[State, int]) -> set[LineMove]:
        """Return the moves that bring some state nearer to a goal."""
        useful: set[LineMove] = set()
        for after, arrivals in self.predecessors.items():
            for before, move in arrivals:
                if distances[before] > distances[after]:
                    useful.add(move)
        return useful

    def rank(self) -> tuple[float, float, int]:
        """Return a key that is larger for a more informative projection.

        The key contains the distance of the initial state, then the mean distance, then the
        negative number of states, so fewer states are better.
        """
        distances = self.distances()
        if not distances:
            return inf, inf, 0
        mean = sum(distances.values()) / len(distances)
        return distances[self.start], mean, -len(distances)


def _grow_projection(problem: RushHour) -> Projection:
    """Return the large projection that `abstraction` uses.

    It begins with the red car's line. As long as the result has at most `LARGEST` placements of
    cars, add the line that gives the highest `Projection.rank`.
    """
    projection = Projection(problem, [problem.red_line])
    while True:
        wider: list[Projection] = []
        for line in problem.lines:
            lines = [*projection.lines, line]
            if line not in projection.lines and _count_placements(lines) <= LARGEST:
                wider.append(Projection(problem, lines))
        if not wider:
            return projection
        projection = max(wider, key=Projection.rank)


def _three_line_projections(problem: RushHour) -> list[Projection]:
    """Return the projections to the red car's line and two others, the highest rank first."""
    others = [line for line in problem.lines if line is not problem.red_line]
    projections: list[Projection] = []
    for pair in combinations(others, 2):
        lines = [problem.red_line, *pair]
        if _count_placements(lines) <= LARGEST:
            projections.append(Projection(problem, lines))
    return sorted(projections, key=Projection.rank, reverse=True)


def _count_placements(lines: Iterable[Line]) -> int:
    """Count the placements of the cars on some lines, as if cars of different lines never met."""
    placements = 1
    for line in lines:
        cars = len(line.lengths)
        free_cells = line.size - sum(line.lengths)
        placements *= comb(free_cells + cars, cars)
    return placements


# The other heuristics look at the path of the red car, the cells that it has still to pass, and at
# the blocking cars, which cover one of these cells. Most of their properties rest on this: a move
# changes the place of one car only.


PENALTY = 5
"""The penalty of `movable_blocking_cars` for a blocking car that cannot move.

One value of this heuristic is published: 12, on a board with 2 cars on the path and 3 that block
transitively (Figure 3.1 of the thesis). Of four readings of it, this one is nearest to the
published optima and numbers of states; `scripts/thesis_readings.py penalty` compares them.
"""


def blocking(problem: RushHour) -> Estimate:
    """Return an estimate: 0 at the goal, 1 if the path of the red car is free, 2 if it is not.

    Admissible and consistent in both metrics: away from the goal at least one move is needed, and
    one more if another car has to go first. Only a move of the red car leads to 0. It needs a free
    path, so the value before it is 1. Hence no move lowers the value by 2.
    """

    def estimate(bits: State) -> int:
        if _distance(problem, bits) == 0:
            return 0
        return 2 if _count_blockers(problem, bits) else 1

    return _tabulate(problem, estimate)


def constant(problem: RushHour) -> Estimate:
    """Return an estimate: 0 if the path of the red car is free, 1 if it is not.

    Admissible and consistent in both metrics: it is 0 at goals, and a move changes it by at most 1.
    """

    def estimate(bits: State) -> int:
        return 1 if _count_blockers(problem, bits) else 0

    return _tabulate(problem, estimate)


def cars_between(problem: RushHour) -> Estimate:
    """Return an estimate: the number of cars on the path of the red car.

    Admissible and consistent in both metrics: each of these cars has to move, and a move moves one
    car. The red car passes free cells only, so its own moves leave the number unchanged.
    """
    return _tabulate(problem, lambda bits: _count_blockers(problem, bits))


def goal_distance(problem: RushHour) -> Estimate:
    """Return an estimate: the number of cells between the red car and its goal.

    Admissible and consistent in metric step, in which a move passes one cell. Not admissible and
    not consistent in metric slide, in which one move may pass all cells.
    """
    return _tabulate(problem, lambda bits: _distance(problem, bits))


def blocking_cars(problem: RushHour) -> Estimate:
    """Return an estimate: the number of cars that block the red car, directly or through other
    cars.

    A car also counts if it is right before or behind a car that counts. Not admissible in either
    metric: a car that can go backward does not need the car before it to move.
    """

    def estimate(state: State) -> int:
        car_at = problem.cars_by_cell(state)
        offsets = problem.offsets(state)

        def neighbours(car: int) -> set[int]:
            cells = _end_cells(problem, car, offsets)
            return {car_at.get(cell, RED_CAR) for cell in cells} - {RED_CAR}

        return len(closure(cars_on_path(problem, state, car_at), neighbours))

    return estimate


def movable_blocking_cars(problem: RushHour) -> Estimate:
    """Return an estimate: the number of cars on the red car's path, plus `PENALTY` for each stuck
    one.

    A car is stuck if it cannot move at all. Not admissible in either metric: a single move may free
    one stuck car, or even two.
    """

    def estimate(state: State) -> int:
        car_at = problem.cars_by_cell(state)
        offsets = problem.offsets(state)
        blockers = cars_on_path(problem, state, car_at)
        stuck = 0
        for index in blockers:
            ends = _end_cells(problem, index, offsets)
            uncovered = [cell for cell in ends if cell not in car_at]
            if not any(map(problem.is_open, uncovered)):
                stuck += 1
        return len(blockers) + PENALTY * stuck

    return estimate


def _end_cells(
    problem: RushHour,
    index: int,
    offsets: list[int],
) -> tuple[Cell, Cell]:
    """Return the cells just before and just behind a car, which may be off the board.

    `index` is the index of the car, and `offsets` has the column or row of each car's first cell.
    """
    car = problem.cars[index]
    before = offsets[index] - 1
    behind = offsets[index] + car.length
    return car.cell(before), car.cell(behind)


def _tabulate(problem: RushHour, value: Callable[[State], int]) -> Estimate:
    """Return an estimate that computes `value` once for each pattern of relevant bits of a state.

    The relevant bits are those on which the moves of the red car's line depend; `value` must depend
    on no other bits.
    """
    view = problem.red_line.view
    table = Memo(value)
    return lambda state: table[state & view]


def _distance(problem: RushHour, state: State) -> int:
    return abs(problem.goal - 1 - problem.red_place(state))


def _path(problem: RushHour, state: State) -> range:
    """Return the cells that the red car still has to pass, as indices (from 0) in its line."""
    place = problem.red_place(state)
    goal = problem.goal - 1
    length = problem.cars[RED_CAR].length
    if place < goal:
        return range(place + length, goal + length)
    return range(goal, place)


def _count_blockers(problem: RushHour, state: State) -> int:
    """Return the number of cars on the path of the red car, without decoding the whole state."""
    line = problem.red_line
    path = _path(problem, state)
    blockers = 0
    for index in path:
        if state & line.crossing[index]:
            blockers += 1
    # The cars of the line itself; the red car is never on its path.
    first_cells = line.first_cells(state)
    for first, length in zip(first_cells, line.lengths, strict=True):
        if first < path.stop and path.start < first + length:
            blockers += 1
    return blockers


def cars_on_path(
    problem: RushHour,
    state: State,
    car_at: Mapping[Cell, int],
) -> list[int]:
    """Return the indices of the cars on the cells that the red car has still to pass, each once.

    `car_at` maps each covered cell to the index of its car.
    """
    red = problem.cars[RED_CAR]
    cells = [red.cell(index + 1) for index in _path(problem, state)]
    blockers = [car_at[cell] for cell in cells if cell in car_at]
    return list(dict.fromkeys(blockers))


def _is_step(problem: RushHour) -> bool:
    return problem.metric == "step"


HEURISTICS = (
    Heuristic(
        "abstraction",
        abstraction,
        "distances on boards with fewer cars, added so that no move counts twice",
    ),
    ZERO,
    Heuristic("blocking", blocking, "0 at the goal, 1 if the way is free, 2 if it is not"),
    Heuristic("constant", constant, "0 if the way is free, 1 if it is not"),
    Heuristic("cars_between", cars_between, "cars between the red car and its goal"),
    Heuristic(
        "goal_distance",
        goal_distance,
        "cells between the red car and its goal",
        admissible=_is_step,
        consistent=_is_step,
    ),
    Heuristic(
        "blocking_cars",
        blocking_cars,
        "cars that block the red car, or a car that blocks it, and so on",
        admissible=never,
        consistent=never,
    ),
    Heuristic(
        "movable_blocking_cars",
        movable_blocking_cars,
        "cars that block the red car; a car that cannot move counts more",
        admissible=never,
        consistent=never,
    ),
)
