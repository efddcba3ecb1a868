"""The encodings of PDDL tasks beside those that plasp 3.1 published, on the same tasks.

Both get the facts of one translation, the same clingo and the same plain loop: a ground call and a
solve call for each horizon until there is a plan. asplan's encodings run with the preprocessing
that asplan sets, plasp's with clingo's defaults, as they were published. Processor seconds of
grounding and solving are compared; a run that was stopped counts as the limit. The shares are of
asplan's time over the tasks that both solve, with reading and translating, which is the same for
both.

The benchmarks and plasp's encodings are not part of the project:

    git clone https://github.com/aibasel/downward-benchmarks ../downward-benchmarks
    git clone https://github.com/potassco/plasp ../plasp
    python scripts/pddl_steps.py [--benchmarks FOLDER] [--plasp FOLDER] [--limit S] [--markdown]
                                 [WORD…]

With words only the tasks whose path has one of them run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import geometric_mean

from clingo import Control, Function, Number

from asplan.catalog import find_encoding
from asplan.core.errors import AsplanError
from asplan.engines.asp.clingo_options import PREPROCESSING, SAFE
from asplan.pddl.grounding import translate
from asplan.pddl.language import read_task
from asplan.pddl.language.names import names_of
from asplan.pddl.task.facts import to_facts
from asplan.pddl.task.plasp import to_plasp
from asplan.pddl.task.task import Task
from lib import tables
from lib.measuring import Run, run
from lib.quick import add_quick

RESTS_ON = ("encodings/pddl/*.lp", "encodings/pddl/parts/*.lp", "src/asplan/pddl/*/*.py")

# fmt: off
FOLDERS = (
    "airport", "blocks", "depot", "driverlog", "elevators-opt08-strips", "freecell", "grid",
    "logistics00", "logistics98", "miconic", "mprime", "mystery", "nomystery-opt11-strips",
    "parcprinter-08-strips", "pegsol-08-strips", "pipesworld-notankage", "psr-small", "rovers",
    "satellite", "scanalyzer-08-strips", "storage", "tpp", "transport-opt08-strips",
    "visitall-opt11-strips", "woodworking-opt08-strips", "zenotravel",
)
# fmt: on
"""Of the benchmarks; plasp's encodings read neither conditional effects nor axioms nor costs."""

EACH = 4
"""Tasks of a folder: of the first twelve every third one."""

PAIRS = {"exists": 3, "forall": 1}
"""asplan's encodings, and the value of `_parallel` by which plasp's says the same."""

SLOW = 0.2
"""Seconds: faster tasks say little."""

WHAT = (
    "tasks",
    "both solve",
    "of these, the horizons differ",
    "only asplan solves",
    "only plasp's solves",
    f"both solve, plasp's takes over {SLOW} s",
    "of these, times as fast (geometric mean)",
    "least",
    "most",
    "share of reading and translating",
    "share of grounding",
    "share of solving",
)
"""The lines of the table."""


@dataclass(frozen=True)
class Outcome:
    """The result of a run: the horizon, and the seconds of grounding and of solving."""

    horizon: int
    ground: float
    solve: float


def loop(text: str, files: Sequence[Path], options: Sequence[str]) -> Outcome:
    """The first satisfiable horizon."""
    control = Control(list(options), logger=lambda code, message: None)
    control.add("base", [], text)
    for file in files:
        control.load(str(file))
    control.add("check", ["t"], "#external query(t).")
    horizon, ground, solve = 0, 0.0, 0.0
    while True:
        now, start = Number(horizon), time.process_time()
        if horizon:
            control.ground([("step", [now])])
        control.ground([("check", [now])] if horizon else [("base", []), ("check", [now])])
        control.assign_external(Function("query", [now]), True)
        between = time.process_time()
        found = control.solve().satisfiable
        ground, solve = ground + between - start, solve + time.process_time() - between
        if found:
            return Outcome(horizon, ground, solve)
        control.release_external(Function("query", [now]))
        horizon += 1


def ours(task: Task, encoding: str) -> Callable[[], Outcome]:
    """The loop with an encoding of asplan's."""
    path = find_encoding(encoding, "pddl").path
    return lambda: loop(to_facts(task), [path], [PREPROCESSING, SAFE])


