"""What the thesis's tables and figures share: the two samples, the measurements, the printing.

The samples are drawn from a database of boards with a header line (`slides`, `board`) or with the
number of moves before each board. Sample1 is two boards without walls for each number of moves up
to 51, or as many as there are; Sample2 all boards of 26 moves. Where a number of moves has no
board without walls, boards with walls stand in.

The database is rush_hour/fogleman_sample.tsv in the folder ASPLAN_DATA, if no other one is given.
With `--runs FILE` the tables and figures are of one set of runs: what stands in the file is taken
from there, what does not is run and added.
Published figures come from other hardware: compare ratios and counts, not seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

from rich.console import Console
from rich.progress import track

from asplan.core.limits import Limits
from asplan.domains import Domain, domains
from asplan.domains.reading import Entry, entries
from asplan.domains.rush_hour.notation import parse_board
from asplan.engines import run_on_model

sys.path.append(str(Path(__file__).parents[1]))
from kept_runs import Fields, KeptRuns

from lib import tables
from lib.measuring import data

RUSH_HOUR = domains()["rush_hour"]
MOST_MOVES, SAMPLE2_MOVES = 51, 26

RESTS_ON = (
    "src/asplan/engines/search/astar.py",
    "src/asplan/engines/search/search.py",
    "src/asplan/domains/rush_hour/heuristics.py",
    "src/asplan/domains/rush_hour/model.py",
)


@dataclass(frozen=True)
class Board:
    """A board of a sample, with its fewest slides."""

    text: str
    moves: int


@dataclass(frozen=True)
class Measured:
    """One board and one engine, CPU seconds; `horizon` is None where the limit was reached."""

    seconds: float
    nodes: int
    horizon: int | None
    optimal: bool


Configuration = Mapping[str, Any]
"""An engine and its options, as `asplan.solve` takes them."""

Rows = dict[str, list[Measured]]


def astar(heuristic: str, tie_breaking: str = "none") -> Configuration:
    """A* as the thesis has it: among equal f first in, first out, if nothing else is said."""
    return {"engine": "astar", "heuristic": heuristic, "tie_breaking": tie_breaking}


def read_database(path: Path) -> list[Board]:
    """All boards that come with a number of moves."""
    with path.open(encoding="utf-8") as lines:
        found: list[Entry] = list(entries(lines, path.name, "board"))
    return [Board(entry.text, entry.moves) for entry in found if entry.moves is not None]


def sample1(boards: Sequence[Board], seed: int = 1) -> list[Board]:
    """Two boards for each number of moves, easy before hard."""
    random = Random(seed)
    by_moves: dict[int, list[Board]] = defaultdict(list)
    for board in boards:
        by_moves[board.moves].append(board)
    chosen: list[Board] = []
    for moves in range(1, MOST_MOVES + 1):
        plain = [board for board in by_moves[moves] if "x" not in board.text]
        pool = plain or by_moves[moves]
        chosen += random.sample(pool, min(2, len(pool)))
    return chosen


def sample2(boards: Sequence[Board]) -> list[Board]:
    """All boards of 26 moves."""
    return [board for board in boards if board.moves == SAMPLE2_MOVES]


def measure(
    boards: Sequence[Board],
    configurations: Mapping[str, Configuration],
    seconds: float,
    domain: Domain = RUSH_HOUR,
    kept: Path | None = None,
) -> Rows:
    """Run all configurations board by board, so that all see the same state of the machine.

    The seconds are CPU seconds, the limit is one of the clock. Runs are kept in a file and taken
    from there, if one is given; a board that stands in the sample twice is run once then.
    """
    rows: Rows = {name: [] for name in configurations}
    runs = KeptRuns(kept)
    for board in track(boards, "boards", transient=True, console=Console(stderr=True)):
        for name, how in configurations.items():
            task = partial(_measured, board, how, seconds, domain)
            fields = runs.run(task, board=board.text, how=dict(how), limit=seconds)
            rows[name].append(Measured(**fields))
    return rows


def _measured(board: Board, how: Configuration, seconds: float, domain: Domain) -> Fields:
    problem = parse_board(board.text, metric="slide")
    start = time.process_time()
    result = run_on_model(domain, problem, limits=Limits(seconds=seconds), **how)
    spent, counts = time.process_time() - start, result.statistics
    nodes = counts.expanded or counts.conflicts or 0
    return asdict(Measured(spent, nodes, result.horizon, result.horizon == board.moves))


def show(
    title: str,
    published: Mapping[str, Sequence[float | None]],
    rows: Rows,
    unit: str,
    markdown: bool,
) -> None:
    """Print published and our own figures: the last board, means, the total, the optimal share."""
    shown: list[tables.Row] = []
    for name, measured in rows.items():
        if name in published:
            *figures, share = published[name]
            cells = ["" if figure is None else f"{figure:g}" for figure in figures]
            shown.append((name, "published", *cells, "" if share is None else f"{share:.0%}"))
        shown += [(name, "ours", *_cells(measured)), None]
    columns = ("", "", "last, s", unit, "mean, s", f"mean {unit}", "total, s", "optimal")
    tables.show(columns, shown, title, markdown=markdown)
    for name, found in rows.items():
        if count := sum(one.horizon is None for one in found):
            tables.say(f"{name}: {count} boards reached the time limit")


def _cells(measured: Sequence[Measured]) -> Sequence[str]:
    seconds = [one.seconds for one in measured]
    return (
        f"{seconds[-1]:.4f}",
        str(measured[-1].nodes),
        f"{mean(seconds):.4f}",
        f"{mean(one.nodes for one in measured):.2f}",
        f"{sum(seconds):.2f}",
        f"{mean(one.optimal for one in measured):.0%}",
    )


def arguments(doc: str, numbers: Iterable[str] = ()) -> argparse.Namespace:
    """The words of a script: a table, the database, a time limit, how many boards to leave out."""
    parser = argparse.ArgumentParser(description=doc.partition("\n")[0])
    if choices := list(numbers):
        parser.add_argument("table", choices=choices, help="its number")
    parser.add_argument("database", type=Path, nargs="?", help="default: in ASPLAN_DATA")
    parser.add_argument("--every", type=int, default=1, help="only every Nth board of the sample")
    parser.add_argument("--time-limit", type=float, default=120, help="seconds for each board")
    parser.add_argument("--runs", type=Path, help="take runs from this file, add what is missing")
    parser.add_argument("-o", "--output", type=Path, default=Path(), help="folder for figures")
    parser.add_argument("--no-smt", action="store_true", help="without Z3")
    tables.add_option(parser)
    given = parser.parse_args()
    given.database = given.database or data("rush_hour/fogleman_sample.tsv")
    return given


def chosen(boards: list[Board], every: int) -> list[Board]:
    """Every Nth board, counted from the last, which is the hardest."""
    return boards[::-1][::every][::-1]
