"""The figures in README.md and docs/: which are stale, and make them anew.

    python scripts/figures.py                  say how each block stands
    python scripts/figures.py --mark           say so in the pages, below the stale ones
    python scripts/figures.py --write [WORD…]  run what makes the stale ones, or all blocks whose
                                               page or command has one of the words in it
    python scripts/figures.py --check          as a test does it: run the exact ones, and end with
                                               1 where a page says what is not so

Runs follow one after the other, and a page is written as soon as one has ended: what was done stays
when the rest is interrupted. docs/figures.md tells what a block is.
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
from datetime import date

from asplan.version import __version__
from figure_blocks import Block, BlockError, Project, Record, digest

SECONDS = re.compile(r"\d s\b")
"""Lines of an exact block that tell these differ from run to run, and are left out."""


def output(project: Project, block: Block) -> str:
    """What the command of a block prints: Markdown as it is, other text in a fence."""
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


def fault(project: Project, block: Block, records: dict[str, Record]) -> str | None:
    """What a block says that is not so, or None; nothing is run for it."""
    if block.exact:
        made = f"*Made by `{block.shown}` with clingo " in block.note
        return None if made else "its command has not been run yet: --write"
    record = records.get(block.command)
    if record and record.figures != digest(block.body):
        return "the figures are not those that the command printed: --write"
    try:
        told = block.note == project.note(block, record)
    except BlockError as error:
        return str(error)
    return None if told else "the last line does not say how the figures stand: --mark"


def differs(project: Project, block: Block) -> str | None:
    """Whether an exact block is another one today; with the clingo that it was made with only."""
    if not block.exact or block.note != project.note(block, None):
        return None
    return None if output(project, block) == block.body else "other figures today: --write"


def is_stale(project: Project, block: Block, records: dict[str, Record]) -> bool:
    """Whether a run may give other figures; of exact blocks only running them tells."""
    record = records.get(block.command)
    if block.exact or record is None or record.figures != digest(block.body):
        return True
    try:
        return record.files != project.files(block.command)
    except BlockError:
        return True


def say(project: Project) -> int:
    """Print a line for each block."""
    records = project.records()
    for block in project.blocks():
        if block.exact:
            state = "exact"
        elif found := fault(project, block, records):
            state = f"WRONG: {found}"
        else:
            state = "stale, says so" if is_stale(project, block, records) else "up to date"
        spent = f"{records[block.command].seconds:.0f} s" if block.command in records else ""
        print(f"{block.place:24} {spent:>6}  {state:14}  {block.shown}")
    return 0


def mark(project: Project) -> int:
    """Let the last line of each block say how its figures stand; 1 if that cannot be known."""
    records, marked, failed = project.records(), [], False
    for block in project.blocks():
        if block.exact:
            continue
        try:
            marked.append(replace(block, note=project.note(block, records.get(block.command))))
        except BlockError as error:
            print(f"{block.place}: {error}", file=sys.stderr)
            failed = True
    project.replace(marked)
    return int(failed)


def write(project: Project, words: Sequence[str]) -> int:
    """Run what makes the chosen blocks, one after the other; 1 if one of them failed."""
    records, failed = project.records(), False
    chosen = {}
    for block in project.blocks():
        named = any(word in f"{block.page} {block.command}" for word in words)
        if named if words else is_stale(project, block, records):
            chosen[block.command] = block
    for number, block in enumerate(chosen.values(), 1):
        print(f"{number}/{len(chosen)}  {block.place}  {block.shown}", flush=True)
        try:
            spent = write_one(project, block)
        except BlockError as error:
            print(f"     {error}", flush=True)
            failed = True
        else:
            print(f"     {spent:.1f} s", flush=True)
    return int(failed)


def write_one(project: Project, block: Block) -> float:
    """Run the command of a block and write its pages; the seconds that it took."""
    files = {} if block.exact else project.files(block.command)  # a change meanwhile is a later one
    start = time.monotonic()
    body = output(project, block)
    spent = time.monotonic() - start
    record = None
    if not block.exact:
        today = date.today().isoformat()
        record = Record(__version__, today, round(spent, 1), digest(body), files)
        project.keep(project.records() | {block.command: record})
    project.replace([replace(block, body=body, note=project.note(block, record))])
    return spent


def check(project: Project) -> int:
    """Print what is wrong; 1 if anything is."""
    records, wrong = project.records(), 0
    for block in project.blocks():
        if found := fault(project, block, records) or differs(project, block):
            print(f"{block.place}: {block.shown}: {found}")
            wrong = 1
    return wrong


def main(given_words: Sequence[str] | None = None, project: Project | None = None) -> int:
    """Do what the words say; the exit status."""
    project = project or Project()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--mark", action="store_true", help="write below each block how it stands")
    way.add_argument("--write", nargs="*", metavar="WORD", help="run what makes the figures")
    way.add_argument("--check", action="store_true", help="end with 1 if something is wrong")
    given = parser.parse_args(given_words)
    try:
        if given.write is not None:
            return write(project, given.write)
        return mark(project) if given.mark else check(project) if given.check else say(project)
    except BlockError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; what was written stays", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
