"""asplan's engines beside a plain multi-shot loop, by wall-clock time.

The plain loop is what clingo's own incremental mode does: one ground call and one solve call for
every horizon, with clingo's defaults, until there is a plan. The time of an engine holds all that
`asplan.solve` does in a running process that has imported it, from reading the files to checking
the plan. `portfolio` and `auto` use as many cores as there are, so the machine has to be quiet.

Measured are asplan's own programs, or those that a list names: a line for each, with its name, its
files and its instance, separated by tabs; the files are separated by spaces, and stand where the
list does. The means are of the programs that both the loop and the engine finish; how many of the
others each of them finishes has a row of its own. `--load N` keeps a busy machine busy.

    python scripts/how_fast.py [--programs LIST.tsv] [--engines asp,sat,auto] [--limit S]
                               [--least S] [--load N] [--markdown] [PROGRAM…]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

import asplan
from asplan.errors import InputError
from lib import tables
from lib.measuring import run
from lib.plain_loop import least_of_parts
from lib.programs import Listed, listed, own
from lib.quick import add_quick

RESTS_ON = (
    "src/asplan/engines/asp/*.py",
    "src/asplan/program/transitions/rewrite.py",
    "src/asplan/engines/portfolio/*.py",
    "src/asplan/engines/sat/*.py",
)

LOOP = "plain loop"


def measured(task: Callable[[], int | None], limit: float) -> tuple[float, int | None]:
    """Wall-clock seconds, and the horizon; None if it was stopped, or refused."""

    def timed() -> tuple[float, int | None]:
        start = time.monotonic()
        horizon = task()
        return time.monotonic() - start, horizon

    try:
        found = run(timed, limit)
    except InputError:  # as `sat` refuses a disjunction
        return limit, None
    seconds, horizon = found.answer or (limit, None)
    return (limit if horizon is None else seconds), horizon


def main() -> None:
    """Measure, and print a row a program."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="parts of the names; all, unless some are given")
    parser.add_argument("--programs", type=Path, help="a list of programs, instead of the own ones")
    parser.add_argument("--load", type=int, default=0, help="processes that keep the machine busy")
    parser.add_argument("--engines", default="asp,sat,auto")
    parser.add_argument("--limit", type=float, default=60, help="CPU seconds for a process")
    parser.add_argument("--least", type=float, default=0, help="seconds that the loop must take")
    parser.add_argument("--boards", default="sample02,sample03,sample05", help="of Rush Hour")
    add_quick(parser, "one board of Rush Hour, 10 s", limit=10, boards="sample02")
    tables.add_option(parser)
    given = parser.parse_args()
    engines = given.engines.split(",")
    programs = listed(given.programs) if given.programs else own(given.boards)
    chosen = [p for p in programs if not given.words or any(w in p.name for w in given.words)]
    with busy(given.load):
        rows = list(_measured(chosen, engines, given.limit, given.least))
    tables.show(
        ("program", "steps", LOOP, *engines),
        [*(_cells(row) for row in rows), None, *_means(rows, engines)],
        markdown=given.markdown,
    )


@dataclass(frozen=True)
class Row:
    """A program with the seconds and the horizon of the loop and of each engine."""

    name: str
    loop: tuple[float, int | None]
    found: tuple[tuple[float, int | None], ...]


@contextmanager
def busy(load: int) -> Iterator[None]:
    """Run this many processes that compute beside the measurement."""
    code = "while True: pass"
    processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(load)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _measured(
    programs: list[Listed], engines: list[str], limit: float, least: float
) -> Iterator[Row]:
    for engine in engines:
        asplan.solve("rush_hour/two_cars", encoding="origin", engine=engine)
    for program in programs:
        loop = measured(lambda: least_of_parts(program.files), limit)  # noqa: B023
        if loop[0] < least:
            continue
        found = tuple(
            measured(lambda: program.planned(engine), limit)  # noqa: B023
            for engine in engines
        )
        row = Row(program.name, loop, found)
        assert len({horizon for _, horizon in (loop, *found)} - {None}) < 2, row
        tables.progress(*_cells(row))
        yield row


def _means(rows: list[Row], engines: list[str]) -> Iterator[tuple[str, ...]]:
    both = [
        [
            row.loop[0] / row.found[i][0]
            for row in rows
            if None not in (row.loop[1], row.found[i][1])
        ]
        for i in range(len(engines))
    ]
    for what, value in (("geometric mean", geometric_mean), ("least", min)):
        yield (what, "", "", *(f"{value(ratios):.2f} ×" if ratios else "" for ratios in both))
    solved = [sum(run[1] is not None for run in runs) for runs in zip(*_runs(rows), strict=True)]
    yield ("finished", "", *map(str, solved))


def _runs(rows: list[Row]) -> Iterator[tuple[tuple[float, int | None], ...]]:
    return ((row.loop, *row.found) for row in rows)


def _cells(row: Row) -> tuple[str, ...]:
    runs = (row.loop, *row.found)
    lengths = {str(horizon) for _, horizon in runs if horizon is not None}
    times = (f"{'≥ ' if horizon is None else ''}{seconds:.2f}" for seconds, horizon in runs)
    return (row.name, " or ".join(sorted(lengths)), *times)


if __name__ == "__main__":
    main()
