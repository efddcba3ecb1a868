"""Towers of Hanoi by asplan, by telingo, and by clingo's own incremental loop: what each says.

telingo and clingo are called as commands of this Python (`pip install telingo`); what is not
installed is named as such. Seconds are those of the whole process.

    python scripts/side_by_side/run.py [--discs N] [--markdown]
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from asplan import catalog

sys.path.append(str(Path(__file__).parents[1]))
from lib import tables

HERE = Path(__file__).parent
RESTS_ON = ("encodings/hanoi/hanoi.lp", "scripts/side_by_side/hanoi_telingo.lp")
ASPLAN = [sys.executable, "-c", "from asplan.cli import main; main()", "solve"]


def instance(discs: int) -> str:
    """Facts of a tower on the left peg that is to go to the right one."""
    return f"disc(1..{discs}). peg(1..3). on(1..{discs},1). goal(1..{discs},3).\n"


def timed(command: list[str]) -> tuple[str, float]:
    """Return the output of a command, and its seconds."""
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    return done.stdout, time.monotonic() - start


def of_asplan(files: list[str]) -> tuple[str, str, float]:
    """The horizon and the claim of asplan."""
    text, seconds = timed([*ASPLAN, *files])
    found = re.search(r"^(optimal|plan|unknown) \((.*)\)$", text, re.MULTILINE)
    return (found[1] if found else "?", found[2] if found else text, seconds)


def of_telingo(files: list[str]) -> tuple[str, str, float] | None:
    """The last state that telingo prints."""
    telingo = shutil.which("telingo", path=str(Path(sys.executable).parent)) or shutil.which(
        "telingo"
    )
    if telingo is None:
        return None
    text, seconds = timed([telingo, *files])
    states = re.findall(r"State (\d+):", text)
    return ("SATISFIABLE" in text and "satisfiable") or "?", f"last state {states[-1]}", seconds


def of_clingo(files: list[str]) -> tuple[str, str, float]:
    """Return clingo's output for a program that includes its incremental mode."""
    with tempfile.NamedTemporaryFile("w", suffix=".lp") as loop:
        loop.write("#include <incmode>.\n")
        loop.flush()
        text, seconds = timed([sys.executable, "-m", "clingo", *files, loop.name])
    steps = [int(step) for step in re.findall(r"occurs\(.*?,(\d+)\)", text)]
    answer = "satisfiable" if "SATISFIABLE" in text.replace("UNSAT", "") else "?"
    said = f"last step {max(steps)}" if steps else "no step at all: the loop was not run"
    return answer, said, seconds


def main() -> None:
    """Print a row a tool."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--discs", type=int, default=5)
    tables.add_option(parser)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        facts = Path(folder) / "tower.lp"
        facts.write_text(instance(given.discs))
        encoding = str(catalog.find_encoding("hanoi", "hanoi").path)
        answers = {
            "asplan": of_asplan([encoding, str(facts)]),
            "telingo": of_telingo([str(HERE / "hanoi_telingo.lp"), str(facts)]),
            "clingo, #include <incmode>": of_clingo([encoding, str(facts)]),
        }
    rows = [
        (tool, *(("not installed", "", "") if row is None else (*row[:2], f"{row[2]:.2f}")))
        for tool, row in answers.items()
    ]
    columns = ("tool", "answer", "what it says", "seconds")
    tables.show(columns, rows, markdown=given.markdown)


if __name__ == "__main__":
    main()