def theirs(task: Task, plasp: Path, parallel: int) -> Callable[[], Outcome]:
    """The loop with plasp's encoding."""
    files = [plasp / "encodings/strips" / f"{n}.lp" for n in ("preprocess", "strips-incremental")]
    return lambda: loop(to_plasp(task), files, [f"-c_parallel={parallel}"])


def tasks(benchmarks: Path, words: Sequence[str]) -> Iterator[tuple[str, float, Task]]:
    """The tasks by name, with the seconds that reading and translating took."""
    for folder in FOLDERS:
        for problem in problems_of(benchmarks / folder):
            name = f"{folder}/{problem.stem}"
            if words and not any(word in name for word in words):
                continue
            start = time.perf_counter()  # of the wall: the translator is a program of its own
            try:
                written = read_task(domain_of(problem), problem)
                # To plasp's encodings costs are a feature that they lack; lengths have none.
                task = replace(translate(written, names_of(written)), has_costs=False)
            except AsplanError as error:
                tables.progress(name, error)
                continue
            yield name, time.perf_counter() - start, task


def problems_of(folder: Path) -> list[Path]:
    """Some of the problems in a folder."""
    files = sorted(folder.glob("*.pddl"), key=lambda f: (len(f.name), f.name))
    return [file for file in files if "domain" not in file.name][:12][:: 12 // EACH]


def domain_of(problem: Path) -> Path:
    """The domain beside a problem, by the names that the benchmarks use."""
    beside = [problem.with_name("domain.pddl"), problem.with_name(f"{problem.stem}-domain.pddl")]
    beside += [problem.with_name(f"{problem.stem.split('-')[0]}-domain.pddl")]
    return next((file for file in beside if file.exists()), beside[0])


Row = tuple[str, float, Run, Run]
"""Encoding and seconds of translating, with asplan's run and plasp's."""


def main() -> None:
    """Measure, and print a row for each encoding."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="parts of the tasks' names; all, unless given")
    parser.add_argument("--benchmarks", type=Path, default=Path("../downward-benchmarks"))
    parser.add_argument("--plasp", type=Path, default=Path("../plasp"), help="its sources")
    parser.add_argument("--limit", type=float, default=20, help="CPU seconds for a run")
    add_quick(parser, "3 s for a run", limit=3)
    tables.add_option(parser)
    given = parser.parse_args()
    rows: list[Row] = []
    for name, translating, task in tasks(given.benchmarks, given.words):
        for encoding, parallel in PAIRS.items():
            ran = run(ours(task, encoding), given.limit)
            other = run(theirs(task, given.plasp, parallel), given.limit)
            rows.append((encoding, translating, ran, other))
            tables.progress(name, encoding, *map(_told, (ran, other)))
    summary = [_summary(encoding, rows) for encoding in PAIRS]
    lines = zip(WHAT, *summary, strict=True)
    tables.show(("", *PAIRS), lines, markdown=given.markdown)


def _told(found: Run) -> str:
    if found.answer is None:
        return f"stopped after {found.seconds:.0f} s"
    answer = found.answer
    return f"{answer.horizon} steps, {answer.ground:.2f} + {answer.solve:.2f} s;"


def _summary(encoding: str, rows: Sequence[Row]) -> list[str]:
    own = [(translating, ran, other) for e, translating, ran, other in rows if e == encoding]
    both = [(s, ran.answer, other.answer) for s, ran, other in own if ran.answer and other.answer]
    slow = [(a.ground + a.solve, b.ground + b.solve) for _, a, b in both]
    ratios = [b / a for a, b in slow if b > SLOW]
    parts = [sum(s for s, _, _ in both), sum(a.ground for _, a, _ in both)]
    parts.append(sum(a.solve for _, a, _ in both))
    return [
        str(len(own)),
        str(len(both)),
        str(sum(a.horizon != b.horizon for _, a, b in both)),
        str(sum(bool(ran.answer) and not other.answer for _, ran, other in own)),
        str(sum(bool(other.answer) and not ran.answer for _, ran, other in own)),
        str(len(ratios)),
        *(f"{f(ratios):.2f}" if ratios else "" for f in (geometric_mean, min, max)),
        *(f"{part / sum(parts):.0%}" if both else "" for part in parts),
    ]


if __name__ == "__main__":
    main()
