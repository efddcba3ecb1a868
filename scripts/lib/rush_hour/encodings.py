"""Encodings of Rush Hour side by side, next to the breadth-first search of the tests.

Each board is solved to the proven optimum with each encoding, in a child process, once for each
seed: the facts in an order of its own. The table has the median CPU seconds and how many times as
fast as the first encoding that is, and the most memory of each (resident set of the whole process,
Python and its libraries included). `>` stands before what was stopped at the limit. All answers to
a board have to be the same.

    python scripts/rush_hour.py encodings [--encodings NAME…] [--boards BOARD…] [--cards]
                                          [--sums] [--plot FILE] [--quick] [--markdown]

An encoding is a shipped name or a file, for a variant with `:CONST=VALUE` behind it; `auto` for
asplan's own choice; or `oracle`: tests/oracle.py, which begins with a board in memory where the
encodings begin with a file. The words for boards are explained in rush_hour_boards.py; `--cards`
alone runs all cards with `frontier` and `oracle`. The estimate is what the choice of `auto` rests
on. --sums shows only the last lines of each table; --plot draws the seconds of the first metric.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import geometric_mean, median

from rich.console import Console
from rich.progress import track

import asplan
from asplan.domains.rush_hour.facts import estimated_states
from asplan.domains.rush_hour.model import RushHour
from lib import tables
from lib.measuring import folder, run
from lib.plots import draw_bars
from lib.quick import add_quick
from lib.rush_hour_boards import card_strings, oracle, oracle_board, problem_of, shuffled

BOARDS = ("sample02", "sample03", "sample04", "sample05", "card:3", "card:10", "card:15", "card:21")
ORACLE = "oracle"

RESTS_ON = (
    "encodings/rush_hour/*.lp",
    "src/asplan/program/transitions/rewrite.py",
    "tests/oracle.py",
)

Rows = dict[str, "list[Figure]"]
"""For each board a figure for each encoding."""


LEAST = 0.01
"""Seconds below which no ratio is made: they are mostly the clock's."""


@dataclass(frozen=True)
class Figure:
    """Median CPU seconds, peak memory in megabytes, moves; `stopped`: at the limit."""

    seconds: float
    memory: float | None
    moves: int | None
    stopped: bool

    def __str__(self) -> str:
        if self.seconds < 0.005:
            return "<0.01"
        return f"{'>' * self.stopped}{self.seconds:.2f}"


@dataclass(frozen=True)
class Ratio:
    """A speed-up; a bound if one of the two runs was stopped."""

    value: float
    bound: str = ""

    @classmethod
    def of(cls, first: Figure, other: Figure) -> Ratio:
        """The second as a multiple of the first's speed."""
        bounds = {(True, False): ">", (False, True): "<", (True, True): "?"}
        return cls(first.seconds / other.seconds, bounds.get((first.stopped, other.stopped), ""))

    @classmethod
    def mean(cls, ratios: Iterable[Ratio | None]) -> Ratio | None:
        """The geometric mean; a bound if all that are bounds are so in the same sense."""
        found = list(ratios)
        if None in found:
            return None
        ratios = [ratio for ratio in found if ratio is not None]
        bounds = {ratio.bound for ratio in ratios} - {""}
        bound = bounds.pop() if len(bounds) == 1 else "?" if bounds else ""
        return cls(geometric_mean(ratio.value for ratio in ratios), bound)

    def __str__(self) -> str:
        digits = 2 if self.value < 10 else 0
        return "?" if self.bound == "?" else f"{self.bound}{self.value:.{digits}f}"


def tasks(
    problem: RushHour, encoding: str, metric: str, seeds: int, place: Path
) -> Iterator[Callable[[], int | None]]:
    """Yield tasks that find the fewest moves, for each seed; None for a board without a plan."""
    for seed in range(seeds):
        if encoding == ORACLE:
            yield partial(oracle.solve, oracle_board(problem), metric)
        else:
            file = shuffled(problem, seed, place / f"{seed}.lp")
            yield partial(proven_optimum, file, None if encoding == "auto" else encoding, metric)


def proven_optimum(file: Path, encoding: str | None, metric: str) -> int | None:
    """The length of the shortest plan; `auto`, no name, is asplan's own choice."""
    result = asplan.solve(file, encoding=encoding, metric=metric, no_states=True)
    assert result.outcome in ("optimal", "unsolvable"), result.reason
    return result.horizon if result.outcome == "optimal" else None


def with_memory(task: Callable[[], int | None]) -> tuple[int | None, float]:
    """The answer of a task, and the peak of the resident memory of this process in megabytes."""
    answer = task()
    return answer, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(
    problem: RushHour, encodings: list[str], metric: str, seeds: int, limit: float
) -> list[Figure]:
    """A figure for each encoding; a seed is run with all of them before the next one is."""
    with folder() as place:
        rounds = zip(
            *(tasks(problem, name, metric, seeds, Path(place)) for name in encodings), strict=True
        )
        runs = [[run(partial(with_memory, task), limit) for task in tasks] for tasks in rounds]
    figures = []
    for column in zip(*runs, strict=True):
        done = [found.answer for found in column if found.answer]
        seconds = median(found.seconds if found.answer else limit for found in column)
        moves = {answer for answer, _ in done}
        assert len(moves) <= 1, f"different answers: {moves}"
        memory = max((memory for _, memory in done), default=None)
        figures.append(Figure(seconds, memory, min(moves, default=None), seconds >= limit))
    solved = {figure.moves for figure in figures if figure.memory is not None}
    assert len(solved) <= 1, f"different answers: {solved}"
    return figures


