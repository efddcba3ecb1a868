"""When is another configuration of clasp faster than the default? The evidence for asplan's rule.

Each program is solved by asplan with clasp's default, with `jumpy`, and as asplan chooses
(`engines/asp/configuration.py`), each in a child process that is stopped after `--limit` CPU
seconds. A run that was stopped is compared up to the last horizon that all three have finished. The
average length of the lemmas is that of the first horizon with enough conflicts, in the run with the
default; it is left out for programs with positive cycles.

The second table learns the least length that calls for `jumpy`, leaving one author out at a time:
the one that is fastest on the programs of the others, of those that make none of them slower than
0.85 of the default.

    python scripts/configuration_choice.py [--programs LIST.tsv] [--limit S] [--least S]
                                           [--log FILE] [--markdown] [PROGRAM…]

LIST.tsv has a line for each program: author/name, files separated by spaces, and the instance,
separated by tabs. Programs of asplan count as those of one author. Lines of JSON go to `--log`;
what is there is not measured again.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from asplan.engines.asp import AspOptions, configuration, controller, effort, opening, solver
from asplan.engines.run import Run
from asplan.problem import Inputs, load
from lib import tables
from lib.measuring import run
from lib.programs import Listed, listed, own
from lib.quick import add_quick

RESTS_ON = ("src/asplan/engines/asp/*.py", "src/asplan/program/transitions/rewrite.py")

WAYS = {"default": (opening.WATCH_LEMMAS,), "jumpy": ("--configuration=jumpy",), "chosen": ()}
LENGTHS = (25, 35, 50, 65, 80, 100, 150, 1_000_000)
LEAST = 0.85

Row = dict[str, Any]


def solve(program: Listed, words: Sequence[str], log: str) -> None:
    """Solve, and write a line for each solve call: horizon, CPU seconds so far, lemmas."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    start, count, solvers = used(), effort.ClingoEffort.count, list[solver.ClingoSolver]()

    def counted(total: effort.ClingoEffort, horizon: int, *more: Any) -> None:
        count(total, horizon, *more)
        length = 0.0
        if words == WAYS["default"] and total.steps[-1].conflicts >= configuration.ENOUGH:
            length, cycles, _ = configuration.read_signs(solvers[-1].control)
            length = 0.0 if cycles else length
        with Path(log).open("a") as file:
            print(json.dumps((horizon, used() - start, length)), file=file)

    def opener(*given: Any, **more: Any) -> solver.ClingoSolver:
        solvers.append(opening.open_solver(*given, **more))
        return solvers[-1]

    effort.ClingoEffort.count = counted  # type: ignore[method-assign]
    files = program.files[-1:] if program.encoding else program.files
    problem = load(Inputs(files, encoding=program.encoding))
    controller.incremental(Run(problem, AspOptions(clingo=tuple(words))), opener)


def measure(program: Listed, limit: float) -> Row:
    """Horizons and seconds by way, and the length of the lemmas."""
    row: Row = {"name": program.name, "author": program.name.partition("/")[0]}
    if program.encoding:
        row["author"] = "asplan"
    for way, words in WAYS.items():
        with tempfile.NamedTemporaryFile("r") as log:
            run(lambda w=words, name=log.name: solve(program, w, name), limit)  # type: ignore[misc]
            row[way] = [json.loads(line) for line in log]
    return row


def seconds(row: Row) -> dict[str, float]:
    """CPU seconds by way, up to the last horizon that all have finished."""
    last = min(row[way][-1][0] for way in WAYS)
    return {way: max(s for h, s, _ in row[way] if h <= last) for way in WAYS}


def length(row: Row) -> float:
    """The average length of the lemmas, 0 where it does not count."""
    return next((size for *_, size in row["default"] if size), 0.0)


def gains(rows: Sequence[Row], least: float) -> list[float]:
    """Return the speed-up over the default if `jumpy` is used from a length of lemmas on."""
    pairs = ((seconds(row), length(row)) for row in rows)
    return [s["default"] / s["jumpy"] if size >= least else 1.0 for s, size in pairs]


def learn(rows: Sequence[Row]) -> int:
    """The least length that calls for `jumpy`."""
    safe = [n for n in LENGTHS if min(gains(rows, n)) >= LEAST]
    return max(safe, key=lambda n: geometric_mean(gains(rows, n)))


def main() -> None:
    """Measure, and print the programs, and what was learnt without each author."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="parts of the names; all, unless some are given")
    parser.add_argument("--programs", type=Path, help="a list of more programs")
    parser.add_argument("--limit", type=float, default=30, help="CPU seconds for a run")
    parser.add_argument("--least", type=float, default=0.3, help="seconds that the default takes")
    parser.add_argument("--boards", default="sample02,sample03", help="of Rush Hour")
    parser.add_argument("--log", type=Path, help="lines of JSON, read first")
    add_quick(parser, "one board of Rush Hour, 5 s", limit=5, boards="sample02")
    tables.add_option(parser)
    given = parser.parse_args()
    lines = given.log.read_text().splitlines() if given.log and given.log.exists() else ()
    known = {row["name"]: row for row in map(json.loads, lines)}
    rows: list[Row] = []
    for program in (listed(given.programs) if given.programs else []) + own(given.boards):
        if given.words and not any(word in program.name for word in given.words):
            continue
        row = known.get(program.name) or measure(program, given.limit)
        if given.log and program.name not in known:
            with given.log.open("a") as file:
                print(json.dumps(row), file=file)
        if all(row[way] for way in WAYS) and seconds(row)["default"] >= given.least:
            rows.append(row)
            tables.progress(*_cells(row))
    show(rows, given.markdown)


def show(rows: Sequence[Row], markdown: bool) -> None:
    """Print both tables; own and foreign programs stand apart."""
    for title, own_ones in (("programs of others", False), ("asplan's own programs", True)):
        some = [row for row in rows if (row["author"] == "asplan") == own_ones]
        if some:
            ratios = [s["default"] / s["chosen"] for s in map(seconds, some)]
            figures = f"{geometric_mean(ratios):.2f} × (least {min(ratios):.2f})"
            last = ("geometric mean", "", "", "", figures)
            columns = ("program", "literals of a lemma", *WAYS)
            tables.show(columns, [*map(_cells, some), None, last], title, markdown=markdown)
    authors = sorted({row["author"] for row in rows})
    found = []
    for author in authors if len(authors) > 1 else ():
        least = learn([row for row in rows if row["author"] != author])
        left_out = gains([row for row in rows if row["author"] == author], least)
        cells = (f"{geometric_mean(left_out):.2f} ×", f"{min(left_out):.2f} ×")
        found.append((author, str(least), *cells))
    if found:
        columns = ("author left out", "length learnt", "faster", "least")
        tables.show(columns, found, markdown=markdown)


def _cells(row: Row) -> tuple[str, ...]:
    size, taken = length(row), seconds(row)
    return (row["name"], f"{size:.0f}" if size else "", *(f"{taken[way]:.2f}" for way in WAYS))


if __name__ == "__main__":
    main()
