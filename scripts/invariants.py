"""The use of `--invariants`: the engines asp and sat with and without it, by CPU time.

The time is that of all that `asplan.solve` does, the search for invariants included. The programs
are asplan's own whose steps are alike, and those that a list names (see `how_fast.py`). A run that
was stopped counts as the limit.

    python scripts/invariants.py [--programs LIST.tsv] [--engines asp,sat] [--limit S]
                                 [--boards sample02,…] [--markdown] [PROGRAM…]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import geometric_mean

import asplan
from asplan.core.errors import InputError
from asplan.problem import Inputs, load
from asplan.statespace.invariants import with_invariants
from lib import tables
from lib.measuring import Run, run
from lib.programs import Listed, listed, own
from lib.quick import add_quick

RESTS_ON = (
    "src/asplan/engines/asp/*.py",
    "src/asplan/engines/sat/*.py",
    "src/asplan/statespace/invariants.py",
)


def invariants_of(program: Listed) -> int:
    """Return the number of invariants; raise `InputError` if the program has another form."""
    files = program.files[-1:] if program.encoding else program.files
    problem = load(Inputs(files, encoding=program.encoding))
    known = with_invariants(problem.program, problem.user_constants)
    more = known.sections[len(problem.program.sections) :]
    return sum(len(section.statements) for section in more)


def planned(program: Listed, engine: str, invariants: bool) -> Callable[[], int | None]:
    """A run to the horizon that is found."""
    files = program.files[-1:] if program.encoding else program.files
    kept = {"encoding": program.encoding, "engine": engine, "invariants": invariants}
    kept |= {"no_states": True} if engine == "asp" else {}
    return lambda: asplan.solve(*files, **kept).horizon


def main() -> None:
    """Measure, and print a row a program."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="parts of the names; all, unless some are given")
    parser.add_argument("--programs", type=Path, help="a list of more programs")
    parser.add_argument("--engines", default="asp,sat")
    parser.add_argument("--limit", type=float, default=60, help="CPU seconds for a process")
    parser.add_argument("--boards", default="sample02,sample03", help="of Rush Hour")
    add_quick(parser, "one board of Rush Hour, 10 s", limit=10, boards="sample02")
    tables.add_option(parser)
    given = parser.parse_args()
    engines = given.engines.split(",")
    rows: list[tuple[str, ...] | None] = []
    ratios: dict[str, list[float]] = {engine: [] for engine in engines}
    for program in own(given.boards) + (listed(given.programs) if given.programs else []):
        if given.words and not any(word in program.name for word in given.words):
            continue
        try:
            count = run(partial(invariants_of, program), given.limit)
        except InputError as error:
            tables.progress(program.name, error)
            continue
        row = [program.name, "?" if count.answer is None else str(count.answer)]
        for engine in engines:
            runs = [run(planned(program, engine, known), given.limit) for known in (False, True)]
            row += [*map(_seconds, runs), f"{runs[0].seconds / runs[1].seconds:.2f}"]
            ratios[engine].append(runs[0].seconds / runs[1].seconds)
        rows.append(tuple(row))
        tables.progress(*row)
    rows.append(None)
    for what, value in (("geometric mean", geometric_mean), ("least", min)):
        cells = [("", "", f"{value(ratios[engine]):.2f}") for engine in engines]
        rows.append((what, "", *(cell for three in cells for cell in three)))
    columns = [(engine, f"{engine} --invariants", "ratio") for engine in engines]
    tables.show(
        ("program", "invariants", *(column for three in columns for column in three)),
        rows,
        markdown=given.markdown,
    )


def _seconds(found: Run) -> str:
    return f"{'≥ ' if found.answer is None else ''}{found.seconds:.2f}"


if __name__ == "__main__":
    main()
