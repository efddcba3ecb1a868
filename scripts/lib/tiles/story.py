"""The article's way from depth first to A*, in states and moves on two eight-puzzles.

    python scripts/tiles.py story [--markdown]

The counts do not depend on the machine. The breadth-first search without memory runs on the first
board alone: it would need millions of states for the other one.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import asplan
from lib import tables

RESTS_ON = ("src/asplan/engines/search/*.py",)

SMALL, LARGE = "eight10", "eight20"

STAGES: Mapping[str, Mapping[str, str]] = {
    "depth first, visited set: `dfs`": {"engine": "dfs"},
    "breadth first, no memory: `bfs-tree`": {"engine": "bfs-tree"},
    "breadth first, visited set: `bfs`": {"engine": "bfs"},
    "A*, Manhattan: `astar`": {"engine": "astar", "heuristic": "manhattan"},
}
"""The article's searches, and the engines that come nearest to them."""

ONLY_SMALL = "bfs-tree"


def describe_run(board: str, how: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the moves of a plan, the states taken out and those in the queue at most."""
    result = asplan.solve(board, **how)
    counts = result.statistics
    return f"{result.horizon:,}", f"{counts.expanded:,}", f"{counts.peak_open:,}"


def options(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the study has no options of its own."""
    parser.add_argument("--quick", action="store_true", help="the same")


def study(given: argparse.Namespace) -> None:
    """Print the table."""
    rows: list[tables.Row] = []
    for name, how in STAGES.items():
        small = describe_run(SMALL, how)
        large = ("", "", "") if how["engine"] == ONLY_SMALL else describe_run(LARGE, how)
        rows.append([name, *small, *large])
    columns = ["search"]
    for board in (SMALL, LARGE):
        columns += [f"`{board}`: moves", "states taken out", "most in the queue"]
    tables.show(columns, rows, markdown=given.markdown)
