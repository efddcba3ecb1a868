"""The time of grounding PDDL, for asplan and Fast Downward's translator.

The tasks are those of `pddl_soon.py`: of each family the smallest and the one in the middle. Each
method ends when one of its processes has used the limit of processor time; what is measured is the
processor time of all of them from the files to a finite-domain task, Python's start included. Rows
are written as they come; what is in the file is not run again.

    git clone https://github.com/aibasel/downward-benchmarks ../downward-benchmarks
    pip install fast-downward.translate
    python scripts/pddl_grounding.py --rows FILE [--seconds S] [--families N] [--markdown]
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import geometric_mean

from lib import tables
from lib.competitions import kept_rows, limited
from lib.quick import add_quick
from pddl_soon import Trial, trials

RESTS_ON = ("src/asplan/pddl/grounding/*.py",)

METHODS = ("asplan", "downward")

_ASPLAN = """
import sys
from asplan.pddl.grounding import translate
from asplan.pddl.language import read_task
from asplan.pddl.language.names import names_of
text = read_task(*sys.argv[1:])
task = translate(text, names_of(text))
print("Translator operators:", len(task.operators))
print("Translator axioms:", len(task.axioms))
"""
_SAID = re.compile(r"Translator (operators|axioms): (\d+)")


def measure(trial: Trial, method: str, seconds: int) -> dict[str, object]:
    """A row: processor seconds, and how many operators and axioms there are, if it ends."""
    words = [sys.executable, "-c", _ASPLAN]
    with tempfile.TemporaryDirectory() as folder:
        files = [str(trial.domain.resolve()), str(trial.problem.resolve())]
        if method == "downward":
            words = [sys.executable, "-m", "fast_downward.translate"]
            files += ["--sas-file", f"{folder}/x.sas"]
        printed, cpu = limited([*words, *files], seconds)
    row: dict[str, object] = {"task": trial.name, "method": method, "cpu": round(cpu, 2)}
    return row | {what: int(count) for what, count in _SAID.findall(printed)}


def table(rows: list[dict[str, object]], least: float) -> Iterator[tuple[str, str]]:
    """Return a row for each comparison."""
    ended = {method: {} for method in METHODS}  # type: dict[str, dict[object, dict[str, object]]]
    for row in rows:
        if "operators" in row:
            ended[str(row["method"])][row["task"]] = row
    ours, theirs = (ended[method] for method in METHODS)
    both = [(ours[task], theirs[task]) for task in ours if task in theirs]
    ratios = [
        float(str(b["cpu"])) / float(str(a["cpu"])) for a, b in both if float(str(b["cpu"])) > least
    ]
    yield "tasks", str(len({row["task"] for row in rows}))
    yield "both ground", str(len(both))
    yield "only asplan", str(len(ours.keys() - theirs.keys()))
    yield "only the translator", str(len(theirs.keys() - ours.keys()))
    yield f"the translator takes over {least:g} s", str(len(ratios))
    if ratios:
        yield "of these, times as fast (geometric mean)", f"{geometric_mean(ratios):.1f}"
        yield "least", f"{min(ratios):.1f}"
        yield "most", f"{max(ratios):.1f}"
    with_axioms = [sum(bool(row["axioms"]) for row in side) for side in zip(*both, strict=True)]
    yield "tasks with axioms left, asplan and the translator", " and ".join(map(str, with_axioms))


def main() -> None:
    """Measure what is not in the file yet, and print a line for each comparison."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--benchmarks", type=Path, default=Path("../downward-benchmarks"))
    parser.add_argument("--rows", type=Path, default=Path("grounding.jsonl"))
    parser.add_argument("--seconds", type=int, default=30, help="of processor time, for a trial")
    parser.add_argument("--families", type=int, default=10**6, help="take so many, evenly spread")
    add_quick(parser, "14 families, 10 s for a trial", seconds=10, families=14)
    tables.add_option(parser)
    given = parser.parse_args()
    rows = kept_rows(
        *(trials(given.benchmarks), METHODS, given.families, given.rows),
        lambda trial, method: measure(trial, method, given.seconds),
    )
    tables.show(("", ""), table(rows, 1), markdown=given.markdown)


if __name__ == "__main__":
    main()
