"""Thesis, `movable_blocking_cars`: which reading of it fits what is published.

The thesis describes it as the cars on the way, with a penalty for each that cannot move away at
once. The caption of its Figure 3.1 gives one value: 12 on a board where 2 cars are on the way. So
the penalty is 10 if one of them is stuck there, and 5 if both are; and a car is stuck if it cannot
move, or if no single slide takes it off the way. The table sets these four readings beside table
5.1: the share of optima, and the states in relation to those of `cars_between`, of all boards and
of the hardest. Three samples are drawn as Sample1 is; none is the thesis's, so a few per cent say
nothing.

    python scripts/thesis_readings.py penalty [--database FILE] [--every N] [--quick] [--markdown]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import mean

from asplan.domains.heuristic import Estimate, Heuristic, never
from asplan.domains.reading import Cell
from asplan.domains.rush_hour.heuristics import cars_on_path
from asplan.domains.rush_hour.model import RushHour
from lib import tables
from lib.quick import add_quick
from lib.thesis import RUSH_HOUR, Rows, astar, chosen, database, measure, sample1

RESTS_ON = (
    "src/asplan/engines/search/astar.py",
    "src/asplan/engines/search/search.py",
    "src/asplan/domains/rush_hour/heuristics.py",
    "src/asplan/domains/rush_hour/model.py",
)

SEEDS = (1, 2, 3)

BASE = "cars_between"
# Share of optima, mean states, states on the hardest board.
PUBLISHED = {BASE: (1.0, 5349.47, 2835), "movable_blocking_cars": (0.79, 4690.33, 2576)}

Stuck = Callable[[RushHour, int, int, Collection[Cell]], bool]
"""Whether a car, by its index, is stuck where its first cell is, given the cells that are taken."""


def is_free(problem: RushHour, index: int, at: int, taken: Collection[Cell]) -> bool:
    """Return whether a cell of a car's line is empty."""
    cell = problem.cars[index].cell(at)
    return problem.is_open(cell) and cell not in taken


def cannot_move(problem: RushHour, index: int, first: int, taken: Collection[Cell]) -> bool:
    """Neither end is free."""
    ends = (first - 1, first + problem.cars[index].length)
    return not any(is_free(problem, index, at, taken) for at in ends)


def cannot_clear(problem: RushHour, index: int, first: int, taken: Collection[Cell]) -> bool:
    """No single slide takes it off the way."""
    car, red = problem.cars[index], problem.cars[0]
    backward = range(first - 1, red.line - car.length - 1, -1)
    forward = range(first + car.length, red.line + car.length + 1)
    return car.axis == red.axis or not any(
        all(is_free(problem, index, at, taken) for at in cells) for cells in (backward, forward)
    )


def reading(stuck: Stuck, penalty: int) -> Callable[[RushHour], Estimate]:
    """The cars on the way, with a penalty for each that is stuck."""

    def make(problem: RushHour) -> Estimate:
        def estimate(state: int) -> int:
            taken, offsets = problem.cars_by_cell(state), problem.offsets(state)
            cars = cars_on_path(problem, state, taken)
            return sum(1 + penalty * stuck(problem, car, offsets[car], taken) for car in cars)

        return estimate

    return make


READINGS = {
    f"{penalty} if it {what}": reading(stuck, penalty)
    for penalty in (5, 10)
    for what, stuck in (("cannot move", cannot_move), ("cannot clear the way", cannot_clear))
}


def row(name: str, share: float, states: float, hardest: float) -> tuple[str, ...]:
    """The cells of a row."""
    return name, f"{share:.0%}", f"{states:.2f}", f"{hardest:.2f}"


def rows(measured: Rows) -> Iterator[tuple[str, ...]]:
    """Return the published row, and one for each reading."""
    (_, states, hardest), (share, *others) = PUBLISHED.values()
    yield row("published", share, others[0] / states, others[1] / hardest)
    between = measured[BASE]
    for name in READINGS:
        found = measured[name]
        states = sum(one.nodes for one in found) / sum(one.nodes for one in between)
        hardest = found[-1].nodes / between[-1].nodes
        yield row(name, mean(one.optimal for one in found), states, hardest)


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the study."""
    parser.add_argument("--database", type=Path, help="default: in ASPLAN_DATA, or generated")
    parser.add_argument("--every", type=int, default=1, help="only every Nth board of a sample")
    parser.add_argument("--time-limit", type=float, default=120, help="seconds for each board")
    add_quick(parser, "every tenth board", every=10)


def study(given: argparse.Namespace) -> None:
    """Measure and print."""
    base = database(given.database)
    boards = [b for seed in SEEDS for b in chosen(sample1(base.boards, seed), given.every)]
    own = tuple(Heuristic(name, make, "", never, never) for name, make in READINGS.items())
    domain = replace(RUSH_HOUR, heuristics=(*own, *RUSH_HOUR.heuristics))
    configurations = {name: astar(name) for name in (BASE, *READINGS)}
    measured = measure(boards, configurations, given.time_limit, domain)
    columns = ("penalty for a car", "optimal", f"states, to `{BASE}`", "on the hardest board")
    tables.show(
        columns, rows(measured), base.told(boards, "three samples"), markdown=given.markdown
    )
