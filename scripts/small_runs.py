"""The cost of a small run beyond clingo's own work: on the command line, and in the API.

On the command line three processes take turns: a plain multi-shot loop over the same files, which
is Python, clingo, and one ground and one solve call for every horizon; `asplan solve`; and
`asplan solve --json`. All CPU seconds of a process and its children count. `overhead` is what
`asplan solve` takes beyond the loop. asplan is compiled to bytecode before, as in any installation.

In the API the loop and `asplan.solve` take turns in one warm process. There the two files are given
as one program, which is replayed, and as instance and `encoding`, which a model checks where there
is one; `overhead` is of the latter. All figures are medians.

    python scripts/small_runs.py [--runs N] [--markdown] [FILE…]
"""

from __future__ import annotations

import argparse
import inspect
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

import asplan
from lib import tables
from lib.plain_loop import least_of_parts
from lib.quick import add_quick

RESTS_ON = (
    "encodings/hanoi/hanoi.lp",
    "encodings/rush_hour/origin.lp",
    "encodings/river/river.lp",
    "instances/hanoi/towers3.lp",
    "instances/river/wolf_goat_cabbage.lp",
    "instances/rush_hour/two_cars.lp",
    "src/asplan/__init__.py",
    "src/asplan/core/process.py",
    "src/asplan/cli/*.py",
    "src/asplan/domains/__init__.py",
    "src/asplan/engines/__init__.py",
    "src/asplan/problem/*.py",
    "src/asplan/program/*.py",
    "src/asplan/core/child.py",
)

ROOT = Path(__file__).parents[1]

SMALL = (
    ("encodings/rush_hour/origin.lp", "instances/rush_hour/two_cars.lp"),
    ("encodings/hanoi/hanoi.lp", "instances/hanoi/towers3.lp"),
    ("encodings/river/river.lp", "instances/river/wolf_goat_cabbage.lp"),
)
"""An encoding and an instance each."""

LOOP = f"""from __future__ import annotations
import sys
from itertools import count
from clingo import Control, Function, Number
{inspect.getsource(least_of_parts)}
least_of_parts(sys.argv[1:])"""
"""The plain loop as a program of its own, which imports nothing but clingo."""

Files = Sequence[str]


def command_line(files: Files, runs: int, environment: Mapping[str, str]) -> list[float]:
    """CPU milliseconds of the plain loop, of `asplan solve`, and of that with `--json`."""
    loop = [sys.executable, "-c", LOOP, *files]
    asplan_ = [sys.executable, "-m", "asplan", "solve", *files]
    commands = [loop, asplan_, [*asplan_, "--json"]]
    return _turns([lambda c=c: _process(c, environment) for c in commands], runs)  # type: ignore[misc]


def in_process(files: Files, runs: int) -> list[float]:
    """CPU milliseconds here: of the plain loop, of a whole program, of instance and encoding."""
    instance, encoding = files[-1], files[0]
    tasks: list[Callable[[], object]] = [
        lambda: least_of_parts(files),
        lambda: asplan.solve(*files),
        lambda: asplan.solve(instance, encoding=encoding),
    ]
    return _turns([lambda t=t: _timed(t) for t in tasks], runs)  # type: ignore[misc]


def _turns(measured: list[Callable[[], float]], runs: int) -> list[float]:
    """The medians of what some measurements give that take turns; the first round warms up."""
    rounds = [[measure() for measure in measured] for _ in range(runs + 1)]
    return [median(column) for column in zip(*rounds[1:], strict=True)]


def _process(command: list[str], environment: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return 1000 * used


def _timed(task: Callable[[], object]) -> float:
    start = time.process_time()
    task()
    return 1000 * (time.process_time() - start)


def main() -> None:
    """Measure, and print a table for the command line and one for the API."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", help="an encoding, …, and an instance")
    parser.add_argument("--runs", type=int, default=15, help="rounds")
    add_quick(parser, "three rounds", runs=3)
    tables.add_option(parser)
    given = parser.parse_args()
    programs = [given.files] if given.files else [[str(ROOT / f) for f in p] for p in SMALL]
    shell, api = [], []
    with tempfile.TemporaryDirectory(prefix="measure-") as cache:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for files in programs:
            name = Path(files[-1]).stem
            loop, text, as_json = command_line(files, given.runs, environment)
            shell.append((name, *(f"{t:.0f}" for t in (loop, text, as_json, text - loop))))
            loop, whole, named = in_process(files, given.runs)
            api.append((name, *(f"{t:.1f}" for t in (loop, whole, named, named - loop))))
            tables.progress(*shell[-1], *api[-1])
    columns = ("program", "plain loop", "asplan solve", "with --json", "overhead")
    tables.show(columns, shell, "the command, CPU ms", markdown=given.markdown)
    columns = ("program", "plain loop", "one program", "instance and encoding", "overhead")
    tables.show(columns, api, "the API in a warm process, CPU ms", markdown=given.markdown)


if __name__ == "__main__":
    main()
