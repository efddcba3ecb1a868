"""asplan beside the plain loop on planning programs of other people.

The plain loop is clingo, which counts the horizon up. It grounds a single-shot program anew for
each horizon, and a program with parts step by step, as clingo's incremental mode does. For each
program the loop and the ways to call asplan run in turn, each in a process of its own. Their CPU
seconds hold everything: the start of Python, loading, checking the plan. Seconds on the clock
follow after a slash. Programs that the loop solves in less than half a second of CPU are small;
they have no row of their own.

How the programs of `other_single_shot.toml` were chosen, before anything was measured:

- public repositories with a planning program whose time is bounded by a constant, a number or facts
  for each time, and with its instances; found by names of files and of repositories
- encodings that a person picked from these, without those on which the loop failed in a first look
- at most two instances of an encoding and four programs of an owner, in the order of a hash of the
  name

`other_with_parts.toml` says how its programs were chosen. A program that the loop does not solve in
eight seconds of CPU (`--loop-limit`) is left out of the table.

The files are no part of this project: `--fetch` gets those that FOLDER lacks. Lines of JSON go to
`--log`; what is there is not measured again.

    python scripts/other_programs.py LIST.toml FOLDER [--fetch] [--ways asplan,fresh,sat,auto]
        [--limit S] [--loop-limit S] [--load N] [--log FILE] [--plot FILE.svg] [--markdown] [WORD…]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from how_fast import busy
from lib import plain_loop, plots, tables
from lib.quick import add_quick
from single_shot_corpus import ENVIRONMENT, Program, bound_time, fetch, given, programs

RESTS_ON = (
    "scripts/other_single_shot.toml",
    "scripts/other_with_parts.toml",
    "scripts/single_shot_corpus.py",
    "src/asplan/problem/*.py",
    "src/asplan/program/*.py",
    "src/asplan/engines/asp/*.py",
)

SMALL = 0.5
"""CPU seconds of the loop below which a program is small: what asplan does besides counts most."""

WAYS: dict[str, tuple[str, ...]] = {
    "asplan": (),
    "fresh": ("--fresh",),
    "sat": ("--engine", "sat"),
    "auto": ("--engine", "auto"),
}
"""Options of `asplan solve` for each way to call it."""

Measured = tuple[float, float, int | None]
"""CPU seconds, seconds on the clock, and the horizon found; None without one."""


def measure(words: Sequence[str], limit: float, horizon: Callable[[str], int | None]) -> Measured:
    """Run Python with some words; `horizon` reads the horizon from the output."""
    with tempfile.TemporaryFile("w+") as out:
        start = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, *words],
            stdout=out,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
            preexec_fn=lambda: bound_time(limit),
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        out.seek(0)
        return used.ru_utime + used.ru_stime, wall, horizon(out.read())


def loop(program: Program, limit: float) -> Measured:
    """Measure the plain loop; its horizon is the author's bound."""
    bound = {k: v for k, v in program.items() if k not in ("name", "addresses")}
    words = (plain_loop.__file__, "least", json.dumps(bound))
    return measure(words, limit, lambda text: int(text) if text.strip() else None)


def asplan(program: Program, way: str, limit: float) -> Measured:
    """Measure `asplan solve`, called in a way."""
    words = ("-m", "asplan", "solve", *given(program), *WAYS[way], "--json")
    return measure((*words, f"--time-limit={20 * limit}"), limit, _horizon)


def _horizon(text: str) -> int | None:
    try:
        horizon = json.loads(text).get("horizon")
    except json.JSONDecodeError:
        return None
    return None if horizon is None else int(horizon)


def measured(
    program: Program, ways: Sequence[str], limit: float, loop_limit: float
) -> dict[str, Any]:
    """Measure the loop and all ways on a program, in turn."""
    row: dict[str, Any] = {"name": program["name"], "loop": loop(program, loop_limit)}
    if row["loop"][2] is None:
        return row
    return row | {way: asplan(program, way, limit) for way in ways}


def is_small(row: dict[str, Any]) -> bool:
    """Return whether the loop solves the program of a row at once."""
    return bool(row["loop"][0] < SMALL)


