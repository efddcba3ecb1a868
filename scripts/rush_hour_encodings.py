"""Encodings of Rush Hour side by side, next to the breadth-first search of the tests.

Each board is solved to the proven optimum with each encoding, in a child process, once for each
seed: the facts in an order of its own. The table has the median CPU seconds and how many times as
fast as the first encoding that is, and the most memory (resident set of the whole process, Python
and its libraries included). `>` stands before what was stopped at the limit. All answers to a board
have to be the same.

    python scripts/rush_hour_encodings.py [--encodings NAME…] [--boards BOARD…] [--cards [FILE]]

An encoding is a shipped name, a file, `auto` for asplan's own choice, or `oracle`: tests/oracle.py,
which begins with a board in memory where the encodings begin with a file. A board is a shipped
name, a file, `card:N`, `random:N`, or cells row by row with x for a wall and A for the red car. A
card is a line of the table FILE, without --cards that of the folder in ASPLAN_DATA; `--cards` alone
runs all of them with `frontier` and `oracle`. A random board has 6 to 8 rows and columns, and a
sixth to a third as many cars as cells. The estimate is what the choice of `auto` rests on.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import geometric_mean, median

from clingo import Function
from rich.console import Console
from rich.progress import track
from rich.table import Table

import asplan
from asplan.catalog import find_instance
from asplan.domains.entries import entries
from asplan.domains.rush_hour import Car, RushHour
from asplan.domains.rush_hour.facts import read
from asplan.domains.rush_hour.notations.boards import parse_board
from asplan.domains.rush_hour.notations.facts import instance_text
from asplan.domains.rush_hour.size import estimated_states
from asplan.program.grounded import read_facts
from measuring import folder, run

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import oracle

CARDS = Path("rush_hour", "jams.tsv")
BOARDS = ("sample02", "sample03", "sample05", "card:3", "card:10", "card:15", "card:21")
ORACLE = "oracle"


@dataclass(frozen=True)
class Figure:
    """Median CPU seconds, peak memory in megabytes, moves; `stopped`: at the limit."""

    seconds: float
    memory: float | None
    moves: int | None
    stopped: bool

    @property
    def text(self) -> str:
        """Seconds and memory, in a cell of the table."""
        memory = "" if self.memory is None else f" {self.memory:4.0f} MB"
        return f"{'>' * self.stopped}{self.seconds:.2f} s{memory}"


@dataclass(frozen=True)
class Ratio:
    """How many times as fast; a bound where one of the two was stopped."""

    value: float
    bound: str = ""

    @classmethod
    def of(cls, first: Figure, other: Figure) -> Ratio:
        """The second as a multiple of the first's speed."""
        bounds = {(True, False): ">", (False, True): "<", (True, True): "?"}
        return cls(first.seconds / other.seconds, bounds.get((first.stopped, other.stopped), ""))

    @classmethod
    def mean(cls, ratios: Iterable[Ratio]) -> Ratio:
        """The geometric mean; a bound if all that are bounds are so in the same sense."""
        ratios = list(ratios)
        bounds = {ratio.bound for ratio in ratios} - {""}
        bound = bounds.pop() if len(bounds) == 1 else "?" if bounds else ""
        return cls(geometric_mean(ratio.value for ratio in ratios), bound)

    def __str__(self) -> str:
        digits = 2 if self.value < 10 else 0
        return "?" if self.bound == "?" else f"{self.bound}{self.value:.{digits}f}x"


def problem_of(board: str, cards: list[str]) -> RushHour:
    """The board that a word on the command line names."""
    if board.startswith("card:"):
        return parse_board(cards[int(board.removeprefix("card:")) - 1])
    if board.startswith("random:"):
        return random_board(Random(int(board.removeprefix("random:"))))
    if re.fullmatch(r"[A-Zox.]{16,}", board):
        return parse_board(board)
    return read(read_facts([find_instance(board)], {}), {"metric": "step"})


