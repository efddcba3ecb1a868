"""Where `offset` grows too large and `origin` goes further: random large boards of Rush Hour.

    python scripts/rush_hour.py large [--metric METRIC] [--limit S] [--seed S] [--quick]
                                      [--markdown]

Boards are squares with cars of 2 and 3 cells, at most so many as fit; the red car has to cross all
columns. `pairs` is the number of pairs of places, which `offset` may have to know all of: the
square of what all cars together have of places. Each encoding gets so many CPU seconds, and the
table tells how far it came: the steps that it refuted, or the plan that it found and how long that
took. `asplan.domains.rush_hour.facts` chooses by these figures.
"""

from __future__ import annotations

import argparse
from random import Random

import asplan
from asplan import Result
from asplan.domains.rush_hour.facts import pairs_of_places
from asplan.domains.rush_hour.notation import instance_text
from lib import tables
from lib.quick import add_quick
from lib.rush_hour_boards import random_board

SIZES = (7, 8, 9, 10, 12, 14, 16, 20)
CARS = (0.06, 0.10, 0.15)
"""Cars for each cell."""
ENCODINGS = ("origin", "offset")


def solved(text: str, encoding: str, metric: str, limit: float) -> Result:
    """How far an encoding comes within its time; called in a process of its own."""
    return asplan.solve(text=text, encoding=encoding, metric=metric, time_limit=limit, isolate=True)


def told(result: Result) -> str:
    """The plan, or the steps below which there is none."""
    if result.horizon is None:
        return f"≥ {result.lower_bound}"
    return f"{result.horizon} in {result.seconds.total:.1f} s"


def options(parser: argparse.ArgumentParser) -> None:
    """What the study may be told."""
    parser.add_argument("--limit", type=float, default=10, help="seconds for each run")
    parser.add_argument("--metric", choices=("step", "slide"), default="step")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    add_quick(parser, "boards of up to 9 rows, 3 s for a run", sizes=SIZES[:3], limit=3)


def study(given: argparse.Namespace) -> None:
    """Measure, and print the table."""
    rows = []
    for side in given.sizes:
        for density in CARS:
            board = random_board(Random(f"{side} {density} {given.seed}"), side, density)
            text, pairs = instance_text(board), pairs_of_places(board)
            said = [told(solved(text, name, given.metric, given.limit)) for name in ENCODINGS]
            rows.append([f"{side}x{side}", str(len(board.cars)), f"{pairs:,}", *said])
            tables.progress(*rows[-1])
    tables.show(["board", "cars", "pairs", *ENCODINGS], rows, markdown=given.markdown)
