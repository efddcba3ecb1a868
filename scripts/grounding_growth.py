"""The cost of grounding late steps, as written and as asplan rewrites it.

For each program: processor seconds of grounding steps 51-100 and 351-400 without solving, and
their ratio. As written means one call a step, as clingo's own loop does it.

    python scripts/grounding_growth.py [--markdown] [encoding.lp instance.lp]...
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from asplan import catalog
from asplan.engines.asp.solver import PartsSolver
from asplan.program.composition import read_program
from asplan.program.incremental import Program, with_query
from asplan.program.transitions.rewrite import rewrite
from lib import tables
from lib.quick import add_quick

EARLY, LATE = range(51, 101), range(351, 401)

RESTS_ON = (
    "encodings/*/*.lp",
    "src/asplan/program/transitions/rewrite.py",
    "src/asplan/engines/asp/solver.py",
)


def growth(program: Program) -> tuple[float, float]:
    """Seconds for the early and the late steps."""
    solver = PartsSolver(program, {})
    solver.ground_first()
    spent = {}
    for t in range(1, LATE.stop):
        start = time.process_time()
        solver.ground_step(t)
        spent[t] = time.process_time() - start
    return sum(spent[t] for t in EARLY), sum(spent[t] for t in LATE)


def shipped() -> list[tuple[str, str]]:
    """Every shipped encoding whose steps are alike, with the first instance of its folder.

    Those that serve only mode incremental hold explicit states, and grow with their number.
    """
    pairs = []
    for entry in catalog.encodings():
        if "asplan(modes(incremental))" in entry.path.read_text(encoding="utf-8"):
            continue
        own = [instance for instance in catalog.instances() if instance.domain == entry.domain]
        pairs += [(str(entry.path), str(instance.path)) for instance in own[:1]]
    return pairs


def main() -> None:
    """Print a row a program."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", help="pairs of an encoding and an instance")
    add_quick(parser, "all of it: it is short")
    tables.add_option(parser)
    given = parser.parse_args()
    files = given.files
    pairs = list(zip(files[::2], files[1::2], strict=True)) if files else shipped()
    rows = []
    for encoding, instance in pairs:
        written = with_query(read_program([encoding, instance], {}))
        row = ["/".join(Path(encoding).with_suffix("").parts[-2:])]
        for program in (written, rewrite(written)):
            early, late = growth(program)
            row += [f"{early:.3f}", f"{late:.3f}", f"{late / early:.1f}"]
        rows.append(row)
        tables.progress(*row)
    columns = ("51–100", "351–400", "ratio")
    rewritten = [f"{column}, rewritten" for column in columns]
    tables.show(("program", *columns, *rewritten), rows, markdown=given.markdown)


if __name__ == "__main__":
    main()
