"""The quality of plans of asplan and Fast Downward's LAMA after 10 and 30 CPU seconds.

The tasks are those of `pddl_soon.py`: of each family the smallest and the one in the middle. Both
planners go on until the time is over. Whenever one of them has a better plan it is noted when,
by the processor time of all its processes. Quality is that of the competitions: the best cost that
is known for a task, of both, over the own one; 0 without a plan. Each row is written as it comes;
what is in the file is not run again. asplan's plans are checked by asplan itself, on the PDDL text.

    git clone https://github.com/aibasel/downward-benchmarks ../downward-benchmarks
    pip install up-fast-downward
    python scripts/pddl_improve.py --rows improve.jsonl [--seconds S] [--families N] [--markdown]

`asplan` takes its first plan from Fast Downward where it is installed; `own` never does.
"""

from __future__ import annotations

import argparse
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil

import asplan
from asplan.pddl.task import downward
from asplan.result import Result
from lib import tables
from lib.competitions import kept_rows
from lib.quick import add_quick
from pddl_soon import Trial, _used, trials

RESTS_ON = (
    "encodings/pddl/cheapest.lp",
    "encodings/pddl/parts/window.lp",
    "src/asplan/pddl/task/improving.py",
    "src/asplan/pddl/task/windows.py",
)

METHODS = ("own", "asplan", "lama")

MOMENTS = (10.0, 30.0)
"""Seconds of processor time after which plans are compared."""

_COST = re.compile(r"^; cost = (\d+)", re.MULTILINE)
_LOOK = 0.05


def measure(trial: Trial, method: str, seconds: float) -> dict[str, Any]:
    """A row: the seconds and the cost of the first plan, and of each that was better."""
    found: list[tuple[float, int]] = []
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, str(Path(__file__).resolve()), "--one", method, str(seconds)]
        files = [str(trial.domain.resolve()), str(trial.problem.resolve())]
        begun, used = time.monotonic(), 0.0
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        asked = subprocess.Popen([*words, *files], cwd=folder, **quiet)  # type: ignore[call-overload]
        while asked.poll() is None and used < seconds and time.monotonic() - begun < 3 * seconds:
            used = max(used, _used(asked.pid))
            _note(Path(folder), used, found)
            time.sleep(_LOOK)
        _note(Path(folder), used, found)
        with suppress(psutil.Error):
            for process in psutil.Process(asked.pid).children(recursive=True):
                with suppress(psutil.Error):
                    process.kill()
        asked.send_signal(signal.SIGKILL)
        asked.wait()
    return {"task": trial.name, "family": trial.family, "method": method, "plans": found}


def _note(folder: Path, used: float, found: list[tuple[float, int]]) -> None:
    for file in folder.glob("plan*"):
        with suppress(OSError):
            for text in _COST.findall(file.read_text()):
                if not found or int(text) < found[-1][1]:
                    found.append((round(used, 2), int(text)))


def answer_one(method: str, seconds: str, domain: str, problem: str) -> None:
    """Plan in this process, whose folder gets a file with the cost of each plan."""
    if method == "lama":
        package = find_spec("up_fast_downward")
        assert package is not None
        assert package.origin is not None
        driver = Path(package.origin).parent / "downward/fast-downward.py"
        words = [sys.executable, str(driver), "--plan-file", "plan", "--alias", "lama"]
        subprocess.run([*words, domain, problem], check=False)
        return
    if method == "own":
        downward.find_downward = lambda: None

    def note(result: Result) -> None:
        if result.improvements:
            made = result.improvements[-1]
            cost = made.actions if made.cost is None else made.cost
            Path(f"plan.{len(result.improvements)}").write_text(f"; cost = {cost}\n")

    note(asplan.solve(domain, problem, improve=10 * float(seconds), progress=note))


def cost_at(row: dict[str, Any], moment: float) -> int | None:
    """The cost of the best plan that was known then."""
    return min((cost for used, cost in row["plans"] if used <= moment), default=None)


def table(rows: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """For each method its plans, and the sum of the qualities of the first and at each moment."""
    best: dict[str, int] = {}
    for row in rows:
        for _, cost in row["plans"]:
            best[row["task"]] = min(cost, best.get(row["task"], cost))
    for method in METHODS:
        mine = [row for row in rows if row["method"] == method]
        first = [row["plans"][0][1] if row["plans"] else None for row in mine]
        columns = [first, *([cost_at(row, moment) for row in mine] for moment in MOMENTS)]
        sums = (
            sum(
                _quality(best[row["task"]], cost)
                for row, cost in zip(mine, costs, strict=True)
                if cost is not None
            )
            for costs in columns
        )
        solved = sum(cost is not None for cost in first)
        yield method, f"{solved} of {len(mine)}", *(f"{total:.1f}" for total in sums)


def _quality(best: int, cost: int) -> float:
    return best / cost if cost else 1.0


def main() -> None:
    """Measure what is not in the file yet, and print a row for each method."""
    if sys.argv[1:2] == ["--one"]:
        answer_one(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--benchmarks", type=Path, default=Path("../downward-benchmarks"))
    parser.add_argument("--rows", type=Path, default=Path("improve.jsonl"), help="as they come")
    parser.add_argument("--seconds", type=float, default=30, help="of processor time, for a trial")
    parser.add_argument("--families", type=int, default=20, help="take so many, evenly spread")
    add_quick(parser, "6 families, 10 s for a trial", seconds=10, families=6)
    tables.add_option(parser)
    given = parser.parse_args()
    rows = kept_rows(
        *(trials(given.benchmarks), METHODS, given.families, given.rows),
        lambda trial, method: measure(trial, method, given.seconds),
    )
    columns = ("method", "a plan", "first", *(f"after {moment:g} s" for moment in MOMENTS))
    tables.show(columns, table(rows), markdown=given.markdown)


if __name__ == "__main__":
    main()
