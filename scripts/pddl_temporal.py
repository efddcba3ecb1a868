"""Tasks with time beside planners of unified-planning: coverage, makespans, and CPU time.

The tasks are the smallest of temporal domains of the competitions of 2002 to 2014. All have the
same seconds of CPU time for a task, reading and the check of the plan included. Each plan is
executed on the PDDL text, and judged by VAL as well if that is there.

    git clone https://github.com/potassco/pddl-instances ../pddl-instances
    git clone https://github.com/KCL-Planning/VAL       # to be built; for --val
    pip install up-aries up-kairos
    python scripts/pddl_temporal.py --planners aries kairos [--tasks FOLDER] [--val FILE]
                                    [--each N] [--seconds S] [--runs FILE] [WORD…]

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
from lib.competitions import asplan_alone, limited, smallest
from lib.kept_runs import Fields, KeptRuns
from lib.quick import add_quick

RESTS_ON = (
    "encodings/pddl/temporal*.lp",
    "encodings/pddl/parts/*.lp",
    "src/asplan/pddl/temporal/*.py",
    "src/asplan/engines/asp/*.py",
)

DOMAINS = (
    "ipc-2002/domains/depots-time-automatic",
    "ipc-2002/domains/driverlog-time-automatic",
    "ipc-2002/domains/zenotravel-time-automatic",
    "ipc-2004/domains/airport-temporal-time-windows-strips",
    "ipc-2004/domains/umts-temporal-strips",
    "ipc-2006/domains/storage-time",
    "ipc-2008/domains/crew-planning-temporal-satisficing-strips",
    "ipc-2008/domains/woodworking-temporal-satisficing-numeric-fluents",
    "ipc-2011/domains/match-cellar-temporal-satisficing",
    "ipc-2011/domains/turn-and-open-temporal-satisficing",
    "ipc-2014/domains/road-traffic-accident-management-temporal-satisficing",
)

ENDS = re.compile(r"^([\d.]+):.*?\)(?: *\[([\d.]+)\])?", re.MULTILINE)
"""The start and the duration in a line of a plan."""

OWN = {"asplan": (), "asplan --first": ("--first",)}
"""The options of asplan's own methods: the least makespan with the fewest layers, and any plan."""

ALONE = "--first without Kairos"
"""The method of which the table has only the number of tasks that it solves."""


def solved(
    files: tuple[Path, Path], method: str, options: Sequence[str], seconds: float, val: str
) -> Fields:
    """Return the result of a method on a task: the makespan, and the error of the plan."""
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "found.plan"
        # The limit by the clock comes first, so that there is time to check the plan in hand.
        command = asplan_alone if method == ALONE else asplan_command
        words = command("solve", *files, *options, "--json", "-o", plan)
        words += ["--time-limit", str(0.9 * seconds)]
        printed, spent = limited(words, seconds)
        found = json.loads(printed) if printed else {}
        run = {"seconds": spent, "outcome": found.get("outcome"), "reason": found.get("reason")}
        if not plan.exists():
            return run
        wrong, lines = "", ENDS.findall(plan.read_text())
        makespan = max((float(start) + float(takes or 0) for start, takes in lines), default=0)
        try:
            asplan.validate(*files, plan=plan)
        except AsplanError as error:
            wrong = str(error)
        if val:
            judge = [val, "-t", "0.001", *map(str, files), str(plan)]
            said = subprocess.run(judge, capture_output=True, text=True).stdout
            wrong = wrong or ("" if "Plan valid" in said else "VAL refuses it")
        return {**run, "makespan": makespan, "wrong": wrong}


def row(name: str, tasks: int, runs: Sequence[Sequence[Fields]]) -> list[str]:
    """A row of the table: the runs of each method, which are in the order of tasks."""
    has = [[run.get("makespan") is not None for run in several] for several in runs]
    cells = [str(sum(some)) for some in has]
    cells.insert(1, str(sum(run["outcome"] == "optimal" for run in runs[0])))
    everywhere = [all(some) for some in zip(*has, strict=True)]
    cells.append(str(sum(everywhere)))
    for field in ("makespan", "seconds"):
        for several in runs:
            values = [r[field] for r, use in zip(several, everywhere, strict=True) if use]
            cells.append(f"{sum(values):.1f}")
    return [name, str(tasks), *cells]


def main() -> None:
    """Measure, and print a row for each domain and a sum."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="parts of the domains' names; all, unless given")
    parser.add_argument("--tasks", type=Path, default=Path("../pddl-instances"))
    parser.add_argument("--each", type=int, default=3, help="tasks of each domain")
    parser.add_argument("--seconds", type=float, default=60, help="of CPU time for each task")
    parser.add_argument("--planners", nargs="*", default=[], help="those of unified-planning")
    parser.add_argument("--val", default="", help="VAL's program Validate")
    parser.add_argument("--runs", type=Path, help="a file that keeps what has run")
    add_quick(parser, "one task of each domain, 10 s", each=1, seconds=10)
    tables.add_option(parser)
    given = parser.parse_args()
    methods: dict[str, tuple[str, ...]] = dict(OWN)
    methods |= {name: ("--engine", f"up:{name}") for name in given.planners}
    methods[ALONE] = ("--first",)
    kept, rows, everything = KeptRuns(given.runs), [], [[] for _ in methods]
    for domain in DOMAINS:
        if given.words and not any(word in domain for word in given.words):
            continue
        runs: list[list[Fields]] = [[] for _ in methods]
        for files in smallest(given.tasks / domain, given.each):
            for several, (name, options) in zip(runs, methods.items(), strict=True):
                key: dict[str, Any] = {"method": name, "file": f"{domain}/{files[1].stem}"}
                run = kept.run(
                    lambda f=files, m=name, o=options: solved(f, m, o, given.seconds, given.val),
                    **key,
                    seconds=given.seconds,
                )
                tables.progress(*key.values(), run)
                several.append(run)
        for total, several in zip(everything, runs, strict=True):
            total += several
        rows.append(row(_short(domain), len(runs[0]), runs[:-1]))
    rows.append(row("all", len(everything[0]), everything[:-1]))
    short = [name.removeprefix("asplan ") for name in methods if name != ALONE]
    columns = ["domain", "tasks", *(f"solved: {short[0]}", "proven", *short[1:]), "by all"]
    for what in ("makespan", "seconds"):
        columns += [f"{what}: {short[0]}", *short[1:]]
    tables.show(columns, rows, markdown=given.markdown)
    wrong = sum(bool(run.get("wrong")) for several in everything for run in several)
    tables.say("Proven: the least makespan of plans with the fewest layers.")
    tables.say(f"Makespans and seconds are of the tasks that all solve. Plans refused: {wrong}.")
    alone = sum(run.get("makespan") is not None for run in everything[-1])
    tables.say(f"{ALONE} solves {alone}.")


def _short(domain: str) -> str:
    """The year and the name of a domain."""
    year, _, name = domain.split("/")
    for end in ("-automatic", "-strips", "-numeric-fluents", "-temporal-satisficing"):
        name = name.removesuffix(end)
    return f"{name}, {year.removeprefix('ipc-')}"


if __name__ == "__main__":
    main()
