"""Is every command stopped at once, whatever it is doing? Phases by the ways of ending them.

    python scripts/phases.py [--markdown] [--check] [WORD…]

Each phase is a command that would be at it for minutes, in a session of its own. It is ended by its
time limit, by Ctrl-C, by SIGTERM, and by the death of its parent: the process that was started is
killed, so that its worker has to find out by itself. A cell tells the seconds from there to the
end of the last process; after it stand the processes that were left a second later and the files
that were left half-written, if there are any. A phase counts only if it was reached: the command
says at its end what it was doing. With `--check` the status is 1 where a cell is not as it should
be: within a second, and nothing is left. With words, only phases that have one of them in their
names.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from lib import tables
from lib.quick import add_quick
from processes import in_session

RESTS_ON = (
    "src/asplan/core/process.py",
    "src/asplan/cli/commands.py",
    "src/asplan/cli/output.py",
    "src/asplan/core/files.py",
    "src/asplan/core/child.py",
)

LIMIT = 3.0
"""The time limit, and the CPU seconds of a worker after which it is ended in other ways."""
LONGEST = 20.0
"""Seconds after which a command that was not stopped is given up."""

HEAVY = "n(1..1000). heavy(X,Y,Z) :- n(X), n(Y), n(Z), X < Y, Y < Z."
STEPS = "#program step(t). { occurs(go,t) }. #program check(t). :- query(t), t < 1."
PIGEONS = "1 { in(P,1..11) } 1 :- P = 1..12. :- in(P,H), in(Q,H), P < Q."
SHAPES = "canvas(10,10). rect(a,1,1,2,2)."
WIDE = "grid(1..24,1..12). car(r,2,h). position(0,r,1,1). " + " ".join(
    f"car(c{row},2,h). position(0,c{row},{row},1)." for row in range(2, 25)
)
ROAD = "grid(1..1,1..4). car(r,2,h). position(0,r,1,1)."


def rules() -> str:
    """Rules that take minutes to read, one after the other."""
    return STEPS + "".join(f"\na{n}(X) :- b{n}(X), not c{n}(X)." for n in range(1_000_000))


def plan(steps: int, files: Sequence[str], actions: Sequence[str]) -> str:
    """A plan file in which actions follow each other again and again."""
    made = [[actions[step % len(actions)]] for step in range(steps)]
    return json.dumps({"outcome": "plan", "files": list(files), "plan": made})


def to_and_fro(steps: int) -> str:
    """A plan in which the only car goes there and back."""
    return plan(steps, ["road.lp"], ["move(r,right,1)", "move(r,left,1)"])


@dataclass(frozen=True)
class Phase:
    """A command that would be at one thing for minutes, and what it says of it at its end."""

    name: str
    words: str
    said: str
    files: dict[str, Callable[[], str]]
    goes_on: bool = False
    """Whether standard input has no end."""


def at(name: str, words: str, said: str, **files: str | Callable[[], str]) -> Phase:
    """A phase; each file is named without its suffix."""
    suffixes = {"plan": ".json"}
    texts = {
        f"{stem}{suffixes.get(stem, '.lp')}": text if callable(text) else (lambda text=text: text)
        for stem, text in files.items()
    }
    return Phase(name, words, said, texts)


PHASES = (
    at("reading", "solve x.lp", "reading the files", x=rules),
    Phase("reading standard input", "solve -", "", {}, goes_on=True),
    at("grounding the instance", "solve x.lp", "grounding", x=HEAVY + STEPS),
    at("grounding a step", "solve x.lp", "grounding", x=f"{STEPS} #program step(t). {HEAVY}"),
    at("solving", "solve x.lp", "solving", x=PIGEONS + STEPS),
    at("searching", "solve fifteen34 --engine bfs", ""),
    at("searching by Z3", "solve sample05 --engine smt", ""),
    at("drawing rules", "render plan.json -o out.gif --draw draw.lp", "drawing out.gif",
       road=ROAD, plan=lambda: to_and_fro(2), draw=HEAVY + SHAPES),
    at("drawing rules of solve", "solve road.lp -o out.gif --draw draw.lp", "drawing out.gif",
       road=ROAD, draw=HEAVY + SHAPES),
    at("frames", "render plan.json -o out.gif --size 800 --frames 60", "drawing out.gif, frame",
       road=ROAD, plan=lambda: to_and_fro(400)),
    at("writing a page", "render plan.json -o out.html --draw draw.lp", "drawing out.html",
       road=ROAD, plan=lambda: to_and_fro(300),
       draw="canvas(500,500). rect(T,c(X),X,(X+T)\\400,1,1) :- T = 0..300, X = 1..300."),
    at("replay", "validate x.lp plan.json", "checking the plan",
       x=HEAVY + STEPS, plan=lambda: plan(1, ["x.lp"], ["go"])),
    at("conversion", "convert x.lp", "converting", x=HEAVY),
    at("analysis", "analyse x.lp --max-states 1000000000 --metric slide", "states within", x=WIDE),
    at("profile", "profile x.lp --horizon 1", "", x=HEAVY + STEPS),
    at("report of a comparison", "compare road.lp -e x.lp --horizon 2 --csv", "",
       road=ROAD, x=f"at(C) :- car(C,N,O), grid(R,S), position(0,C,R,S). {HEAVY} {STEPS}"),
)  # fmt: skip


@dataclass(frozen=True)
class End:
    """The end of a command: seconds after its limit, and things left behind."""

    seconds: float | None
    processes: int
    files: tuple[str, ...]
    reached: bool

    def __str__(self) -> str:
        words = ["not stopped" if self.seconds is None else f"{self.seconds:.1f}"]
        if self.processes:
            words.append(f"{self.processes} left")
        words += self.files
        return ", ".join(words if self.reached else [*words, "another phase"])

    @property
    def is_good(self) -> bool:
        """Within a second, and nothing is left."""
        soon = self.seconds is not None and self.seconds <= 1
        return soon and self.reached and not self.processes and not self.files


WAYS: dict[str, int | None] = {
    "time limit": None,
    "Ctrl-C": signal.SIGINT,
    "SIGTERM": signal.SIGTERM,
    "parent killed": signal.SIGKILL,
}


def end(phase: Phase, way: int | None) -> End:
    """Start the command of a phase, end it, and look at what is left."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in phase.files.items():
            (folder / file).write_text(text())
        before = set(folder.iterdir())
        process, source = _start(phase, folder, way)
        try:
            begin = _begun(process)
            if way is None:
                due = begin + LIMIT
            else:
                _wait_for_work(process, phase)
                due = time.monotonic()
                process.send_signal(way)
            seconds = _ended(process, due)
            time.sleep(1)
            left = in_session(process.pid)
        finally:
            for number in in_session(process.pid):
                os.kill(number, signal.SIGKILL)
            said = "".join(process.communicate())
            if source:
                source.kill()
                source.wait()
        reached = way in (signal.SIGKILL, signal.SIGTERM) or phase.said in said
        files = tuple(sorted(path.name for path in set(folder.iterdir()) - before))
        return End(seconds, len(left), files, reached)


