"""asplan beside planners that people use, on tasks of the planning competitions.

The suite for `asplan bench` holds up to four tasks of each of 26 domains. plasp's encodings run on
programs made of facts and rules, for which the translation is done beforehand. The tasks, the
encodings and the planners are not part of the project:

    git clone https://github.com/aibasel/downward-benchmarks ../downward-benchmarks
    git clone https://github.com/potassco/plasp ../plasp
    pip install up-fast-downward up-pyperplan
    python scripts/pddl_comparison.py --suite comparison.toml     # writes the suite
    asplan bench run comparison.toml -o results
    asplan bench report results
    python scripts/pddl_comparison.py --results results           # the table of docs/comparison.md

In one go, without files that stay:

    python scripts/pddl_comparison.py [--benchmarks FOLDER] [--plasp FOLDER] [--seconds S]
                                      [--each N] [--jobs N] [--markdown] [DOMAIN…]

With names of domains only these are taken, and with `--each` so many tasks of each.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import geometric_mean, median

import msgspec

import asplan
from asplan.bench.records import Record, read_results
from asplan.bench.running import SuiteProgress, on_this_machine, run_suite
from asplan.engines.external import import_planning
from asplan.pddl.grounding import translate
from asplan.pddl.language import read_task
from asplan.pddl.language.names import names_of
from asplan.pddl.task.plasp import to_plasp
from asplan.result import Outcome
from lib import tables
from lib.quick import add_quick
from pddl_steps import EACH, FOLDERS, domain_of, problems_of

RESTS_ON = (
    "encodings/pddl/*.lp",
    "encodings/pddl/parts/*.lp",
    "src/asplan/engines/asp/*.py",
    "src/asplan/engines/external.py",
)

METHODS = {
    "asplan --steps sequential": {"steps": "sequential"},
    "asplan --steps forall": {"steps": "forall"},
    "asplan --steps exists": {"steps": "exists"},
    "asplan --first": {"first": True},
    "asplan --optimal actions": {"optimal": "actions"},
    "asplan --optimal cost": {"optimal": "cost"},
    "asplan astar": {"engine": "astar", "optimal": "actions"},
    "Fast Downward, lama-first": {"engine": "up:fast-downward"},
    "Fast Downward, A* with LM-cut": {"engine": "up:fast-downward-opt"},
    "pyperplan": {"engine": "up:pyperplan"},
}
"""What is compared on PDDL; the first ones are asplan's."""

PLASP = {"plasp's encoding, exists": 3, "plasp's encoding, forall": 1}
"""plasp's encodings by the value of `_parallel`, on the facts that it makes of a task; as they were
published, so without asplan's rewriting and preprocessing."""

COSTS = re.compile(r"total-cost")
LACKS = {
    "asplan --optimal actions": COSTS,
    "asplan --optimal cost": re.compile(r"\A(?!.*total-cost)", re.DOTALL),
    "asplan astar": COSTS,
}
"""What a domain has, so that a method is not for it."""

ASKING = 3.0
"""Seconds to see whether a planner of unified-planning takes a domain."""


@dataclass(frozen=True)
class Wanted:
    """The folders of tasks, how many of each, and the seconds for a trial."""

    benchmarks: Path
    folders: Sequence[str]
    each: int
    seconds: float

    def problems(self, folder: str) -> list[Path]:
        """The tasks of a folder."""
        return problems_of(self.benchmarks / folder)[: self.each]


def suite(wanted: Wanted, plasp: Path, facts: Path) -> str:
    """The suite as text; the programs with plasp's encodings are written to the folder `facts`."""
    lines = [f'name = "planners on {len(wanted.folders)} domains"', "[limits]"]
    lines += [f"seconds = {wanted.seconds:g}", "megabytes = 2000"]
    for folder in wanted.folders:
        for problem in wanted.problems(folder):
            lines += ["[[instances]]", f'group = "{folder}"', f"files = {_names([problem])}"]
            lines.append(f"domain = {json.dumps(str(domain_of(problem).resolve()))}")
    programs = _programs(wanted, plasp, facts)
    lines += ["[[instances]]", 'group = "plasp"', f"files = {_names(programs)}"]
    texts = {f: domain_of(wanted.problems(f)[0]).read_text() for f in wanted.folders}
    for name, keys in METHODS.items():
        lacking = LACKS.get(name)
        fit = [f for f in wanted.folders if lacking is None or not lacking.search(texts[f])]
        if (engine := str(keys.get("engine", ""))).startswith("up:"):
            fit = [folder for folder in fit if _takes(engine, wanted.problems(folder)[0])]
        lines += _method(name, fit, keys) if fit else []
    for name, parallel in PLASP.items():
        lines += _method(name, ["plasp"], {"rewrite": False, "clingo": ["--sat-prepro=no"]})
        lines.append(f"constants = {{ _parallel = {parallel} }}")
    return "\n".join([*lines, ""])


def _takes(engine: str, problem: Path) -> bool:
    """Return whether an engine accepts tasks of this kind."""
    try:
        asplan.solve(domain_of(problem), problem, engine=engine, time_limit=ASKING, isolate=True)
    except asplan.AsplanError as error:
        tables.progress(problem, error)
        return False
    return True


