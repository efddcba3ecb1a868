"""Estimates of the moves to the goal; first asplan's own: smaller boards, solved in full, added.

Take all cars off the board but those of a few lines, the red car's among them. Each move of the
board is one of the smaller board or leaves it as it is, so its distance to the goal is admissible
and consistent. To *add* several, boards are taken in turn, and one *uses up* a move (of a line's
car between two places) if it ever brings that board nearer to the goal; for later boards it costs
nothing. So the sum is consistent as well, in both metrics.

Sources: Culberson and Schaeffer, Pattern Databases, 1998; Seipp, Keller and Helmert, Saturated Cost
Partitioning for Optimal Classical Planning, 2020.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import combinations
from math import comb, inf, prod

from asplan.domains.heuristic import ZERO, Estimate, Heuristic, never
from asplan.domains.reading import Cell
from asplan.domains.rush_hour.model import Line, Memo, RushHour, State

LARGEST = 4000  # the most placements of cars that the one large board may have
Step = tuple[State, int]  # where the cars of its line are, and what it adds to the state


def abstraction(problem: RushHour) -> Estimate:
    """The distances of one large board and of all boards of three lines, added.

    Admissible and consistent in both metrics. Infinite where no smaller board has a path to the
    goal.
    """
    used: set[Step] = set()
    tables = []
    for board in [_grown(problem), *_of_three_lines(problem)]:
        distances = board.distances(used)
        if not distances:
            return lambda state: inf
        if any(distances.values()):
            used.update(board.useful(distances))
            tables.append((board.keep, distances))
    return lambda state: sum(table[state & keep] for keep, table in tables)


class Board:
    """All that can be reached on a board that has the cars of some lines only."""

    def __init__(self, problem: RushHour, lines: Collection[Line]) -> None:
        self.lines, self.keep = lines, sum(line.bits for line in lines)
        self.start = problem.initial & self.keep
        self.goals: list[State] = []
        self.before: dict[State, list[tuple[State, Step]]] = {self.start: []}
        tables = [(line, *line.table(problem.reach)) for line in lines]
        waiting = [self.start]
        while waiting:
            state = waiting.pop()
            if problem.is_goal(state):
                self.goals.append(state)
            for line, view, table in tables:
                for change in table[state & view]:
                    after = state + change
                    if after not in self.before:
                        self.before[after] = []
                        waiting.append(after)
                    self.before[after].append((state, (state & line.bits, change)))

    def distances(self, used: Collection[Step]) -> dict[State, int]:
        """The fewest moves to a goal that are not used up; breadth first with costs 0 and 1."""
        found = dict.fromkeys(self.goals, 0)
        waiting = deque(self.goals)
        while waiting:
            state = waiting.popleft()
            for before, step in self.before[state]:
                cost = step not in used
                if before not in found or found[state] + cost < found[before]:
                    found[before] = found[state] + cost
                    (waiting.append if cost else waiting.appendleft)(before)
        return found

    def useful(self, distances: Mapping[State, int]) -> Iterator[Step]:
        """The moves that ever bring the board nearer to a goal."""
        for after, arrivals in self.before.items():
            for before, step in arrivals:
                if distances[before] > distances[after]:
                    yield step

    def length(self) -> tuple[float, float, int]:
        """How much it tells: the distance from the start, then the mean distance."""
        distances = self.distances(())
        if not distances:
            return inf, inf, 0
        mean = sum(distances.values()) / len(distances)
        return distances[self.start], mean, -len(distances)


def _grown(problem: RushHour) -> Board:
    """A board that is grown line by line, by the one that makes the path from the start longest."""
    board = Board(problem, [problem.red_line])
    while True:
        more = [
            Board(problem, [*board.lines, line])
            for line in problem.lines
            if line not in board.lines and _placements([*board.lines, line]) <= LARGEST
        ]
        if not more:
            return board
        board = max(more, key=Board.length)


def _of_three_lines(problem: RushHour) -> list[Board]:
    """The boards with the red car's line and two others, those with the longest paths first."""
    others = [line for line in problem.lines if line is not problem.red_line]
    triples = ([problem.red_line, *pair] for pair in combinations(others, 2))
    boards = [Board(problem, lines) for lines in triples if _placements(lines) <= LARGEST]
    return sorted(boards, key=Board.length, reverse=True)


def _placements(lines: Iterable[Line]) -> int:
    """How many ways there are to place the cars of some lines, each line by itself."""
    return prod(
        comb(line.size - sum(line.lengths) + len(line.lengths), len(line.lengths)) for line in lines
    )


# Estimates that look at the way of the red car, the cells that it has still to pass, and at what
# blocks it, the cars on one of them. A move changes one car, which is what most arguments rest on.


