"""The least cost of PDDL tasks beside Fast Downward's A* with LM-cut, on families of benchmarks.

The rule for the tasks, which was written before any of them ran: of all folders of the benchmarks
a family is a name without its track, year and language (`snake-opt18-strips` is of snake). Its
folder is the first with `opt` in its name in the order of the alphabet, or else the first. Of its
tasks it takes the two with the smallest files. Where a task has a metric its cost is to be least,
else its actions are to be fewest.

A trial ends when all its processes together have used the limit of processor time, or three times
that has passed on the clock. Each row is written as it comes; what is in the file is not run again.

    git clone https://github.com/aibasel/downward-benchmarks ../downward-benchmarks
    pip install 'asplan[fast]' up-fast-downward
    python scripts/pddl_optimal.py --rows optimal.jsonl [--seconds S] [--families N] [--markdown]

`asplan` is `--optimal`, in which A* and clingo race; `astar` A* alone; `clingo` the encoding
`cheapest` alone; `downward` Fast Downward, translation included: `astar(lmcut())`, or
`astar(blind())` where LM-cut does not take the task, as it has axioms or conditional effects.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from statistics import geometric_mean

import asplan
from asplan.core.errors import AsplanError
from asplan.result import Outcome
from lib import tables
from lib.competitions import kept_rows
from lib.quick import add_quick
from pddl_soon import Trial, domain_of, family_of, measure

RESTS_ON = (
    "encodings/pddl/cheapest.lp",
    "src/asplan/engines/asp/modes.py",
    "src/asplan/engines/portfolio/*.py",
    "src/asplan/pddl/task/*.py",
)

METHODS = ("asplan", "astar", "clingo", "downward")

UNSUPPORTED = 34
"""The exit status of Fast Downward where a search does not take a task."""

_LEAST = 0.1
"""Seconds below which processor times are not distinguished."""


def trials(benchmarks: Path) -> Iterator[Trial]:
    """The tasks, by the rule above."""
    folders: dict[str, list[Path]] = {}
    for folder in sorted(benchmarks.iterdir()):
        if folder.is_dir():
            folders.setdefault(family_of(folder.name), []).append(folder)
    for family, among in folders.items():
        chosen = next((folder for folder in among if "opt" in folder.name), among[0])
        pairs = [(p, d) for p in chosen.glob("*.pddl") if (d := domain_of(p)) is not None]
        pairs.sort(key=lambda pair: (pair[0].stat().st_size, pair[0].name))
        for problem, domain in pairs[:2]:
            yield Trial(family, domain, problem)


def answer_one(method: str, domain: str, problem: str) -> None:
    """Run one trial in this process and print its row."""
    try:
        value, outcome = (_downward if method == "downward" else _asplan)(domain, problem, method)
    except AsplanError as error:
        value, outcome = None, f"error: {error}"
    spent = sum(os.times()[:4])
    print(json.dumps({"outcome": outcome, "value": value, "cpu": round(spent, 2)}))


def _asplan(domain: str, problem: str, method: str) -> tuple[int | None, str]:
    """The cost of a plan that is proven best, and checked; -1 where there is none."""
    words = {"encoding": "cheapest"} if method == "clingo" else {}
    words |= {"engine": "astar"} if method == "astar" else {}
    priced = "(:metric" in Path(problem).read_text(encoding="utf-8").lower()
    result = asplan.solve(domain, problem, optimal="cost" if priced else "actions", **words)
    plan = result.plan
    if result.outcome == Outcome.UNSOLVABLE:
        return -1, result.outcome
    if result.outcome != Outcome.OPTIMAL or plan is None or result.validated != "text":
        return None, result.outcome
    value = result.cost[0] if priced and result.cost else len(plan.actions)
    return value, f"{result.outcome}: {result.reason}"


def _downward(domain: str, problem: str, method: str) -> tuple[int | None, str]:
    package = find_spec("up_fast_downward")
    assert package is not None
    assert package.origin is not None
    driver = Path(package.origin).parent / "downward/fast-downward.py"
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, str(driver), "--keep-sas-file", "--plan-file", "plan"]
        done = subprocess.run(
            [*words, domain, problem, "--search", "astar(lmcut())"],
            capture_output=True,
            cwd=folder,
            text=True,
        )
        if done.returncode == UNSUPPORTED:
            done = subprocess.run(
                [*words, "output.sas", "--search", "astar(blind())"],
                capture_output=True,
                cwd=folder,
                text=True,
            )
    if (cost := re.search(r"Plan cost: (\d+)", done.stdout)) is not None:
        return int(cost[1]), "optimal"
    unsolvable = "Completely explored state space" in done.stdout or done.returncode in (10, 11)
    return (-1, "unsolvable") if unsolvable else (None, f"exit {done.returncode}")


def table(rows: list[dict[str, object]]) -> Iterator[tuple[str, ...]]:
    """A line for each method; the last columns are about tasks that it and downward both prove."""
    proven = {(r["task"], r["method"]): r for r in rows if r.get("value") is not None}
    for method in METHODS:
        mine = [r for r in rows if r["method"] == method]
        both = [
            (r, proven[r["task"], "downward"])
            for r in mine
            if (r["task"], method) in proven and (r["task"], "downward") in proven
        ]
        count = sum((r["task"], method) in proven for r in mine)
        differ = sum(a["value"] != b["value"] for a, b in both)
        ratios = []
        for least in (0.0, 1.0):
            long = [
                [max(float(str(x["cpu"])), _LEAST) for x in pair]
                for pair in both
                if max(float(str(x["cpu"])) for x in pair) >= least
            ]
            ratios.append(f"{geometric_mean(a / b for a, b in long):.2f}" if long else "")
        if mine:
            yield method, f"{count} of {len(mine)}", str(differ), *ratios


def main() -> None:
    """Measure what is not in the file yet, and print a row for each method."""
    if sys.argv[1:2] == ["--one"]:
        answer_one(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--benchmarks", type=Path, default=Path("../downward-benchmarks"))
    parser.add_argument("--rows", type=Path, default=Path("optimal.jsonl"), help="as they come")
    parser.add_argument("--seconds", type=float, default=10, help="of processor time, for a trial")
    parser.add_argument("--families", type=int, default=10**6, help="take so many, evenly spread")
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    add_quick(parser, "12 families", families=12)
    tables.add_option(parser)
    given = parser.parse_args()
    rows = kept_rows(
        *(trials(given.benchmarks), given.methods, given.families, given.rows),
        lambda trial, method: measure(trial, method, given.seconds, __file__),
    )
    columns = ("method", "proven", "differ", "CPU, downward = 1", "the same, above 1 s")
    tables.show(columns, table(rows), markdown=given.markdown)


if __name__ == "__main__":
    main()