def table(rows: Rows) -> list[tables.Row]:
    """Seconds and ratios for each board."""
    estimates = {board: f"{estimated_states(problem_of(board)):.1e}" for board in rows}
    return [
        (board, estimates[board], moves_of(figures), *_beside(figures, ratios_of(figures)))
        for board, figures in rows.items()
    ]


def sums(rows: Rows) -> list[tuple[str, ...]]:
    """The last lines: the sum of the seconds, the mean ratio, the most memory."""
    totals = [total(column) for column in zip(*rows.values(), strict=True)]
    ratios = zip(*(ratios_of(figures) for figures in rows.values()), strict=True)
    means = [Ratio.mean(column) for column in ratios]
    none = [""] * len(totals)
    memory = [f"{figure.memory or 0:.0f}" for figure in totals]
    rows = [
        ("sum", *_beside(totals, ratios_of(totals))),
        ("geometric mean", *_beside(none, means)),
        ("most memory, MB", *_beside(memory, none[1:])),
    ]
    return [row for row in rows if any(row[1:])]


def ratios_of(figures: Sequence[Figure]) -> list[Ratio | None]:
    """Return the speed-ups over the first method; None for runs of next to no time."""
    first, *others = figures
    return [None if other.seconds < LEAST else Ratio.of(first, other) for other in others]


def _beside(cells: Sequence[object], ratios: Sequence[object]) -> list[str]:
    """The first cell, and each other one with its ratio."""
    pairs = zip(cells[1:], ratios, strict=True)
    cells = [cells[0], *(cell for pair in pairs for cell in pair)]
    return ["" if cell is None else str(cell) for cell in cells]


def moves_of(figures: Iterable[Figure]) -> str:
    """The moves of a shortest plan, if one of the encodings found out."""
    known = [figure.moves for figure in figures if figure.memory is not None]
    return "?" if not known else "no plan" if known[0] is None else str(known[0])


def total(column: Iterable[Figure]) -> Figure:
    """The sum of the seconds and the most memory of an encoding."""
    figures = list(column)
    memory = max((figure.memory for figure in figures if figure.memory), default=None)
    stopped = any(figure.stopped for figure in figures)
    return Figure(sum(figure.seconds for figure in figures), memory, None, stopped)


def plot(file: Path, rows: Rows, encodings: Sequence[str]) -> None:
    """Draw the seconds of each encoding on each board."""
    columns = dict(zip(encodings, zip(*rows.values(), strict=True), strict=True))
    seconds = {name: [[figure.seconds] for figure in found] for name, found in columns.items()}
    late = {name: [figure.stopped for figure in found] for name, found in columns.items()}
    draw_bars(file, list(rows), seconds, "CPU seconds; hatched: stopped", late)


def study(given: argparse.Namespace) -> None:
    """Measure, and print a table for each metric."""
    if given.cards:
        given.boards = [f"card:{number}" for number, _ in enumerate(card_strings(), 1)]
    boards = given.boards or list(BOARDS)
    encodings = given.encodings or (["frontier", ORACLE] if given.cards else ["origin", "order"])
    asplan.solve("two_cars")  # what is imported late is imported once, before the children start
    terminal = Console(stderr=True)
    headings = [encodings[0], *(cell for name in encodings[1:] for cell in (name, "×"))]
    told = f"orders of the facts: {given.seeds}, limit: {given.limit:g} s"
    summed: list[tables.Row] = []
    for metric in given.metric:
        rows: Rows = {
            board: measure(problem_of(board), encodings, metric, given.seeds, given.limit)
            for board in track(boards, metric, transient=True, console=terminal)
        }
        if given.plot and metric == given.metric[0]:
            plot(given.plot, rows, encodings)
        if given.sums:
            summed += [(f"{metric}: {label}", *cells) for label, *cells in sums(rows)]
            continue
        last = [(label, "", "", *cells) for label, *cells in sums(rows)]
        title = f"metric {metric} ({told})"
        columns = ("board", "estimate", "moves", *headings)
        tables.show(columns, [*table(rows), None, *last], title, markdown=given.markdown)
    if given.sums:
        title = f"{len(boards)} boards ({told})"
        tables.show(("", *headings), summed, title, markdown=given.markdown)


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the study."""
    parser.add_argument("--boards", nargs="+", help=f"default: {' '.join(BOARDS)}")
    parser.add_argument("--encodings", nargs="+", help="names, files, `oracle`, or `auto`")
    parser.add_argument("--cards", action="store_true", help="all forty cards")
    parser.add_argument("--metric", nargs="+", default=["step"], choices=["step", "slide"])
    parser.add_argument("--seeds", type=int, default=3, help="orders of the facts")
    parser.add_argument("--limit", type=float, default=60, help="CPU seconds for each run")
    parser.add_argument("--sums", action="store_true", help="the last lines of the tables alone")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="a picture: png, svg, pdf")
    less = "two boards that ship, in one order of the facts"
    add_quick(parser, less, boards=["sample02", "sample03"], seeds=1, limit=10)
