"""The cost of unified-planning compared with `asplan.solve` on the same PDDL.

Each instance is solved from its files, and as a problem of unified-planning that was read from
them, by turns in one process: any plan, within a time. Its PDDL is also written by
unified-planning's own writer. The benchmarks are not part of the project:

    git clone https://github.com/aibasel/downward-benchmarks ../downward-benchmarks
    python scripts/up_overhead.py [--benchmarks FOLDER] [--seconds S] [--most N] [--markdown]
                                  [FOLDER…]

With names of folders only these are taken. What unified-planning does not read in some seconds, or
what is not of the kind that asplan declares, is left out.
"""

from __future__ import annotations

import argparse
import signal
import time
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import asplan
from asplan.result import Outcome
from lib import tables
from lib.quick import add_quick

if TYPE_CHECKING:
    from unified_planning.model import Problem

RESTS_ON = ("src/asplan/up/*.py",)

SETS = (
    *("blocks", "depot", "driverlog", "gripper", "miconic", "movie", "freecell", "grid", "mprime"),
    *("mystery", "elevators-opt08-strips", "barman-opt11-strips", "nomystery-opt11-strips"),
    *("openstacks-opt08-strips", "logistics98", "hiking-opt14-strips", "childsnack-opt14-strips"),
    *("airport", "ged-opt14-strips", "maintenance-opt14-adl", "floortile-opt11-strips"),
    *("miconic-simpleadl", "openstacks-opt08-adl", "data-network-opt18-strips"),
)
"""The folders of which the first instances are taken."""

PATIENCE = 25
"""Seconds for unified-planning to read, and for its writer to write."""

SAID = {
    Outcome.OPTIMAL: "SOLVED_SATISFICING",
    Outcome.PLAN: "SOLVED_SATISFICING",
    Outcome.UNSOLVABLE: "UNSOLVABLE_PROVEN",
    Outcome.UNKNOWN: "TIMEOUT",
}


class Late(BaseException):
    """Something takes too long."""


@contextmanager
def patience() -> Any:
    """Raise `Late` where a block takes longer than `PATIENCE`."""

    def tell(number: int, frame: object) -> None:
        raise Late

    signal.signal(signal.SIGALRM, tell)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds that something takes, and what it gives."""
    begin = time.perf_counter()
    found = work()
    return time.perf_counter() - begin, found


def both_written(problem: Problem) -> None:
    """Write a problem with unified-planning's own writer."""
    from unified_planning.io import PDDLWriter

    writer = PDDLWriter(problem)
    writer.get_domain()
    writer.get_problem()


def measured(domain: Path, file: Path, seconds: float) -> tuple[float, float, float, bool] | None:
    """The seconds of both writers, those of the way beyond `asplan.solve`, and if answers agree."""
    from unified_planning.io import PDDLReader

    from asplan.up import Engine
    from asplan.up.features import find_refusal
    from asplan.up.writing import to_pddl

    try:
        with patience():
            problem = PDDLReader().parse_problem(str(domain), str(file))
            if find_refusal(problem.kind):
                return None
            theirs, _ = timed(lambda: both_written(problem))
            problem = PDDLReader().parse_problem(str(domain), str(file))
    except Late:
        return None
    problem.clear_quality_metrics()
    ours, _ = timed(lambda: to_pddl(problem))
    limits = {"first": True, "isolate": True, "time_limit": seconds}
    alone, found = timed(lambda: asplan.solve(domain, file, **limits))
    engine = Engine(search_beside=False)
    through, said = timed(lambda: engine.solve(problem, timeout=seconds))
    steps = None if found.plan is None else str(len(found.plan))
    same = (SAID[found.outcome], steps) == (said.status.name, said.metrics.get("steps"))
    return theirs, ours, through - alone, same


def main() -> None:
    """Measure, and print a row for each folder and one for all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="*", default=SETS, metavar="FOLDER")
    parser.add_argument("--benchmarks", type=Path, default=Path("../downward-benchmarks"))
    parser.add_argument("--seconds", type=float, default=8, help="for each answer")
    parser.add_argument("--most", type=int, default=3, help="instances of a folder")
    add_quick(parser, "one instance of a folder, 3 s", most=1, seconds=3)
    tables.add_option(parser)
    given = parser.parse_args()
    from unified_planning.shortcuts import get_environment

    warnings.simplefilter("ignore")
    get_environment().error_used_name = False
    kept, folders = [], 0
    for name in given.folders:
        files = sorted(given.benchmarks.joinpath(name).glob("*.pddl"))
        for file in [f for f in files if "domain" not in f.name][: given.most]:
            beside = [file.with_name("domain.pddl"), file.with_name(f"{file.stem}-domain.pddl")]
            beside += [file.with_name(f"{file.stem[:3]}-domain.pddl")]
            domain = next((f for f in beside if f.exists()), None)
            row = None if domain is None else measured(domain, file, given.seconds)
            tables.progress(name, file.stem, row)
            if row is not None:
                folders += all(other[0] != name for other in kept)
                kept.append((name, *row))
    _, theirs, ours, beyond, same = zip(*kept, strict=True)
    rows = [
        ("instances", f"{len(kept)} of {folders} folders"),
        ("same answers", str(sum(same))),
        ("unified-planning's writer, s", f"{sum(theirs):.1f} in all, at most {max(theirs):.1f}"),
        ("asplan's writer, s", f"{sum(ours):.1f} in all, at most {max(ours):.2f}"),
        ("more than `asplan.solve` takes for the files, median s", f"{median(beyond):.2f}"),
    ]
    tables.show(("", "value"), rows, markdown=given.markdown)


if __name__ == "__main__":
    main()
