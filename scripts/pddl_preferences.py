"""Tasks of the competitions with constraints and preferences: read, planned, and best by metric.

The tasks are the smallest of the domains of 2006 and 2008 that have constraints or preferences; of
several ways to write one domain all are there. Each method has the same seconds of CPU time for a
task, reading and the check of the plan included. Each plan is judged on the PDDL text, and by VAL
as well if that is there, which must come to the same metric.

    git clone https://github.com/potassco/pddl-instances ../pddl-instances
    git clone https://github.com/KCL-Planning/VAL       # to be built; for --val
    python scripts/pddl_preferences.py [--tasks FOLDER] [--val FILE] [--each N] [--seconds S]
                                       [--runs FILE] [WORD…]

With words only the domains whose name has one of them run. What has run is kept in the file of
`--runs`, a line of JSON each, and a study that was stopped goes on from there.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import asplan
from asplan.core.errors import AsplanError
from lib import tables
from lib.competitions import asplan as asplan_command
from lib.competitions import limited, smallest
from lib.kept_runs import Fields, KeptRuns
from lib.quick import add_quick

RESTS_ON = (
    "encodings/pddl/*.lp",
    "encodings/pddl/parts/*.lp",
    "src/asplan/pddl/preferences/*.py",
    "src/asplan/pddl/task/*.py",
)

FOLDERS = ("ipc-2006/domains/*preferences*", "ipc-2006/domains/*constraints*")
FOLDERS += ("ipc-2008/domains/*net-benefit*",)
TIMED = "trucks-time-constraints-timed-initial-literals"
"""A domain that has neither constraints nor preferences, in spite of its name."""

METHODS = {
    "steps": (),
    "cheapest": ("--optimal", "metric", "-e", "cheapest"),
    "astar": ("--optimal", "metric", "--engine", "astar"),
}
"""The fewest steps, and two ways to the best metric."""

_WORTH = re.compile(r"^Final value: (\S+)", re.MULTILINE)


def solved(files: tuple[Path, Path], options: Sequence[str], seconds: float, val: str) -> Fields:
    """Return the result of a method on a task, and the error of its plan."""
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "found.plan"
        words = asplan_command("solve", *files, *options, "--json", "-o", plan)
        printed, spent = limited([*words, "--time-limit", str(3 * seconds)], seconds)
        found = json.loads(printed) if printed else {}
        run = {name: found.get(name) for name in ("outcome", "reason", "metric", "horizon")}
        run["seconds"] = spent
        if not plan.exists():
            return run
        wrong = ""
        try:
            asplan.validate(*files, plan=plan)
        except AsplanError as error:
            wrong = str(error)
        return {**run, "plan": True, "wrong": wrong or judged(files, plan, run["metric"], val)}


def judged(files: tuple[Path, Path], plan: Path, metric: int | str | None, val: str) -> str:
    """Return VAL's objection to a plan with a metric; empty without VAL."""
    if not val:
        return ""
    lines = (line for line in plan.read_text().splitlines() if line.startswith("("))
    plan.write_text("".join(f"{t}: {line}\n" for t, line in enumerate(lines)))
    words = [val, "-t", "0.001", *map(str, files), str(plan)]
    said = subprocess.run(words, capture_output=True, text=True).stdout
    if "Plan valid" not in said and "Plan executed successfully" not in said:
        return "VAL refuses it"
    worth = _WORTH.search(said)
    if worth is None or metric is None:
        return ""
    top, _, bottom = str(metric).partition("/")
    own = int(top) / int(bottom or 1)
    return "" if abs(float(worth[1]) - own) < 1e-3 * max(1, abs(own)) else f"VAL says {worth[1]}"


def row(name: str, runs: Sequence[Sequence[Fields]]) -> list[str]:
    """A row of the table: the runs of each method, which are in the order of tasks."""
    steps, *best = runs
    proven = [[run["outcome"] == "optimal" for run in several] for several in best]
    counts = [
        len(steps),
        sum(run["outcome"] is not None for run in steps),
        sum(bool(run.get("plan")) for run in steps),
        *map(sum, proven),
        sum(map(any, zip(*proven, strict=True))),
    ]
    return [name, *map(str, counts)]


def main() -> None:
    """Measure, and print a row for each domain and a sum."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="parts of the domains' names; all, unless given")
    parser.add_argument("--tasks", type=Path, default=Path("../pddl-instances"))
    parser.add_argument("--each", type=int, default=3, help="tasks of each domain")
    parser.add_argument("--seconds", type=float, default=20, help="of CPU time for each task")
    parser.add_argument("--val", default="", help="VAL's program Validate")
    parser.add_argument("--runs", type=Path, help="a file that keeps what has run")
    add_quick(parser, "one task of each domain, 5 s", each=1, seconds=5)
    tables.add_option(parser)
    given = parser.parse_args()
    kept, rows = KeptRuns(given.runs), []
    everything: list[list[Fields]] = [[] for _ in METHODS]
    folders = sorted(folder for pattern in FOLDERS for folder in given.tasks.glob(pattern))
    for folder in folders:
        name = f"{folder.name}, {folder.parts[-3].removeprefix('ipc-')}"
        left_out = given.words and not any(word in name for word in given.words)
        if folder.name == TIMED or left_out:
            continue
        runs: list[list[Fields]] = [[] for _ in METHODS]
        for files in smallest(folder, given.each):
            for several, (method, options) in zip(runs, METHODS.items(), strict=True):
                key: dict[str, Any] = {"method": method, "file": f"{folder.name}/{files[1].stem}"}
                run = kept.run(
                    lambda f=files, o=options: solved(f, o, given.seconds, given.val),
                    **key,
                    seconds=given.seconds,
                )
                tables.progress(*key.values(), run)
                several.append(run)
        for total, several in zip(everything, runs, strict=True):
            total += several
        rows.append(row(name, runs))
    rows.append(row("all", everything))
    columns = ["domain", "tasks", "read", "a plan", "best metric proven: cheapest", "astar", "one"]
    tables.show(columns, rows, markdown=given.markdown)
    wrong = [run["wrong"] for several in everything for run in several if run.get("wrong")]
    tables.say(f"Plans refused, or with another metric by VAL: {len(wrong)}.")


if __name__ == "__main__":
    main()
