"""Fast Downward's translator: a program of its own, which turns PDDL into a finite-domain task.

It is a package of its own as well, under the GPL, so nothing of it is imported here. It grounds,
finds mutex groups, and compiles away what is left of quantifiers and disjunctions (Helmert, Concise
Finite-Domain Representations for PDDL Planning Tasks, 2009).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from asplan.errors import AsplanError, InputError, MissingExtra

PACKAGE = "fast_downward.translate"

_START = f"""
import os, runpy, shutil, sys, threading, time
parent, folder = int(sys.argv.pop()), sys.argv.pop()
def leave_with_parent():
    while os.getppid() == parent:
        time.sleep(0.2)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
threading.Thread(target=leave_with_parent, daemon=True).start()
runpy.run_module("{PACKAGE}", run_name="__main__", alter_sys=True)
"""
"""Runs the translator in a process that does not outlive the one that started it.

That one may be killed at any time; then the folder with the files is removed here.
"""

_REFUSED = 31
_OUT_OF_MEMORY = 20


def translate(domain: str, problem: str, all_variables: bool = False) -> tuple[str, str]:
    """Translate the texts of a domain and a problem.

    Parameters
    ----------
    all_variables
        Whether variables stay that have no bearing on the goal.

    Returns
    -------
    tuple
        The task as the translator writes it, and what it said on the way.

    Raises
    ------
    MissingExtra
        The translator is not installed.
    InputError
        It refuses the task.
    """
    _check_there()
    with tempfile.TemporaryDirectory(prefix="asplan-") as folder:
        written = Path(folder)
        files = [written / "domain.pddl", written / "problem.pddl", written / "task.sas"]
        for file, text in zip(files, (domain, problem), strict=False):
            file.write_text(text, encoding="utf-8")
        words = [str(files[0]), str(files[1]), "--sas-file", str(files[2])]
        words += ["--keep-unimportant-variables"] * all_variables
        done = _run(words, folder)
        if done.returncode:
            raise _refusal(done)
        return files[2].read_text(encoding="utf-8"), done.stdout


def _check_there() -> None:
    try:
        there = find_spec(PACKAGE)
    except ModuleNotFoundError:  # not even the package that it is a part of
        there = None
    if there is None:
        raise MissingExtra(
            "PDDL needs Fast Downward's translator, which is not installed",
            mend="pip install 'asplan[pddl]'",
        )


def _run(words: list[str], folder: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _START, *words, folder, str(os.getpid())],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def _refusal(done: subprocess.CompletedProcess[str]) -> AsplanError:
    """Why there is no task."""
    said = (done.stdout if done.returncode == _REFUSED else done.stderr).strip().splitlines()
    if done.returncode == _OUT_OF_MEMORY or done.returncode == -9:
        raise MemoryError
    # Before it says what is wrong it tells how it got there, a line for each level.
    told = [line.split("->")[-1].strip() for line in said]
    wrong = [line for line in told if not line.startswith("Parsing")] or told
    why = " ".join(wrong) if done.returncode == _REFUSED else "".join(wrong[-1:])
    return InputError(f"the translator of PDDL refuses the task: {why or done.returncode}")