def _names(files: Sequence[Path]) -> str:
    return json.dumps([str(file.resolve()) for file in files])


def _method(name: str, fit: Sequence[str], keys: Mapping[str, object]) -> list[str]:
    lines = ["[[methods]]", f"name = {json.dumps(name)}", f"on = {json.dumps(fit)}"]
    return lines + [f"{key} = {json.dumps(value)}" for key, value in keys.items()]


def _programs(wanted: Wanted, plasp: Path, facts: Path) -> list[Path]:
    """Each task as facts with plasp's encoding behind them, in a file of its own."""
    parts = ("preprocess.lp", "strips-incremental.lp")
    rules = "\n".join((plasp / "encodings/strips" / part).read_text() for part in parts)
    facts.mkdir(exist_ok=True)
    programs = []
    for folder in wanted.folders:
        for problem in wanted.problems(folder):
            written = read_task(domain_of(problem), problem)
            task = replace(translate(written, names_of(written)), has_costs=False)
            programs.append(facts / f"{folder} {problem.stem}.lp")
            programs[-1].write_text(f"{to_plasp(task)}\n{rules}", encoding="utf-8")
    return programs


def measured(wanted: Wanted, plasp: Path, jobs: int) -> Sequence[Record]:
    """The records of a suite that is run here."""
    import_planning()  # here, so that no trial pays for it
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "comparison.toml"
        file.write_text(suite(wanted, plasp, Path(folder) / "plasp"), encoding="utf-8")
        results = str(Path(folder) / "results")
        return run_suite(str(file), results, partial(on_this_machine, jobs), progress=_told).records


def _told(progress: SuiteProgress) -> None:
    if (last := progress.last) is not None:
        tables.progress(
            f"{progress.done}/{progress.total}", last.instance, last.method, last.outcome
        )


def _of_task(record: Record) -> Record:
    """The record with the name of the task, where it is that of a program."""
    return msgspec.structs.replace(record, instance=record.instance.replace(" ", "/"))


def rows(records: Sequence[Record]) -> Iterator[tuple[str, ...]]:
    """A row for each method; sizes of plans beside the least that any method has found."""
    for method in (*METHODS, *PLASP):
        if not (mine := [r for r in records if r.method == method]):
            continue
        with_plan = [r for r in mine if r.validated]
        proven = sum(r.outcome in (Outcome.OPTIMAL, Outcome.UNSOLVABLE) for r in mine)
        yield (
            method,
            f"{len(with_plan)} of {len(mine)}",
            str(proven),
            f"{median(r.cpu or 0 for r in with_plan):.1f}" if with_plan else "",
            *(_beside_least(measure, with_plan, records) for measure in SIZES),
        )


def _beside_least(
    measure: Callable[[Record], int | None], mine: Sequence[Record], records: Sequence[Record]
) -> str:
    """Return the sizes of plans divided by the least known ones (geometric mean)."""
    least: dict[str, int] = {}
    for record in records:
        if record.validated and (size := measure(record)):
            least[record.instance] = min(size, least.get(record.instance, size))
    found = [size / least[r.instance] for r in mine if (size := measure(r))]
    return f"{geometric_mean(found):.2f}" if found else ""


def _cost(record: Record) -> int | None:
    """Return the cost of a plan, if the task has costs."""
    return int(record.cost[0]) if record.cost and record.optimized != "actions" else None


SIZES = (lambda r: r.actions, lambda r: r.horizon, _cost)


def main() -> None:
    """Write the suite, or run it and print a row for each method."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("domains", nargs="*", default=FOLDERS, metavar="DOMAIN")
    parser.add_argument("--benchmarks", type=Path, default=Path("../downward-benchmarks"))
    parser.add_argument("--plasp", type=Path, default=Path("../plasp"), help="its sources")
    parser.add_argument("--seconds", type=float, default=60, help="for each trial")
    parser.add_argument("--each", type=int, default=EACH, help="tasks of a domain")
    parser.add_argument("--jobs", type=int, default=1, help="trials at once")
    parser.add_argument("--results", type=Path, help="what `asplan bench run` wrote; run nothing")
    parser.add_argument("--suite", type=Path, help="write the suite there, and do not run it")
    add_quick(parser, "one task of a domain, 5 s", each=1, seconds=5)
    tables.add_option(parser)
    given = parser.parse_args()
    wanted = Wanted(given.benchmarks, given.domains, given.each, given.seconds)
    if given.suite is not None:
        facts = given.suite.with_name(f"{given.suite.stem}-plasp")
        given.suite.write_text(suite(wanted, given.plasp, facts), encoding="utf-8")
        return
    columns = ("method", "a valid plan", "proven", "CPU s, median", "actions", "steps", "cost")
    if given.results is not None:
        found = read_results(str(given.results)).records
    else:
        found = measured(wanted, given.plasp, given.jobs)
    tables.show(columns, rows([_of_task(record) for record in found]), markdown=given.markdown)


if __name__ == "__main__":
    main()
