"""Estimates of the moves to the goal that look at the way of the red car and at what blocks it.

"The way" is the cells that the red car has still to pass; a car "blocks" if it is on one of them.
`slide` and `step` are the metrics. A move changes one car, which is what most arguments rest on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from asplan.domains.heuristic import ZERO, Estimate, Heuristic, never
from asplan.domains.rush_hour.abstraction import ABSTRACTION
from asplan.domains.rush_hour.lines import Cell, Memo, State
from asplan.domains.rush_hour.model import RushHour

PENALTY = 5
"""What `movable_blocking_cars` adds for a car that is stuck.

Published is one value, in the caption of the thesis's Figure 3.1: 12 on a board with 2 cars on the
way and 3 that block transitively. The rest is inferred. 12 is 2 and twice 5, if both of them are
stuck, or 2 and 10, if one is; and "cannot move away at once" may mean that a car cannot move, or
that no single slide takes it off the way. Of these four readings the one here is the nearest to the
published share of optima and number of states, see `scripts/thesis/movable_readings.py`.
"""


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
        waiting = on_the_way(problem, state, taken)
        found = set(waiting)
        while waiting:
            index = waiting.pop()
            car, offset = problem.cars[index], offsets[index]
            for cell in (car.cell(offset - 1), car.cell(offset + car.length)):
                other = taken.get(cell, 0)
                if other and other not in found:
                    found.add(other)
                    waiting.append(other)
        return len(found)

    return estimate


def movable_blocking_cars(problem: RushHour) -> Estimate:
    """The cars that block, and `PENALTY` more for each that cannot move at all.

    Not admissible in either metric: to make such a car free may take a single move, and that may
    even free two of them.
    """

    def estimate(state: State) -> int:
        taken, offsets = problem.taken(state), problem.offsets(state)

        def is_stuck(index: int) -> bool:
            car, offset = problem.cars[index], offsets[index]
            ends = (car.cell(offset - 1), car.cell(offset + car.length))
            return not any(problem.is_open(cell) and cell not in taken for cell in ends)

        blocking = on_the_way(problem, state, taken)
        return len(blocking) + PENALTY * sum(map(is_stuck, blocking))

    return estimate


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
    """How many cars are on the way."""
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
    ABSTRACTION,
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
        "cars that block the red car, or one another, transitively",
        admissible=never,
        consistent=never,
    ),
    Heuristic(
        "movable_blocking_cars",
        movable_blocking_cars,
        "cars that block; those that cannot move count more",
        admissible=never,
        consistent=never,
    ),
)
