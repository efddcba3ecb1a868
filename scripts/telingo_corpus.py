"""Programs of telingo, solved by telingo itself and by asplan: the least horizon of both.

The programs are public, and are not part of this repository: FOLDER holds clones of the
repositories named below, each under its name (`git clone https://github.com/potassco/telingo`).

    python scripts/telingo_corpus.py FOLDER [--limit SECONDS] [--only WORD]
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from lib.quick import add_quick

TELINGO = "telingo/examples"
BENCHMARKS = "clingo-vs-telingo-planning/benchmark-tool/benchmarks/telingo"
"""potassco/telingo and potassco/clingo-vs-telingo-planning on GitHub."""

EXAMPLES = (
    ("del/ex1.lp",),
    ("hanoi/encoding.lp", "hanoi/instance.lp"),
    ("logistics/encoding.lp", "logistics/instance.lp"),
    ("monkey/encoding.lp",),
    ("moore/moore-basic.lp", "moore/moore-test.lp"),
    ("moore/moore-complex.lp", "moore/moore-test.lp"),
    ("river-crossing/encoding.lp",),
    ("simple/encoding.lp", "simple/instance.lp"),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=float, default=60, help="seconds for each run")
    add_quick(parser, "5 s for each run", limit=5)
    parser.add_argument("--only", default="", help="a word in the name of the program")
    asked = parser.parse_args()
    groups = [[asked.folder / TELINGO / name for name in names] for names in EXAMPLES]
    groups += [[file] for file in sorted((asked.folder / BENCHMARKS).glob("*.asp"))]
    groups = [g for g in groups if asked.only in str(g[0]) and all(f.is_file() for f in g)]
    print("| program | telingo | asplan | outcome, or why not |\n|---|---:|---:|---|")
    for files in groups:
        theirs, (ours, why) = by_telingo(files, asked.limit), by_asplan(files, asked.limit)
        name = files[0].relative_to(asked.folder)
        mark = "" if None in (theirs, ours) or theirs == ours else " **differs**"
        print(f"| {name} | {theirs} | {ours} | {why}{mark} |", flush=True)


def by_telingo(files: list[Path], limit: float) -> int | None:
    """The horizon at which telingo has an answer; None where it has none in time."""
    command = [sys.executable, "-m", "telingo", *map(str, files)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    states = re.findall(r"^ State (\d+):", done.stdout, re.MULTILINE)
    return int(states[-1]) if states else None


def by_asplan(files: list[Path], limit: float) -> tuple[int | None, str]:
    """The horizon of asplan's plan, and its outcome or what was wrong."""
    command = [sys.executable, "-m", "asplan", "solve", *map(str, files), "--json"]
    command += ["--time-limit", str(limit)]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        return None, done.stderr.strip().splitlines()[0]
    result = json.loads(done.stdout)
    codes = [warning["code"] for warning in result["warnings"]]
    said = f"{result['outcome']} {result['validated']} {' '.join(codes)}"
    return (result["horizon"] if result["plan"] or result["atoms"] else None), said


if __name__ == "__main__":
    main()
