"""The number of tasks that `asplan solve --first` solves within a time, by benchmarks.

The time is that of the whole command: reading, translating, grounding, solving, and the check of
the plan against the PDDL. The benchmarks are not part of the project:

    git clone https://github.com/aibasel/downward-benchmarks ../downward-benchmarks
    python scripts/pddl_first.py [--benchmarks FOLDER] [--seconds S] [--markdown] [WORD…]

With words only the tasks whose name has one of them run.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median

import asplan
from asplan.result import Result
from lib import tables
from lib.quick import add_quick

RESTS_ON = (
    "encodings/pddl/exists.lp",
    "encodings/pddl/parts/*.lp",
    "src/asplan/engines/asp/controller.py",
)

SETS = {"driverlog": 20, "zenotravel": 20, "depot": 22, "freecell": 20}
"""The folders, and how many of the tasks in each."""


def solved(folder: Path, problem: Path, seconds: float) -> Result:
    """The result for one task; its plan is checked against the text."""
    return asplan.solve(
        folder / "domain.pddl", problem, first=True, time_limit=seconds, isolate=True
    )


def main() -> None:
    """Measure, and print a row for each set."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="parts of the tasks' names; all, unless given")
    parser.add_argument("--benchmarks", type=Path, default=Path("../downward-benchmarks"))
    parser.add_argument("--seconds", type=float, default=30, help="for each task")
    add_quick(parser, "5 s for a task", seconds=5)
    tables.add_option(parser)
    given = parser.parse_args()
    rows = []
    for name, count in SETS.items():
        folder = given.benchmarks / name
        seconds, tried = [], 0
        for number in range(1, count + 1):
            problem = folder / f"p{number:02}.pddl"
            if given.words and not any(word in f"{name}/{problem.stem}" for word in given.words):
                continue
            tried += 1
            found = solved(folder, problem, given.seconds)
            tables.progress(f"{name}/{problem.stem}", found.outcome, found.horizon, found.seconds)
            if found.validated == "text":
                seconds.append(found.seconds.total)
        if tried:
            times = f"{median(seconds):.1f}" if seconds else ""
            rows.append((name, str(tried), str(len(seconds)), times))
    columns = ("tasks of", "tried", "a valid plan", "seconds, median of those")
    tables.show(columns, rows, markdown=given.markdown)


if __name__ == "__main__":
    main()