def random_board(random: Random) -> RushHour:
    """A board with the red car at the left, and others wherever there is room for them."""
    rows, columns = random.randint(6, 8), random.randint(6, 8)
    row = random.randint(1, rows)
    red = Car(Function("r"), 2, "h", row), 1
    cars, taken = [red], {(row, 1), (row, 2)}
    names = iter("abcdefghijklmnopqstuvwxyz")
    for _ in range(random.randint(rows * columns // 6, rows * columns // 3)):
        for _ in range(100):
            length, axis = random.choice([2, 2, 3]), random.choice("hv")
            line = random.randint(1, rows if axis == "h" else columns)
            offset = random.randint(1, (columns if axis == "h" else rows) - length + 1)
            cells = set(Car(Function("r"), length, axis, line).cells(offset))
            if not cells & taken and not (axis == "h" and line == row):
                taken |= cells
                cars.append((Car(Function(next(names)), length, axis, line), offset))
                break
    shapes, start = zip(*cars, strict=True)
    return RushHour(rows, columns, frozenset(), shapes, start, columns - 1)


def card_strings(table: Path | None) -> list[str]:
    """The boards of the cards, in their order; none without a table."""
    if table is None:
        return []
    with table.open(encoding="utf-8") as lines:
        return [entry.text for entry in entries(lines, table.name, "board")]


def oracle_board(problem: RushHour) -> oracle.Board:
    """The same board for the tests' search."""
    cars = [
        (name, car.length, car.axis, *car.cell(offset))
        for name, car, offset in zip(problem.names, problem.cars, problem.start, strict=True)
    ]
    goal = problem.cars[0].cell(problem.goal)
    return oracle.Board(problem.rows, problem.columns, tuple(cars), problem.walls, goal)


def shuffled(problem: RushHour, seed: int, into: Path) -> Path:
    """A file with the facts of a board in an order of its own."""
    into.write_text(instance_text(problem))
    facts = sorted(read_facts([str(into)], {}))
    Random(seed).shuffle(facts)
    into.write_text("".join(f"{fact}.\n" for fact in facts))
    return into


def tasks(
    problem: RushHour, encoding: str, metric: str, seeds: int, place: Path
) -> Iterator[Callable[[], int | None]]:
    """What finds the least number of moves, for each seed; None is a board without a plan."""
    for seed in range(seeds):
        if encoding == ORACLE:
            yield partial(oracle.solve, oracle_board(problem), metric)
        else:
            file = shuffled(problem, seed, place / f"{seed}.lp")
            yield partial(proven_optimum, file, None if encoding == "auto" else encoding, metric)


def proven_optimum(file: Path, encoding: str | None, metric: str) -> int | None:
    """The length of the shortest plan; `auto`, no name, is asplan's own choice."""
    result = asplan.solve(file, encoding=encoding, metric=metric)
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


def show(
    encodings: list[str], estimates: dict[str, str], rows: dict[str, list[Figure]], title: str
) -> None:
    """The table, its sums and its mean ratios."""
    table = Table("board", "estimate", "moves", encodings[0], title=title)
    for name in encodings[1:]:
        table.add_column(name, justify="right")
        table.add_column("", justify="right")
    ratios = []
    for board, (first, *others) in rows.items():
        ratios.append([Ratio.of(first, other) for other in others])
        pairs = zip(others, ratios[-1], strict=True)
        figures = (t for figure, ratio in pairs for t in (figure.text, str(ratio)))
        moves = moves_of((first, *others))
        table.add_row(board, estimates[board], moves, first.text, *figures)
    columns = [list(column) for column in zip(*rows.values(), strict=True)]
    first, *others = (total(column) for column in columns)
    pairs = [(figure, Ratio.of(first, figure)) for figure in others]
    table.add_section()
    table.add_row("sum", "", "", first.text, *(t for f, r in pairs for t in (f.text, str(r))))
    means = [Ratio.mean(column) for column in zip(*ratios, strict=True)]
    table.add_row("geometric mean", "", "", "", *(t for mean in means for t in ("", str(mean))))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def moves_of(figures: Iterable[Figure]) -> str:
    """The moves of a shortest plan, if one of the encodings found out."""
    known = [figure.moves for figure in figures if figure.memory is not None]
    return "?" if not known else "no plan" if known[0] is None else str(known[0])


def total(column: list[Figure]) -> Figure:
    """The sum of the seconds and the most memory of an encoding."""
    memory = max((figure.memory for figure in column if figure.memory), default=None)
    stopped = any(figure.stopped for figure in column)
    return Figure(sum(figure.seconds for figure in column), memory, None, stopped)


def main() -> None:
    """Measure, and print a table for each metric."""
    data = os.environ.get("ASPLAN_DATA")
    usual = Path(data) / CARDS if data else None
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--boards", nargs="+", help=f"default: {' '.join(BOARDS)}")
    parser.add_argument("--encodings", nargs="+", help="names, files, `oracle`, or `auto`")
    parser.add_argument("--cards", nargs="?", type=Path, const=usual, help="all cards of a table")
    parser.add_argument("--metric", nargs="+", default=["step"], choices=["step", "slide"])
    parser.add_argument("--seeds", type=int, default=3, help="orders of the facts")
    parser.add_argument("--limit", type=float, default=60, help="CPU seconds for each run")
    given = parser.parse_args()
    strings = card_strings(given.cards or usual)
    every = [f"card:{number}" for number in range(1, len(strings) + 1)] if given.cards else []
    boards = given.boards or every or list(BOARDS)
    encodings = given.encodings or (["frontier", ORACLE] if given.cards else ["origin", "offset"])
    problems = {board: problem_of(board, strings) for board in boards}
    asplan.solve("two_cars")  # what is imported late is imported once, before the children start
    estimates = {board: f"{estimated_states(p):.1e}" for board, p in problems.items()}
    for metric in given.metric:
        rows = {
            board: measure(problem, encodings, metric, given.seeds, given.limit)
            for board, problem in track(problems.items(), metric, transient=True)
        }
        show(
            encodings,
            estimates,
            rows,
            f"metric {metric}, {given.seeds} seeds, limit {given.limit:g} s",
        )


if __name__ == "__main__":
    main()