def cells(row: dict[str, Any], ways: Sequence[str]) -> tuple[str, ...]:
    """Return the row of a program: CPU and clock of the loop and of each way."""
    horizon = row["loop"][2]
    runs = [row["loop"], *(row[way] for way in ways if way in row)]
    seconds = (
        f"{'' if end is not None else '≥ '}{cpu:.2f} / {wall:.2f}" for cpu, wall, end in runs
    )
    return (row["name"], "" if horizon is None else str(horizon), *seconds)


def summary(rows: Sequence[dict[str, Any]], ways: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the means over programs that are not small, and the excess on the small ones.

    A run that was stopped counts with the seconds that it took until then.
    """
    large = [row for row in rows if not is_small(row)]
    small = [row for row in rows if is_small(row)]
    for at, unit in ((0, "CPU"), (1, "clock")):
        ratios = [[row["loop"][at] / row[way][at] for row in large] for way in ways]
        for what, value in (("geometric mean", geometric_mean), ("least", min)):
            found = (f"{value(each):.2f} ×" if each else "" for each in ratios)
            yield (f"{what} of {len(large)}, {unit}", "", "", *found)
    finished = (sum(row[way][2] is not None for row in rows) for way in ways)
    yield (f"finished, of all {len(rows)}", "", "", *map(str, finished))
    if not small:
        return
    excess = [
        [row[way][0] - row["loop"][0] for row in small if row[way][2] is not None] for way in ways
    ]
    beyond = (f"+{median(each):.2f} s" if each else "" for each in excess)
    yield (f"{len(small)} small ones, CPU beyond the loop (median)", "", "", *beyond)


def draw(file: Path, rows: Sequence[dict[str, Any]], way: str) -> None:
    """Draw the CPU seconds of the loop and of a way, a point for each program."""
    both = [row for row in rows if row[way][2] is not None]
    points = {
        "small programs": [(row["loop"][0], row[way][0]) for row in both if is_small(row)],
        "other programs": [(row["loop"][0], row[way][0]) for row in both if not is_small(row)],
    }
    found = {label: pairs for label, pairs in points.items() if pairs}
    plots.draw_diagonal(file, found, "CPU seconds of the plain loop", "CPU seconds of asplan")


def main() -> None:
    """Fetch, measure, and print a row a program."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("list", type=Path, help="of programs, in TOML")
    parser.add_argument("folder", type=Path, help="where the programs are")
    parser.add_argument("words", nargs="*", help="only programs whose names contain one")
    parser.add_argument("--fetch", action="store_true", help="get what is not there")
    parser.add_argument("--ways", default="asplan", help=f"some of {', '.join(WAYS)}")
    parser.add_argument("--limit", type=float, default=20, help="CPU seconds for each process")
    parser.add_argument("--loop-limit", type=float, default=8, help="CPU seconds of the loop")
    parser.add_argument("--load", type=int, default=0, help="processes that keep the machine busy")
    parser.add_argument("--plot", type=Path, help="draw CPU seconds of the loop and asplan here")
    parser.add_argument("--log", type=Path, help="lines of JSON, which are not measured again")
    add_quick(parser, "5 s for each process", limit=5)
    tables.add_option(parser)
    asked = parser.parse_args()
    ways = asked.ways.split(",")
    if not WAYS.keys() >= set(ways):
        parser.error(f"--ways: {asked.ways} is not among {', '.join(WAYS)}")
    log = asked.log.read_text("utf-8").splitlines() if asked.log and asked.log.exists() else []
    known = {row["name"]: row for row in map(json.loads, log)}
    rows = []
    with busy(asked.load):
        for program in programs(asked.folder, asked.list):
            name = program["name"]
            if not any(word in name for word in asked.words or [""]):
                continue
            if asked.fetch:
                fetch(program)
            row = known.get(name) or measured(program, ways, asked.limit, asked.loop_limit)
            if asked.log and name not in known:
                with asked.log.open("a") as lines:
                    print(json.dumps(row), file=lines)
            rows.append(row)
            tables.progress(*cells(row, ways))
    solved = [row for row in rows if row["loop"][2] is not None]
    headings = (" ".join(("asplan", *WAYS[way])) for way in ways)
    body = [cells(row, ways) for row in solved if not is_small(row)]
    if asked.plot:
        draw(asked.plot, solved, ways[0])
    tables.show(
        ("program", "least", "plain loop", *headings),
        [*body, None, *summary(solved, ways)],
        markdown=asked.markdown,
    )


if __name__ == "__main__":
    main()
