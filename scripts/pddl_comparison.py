"""asplan beside planners that people use, on tasks of the planning competitions.

The suite for `asplan bench` holds four tasks of each of 26 domains. The tasks and the planners are
not part of the project:

    git clone https://github.com/aibasel/downward-benchmarks ../downward-benchmarks
    pip install up-fast-downward up-pyperplan
    python scripts/pddl_comparison.py --suite comparison.toml     # writes the suite
    asplan bench run comparison.toml -o results
    asplan bench report results

Without `--suite` the suite is run, the table of docs/comparison.md printed:

    python scripts/pddl_comparison.py [--benchmarks FOLDER] [--seconds S] [--each N] [--markdown]
                                      [DOMAIN…]

With names of domains only these are taken, and with `--each` so many tasks of each.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median

import tables
from asplan.bench.records import Record
from asplan.bench.running import Progress, run_suite
from asplan.result import Outcome
from pddl_steps import EACH, FOLDERS, domain_of, problems_of

RESTS_ON = (
    "encodings/pddl/*.lp",
    "encodings/pddl/parts/*.lp",
    "src/asplan/asp/planning/*.py",
    "src/asplan/planners/*.py",
)

METHODS = {
    "asplan --steps sequential": {"steps": "sequential"},
    "asplan --steps forall": {"steps": "forall"},
    "asplan --steps exists": {"steps": "exists"},
    "asplan --first": {"first": True},
    "asplan --optimal actions": {"optimal": "actions"},
    "Fast Downward, lama-first": {"engine": "up:fast-downward"},
    "Fast Downward, A* with LM-cut": {"engine": "up:fast-downward-opt"},
    "pyperplan": {"engine": "up:pyperplan"},
}
"""What is compared; the first ones are asplan's."""

NOTHING = re.compile(r"(?!)")
LACKS = {
    "Fast Downward, lama-first": re.compile(r"\(total-cost\)\s*\("),
    "Fast Downward, A* with LM-cut": re.compile(r"\(total-cost\)\s*\("),
    "pyperplan": re.compile(r"total-cost|\(=|\(\s*or|:adl"),
}
"""What a domain has that an engine of unified-planning does not take: costs from tables, …"""


def suite(benchmarks: Path, folders: Sequence[str], each: int, seconds: float) -> str:
    """The suite as text."""
    lines = [f'name = "planners on {len(folders)} domains"', f"[limits]\nseconds = {seconds:g}"]
    lines.append("megabytes = 2000")
    for folder in folders:
        for problem in problems_of(benchmarks / folder)[:each]:
            files, domain = ([str(problem.resolve())], str(domain_of(problem).resolve()))
            lines += ["[[instances]]", f'group = "{folder}"', f"files = {json.dumps(files)}"]
            lines.append(f"domain = {json.dumps(domain)}")
    texts = {f: domain_of(problems_of(benchmarks / f)[0]).read_text() for f in folders}
    for name, keys in METHODS.items():
        fit = [folder for folder in folders if not LACKS.get(name, NOTHING).search(texts[folder])]
        lines += ["[[methods]]", f"name = {json.dumps(name)}", f"on = {json.dumps(fit)}"]
        lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    return "\n".join([*lines, ""])


def measured(text: str) -> list[Record]:
    """The records of a suite that is run here."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "comparison.toml"
        file.write_text(text, encoding="utf-8")
        import_module("asplan.planners.asked")  # here, so that no trial pays for it
        found = run_suite(str(file), str(Path(folder) / "results"), progress=_told)
        return list(found.records)


def _told(progress: Progress) -> None:
    if (last := progress.last) is not None:
        tables.progress(f"{progress.done}/{progress.of}", last.instance, last.method, last.outcome)


def rows(records: Sequence[Record]) -> Iterator[tuple[str, ...]]:
    """A row for each method; the sizes of plans over the tasks that all that have plans share."""
    plans = {(r.method, r.instance): r for r in records if r.validated}
    able = [m for m in METHODS if any(method == m for method, _ in plans)]
    every = {r.instance for r in records}
    shared = sorted(i for i in every if all((m, i) in plans for m in able))
    for method in METHODS:
        mine = [r for r in records if r.method == method]
        with_plan = [r for r in mine if r.validated]
        proven = sum(r.outcome in (Outcome.OPTIMAL, Outcome.UNSOLVABLE) for r in mine)
        common = [plans[method, i] for i in shared] if method in able else []
        yield (
            method,
            f"{len(with_plan)} of {len(mine)}",
            str(proven),
            f"{median(r.cpu or 0 for r in with_plan):.1f}" if with_plan else "",
            str(sum(r.actions or 0 for r in common)) if common else "",
            str(sum(r.horizon or 0 for r in common)) if common else "",
        )


def main() -> None:
    """Write the suite, or run it and print a row for each method."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("domains", nargs="*", default=FOLDERS, metavar="DOMAIN")
    parser.add_argument("--benchmarks", type=Path, default=Path("../downward-benchmarks"))
    parser.add_argument("--seconds", type=float, default=60, help="for each trial")
    parser.add_argument("--each", type=int, default=EACH, help="tasks of a domain")
    parser.add_argument("--suite", type=Path, help="write the suite there, and do not run it")
    tables.add_option(parser)
    given = parser.parse_args()
    text = suite(given.benchmarks, given.domains, given.each, given.seconds)
    if given.suite is not None:
        given.suite.write_text(text, encoding="utf-8")
        return
    columns = ("method", "a valid plan", "proven", "CPU s, median", "actions", "steps")
    tables.show(columns, rows(measured(text)), markdown=given.markdown)


if __name__ == "__main__":
    main()
