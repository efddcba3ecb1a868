"""Random fifteen-puzzles of Korf: IDA* with the heuristics of sliding tiles, board by board.

Each run has a process of its own, in which tables are filled anew; the seconds are CPU seconds and
have that in them. The last column tells what is left where the tables are at hand, as they are for
the next board of a program that solves several.

    python scripts/tiles.py korf [--boards N] [--heuristic NAME…] [--sums] [--plot F.svg] [--quick]
                                  [--markdown]

The boards are those of sliding_tiles/korf.tsv in the folder ASPLAN_DATA, --boards N the N with the
fewest moves. --sums prints the last lines alone.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from asplan.domains.sliding_tiles import DOMAIN
from asplan.domains.sliding_tiles.model import SlidingTiles
from asplan.engines.model_run import run_on_model
from lib import tables
from lib.measuring import run
from lib.plots import draw_bars
from lib.quick import add_quick
from lib.tiles_boards import KORF, Board, read_boards

RESTS_ON = (
    "src/asplan/engines/search/astar.py",
    "src/asplan/engines/search/search.py",
    "src/asplan/domains/heuristic.py",
    "src/asplan/domains/sliding_tiles/*.py",
)

HEURISTICS = ("linear_conflict", "walking_distance", "pattern_databases")
"""The first is what the others are compared with."""

LIMIT = 3600.0


@dataclass(frozen=True)
class Solved:
    """One run: the moves, the states generated, CPU seconds to make the estimate and in all."""

    moves: int | None
    generated: int
    made: float
    seconds: float

    @property
    def rest(self) -> float:
        """CPU seconds but for making the estimate."""
        return self.seconds - self.made


def solve(problem: SlidingTiles, heuristic: str) -> Solved:
    """IDA* in a child process."""

    def task() -> tuple[float, int | None, int]:
        start = time.process_time()
        DOMAIN.heuristic(heuristic, problem).make(problem)
        made = time.process_time() - start
        result = run_on_model(DOMAIN, problem, "idastar", heuristic=heuristic)
        return made, result.horizon, result.statistics.generated or 0

    done = run(task, LIMIT)
    made, moves, generated = done.answer or (0.0, None, 0)
    return Solved(moves, generated, made, done.seconds)


def measure(boards: Iterable[Board], names: Sequence[str]) -> Iterator[tuple[Board, list[Solved]]]:
    """All heuristics board by board, so that all see the same state of the machine."""
    for board in boards:
        runs = [solve(board.problem, name) for name in names]
        assert all(one.moves in (board.moves, None) for one in runs), board.number
        tables.progress(board.number, board.moves, *(f"{one.seconds:.2f}" for one in runs))
        yield board, runs


def cells(figures: Iterable[tuple[float, float]], rest: float, digits: int = 0) -> list[str]:
    """States and seconds for each heuristic, then the seconds of the last without its tables."""
    pairs = [(f"{states:.{digits}f}", f"{seconds:.2f}") for states, seconds in figures]
    return [*(cell for pair in pairs for cell in pair), f"{rest:.2f}"]


def rows(measured: Sequence[tuple[Board, list[Solved]]]) -> Iterator[tables.Row]:
    """A row for each board."""
    for board, runs in measured:
        figures = [(one.generated, one.seconds) for one in runs]
        yield str(board.number), str(board.moves), *cells(figures, runs[-1].rest)


def sums(measured: Sequence[tuple[Board, list[Solved]]]) -> Iterator[tables.Row]:
    """Medians, the largest, sums, and what the sums are to those of the first heuristic."""
    by_name = list(zip(*(runs for _, runs in measured), strict=True))
    for name, of in (("median", median), ("largest", max), ("sum", sum)):
        figures = [(of(o.generated for o in runs), of(o.seconds for o in runs)) for runs in by_name]
        rest = of(one.rest for one in by_name[-1])
        yield name, "", *cells(figures, rest)
    states, seconds = figures[0]
    if len(figures) > 1:
        ratios = [(a / states, b / seconds) for a, b in figures]
        yield "ratio", "", *cells(ratios, rest / seconds, 3)


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the study."""
    parser.add_argument("--boards", type=int, default=10, help="how many, the easiest first")
    parser.add_argument("--heuristic", nargs="+", help=f"default: {', '.join(HEURISTICS)}")
    parser.add_argument(
        "--sums", action="store_true", help="medians and sums over all boards alone"
    )
    parser.add_argument("--plot", type=Path, metavar="F.svg", help="draw the seconds of each board")
    add_quick(parser, "the three easiest boards", boards=3)


def study(given: argparse.Namespace) -> None:
    """Print the table."""
    names = given.heuristic or HEURISTICS
    boards = read_boards(KORF)[: given.boards]
    columns = [column for name in names for column in (f"`{name}`, states", "s")]
    measured = list(measure(boards, names))
    single = [] if given.sums else [*rows(measured), None]
    tables.show(
        ["board", "moves", *columns, "s without its tables"],
        [*single, *sums(measured)],
        markdown=given.markdown,
    )
    if given.plot:
        by_name = zip(names, zip(*(runs for _, runs in measured), strict=True), strict=True)
        bars = {name: [[one.seconds] for one in runs] for name, runs in by_name}
        late = {name: [False] * len(measured) for name in names}
        groups = [f"{board.number}\n({board.moves})" for board, _ in measured]
        draw_bars(given.plot, groups, bars, "seconds", late)