def _start(
    phase: Phase, folder: Path, way: int | None
) -> tuple[subprocess.Popen[str], subprocess.Popen[str] | None]:
    # A shell starts what runs in the background with interrupts off; a terminal has them on.
    heeds = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    program = f"{heeds}; from asplan.cli import main; main()"
    limit = ["--time-limit", str(LIMIT)] if way is None else []
    source = None
    if phase.goes_on:
        source = subprocess.Popen(["sleep", "1000"], stdout=subprocess.PIPE, text=True)
    process = subprocess.Popen(
        [sys.executable, "-c", program, *phase.words.split(), *limit],
        cwd=folder,
        stdin=source.stdout if source else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    return process, source


def _begun(process: subprocess.Popen[str]) -> float:
    """When the command has all that it imports, and gets to work."""
    while process.poll() is None and not _workers(process):
        if psutil.Process(process.pid).status() == psutil.STATUS_SLEEPING:
            time.sleep(0.5)  # it may wait for its input, and have no worker
            break
        time.sleep(0.01)
    return time.monotonic()


def _wait_for_work(process: subprocess.Popen[str], phase: Phase) -> None:
    """Wait until a worker has worked for a while."""
    deadline = time.monotonic() + (LIMIT if phase.goes_on else 60)
    while process.poll() is None and time.monotonic() < deadline:
        if any(sum(w.cpu_times()[:2]) > LIMIT for w in _workers(process)):
            return
        time.sleep(0.02)


def _workers(process: subprocess.Popen[str]) -> list[psutil.Process]:
    try:
        return psutil.Process(process.pid).children()
    except psutil.Error:
        return []


def _ended(process: subprocess.Popen[str], due: float) -> float | None:
    """Seconds from when it was due to the end of all its processes."""
    while time.monotonic() < due + LONGEST:
        if process.poll() is not None and not in_session(process.pid):
            return max(0.0, time.monotonic() - due)
        time.sleep(0.02)
    return None


def main() -> int:
    """Go through all phases, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", metavar="WORD", help="of the names of phases")
    parser.add_argument("--check", action="store_true", help="end with 1 if a cell is wrong")
    add_quick(parser, "all of it: it is short")
    tables.add_option(parser)
    given = parser.parse_args()
    rows, good = [], True
    for phase in PHASES:
        if given.words and not any(word in phase.name for word in given.words):
            continue
        ends = [end(phase, way) for way in WAYS.values()]
        good = good and all(e.is_good for e in ends)
        rows.append([phase.name, *map(str, ends)])
        tables.progress("; ".join(rows[-1]))
    tables.show(["seconds until all is over", *WAYS], rows, markdown=given.markdown)
    return 1 if given.check and not good else 0


if __name__ == "__main__":
    sys.exit(main())
