"""Runs of clingo's grounder for programs that negate no derived atom.

The grounder derives all atoms of such a program as facts, so nothing is left to solve. A large
program is grounded in a child process, which can be stopped.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from asplan.clingo import Application, Control, clingo_main, open_control
from asplan.core.child import hold_signals, is_out_of_time, start_child
from asplan.core.errors import Stopped

Rows = np.ndarray
"""A matrix of object numbers: one row for each atom of a predicate, one column for each argument.
"""

_OUT_OF_MEMORY = 33  # clingo's exit status
_SATISFIABLE = 10  # the exit status if there is an answer set
_ALL_FOUND = 30  # the exit status if there is no further answer set
_LOOK = 0.2  # seconds between two checks that the parent is alive


def ground_here(program: str) -> dict[str, Rows]:
    """Ground a small program in this process.

    Return the derived rows of each predicate by its name. The arguments of all atoms are numbers.
    """
    control = open_control(["--warn=none"])
    control.add(program)
    control.ground()
    return _rows_by_name(f"{atom.symbol}".encode() for atom in control.symbolic_atoms)


def ground_apart(program: str) -> dict[str, Rows]:
    """Ground a program in a child process, and return the same as `ground_here`.

    Raises
    ------
    Stopped
        If the limit of processor time is reached.
    MemoryError
        If the child runs out of memory.
    """
    with tempfile.TemporaryDirectory(prefix="asplan-") as name:
        folder = Path(name)
        (folder / "program.lp").write_text(program, encoding="utf-8")
        with hold_signals():
            child, receiver = start_child(
                partial(
                    _ground,
                    folder,
                    os.getpid(),
                ),
                cleans_up=True,
            )
        try:
            status = child.wait()
        finally:
            child.kill()
            receiver.close()
        if is_out_of_time(status, child.usage):
            raise Stopped("the limit of processor time was reached while grounding")
        if status in (_OUT_OF_MEMORY, -signal.SIGKILL):
            raise MemoryError
        if status:
            errors = (folder / "errors").read_text(encoding="utf-8", errors="replace").strip()
            raise RuntimeError(f"grounding ended with status {status}: {errors}")
        facts = (folder / "facts").read_bytes()
    return _rows_by_name(line.rstrip(b".") for line in facts.splitlines())


class _Grounder(Application):
    """A clingo application that loads, grounds and solves one file."""

    def main(
        self,
        control: Control,
        files: Sequence[str],
    ) -> None:
        """Ground the first file, and print its facts if clingo runs with `--text`."""
        control.load(files[0])
        control.ground()
        control.solve()


def _ground(
    folder: Path,
    parent: int,
    sender: Connection,
) -> int:
    """Run the grounder in this child process, and return its exit status.

    The program is `program.lp` in the folder. The output goes to the files `facts` and `errors`
    there. `parent` is the number of the parent process. `sender`, a connection to it, is unused.
    """
    threading.Thread(
        target=_leave_with,
        args=(parent, folder),
        daemon=True,
    ).start()
    for number, stream in ((1, "facts"), (2, "errors")):
        with (folder / stream).open("wb") as file:
            os.dup2(file.fileno(), number)
    words = [str(folder / "program.lp"), "--text", "--warn=none"]
    status = clingo_main(_Grounder(), words)
    return 0 if status in (0, _SATISFIABLE, _ALL_FOUND) else status


def _leave_with(parent: int, folder: Path) -> None:
    """Wait until the parent process is dead; then remove the folder and end this process.

    The parent may be killed at any time, without a chance to stop its child.
    """
    while os.getppid() == parent:
        time.sleep(_LOOK)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _rows_by_name(atoms: Iterable[bytes]) -> dict[str, Rows]:
    """Parse atoms such as `p3(1,2)`, and return the sorted rows of each predicate by its name."""
    arguments: dict[bytes, list[bytes]] = {}
    for atom in atoms:
        name, _, rest = atom.partition(b"(")
        arguments.setdefault(name, []).append(rest[:-1])
    return {name.decode(): _rows_of(texts) for name, texts in arguments.items()}


def _rows_of(texts: Sequence[bytes]) -> Rows:
    """Parse argument lists of one predicate, such as `3,14`, and return them as sorted rows."""
    if not texts[0]:
        return np.zeros((1, 0), dtype=np.int64)
    numbers = np.fromstring(
        b",".join(texts).decode(),
        dtype=np.int64,
        sep=",",
    )
    rows = numbers.reshape(len(texts), -1)
    return rows[np.lexsort(rows.T[::-1])]
