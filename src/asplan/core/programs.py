"""Programs of others, which run while asplan waits, and end with it."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import IO

from asplan.core.budget import Budget, Reporter
from asplan.core.child import PR_SET_PDEATHSIG, set_process_option

_LOOK = 0.02
"""The seconds between two looks at the program and at the clock."""


def run_program(
    words: Sequence[str],
    folder: Path,
    budget: Budget,
    report: Reporter[str],
    activity: str,
    given: IO[bytes] | None = None,
) -> int:
    """Run a program to its end, without its output, and return its exit status.

    The program is killed if the budget is spent first, and also if asplan itself is killed.

    Parameters
    ----------
    words
        The program and its arguments.
    folder
        The folder in which the program runs.
    report
        Receives `activity` many times a second.
    given
        A file that the program reads as its standard input.

    Raises
    ------
    OutOfBudget, Abandoned
        The budget is spent.
    """
    process = subprocess.Popen(
        words,
        stdin=given or subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        preexec_fn=partial(set_process_option, PR_SET_PDEATHSIG, signal.SIGKILL),
    )
    try:
        while process.poll() is None:
            report(activity)
            budget.check()
            time.sleep(_LOOK)
    finally:
        process.kill()
        process.wait()
    return process.returncode
