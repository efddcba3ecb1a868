"""Thesis, A* with heuristics that are not admissible: what else its program may have done.

With such a heuristic the share of optima rests on what the thesis says little of: what becomes of a
state that was taken out and is reached again by fewer moves (`reopen` queues it again, `closed`
does not), and which of several states with equal f comes first (first in, last in, or the order of
the states as a heap of pairs has it). The table sets all readings beside what is published: the
share of optima on Sample1, and the states on the hardest board, which has as many as the thesis's.

    python scripts/thesis_readings.py search [--database FILE] [--every N] [--quick] [--markdown]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from statistics import mean
from typing import Any

from rich.console import Console
from rich.progress import track

from asplan.domains.rush_hour import heuristics
from asplan.domains.rush_hour.model import RushHour, State
from asplan.domains.rush_hour.notation import parse_board
from lib import tables
from lib.quick import add_quick
from lib.thesis import Board, chosen, database, sample1

RESTS_ON = (
    "src/asplan/domains/rush_hour/heuristics.py",
    "src/asplan/domains/rush_hour/model.py",
)

PUBLISHED = {
    "cars_between": (1.0, 2835),
    "goal_distance": (0.39, 3037),
    "blocking_cars": (0.76, 2328),
    "movable_blocking_cars": (0.79, 2576),
}
"""Share of optima, and states on the hardest board."""

Tie = Callable[[State, int], Any]

ORDERS: dict[str, Tie] = {
    "first in": lambda state, number: number,
    "last in": lambda state, number: -number,
    "by the state": lambda state, number: state,
}
AGAIN = ("reopen", "closed")


def search(problem: RushHour, heuristic: str, tie: Tie, reopen: bool) -> tuple[int, int]:
    """The states that are taken out, and the moves of the plan."""
    estimate, numbers = getattr(heuristics, heuristic)(problem), count()
    start = problem.initial
    least, closed, taken = {start: 0}, set(), 0
    waiting = [(estimate(start), tie(start, 0), 0, start)]
    while waiting:
        _, _, moves, state = heappop(waiting)
        if moves > least[state] or (state in closed and not reopen):
            continue
        closed.add(state)
        taken += 1
        if problem.is_goal(state):
            return taken, moves
        for after in problem.successors(state):
            if moves + 1 < least.get(after, moves + 2) and (reopen or after not in closed):
                least[after] = moves + 1
                entry = (moves + 1 + estimate(after), tie(after, next(numbers)), moves + 1, after)
                heappush(waiting, entry)
    raise ValueError("the board has no plan")


def cells(boards: Sequence[Board], tie: Tie, reopen: bool) -> Iterator[str]:
    """For each heuristic the share of optima and the states on the last board."""
    for heuristic in PUBLISHED:
        found = [
            (search(parse_board(board.text, metric="slide"), heuristic, tie, reopen), board.moves)
            for board in track(boards, heuristic, transient=True, console=Console(stderr=True))
        ]
        share = mean(moves == fewest for (_, moves), fewest in found)
        yield f"{share:.0%}, {found[-1][0][0]}"


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the study."""
    parser.add_argument("--database", type=Path, help="default: in ASPLAN_DATA, or generated")
    parser.add_argument("--every", type=int, default=1, help="only every Nth board of Sample1")
    add_quick(parser, "every ninth board", every=9)


def study(given: argparse.Namespace) -> None:
    """Measure and print."""
    base = database(given.database)
    boards = chosen(sample1(base.boards), given.every)
    rows: list[tables.Row] = [
        ("published", "", *(f"{share:.0%}, {states}" for share, states in PUBLISHED.values())),
    ]
    for order, tie in ORDERS.items():
        for again in AGAIN:
            rows.append((order, again, *cells(boards, tie, again == "reopen")))
            tables.progress(*rows[-1])
    title = f"optimal, and states on the hardest board ({base.told(boards, 'Sample1')})"
    columns = ("among equals", "again", *(f"`{name}`" for name in PUBLISHED))
    tables.show(columns, rows, title, markdown=given.markdown)
