"""Tasks with numbers beside ENHSP and others: how many each solves, how fast, how many actions.

The tasks are the smallest of each domain of the numeric competition of 2023. All planners have the
same seconds of CPU time for a task, reading and the check of the plan included; every plan is
executed on the PDDL text, and judged by unified-planning's validator where that can read the task.

    git clone https://github.com/ipc2023-numeric/ipc2023-dataset ../ipc2023-numeric
    pip install up-enhsp        # and Java, for --enhsp
    pip install up-kairos       # for --planners kairos
    python scripts/pddl_numeric.py [--tasks FOLDER] [--each N] [--seconds S] [--enhsp JAR]
                                   [--planners NAME…] [--runs FILE] [WORD…]

With words only the domains whose name has one of them run. What has run is kept in the file of
`--runs`, a line of JSON each, and a study that was stopped goes on from there.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import asplan
from asplan.core.errors import AsplanError
from lib import tables
from lib.competitions import asplan as asplan_command
from lib.competitions import asplan_alone, limited, smallest
from lib.kept_runs import Fields, KeptRuns
from lib.quick import add_quick

ALONE = "asplan without Kairos"
"""The method of which the table has only the number of tasks that it solves."""

RESTS_ON = (
    "encodings/pddl/numeric_rolled.lp",
    "encodings/pddl/parts/*.lp",
    "src/asplan/pddl/numeric/*.py",
)


@dataclass(frozen=True)
class Run:
    """The result of a planner on a task: the number of actions, or None, CPU time, and a verdict.

    The verdict is empty where the plan is right, or there is none.
    """

    actions: int | None
    seconds: float
    verdict: str = ""


Command = Callable[..., list[str]]


def by_asplan(
    command: Command, options: Sequence[str], files: tuple[str, str], plan: Path, seconds: float
) -> float:
    words = command("solve", *files, *options, "--json", "-o", plan)
    return limited(words, seconds)[1]


def by_enhsp(jar: str, files: tuple[str, str], plan: Path, seconds: float) -> float:
    words = ["java", "-jar", jar, "-o", files[0], "-f", files[1], "-sp", str(plan)]
    return limited(words, seconds)[1]


def judged(files: tuple[str, str], plan: Path) -> str:
    """Return the error of a plan, by the PDDL text and by unified-planning; empty if none."""
    try:
        asplan.validate(*files, plan=plan)
    except AsplanError as error:
        return str(error)
    try:
        from unified_planning.engines import SequentialPlanValidator, ValidationResultStatus
        from unified_planning.io import PDDLReader

        reader = PDDLReader()
        problem = reader.parse_problem(*files)
        found = reader.parse_plan(problem, str(plan))
        result = SequentialPlanValidator().validate(problem, found)
    except Exception as error:  # it cannot read all of them, and fails in many ways
        tables.progress(f"unified-planning: {type(error).__name__}")
        return ""
    return "" if result.status is ValidationResultStatus.VALID else "unified-planning refuses it"


def runs(
    files: tuple[str, str],
    planners: dict[str, Callable[..., float]],
    seconds: float,
    kept: KeptRuns,
) -> Iterator[Run]:
    """Yield the result of each planner on a task, kept or new."""
    key = {"instance": "/".join(Path(files[1]).parts[-3:]), "seconds": seconds}
    for name, solve in planners.items():
        yield Run(**kept.run(partial(measured, files, solve, seconds), planner=name, **key))


def measured(files: tuple[str, str], solve: Callable[..., float], seconds: float) -> Fields:
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "found.plan"
        spent = solve(files, plan, seconds)
        lines = plan.read_text().splitlines() if plan.exists() else []
        actions = [line for line in lines if line.startswith("(")]
        if not lines or spent > seconds + 1:
            return asdict(Run(None, spent))
        return asdict(Run(len(actions), spent, judged(files, plan)))


def main() -> None:
    """Measure, and print a row for each domain and a sum."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="parts of the domains' names; all, unless given")
    parser.add_argument("--tasks", type=Path, default=Path("../ipc2023-numeric"))
    parser.add_argument("--each", type=int, default=5, help="tasks of each domain")
    parser.add_argument("--seconds", type=float, default=60, help="of CPU time for each task")
    parser.add_argument("--planners", nargs="*", default=[], help="those of unified-planning")
    parser.add_argument("--runs", type=Path, help="keep what has run in this file")
    parser.add_argument("--enhsp", metavar="JAR", help="where ENHSP is; without it asplan is alone")
    add_quick(parser, "one task of each domain, 10 s", each=1, seconds=10)
    tables.add_option(parser)
    given = parser.parse_args()
    # By the limit asplan divides the time between its methods.
    first = ("--first", "--time-limit", str(given.seconds))
    planners: dict[str, Callable[..., float]] = {
        "asplan": partial(by_asplan, asplan_command, first),
        ALONE: partial(by_asplan, asplan_alone, first),
    }
    for name in given.planners:
        planners[name] = partial(by_asplan, asplan_command, ("--engine", f"up:{name}"))
    if given.enhsp:
        planners["ENHSP"] = lambda *words: by_enhsp(given.enhsp, *words)
    kept = KeptRuns(given.runs)
    rows, sums, wrong = [], [0] * len(planners), 0
    shown = [i for i, name in enumerate(planners) if name != ALONE]
    for domain in sorted(given.tasks.glob("*/domain.pddl")):
        name = domain.parent.name
        if given.words and not any(word in name for word in given.words):
            continue
        found = []
        for _, task in smallest(domain.parent, given.each):
            several = list(runs((str(domain), str(task)), planners, given.seconds, kept))
            tables.progress(name, task.stem, *several)
            found.append(several)
            wrong += sum(bool(run.verdict) for run in several)
        solved = [[run[i] for run in found if run[i].actions is not None] for i in range(len(sums))]
        sums = [total + len(some) for total, some in zip(sums, solved, strict=True)]
        both = [run for run in found if all(run[i].actions is not None for i in shown)]
        cells = [f"{len(solved[i])}" for i in shown]
        cells += [f"{sum(run[i].seconds for run in both):.1f}" for i in shown]
        cells += [f"{sum(run[i].actions or 0 for run in both)}" for i in shown]
        rows.append((name, str(len(found)), *cells))
    rows.append(("all", str(sum(int(row[1]) for row in rows)), *(str(sums[i]) for i in shown)))
    rows[-1] += ("",) * (len(rows[0]) - len(rows[-1]))
    columns = ["domain", "tasks"]
    names = [name for name in planners if name != ALONE]
    columns += [f"{what}, {name}" for what in ("solved", "seconds", "actions") for name in names]
    tables.show(columns, rows, markdown=given.markdown)
    tables.say(f"Seconds and actions are of the tasks that all solve. Plans refused: {wrong}.")
    tables.say(f"{ALONE} solves {sums[list(planners).index(ALONE)]}.")


if __name__ == "__main__":
    main()
