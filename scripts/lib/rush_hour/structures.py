"""The cost of encodings of a car's place: rules, conflicts and seconds.

    python scripts/rush_hour.py structures [--encodings NAME…] [--boards BOARD…] [--metric METRIC]
                                           [--seeds N] [--limit S] [--quick] [--markdown]

Each board is solved to the proven optimum by each encoding, in a child process, once for each order
of its facts; the table has medians. Rules are those of the ground program at the end, as asplan
wrote it for clingo; a limit of CPU seconds ends a run.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from statistics import median

import asplan
from lib import tables
from lib.measuring import folder, run
from lib.quick import add_quick
from lib.rush_hour_boards import problem_of, shuffled

RESTS_ON = ("encodings/rush_hour/*.lp", "encodings/rush_hour/parts/lines.lp")

ENCODINGS = ("origin", "block_tuple", "integers", "order")
BOARDS = ("sample02", "sample03", "sample05", "sample1", "sample23")


def solved(file: Path, encoding: str, metric: str) -> tuple[int, int, int]:
    """Steps of a shortest plan, rules and conflicts; called in a process of its own."""
    result = asplan.solve(file, encoding=encoding, metric=metric, no_states=True)
    assert result.outcome == "optimal", result.reason
    counts = result.statistics
    return result.horizon or 0, counts.rules or 0, counts.conflicts or 0


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the study."""
    parser.add_argument("--encodings", nargs="+", default=ENCODINGS)
    parser.add_argument("--boards", nargs="+", default=BOARDS)
    parser.add_argument("--metric", choices=("step", "slide"), default="step")
    parser.add_argument("--seeds", type=int, default=3, help="orders of the facts")
    parser.add_argument("--limit", type=float, default=60, help="CPU seconds for each run")
    add_quick(parser, "three boards in one order", boards=BOARDS[:3], seeds=1)


def study(given: argparse.Namespace) -> None:
    """Measure, and print the table."""
    asplan.solve("two_cars")  # what is imported late is imported once, before the children start
    rows: list[tables.Row] = []
    for board in given.boards:
        for name in given.encodings:
            rows.append([board, *figures(board, name, given)])
            tables.progress(*rows[-1])
        rows.append(None)
    columns = ("board", "encoding", "steps", "rules", "conflicts", "s")
    told = f"metric {given.metric} (orders of the facts: {given.seeds}, limit: {given.limit:g} s)"
    tables.show(columns, rows[:-1], told, markdown=given.markdown)


def figures(board: str, encoding: str, given: argparse.Namespace) -> list[str]:
    """The cells of one encoding on one board; a run that was stopped counts with the limit."""
    with folder() as place:
        files = [
            shuffled(problem_of(board), seed, Path(place, f"{seed}.lp"))
            for seed in range(given.seeds)
        ]
        runs = [run(partial(solved, f, encoding, given.metric), given.limit) for f in files]
    done = [found.answer for found in runs if found.answer]
    seconds = median(found.seconds if found.answer else given.limit for found in runs)
    if len(done) <= len(runs) // 2:
        return [encoding, "", "", "", f">{given.limit:g}"]
    steps, rules, conflicts = (median(column) for column in zip(*done, strict=True))
    return [encoding, f"{steps:.0f}", f"{rules:.0f}", f"{conflicts:.0f}", f"{seconds:.2f}"]
