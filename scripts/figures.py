"""The figures in README.md and docs/: how old they are, and make them anew.

    python scripts/figures.py                  list each block with its date, and whether what it
                                               measures has changed since
    python scripts/figures.py --write [WORD…]  run the commands of blocks that are older than what
                                               they measure, or of all whose page or command has
                                               one of the words in it

Commands run one after the other, and a page is written as soon as one has ended: what is done stays
when the rest is interrupted. docs/figures.md explains blocks.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from lib.figure_blocks import Block, BlockError, Project

SECONDS = re.compile(r"\d s\b")
"""Lines of an exact block that tell these differ from run to run, and are left out."""
EXACT, CURRENT, SAME_DAY = "exact", "up to date", "sources changed that day"


def output(project: Project, block: Block) -> str:
    """Return the output of a block's command: Markdown as it is, other text in a fence."""
    words = shlex.split(block.command)
    if words[0] == "asplan" and block.exact:
        command = [sys.executable, "-m", "asplan", *words[1:]]
    else:
        project.script(block.command)
        command = [sys.executable, *words[1:]]
    printed = run(project, command)
    if block.exact:
        printed = "\n".join(line for line in printed.split("\n") if not SECONDS.search(line))
    text = "\n".join(line.rstrip() for line in printed.strip().split("\n"))
    return text if "--markdown" in words else f"```\n{text}\n```"


def run(project: Project, command: Sequence[str], seconds: float | None = None) -> str:
    """Run a command in a session of its own, so that all its children end with it.

    It runs with the package of this checkout, whichever is installed. `BlockError` where it fails,
    prints nothing, or is not done in so many seconds.
    """
    path = [str(project.root / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    plain = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "PYTHONPATH": os.pathsep.join(path)}
    child = subprocess.Popen(
        command,
        cwd=project.root,
        env=os.environ | plain,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=None if sys.stderr.isatty() else subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        printed, errors = child.communicate(timeout=seconds)
    except BaseException as error:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise BlockError(f"stopped after {seconds:g} s") from None
        raise
    if child.returncode or not printed.strip():
        last = (errors or "").strip().rpartition("\n")[2]
        raise BlockError(f"status {child.returncode}, nothing written. {last}")
    return printed


def state(project: Project, block: Block) -> str:
    """Return the state of a block in a word or two."""
    if found := block.fault():
        return found
    if block.exact:
        return EXACT
    try:
        changed = project.changed(block.command, block.date)
    except BlockError as error:
        return str(error)
    if changed == block.date:
        return SAME_DAY
    return f"sources changed {changed}" if changed else CURRENT


def report(project: Project) -> int:
    """Print a line for each block."""
    for block in project.blocks():
        print(f"{block.place:28} {block.date:10}  {state(project, block):26}  {block.shown}")
    return 0


def write(project: Project, words: Sequence[str]) -> int:
    """Run the commands of the chosen blocks, one after the other; 1 if one of them failed."""
    chosen, failed = {}, False
    for block in project.blocks():
        named = any(word in f"{block.page} {block.command}" for word in words)
        if named if words else state(project, block) not in (CURRENT, SAME_DAY, EXACT):
            chosen[block.command] = block
    for number, block in enumerate(chosen.values(), 1):
        print(f"{number}/{len(chosen)}  {block.place}  {block.shown}", flush=True)
        start = time.monotonic()
        try:
            body = output(project, block)
        except BlockError as error:
            print(f"     {error}", flush=True)
            failed = True
        else:
            project.replace([replace(block, body=body, note=block.note_of_today())])
            print(f"     {time.monotonic() - start:.1f} s", flush=True)
    return int(failed)


def main(given_words: Sequence[str] | None = None, project: Project | None = None) -> int:
    """Do what the words say; the exit status."""
    project = project or Project()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", nargs="*", metavar="WORD", help="run what makes the figures")
    given = parser.parse_args(given_words)
    try:
        return report(project) if given.write is None else write(project, given.write)
    except BlockError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; what was written stays", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
