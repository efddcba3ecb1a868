"""The article's table: its fifteen-puzzle by four Prolog systems, and by asplan.

The article solves one board, the shipped `fifteen34`, in three ways: depth first and breadth first,
which both end without a plan, and by A* with the Manhattan distance, for which it gives the seconds
of each Prolog system. Its seven rows stand here as they were published. The last column is the
ratio to its SWI-Prolog.

    python scripts/tiles.py article [--runs N] [--limit S] [--memory MB] [--quick] [--markdown]

Ours are CPU seconds of a process that reads the board, makes the tables of a heuristic and
searches; of a few runs the fastest counts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from functools import partial

import asplan
from lib import tables
from lib.measuring import run
from lib.quick import add_quick
from lib.tiles.engines import WAYS

RESTS_ON = ("src/asplan/engines/search/search.py",)

BOARD, MOVES = "fifteen34", 34

FAILED: Mapping[str, str] = {
    "depth first, SWI-Prolog 8.4.2": "stopped after 5 minutes",
    "breadth first, Scryer Prolog 0.9.0": "out of memory",
    "breadth first, SWI-Prolog 8.4.2": "out of memory",
}
"""The rows without a plan, and how they ended."""

SWI = "SWI-Prolog 8.4.2"
PUBLISHED: Mapping[str, float] = {
    "Scryer Prolog 0.9.0": 61.792,
    SWI: 8.825,
    "Ciao 1.20.0": 4.82,
    "GNU Prolog 1.5.0": 2.959,
}
"""Seconds of A* with the Manhattan distance, all of 34 moves."""

BLIND = {
    "dfs": "Depth first the article saw no end within 5 minutes",
    "bfs": "Breadth first it ran out of memory",
}
"""Our engines for the searches that failed, and how the article's ended."""

LIMIT = 600.0


def solve(how: Mapping[str, str]) -> tuple[int | None, int | None]:
    """The length of the plan, and the states that a search took out."""
    result = asplan.solve(BOARD, **how)
    return result.horizon, result.statistics.expanded


def blind(seconds: float, megabytes: int) -> Iterator[str]:
    """The searches without a guide: how far they come within the limits."""
    for engine, known in BLIND.items():
        result = asplan.solve(
            BOARD, engine=engine, isolate=True, time_limit=seconds, memory_limit=megabytes
        )
        ours = result.reason if result.horizon is None else f"{result.horizon} moves"
        yield f"{known}; `{engine}`: {ours}."


def rows(runs: int) -> Iterator[tables.Row]:
    """The seven rows of the article, then ours, each in relation to SWI-Prolog."""
    for search, end in FAILED.items():
        yield f"article, {search}", end, "", "", ""
    for system, seconds in PUBLISHED.items():
        ratio = seconds / PUBLISHED[SWI]
        yield f"article, A*, {system}", f"{seconds:.3f}", str(MOVES), "", f"{ratio:.3f}"
    yield None
    for name, how in WAYS.items():
        done = [run(partial(solve, how), LIMIT) for _ in range(runs)]
        best = min(done, key=lambda one: one.seconds)
        moves, expanded = best.answer or (None, None)
        tables.progress(name, moves, f"{best.seconds:.2f}")
        states = "" if expanded is None else str(expanded)
        yield (
            name,
            f"{best.seconds:.2f}",
            str(moves),
            states,
            f"{best.seconds / PUBLISHED[SWI]:.3f}",
        )


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the study."""
    parser.add_argument("--runs", type=int, default=3, help="of which the fastest counts")
    parser.add_argument("--limit", type=float, default=300, help="seconds for the blind searches")
    parser.add_argument("--memory", type=int, default=2000, help="megabytes for these")
    less = "one run, 10 s and 1000 MB for the blind searches"
    add_quick(parser, less, runs=1, limit=10, memory=1000)


def study(given: argparse.Namespace) -> None:
    """Print the table."""
    columns = (f"`{BOARD}`", "seconds", "moves", "states taken out", "to SWI-Prolog")
    tables.show(columns, rows(given.runs), markdown=given.markdown)
    tables.say(" ".join(blind(given.limit, given.memory)))
