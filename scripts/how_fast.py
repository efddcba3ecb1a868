"""asplan's engines beside a plain multi-shot loop, by wall-clock time.

The plain loop is what clingo's own incremental mode does: one ground call and one solve call for
every horizon, with clingo's defaults, until there is a plan. The time of an engine holds all that
`asplan.solve` does in a running process that has imported it, from reading the files to checking
the plan. `portfolio` and `auto` use as many cores as there are, so the machine has to be quiet.

Measured are asplan's own programs, and those that a list names: a line for each, with its name, its
files and its instance, separated by tabs; the files are separated by spaces, and stand where the
list does. A run that was stopped counts as the limit.

    python scripts/how_fast.py [--programs LIST.tsv] [--engines asp,sat,auto] [--limit S]
                               [--least S] [--markdown] [PROGRAM…]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean

import asplan
from lib import tables
from lib.measuring import run
from lib.programs import listed, own, plain
from lib.quick import add_quick

RESTS_ON = (
    "src/asplan/engines/asp/*.py",
    "src/asplan/program/rewrite.py",
    "src/asplan/engines/portfolio/*.py",
    "src/asplan/engines/sat/*.py",
)

LOOP = "plain loop"


def measured(task: Callable[[], int | None], limit: float) -> tuple[float, int | None]:
    """Wall-clock seconds, and the horizon; None if it was stopped."""

    def timed() -> tuple[float, int | None]:
        start = time.monotonic()
        horizon = task()
        return time.monotonic() - start, horizon

    found = run(timed, limit)
    seconds, horizon = found.answer or (limit, None)
    return (limit if horizon is None else seconds), horizon


def main() -> None:
    """Measure, and print a row a program."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="parts of the names; all, unless some are given")
    parser.add_argument("--programs", type=Path, help="a list of more programs")
    parser.add_argument("--engines", default="asp,sat,auto")
    parser.add_argument("--limit", type=float, default=60, help="CPU seconds for a process")
    parser.add_argument("--least", type=float, default=0, help="seconds that the loop must take")
    parser.add_argument("--boards", default="sample02,sample03,sample05", help="of Rush Hour")
    add_quick(parser, "one board of Rush Hour, 10 s", limit=10, boards="sample02")
    tables.add_option(parser)
    given = parser.parse_args()
    engines = given.engines.split(",")
    rows: list[tuple[str, ...] | None] = []
    ratios: dict[str, list[float]] = {engine: [] for engine in engines}
    for engine in engines:
        asplan.solve("rush_hour/two_cars", encoding="origin", engine=engine)
    programs = own(given.boards) + (listed(given.programs) if given.programs else [])
    for program in programs:
        if given.words and not any(word in program.name for word in given.words):
            continue
        base, horizon = measured(lambda: plain(program.files), given.limit)  # noqa: B023
        if base < given.least:
            continue
        found = {
            engine: measured(lambda: program.planned(engine), given.limit)  # noqa: B023
            for engine in engines
        }
        rows.append(_row(program.name, (base, horizon), list(found.values())))
        for engine, (seconds, answer) in found.items():
            ratios[engine].append(base / seconds)
            assert horizon is None or answer in (None, horizon), f"{program.name}: {answer}"
        tables.progress(*(rows[-1] or ()))
    rows.append(None)
    for what, value in (("geometric mean", geometric_mean), ("least", min)):
        rows.append((what, "", "", *(f"{value(ratios[engine]):.2f} ×" for engine in engines)))
    tables.show(("program", "steps", LOOP, *engines), rows, markdown=given.markdown)


def _row(
    name: str, base: tuple[float, int | None], found: list[tuple[float, int | None]]
) -> tuple[str, ...]:
    lengths = {str(horizon) for _, horizon in (base, *found) if horizon is not None}
    times = (f"{'≥ ' if horizon is None else ''}{seconds:.2f}" for seconds, horizon in found)
    first = f"{'≥ ' if base[1] is None else ''}{base[0]:.2f}"
    return (name, " or ".join(sorted(lengths)), first, *times)


if __name__ == "__main__":
    main()
