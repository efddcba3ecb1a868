"""A page with what a terminal shows for twenty wrong inputs, to look at the messages.

    python scripts/error_pictures.py [-o errors.html]

Each command runs under a pseudo-terminal of 80 columns, in a new folder with the files below.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from html import escape
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

PROGRAM = """at(0,0).
#program step(t).
{ go(t) }.
at(X+1,t) :- at(X,t-1), go(t).
at(X,t) :- at(X,t-1), not go(t).
#program check(t).
:- query(t), not at(2,t).
"""
DOMAIN = """(define (domain d)
  (:requirements :strips :typing)
  (:types truck place)
  (:predicates (at ?t - truck ?p - place))
  (:action drive
    :parameters (?t - truck ?a - place ?b - place)
    :precondition (at ?t ?a)
    :effect (and (not (at ?t ?a)) (at ?t ?b))))
"""
PROBLEM = """(define (problem p) (:domain d)
  (:objects t1 - truck a b - place)
  (:init (at t1 a))
  (:goal (at t1 b)))
"""
SUITE = """name = "x"
[[instances]]
files = ["two_cars"]
[[methods]]
encoding = "origin"
"""
FILES = {
    "good.lp": PROGRAM,
    "syntax.lp": PROGRAM.replace("at(X,t-1), go(t)", "at(X,t-1) go(t)"),
    "unsafe.lp": PROGRAM.replace("at(X+1,t) :- at(X,t-1),", "at(X+1,t) :-"),
    "arity.lp": PROGRAM.replace("not at(2,t)", "not at(2,0,t)"),
    "goal.lp": PROGRAM.replace("not at(2,t)", "not att(2,t)"),
    "empty.lp": "",
    "binary.lp": "\x7fELF\x02\x01\x01\x00\x00\udcff\udcfe",
    "domain.pddl": DOMAIN,
    "problem.pddl": PROBLEM,
    "types.pddl": PROBLEM.replace("(at t1 b)", "(at b t1)"),
    "broken.pddl": PROBLEM.replace("(at t1 a))", "(at t1 a)"),
    "unknown.pddl": PROBLEM.replace("(:goal (at t1 b))", "(:goal (att t1 b))"),
    "suite.toml": SUITE.replace("encoding", "encodng"),
    "torn.toml": SUITE.replace("[[instances]]", "[[instances]"),
    "plan.txt": "go up\n",
    "plan.json": '{"plan": 3}',
    "set/asplan.toml": "engine = 'auto'\ntime-limt = 3\n",
    "set/good.lp": PROGRAM,
}
COMMANDS = (
    "solve syntax.lp",
    "solve unsafe.lp",
    "solve arity.lp --time-limit 3",
    "solve goal.lp --time-limit 3",
    "solve empty.lp --time-limit 3",
    "solve binary.lp",
    "solve missing.lp",
    "solve sampel02",
    "solve good.lp --time-limt 3",
    "solve good.lp --max-horizon many",
    "solve good.lp --engine asstar",
    "solve two_cars -e orign",
    "solve domain.pddl types.pddl",
    "solve domain.pddl broken.pddl",
    "solve domain.pddl unknown.pddl",
    "bench run suite.toml",
    "bench run torn.toml",
    "validate good.lp plan.txt",
    "validate good.lp plan.json",
    "solve good.lp -c n",
    "explain good.lp --plan missing.txt",
    "cd set && solve good.lp",
)


def run_in_terminal(command: str, folder: Path) -> str:
    """Return what a terminal of 80 columns gets from a command, with its colours."""
    place, _, words = command.rpartition(" && ")
    place = place.removeprefix("cd ")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "asplan", *words.split()],
        cwd=folder / place,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**kept, "TERM": "xterm-256color"},
    )
    os.close(theirs)
    printed = b""
    try:
        while some := os.read(ours, 1 << 16):
            printed += some
    except OSError:  # the end of a terminal
        pass
    process.wait()
    return printed.decode(errors="replace").replace("\r\n", "\n")


_ERASED = re.compile(r"[^\n]*\n(\x1b\[\?25h)?\r?\x1b\[1A\x1b\[2K")
"""A status line that the terminal erases at the end."""


def draw(printed: str) -> str:
    """Return the HTML of a terminal's text; of a line that was replaced only the rest."""
    text = _ERASED.sub("", printed)
    lines = [line.rpartition("\r")[2].rpartition("\x1b[2K")[2] for line in text.split("\n")]
    console = Console(record=True, file=StringIO(), width=100, highlight=False)
    console.print(Text.from_ansi("\n".join(lines)), soft_wrap=True)
    return console.export_html(code_format="<pre>{code}</pre>", inline_styles=True)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("errors.html"))
    given = parser.parse_args()
    parts = ["<!DOCTYPE html><meta charset=utf-8><title>Wrong inputs</title>"]
    parts.append("<style>pre { background: #fff; white-space: pre-wrap; margin: .2rem }</style>")
    with tempfile.TemporaryDirectory() as name:
        for path, text in FILES.items():
            file = Path(name, path)
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(text.encode(errors="surrogateescape"))
        for command in COMMANDS:
            shown = draw(run_in_terminal(command, Path(name)))
            parts.append(f"<h4>$ {escape(command)}</h4>{shown}")
    given.output.write_text("\n".join(parts), encoding="utf-8")
    print(f"wrote {given.output}")


if __name__ == "__main__":
    main()
