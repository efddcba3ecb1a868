"""Sliding tiles by ASP and by search: CPU seconds on shipped boards, with each heuristic.

Each run has a process of its own, in which the tables of a heuristic are filled anew; for each
board and engine the least of a few runs counts, taken in turn.

    python scripts/tiles.py engines [BOARD…] [--runs N] [--quick] [--markdown]
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial

import asplan
from lib import tables
from lib.measuring import run
from lib.quick import add_quick

RESTS_ON = (
    "encodings/sliding_tiles/*.lp",
    "src/asplan/engines/search/astar.py",
    "src/asplan/engines/search/search.py",
    "src/asplan/domains/heuristic.py",
    "src/asplan/domains/sliding_tiles/*.py",
)

BOARDS = ("eight31a", "fifteen34")

WAYS: Mapping[str, Mapping[str, str]] = {
    "`frontier`": {"encoding": "frontier"},
    "`moves`": {"encoding": "moves"},
    **{
        f"`{engine}`, `{heuristic}`": {"engine": engine, "heuristic": heuristic}
        for engine in ("astar", "idastar")
        for heuristic in ("manhattan", "linear_conflict", "walking_distance", "pattern_databases")
    },
}

LIMIT = 600.0


def solve(board: str, how: Mapping[str, str]) -> int | None:
    """The length of a shortest plan."""
    return asplan.solve(board, **how).horizon


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the study."""
    parser.add_argument("boards", nargs="*", default=BOARDS, help=f"default: {' '.join(BOARDS)}")
    parser.add_argument("--runs", type=int, default=3, help="of which the fastest counts")
    add_quick(parser, "one run of the smaller board", runs=1, boards=BOARDS[:1])


def study(given: argparse.Namespace) -> None:
    """Print the table."""
    least = {(name, board): LIMIT for name in WAYS for board in given.boards}
    for _ in range(given.runs):
        for name, board in least:
            done = run(partial(solve, board, WAYS[name]), LIMIT)
            least[name, board] = min(least[name, board], done.seconds)
            tables.progress(name, board, done.answer, f"{done.seconds:.2f}")
    rows = [(name, *(f"{least[name, board]:.2f}" for board in given.boards)) for name in WAYS]
    columns = ("", *(f"`{board}`, s" for board in given.boards))
    tables.show(columns, rows, markdown=given.markdown)
