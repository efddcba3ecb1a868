"""Programs from the repositories of telingo, clingo-dl and clingcon: the tools and asplan.

The programs are public, and are not part of this project: FOLDER holds clones of the repositories
(`git clone https://github.com/potassco/telingo`, `clingo-dl`, `clingcon`, and
`clingo-vs-telingo-planning` for the benchmarks), each under its name.

    python scripts/theory_tools.py telingo FOLDER         its examples: the last state of both
    python scripts/theory_tools.py benchmarks FOLDER      planning benchmarks written for telingo
    python scripts/theory_tools.py clingo-dl FOLDER       its examples, all of them schedules
    python scripts/theory_tools.py clingcon FOLDER        its examples, of which one plans

telingo and clingcon find the last state themselves, or in a loop over the program's constant. Each
run may take `--limit` seconds of CPU time.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from lib import tables
from lib.quick import add_quick

RESTS_ON = (
    "src/asplan/program/conversion/telingo.py",
    "src/asplan/program/theory.py",
    "src/asplan/engines/asp/theory.py",
)

TAI = "examples/taskassignment/tai4_4_1.lp"
EXAMPLES: dict[str, tuple[tuple[str, ...], ...]] = {
    "telingo": (
        ("examples/del/ex1.lp",),
        ("examples/hanoi/encoding.lp", "examples/hanoi/instance.lp"),
        ("examples/logistics/encoding.lp", "examples/logistics/instance.lp"),
        ("examples/monkey/encoding.lp",),
        ("examples/moore/moore-basic.lp", "examples/moore/moore-test.lp"),
        ("examples/moore/moore-complex.lp", "examples/moore/moore-test.lp"),
        ("examples/river-crossing/encoding.lp",),
        ("examples/simple/encoding.lp", "examples/simple/instance.lp"),
    ),
    "clingo-dl": (
        ("examples/taskassignment/encoding-dl.lp", TAI),
        ("examples/taskassignment/encoding-casp.lp", TAI),
    ),
    "clingcon": (
        ("examples/move.lp",),
        ("examples/fsD.lp", "examples/fsI.lp"),
        ("examples/money.lp",),
        ("examples/queens.lp",),
        ("examples/golomb.lp",),
    ),
}
BENCHMARKS = "clingo-vs-telingo-planning/benchmark-tool/benchmarks/telingo"
HORIZONS = {"clingcon/examples/move.lp": "end"}
"""The constant that bounds the times, of programs that plan."""


def main() -> None:
    """Print the table of a study."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study", choices=[*EXAMPLES, "benchmarks"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("words", nargs="*", help="only programs whose names contain one")
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds for each run")
    add_quick(parser, "5 s for each run", limit=5)
    tables.add_option(parser)
    asked = parser.parse_args()
    rows = []
    for files in _programs(asked.study, asked.folder):
        first = str(files[0].relative_to(asked.folder))
        if not any(word in first for word in asked.words or [""]):
            continue
        if missing := [file for file in files if not file.is_file()]:
            parser.error(f"{missing[0]} is not there; --help says where it is to be had")
        theirs, mine = (
            _by_tool(asked.study, first, files, asked.limit),
            _by_asplan(files, asked.limit),
        )
        tables.progress(first, theirs, *mine)
        rows.append((first.partition("/examples/")[2] or files[0].name, theirs, *mine))
    columns = ("program", asked.study if asked.study in EXAMPLES else "telingo", "asplan", "")
    tables.show(columns, rows, markdown=asked.markdown)


def _programs(study: str, folder: Path) -> list[list[Path]]:
    if study == "benchmarks":
        return [[file] for file in sorted((folder / BENCHMARKS).glob("*.asp"))]
    return [[folder / study / name for name in names] for names in EXAMPLES[study]]


def _run(words: Sequence[str], limit: int) -> subprocess.CompletedProcess[str] | None:
    """Return the output of a module; None after the time limit."""

    def bound_time() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))

    command = [sys.executable, "-m", *words]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=bound_time)
    return None if done.returncode < 0 else done


def _by_tool(study: str, first: str, files: Sequence[Path], limit: int) -> str:
    """The last state or time that the tool finds."""
    names = list(map(str, files))
    if study in ("telingo", "benchmarks"):
        done = _run(["telingo", *names], limit)
        states = re.findall(r"^ State (\d+):", done.stdout, re.MULTILINE) if done else []
        return states[-1] if states else "stopped"
    tool = "clingodl" if "encoding-dl" in first else "clingcon"
    constant = HORIZONS.get(first)
    for value in count():
        given = ["-cn=132"] if constant is None else [f"-c{constant}={value}"]  # of TAI
        done = _run([tool, *names, *given, "-q"], limit)
        if done is None:
            return "stopped"
        if "UNSATISFIABLE" not in done.stdout:
            return "satisfiable" if constant is None else str(value)
        if constant is None:
            return "unsatisfiable"
    raise AssertionError


def _by_asplan(files: Sequence[Path], limit: int) -> tuple[str, str]:
    """The horizon of asplan's plan, and its outcome or what was wrong."""
    done = _run(
        ["asplan", "solve", *map(str, files), "--json", f"--time-limit={20 * limit}"], limit
    )
    if done is None:
        return "stopped", ""
    if not done.stdout:
        return "no plan", done.stderr.partition(", so")[0].rpartition(": ")[2].strip()
    result = json.loads(done.stdout)
    has_plan = result["plan"] or result["atoms"]
    said = [result["outcome"], *(warning["code"] for warning in result["warnings"])]
    said += ["replayed"] if result["validated"] else []
    return (str(result["horizon"]) if has_plan else "none"), ", ".join(said)


if __name__ == "__main__":
    main()
