"""The time until `--first` and Fast Downward's lama-first have a plan, on families of tasks.

The rule for the tasks, which was written before any of them ran: of all folders of the benchmarks
without those of `pddl_steps.py` a family is a name without its track, year and language
(`snake-sat18-strips` is of snake); families of `pddl_steps.py` are left out. Its folder is the
first with `sat` in its name in the order of the alphabet, or else the first. Of its tasks, in the
order of the sizes of their files, it takes the smallest and the one in the middle. The benchmarks
have fewer families than were wanted, so a second folder of a family, the next in that order, gives
two more where its tasks are none of the first one's.

`--further` takes other tasks by another rule, written before any of them ran: of the families in
the order of the alphabet every second one, from the second on, at most twenty. Of each family's
first folder it takes the tasks at one quarter and at three quarters of the order of sizes.

A trial ends when all its processes together have used the limit of processor time, or ten times
that has passed on the clock. Each row is written as it comes; what is in the file is not run again.

    git clone https://github.com/aibasel/downward-benchmarks ../downward-benchmarks
    pip install up-fast-downward
    python scripts/pddl_soon.py --rows soon.jsonl [--seconds S] [--families N] [--further]
                                [--methods M…] [--list] [--markdown]

`own` is asplan without Fast Downward, `together` with it, `lama` Fast Downward alone, translation
included; plans of all three are checked against the PDDL.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import geometric_mean

import psutil

import asplan
from asplan.core.errors import AsplanError
from asplan.pddl.task import downward
from lib import tables
from lib.competitions import kept_rows
from lib.quick import add_quick
from pddl_steps import FOLDERS

RESTS_ON = (
    "encodings/pddl/exists.lp",
    "encodings/pddl/parts/*.lp",
    "src/asplan/engines/portfolio/*.py",
    "src/asplan/pddl/task/*.py",
)

METHODS = ("own", "together", "lama")

FURTHER_FAMILIES = 20

_TRACK = re.compile(r"-(opt|sat|agl|mco)?\d\d\b|-(strips|adl|fulladl|simpleadl)\b")
_LOOK = 0.05


def family_of(folder: str) -> str:
    """The name without track, year and language.

    >>> family_of("snake-sat18-strips"), family_of("cavediving-14-adl"), family_of("psr-small")
    ('snake', 'cavediving', 'psr-small')
    """
    return _TRACK.sub("", folder)


@dataclass(frozen=True)
class Trial:
    """A task: its family, and its files."""

    family: str
    domain: Path
    problem: Path

    @property
    def name(self) -> str:
        return f"{self.problem.parent.name}/{self.problem.stem}"

    @property
    def text(self) -> bytes:
        return self.problem.read_bytes()


def trials(benchmarks: Path) -> Iterator[Trial]:
    """The tasks, by the first rule above."""
    for family, among in folders_of_families(benchmarks).items():
        seen = set[bytes]()
        for folder in among[:2]:
            tasks = [task for task in tasks_in(folder, family) if task.text not in seen]
            seen |= {task.text for task in tasks}
            for place in sorted({0, len(tasks) // 2} if tasks else ()):
                yield tasks[place]


def further_trials(benchmarks: Path) -> Iterator[Trial]:
    """The tasks, by the second rule above."""
    families = list(folders_of_families(benchmarks).items())
    for family, among in families[1::2][:FURTHER_FAMILIES]:
        tasks = list(tasks_in(among[0], family))
        for place in sorted({len(tasks) // 4, 3 * len(tasks) // 4} if tasks else ()):
            yield tasks[place]


def folders_of_families(benchmarks: Path) -> dict[str, list[Path]]:
    """The folders of each family, those of the satisficing tracks first."""
    known = {family_of(folder) for folder in FOLDERS}
    folders: dict[str, list[Path]] = {}
    for folder in sorted(benchmarks.iterdir()):
        if folder.is_dir() and family_of(folder.name) not in known:
            folders.setdefault(family_of(folder.name), []).append(folder)
    for among in folders.values():
        among.sort(key=lambda folder: "sat" not in folder.name)
    return folders


def tasks_in(folder: Path, family: str) -> Sequence[Trial]:
    """The tasks of a folder, in the order of the sizes of their files."""
    problems = sorted(folder.glob("*.pddl"), key=lambda file: (file.stat().st_size, file.name))
    pairs = ((problem, domain_of(problem)) for problem in problems)
    return [Trial(family, domain, problem) for problem, domain in pairs if domain is not None]


def domain_of(problem: Path) -> Path | None:
    """The domain of a problem; None for a file that is a domain itself."""
    if "domain" in problem.stem:
        return None
    stem, folder = problem.stem, problem.parent
    names = (f"{stem}-domain", f"domain-{stem}", f"domain_{stem}", "domain")
    return next((f for name in names if (f := folder / f"{name}.pddl").is_file()), None)


def measure(trial: Trial, method: str, seconds: float, script: str = __file__) -> dict[str, object]:
    """A row: what came out, the actions of the plan, and processor seconds of all processes."""
    words = [sys.executable, script, "--one", method, str(trial.domain), str(trial.problem)]
    with tempfile.TemporaryFile("w+") as answer:
        begun = time.monotonic()
        asked = subprocess.Popen(words, stdout=answer, stderr=subprocess.DEVNULL, process_group=0)
        used = 0.0
        while asked.poll() is None:
            used = max(used, _used(asked.pid))
            if used > seconds or time.monotonic() - begun > 10 * seconds:
                break
            time.sleep(_LOOK)
        with suppress(psutil.Error):
            for process in psutil.Process(asked.pid).children(recursive=True):
                process.kill()
        asked.send_signal(signal.SIGKILL)
        asked.wait()
        answer.seek(0)
        text = answer.read().strip().splitlines()
    row = json.loads(text[-1]) if text else {"outcome": "no answer in time"}
    row["cpu"] = max(round(used, 2), row.get("cpu", 0.0))  # the row lacks killed processes
    return {"task": trial.name, "family": trial.family, "method": method, **row}


def _used(pid: int) -> float:
    """Processor seconds of a process, of those below it, and of what they have waited for."""
    total = 0.0
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                total += sum(each.cpu_times()[:4])
    return total


def answer_one(method: str, domain: str, problem: str) -> None:
    """Run one trial in this process and print its row."""
    try:
        actions, outcome = (_lama if method == "lama" else _asplan)(domain, problem, method)
    except AsplanError as error:
        actions, outcome = None, f"error: {error}"
    spent = sum(os.times()[:4])
    print(json.dumps({"outcome": outcome, "actions": actions, "cpu": round(spent, 2)}))


def _asplan(domain: str, problem: str, method: str) -> tuple[int | None, str]:
    if method == "own":
        downward.find_downward = lambda: None
    result = asplan.solve(domain, problem, first=True)
    plan = result.plan
    return (len(plan.actions) if plan and result.validated == "text" else None), result.outcome


def _lama(domain: str, problem: str, method: str) -> tuple[int | None, str]:
    package = find_spec("up_fast_downward")
    assert package is not None
    assert package.origin is not None
    driver = Path(package.origin).parent / "downward/fast-downward.py"
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.ipc"
        words = [sys.executable, driver, "--plan-file", plan, "--alias", "lama-first"]
        done = subprocess.run([*words, domain, problem], capture_output=True, cwd=folder)
        if not plan.exists():
            return None, f"exit {done.returncode}"
        asplan.validate(domain, problem, plan=str(plan))
        return sum(line.startswith("(") for line in plan.read_text().splitlines()), "plan"


def table(rows: list[dict[str, object]]) -> Iterator[tuple[str, ...]]:
    """A line for each method; the last two are about the tasks that it and lama both solve."""
    solved = {(r["task"], r["method"]): r for r in rows if r.get("actions") is not None}
    for method in METHODS:
        mine = [r for r in rows if r["method"] == method]
        both = [
            (r, solved[r["task"], "lama"])
            for r in mine
            if (r["task"], method) in solved and (r["task"], "lama") in solved
        ]
        ratios = [
            geometric_mean([max(float(a[key]), least) / max(float(b[key]), least) for a, b in both])
            if both
            else 0.0
            for key, least in (("cpu", 0.01), ("actions", 1))
        ]
        count = sum((r["task"], method) in solved for r in mine)
        yield method, f"{count} of {len(mine)}", *(f"{ratio:.2f}" for ratio in ratios)


def main() -> None:
    """Measure what is not in the file yet, and print a row for each method."""
    if sys.argv[1:2] == ["--one"]:
        answer_one(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--benchmarks", type=Path, default=Path("../downward-benchmarks"))
    parser.add_argument("--rows", type=Path, default=Path("soon.jsonl"), help="rows, as they come")
    parser.add_argument("--seconds", type=float, default=30, help="of processor time, for a trial")
    parser.add_argument("--families", type=int, default=10**6, help="take so many, evenly spread")
    parser.add_argument("--further", action="store_true", help="take the tasks of the second rule")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--list", action="store_true", help="print the tasks, and run none")
    add_quick(parser, "14 families, 10 s for a trial", seconds=10, families=14)
    tables.add_option(parser)
    given = parser.parse_args()
    tasks = (further_trials if given.further else trials)(given.benchmarks.resolve())
    if given.list:
        tables.show(("task",), ((task.name,) for task in tasks), markdown=given.markdown)
        return
    rows = kept_rows(
        *(tasks, given.methods, given.families, given.rows),
        lambda trial, method: measure(trial, method, given.seconds),
    )
    columns = ("method", "a valid plan", "CPU, lama = 1", "actions, lama = 1")
    tables.show(columns, table(rows), markdown=given.markdown)


if __name__ == "__main__":
    main()