PENALTY = 5
"""What a car that is stuck adds to `movable_blocking_cars`. Published is one value, 12 on a board
with 2 cars on the way and 3 that block transitively (Figure 3.1 of the thesis). Of four readings of
it this one is nearest to the published optima and numbers of states, see
`scripts/thesis_readings.py penalty`."""


def blocking(problem: RushHour) -> Estimate:
    """0 at the goal, 1 if the way is free, 2 if it is not.

    Admissible and consistent in both metrics: away from the goal at least one move is needed, and
    one more if another car has to go first. Only a red move onto the goal leads to 0, and it needs
    a free way, where the value is 1; so no move lowers the value by 2.
    """

    def estimate(bits: State) -> int:
        if _distance(problem, bits) == 0:
            return 0
        return 2 if _blockers(problem, bits) else 1

    return _of_red_view(problem, estimate)


def constant(problem: RushHour) -> Estimate:
    """0 if the way is free, 1 if it is not.

    Admissible and consistent in both metrics: it is 0 at goals and takes two values only.
    """
    return _of_red_view(problem, lambda bits: int(_blockers(problem, bits) > 0))


def cars_between(problem: RushHour) -> Estimate:
    """The number of cars that block.

    Admissible and consistent in both metrics: each of them has to move, one a move; the red car
    passes free cells only, so its own moves change nothing.
    """
    return _of_red_view(problem, lambda bits: _blockers(problem, bits))


def goal_distance(problem: RushHour) -> Estimate:
    """The number of cells that the red car has still to go.

    Admissible and consistent in metric step, where a move goes one cell; neither in metric slide,
    where one move may go them all.
    """
    return _of_red_view(problem, lambda bits: _distance(problem, bits))


def blocking_cars(problem: RushHour) -> Estimate:
    """The cars that block, and those that stand before or behind one of these, transitively.

    Not admissible in either metric: a car that can go backward need not have the cars before it
    moved.
    """

    def estimate(state: State) -> int:
        taken, offsets = problem.taken(state), problem.offsets(state)
        found = on_the_way(problem, state, taken)
        for index in found:  # which grows meanwhile
            for cell in _ends(problem, index, offsets):
                other = taken.get(cell, 0)
                if other and other not in found:
                    found.append(other)
        return len(found)

    return estimate


def movable_blocking_cars(problem: RushHour) -> Estimate:
    """The cars that block, and `PENALTY` more for each that cannot move at all.

    Not admissible in either metric: to make such a car free may take a single move, and that may
    even free two of them.
    """

    def estimate(state: State) -> int:
        taken, offsets = problem.taken(state), problem.offsets(state)
        blocking = on_the_way(problem, state, taken)
        stuck = sum(
            not any(problem.is_open(c) and c not in taken for c in _ends(problem, index, offsets))
            for index in blocking
        )
        return len(blocking) + PENALTY * stuck

    return estimate


def _ends(problem: RushHour, index: int, offsets: list[int]) -> tuple[Cell, Cell]:
    car, offset = problem.cars[index], offsets[index]
    return car.cell(offset - 1), car.cell(offset + car.length)


def _of_red_view(problem: RushHour, value: Callable[[State], int]) -> Estimate:
    """An estimate that depends only on what the red car's line sees, tabulated."""
    view, table = problem.red_line.view, Memo(value)
    return lambda state: table[state & view]


def _distance(problem: RushHour, state: State) -> int:
    return abs(problem.goal - 1 - problem.red_place(state))


def _way(problem: RushHour, state: State) -> range:
    """The indices (from 0) of the cells of its line that the red car has still to pass."""
    here, there, length = problem.red_place(state), problem.goal - 1, problem.cars[0].length
    return range(here + length, there + length) if here < there else range(there, here)


def _blockers(problem: RushHour, state: State) -> int:
    line, way = problem.red_line, _way(problem, state)
    crossing = sum(1 for index in way if state & line.crossing[index])
    spans = zip(line.places(state), line.lengths, strict=True)
    # The red car itself is never on its way.
    return crossing + sum(1 for at, length in spans if at < way.stop and at + length > way.start)


def on_the_way(problem: RushHour, state: State, taken: Mapping[Cell, int]) -> list[int]:
    """The indices of the cars on the way, each once."""
    cells = (problem.cars[0].cell(index + 1) for index in _way(problem, state))
    return list(dict.fromkeys(taken[cell] for cell in cells if cell in taken))


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
        "goal_distance", goal_distance, "cells between the red car and its goal", _is_step, _is_step
    ),
    Heuristic(
        "blocking_cars",
        blocking_cars,
        "cars that block the red car, or one another, transitively",
        never,
        never,
    ),
    Heuristic(
        "movable_blocking_cars",
        movable_blocking_cars,
        "cars that block; those that cannot move count more",
        never,
        never,
    ),
)
