"""The work of a command in a worker, where limits and Ctrl-C hold whatever it is doing.

A command that prints one thing when it is done leaves that to its worker, too; only what is being
done, and the exit status, come back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import click

from asplan.cli.progress import Line
from asplan.errors import Stopped
from asplan.limits import Limits
from asplan.program.files import await_input
from asplan.result import Stop
from asplan.worker import run_isolated

Function = TypeVar("Function", bound=Callable[..., Any])
Doing = Callable[[str], None]
"""Says what is being done."""


@dataclass(frozen=True)
class Work:
    """What a worker reports: what it is doing, and at the end the exit status."""

    reason: str = "reading the files"
    stopped: Stop | None = None
    status: int = 0


def limit_options(function: Function) -> Function:
    """`--time-limit` and `--memory-limit`; they arrive as `time_limit` and `memory_limit`."""
    function = click.option(
        "--memory-limit", type=click.IntRange(1), metavar="MB", help="Megabytes."
    )(function)
    return click.option("--time-limit", type=click.FloatRange(0), metavar="S", help="Seconds.")(
        function
    )


def in_worker(body: Callable[[Doing], int], limits: Limits, files: tuple[str, ...] = ()) -> int:
    """Do the work of a command in a child process.

    Parameters
    ----------
    files
        What it reads: standard input, if that is among them, is read before.

    Returns
    -------
    int
        The exit status.

    Raises
    ------
    Stopped
        A limit was reached.
    AsplanError
        The one that the work raised.
    """
    start = time.monotonic()
    limits.check()
    await_input(files, limits.seconds)
    with Line() as line:
        work, show = partial(_work, body), lambda w: line.show(w.reason)
        done = run_isolated(work, limits, show, Work(), start)
    if done.stopped == Stop.INTERRUPT:
        click.echo(f"asplan: {done.reason}", err=True)
        return 130
    if done.stopped:
        raise Stopped(done.reason)
    return done.status


def _work(body: Callable[[Doing], int], report: Callable[[Work], None]) -> Work:
    return Work(status=body(lambda doing: report(Work(doing))))
