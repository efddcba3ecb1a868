"""asplan's own heuristic for Rush Hour: smaller boards, solved in full, whose answers are added.

Take all cars off the board but those of a few lines, the red car's among them. What is left is an
abstraction: each move of the board is a move of the smaller one or leaves it as it is, so the
smaller one's distance to the goal is admissible and consistent. To *add* the distances of several
such boards, no move may be counted twice. The boards are taken in turn, and a board *uses up* a
move (a car of a given line going from one place to another) if it ever brings that board nearer to
the goal; for the boards after it the move costs nothing. So each move is counted by at most one
board, and the sum is consistent as well, in both metrics.

Sources: Culberson and Schaeffer, Pattern Databases, 1998; Seipp, Keller and Helmert, Saturated Cost
Partitioning for Optimal Classical Planning, 2020.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import comb, inf, prod

from asplan.domains.heuristic import Estimate, Heuristic
from asplan.domains.rush_hour.lines import Line, Memo, State
from asplan.domains.rush_hour.model import RushHour

LARGEST = 4000
"""The most placements of cars that the one large board may have."""

Step = tuple[State, int]
"""A move: where the cars of its line are before, and what it adds to the state."""


def abstraction(problem: RushHour) -> Estimate:
    """The distances of one large board and of all boards of three lines, added.

    Admissible and consistent in both metrics. Infinite where no smaller board has a way to the
    goal.
    """
    boards = [_grown(problem), *_of_three_lines(problem)]
    used: set[Step] = set()
    tables = []
    for board in boards:
        distances = board.distances(used)
        if not distances:
            return lambda state: inf
        if any(distances.values()):
            used.update(board.useful(distances))
            tables.append((board.keep, distances))
    return lambda state: sum(table[state & keep] for keep, table in tables)


@dataclass
class Board:
    """All that can be reached on a board that has the cars of some lines only."""

    problem: RushHour
    lines: Collection[Line]
    keep: int = field(init=False)
    goals: list[State] = field(init=False, default_factory=list)
    before: dict[State, list[tuple[State, Step]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.keep = sum(line.bits for line in self.lines)
        tables = [(line, self._changes(line)) for line in self.lines]
        start = self.problem.initial & self.keep
        self.before[start], waiting = [], [start]
        while waiting:
            state = waiting.pop()
            if self.problem.is_goal(state):
                self.goals.append(state)
            for line, table in tables:
                for change in table[state & line.view]:
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

    def useful(self, distances: dict[State, int]) -> Iterator[Step]:
        """The moves that ever bring the board nearer to a goal."""
        for after, arrivals in self.before.items():
            for before, step in arrivals:
                if distances[before] > distances[after]:
                    yield step

    def _changes(self, line: Line) -> Memo[tuple[int, ...]]:
        reach = self.problem.reach
        return Memo(lambda bits: tuple(change for *_, change in line.moves(bits, reach)))


def _grown(problem: RushHour) -> Board:
    """A board that is grown line by line, by the one that makes the way from the start longest."""
    board = Board(problem, [problem.red_line])
    while True:
        more = [
            Board(problem, [*board.lines, line])
            for line in problem.lines
            if line not in board.lines and _placements([*board.lines, line]) <= LARGEST
        ]
        if not more:
            return board
        board = max(more, key=_length)


def _of_three_lines(problem: RushHour) -> list[Board]:
    """The boards with the red car's line and two others, those with the longest ways first."""
    others = [line for line in problem.lines if line is not problem.red_line]
    triples = ([problem.red_line, *pair] for pair in combinations(others, 2))
    boards = [Board(problem, lines) for lines in triples if _placements(lines) <= LARGEST]
    return sorted(boards, key=_length, reverse=True)


def _length(board: Board) -> tuple[float, float, int]:
    """How much a board tells: the distance from the start, then the mean distance."""
    distances = board.distances(())
    if not distances:
        return inf, inf, 0
    start = distances[board.problem.initial & board.keep]
    return start, sum(distances.values()) / len(distances), -len(distances)


def _placements(lines: Iterable[Line]) -> int:
    """How many ways there are to place the cars of some lines, each line by itself."""
    return prod(
        comb(line.size - sum(line.lengths) + len(line.lengths), len(line.lengths)) for line in lines
    )


ABSTRACTION = Heuristic(
    "abstraction",
    abstraction,
    "distances on boards with fewer cars, added so that no move counts twice",
)
