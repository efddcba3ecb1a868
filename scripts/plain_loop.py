"""asplan beside a plain multi-shot loop, on the example programs and two encodings of Rush Hour.

The plain loop is what clingo's own incremental mode does: one ground call and one solve call for
every horizon, with clingo's defaults, until there is a plan. asplan's time holds all that
`asplan.solve` does, from reading the files to checking the plan.

A case runs with the facts of its instance in several orders, each run in a child process of its
own, and the two take turns. The table shows medians of the CPU seconds, and the ratio of the plain
loop's to asplan's: above 1 asplan is faster. A run that was stopped counts as the limit.

    python scripts/plain_loop.py [--seeds N] [--limit S] [--boards sample02,…] [--markdown]
                                 [CASE…]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from statistics import geometric_mean, median

from clingo import Control, Function, Number

import asplan
from lib import tables
from lib.measuring import Case, Run, folder, run
from lib.programs import cases
from lib.quick import add_quick

RESTS_ON = (
    "src/asplan/program/rewrite.py",
    "src/asplan/engines/asp/*.py",
)


BOUNDS = {(False, False): "", (True, False): "≥ ", (False, True): "≤ ", (True, True): "? "}
"""What is known of a ratio where the loop, or asplan, was stopped."""


def plain(files: Iterable[str]) -> int:
    """The first satisfiable horizon."""
    control = Control(logger=lambda code, message: None)
    for file in files:
        control.load(file)
    control.add("check", ["t"], "#external query(t).")
    horizon = 0
    while True:
        now = Number(horizon)
        control.ground([("check", [now]), ("step", [now]) if horizon else ("base", [])])
        control.assign_external(Function("query", [now]), True)
        if control.solve().satisfiable:
            return horizon
        control.release_external(Function("query", [now]))
        horizon += 1


def planned(files: Iterable[str]) -> int | None:
    """The same, by asplan."""
    encoding, instance = files
    return asplan.solve(instance, encoding=encoding).horizon


def compare(case: Case, seeds: int, limit: float, place: Path) -> tuple[list[Run], list[Run]]:
    """The runs of the plain loop, and those of asplan."""
    loops, plans = [], []
    for seed in range(1, seeds + 1):
        files = case.shuffled(seed, place)
        loops.append(run(lambda files=files: plain(files), limit))  # type: ignore[misc]
        plans.append(run(lambda files=files: planned(files), limit))  # type: ignore[misc]
    return loops, plans


def main() -> None:
    """Measure, and print a row a case."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="cases; all, unless some are given")
    parser.add_argument("--seeds", type=int, default=3, help="orders of the facts")
    parser.add_argument("--limit", type=float, default=120, help="CPU seconds for a run")
    parser.add_argument("--boards", default="sample02,sample03,sample05", help="of Rush Hour")
    add_quick(parser, "one order, one board, 10 s", seeds=1, limit=10, boards="sample02")
    tables.add_option(parser)
    given = parser.parse_args()
    rows, ratios = [], []
    with folder() as name:
        for case in cases(given.boards.split(",")):
            if given.names and case.name not in given.names:
                continue
            loops, plans = compare(case, given.seeds, given.limit, Path(name))
            row, ratio = _row(case.name, loops, plans)
            rows.append(row)
            ratios.append(ratio)
            tables.progress(case.name, *(f"{run.seconds:.2f}" for run in loops + plans))
    rows += [None, ("geometric mean", "", "", "", f"{geometric_mean(ratios):.2f}")]
    columns = ("program", "steps", "plain loop", "asplan", "ratio")
    tables.show(columns, rows, markdown=given.markdown)


def _row(name: str, loops: list[Run], plans: list[Run]) -> tuple[tuple[str, ...], float]:
    lengths = {str(run.answer) for run in loops + plans if run.answer is not None}
    slow, fast = median(r.seconds for r in loops), median(r.seconds for r in plans)
    stopped = tuple(any(run.answer is None for run in runs) for runs in (loops, plans))
    loop, plan = (
        f"{'≥ ' * late}{seconds:.2f}" for late, seconds in zip(stopped, (slow, fast), strict=True)
    )
    steps = " or ".join(sorted(lengths))
    ratio = slow / fast
    return (name, steps, loop, plan, f"{BOUNDS[stopped]}{ratio:.2f}"), ratio


if __name__ == "__main__":
    main()
