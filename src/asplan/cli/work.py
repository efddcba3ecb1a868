"""A line on standard error that says what is being done."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click

from asplan.errors import LONGEST, Stopped
from asplan.files import await_input
from asplan.limits import Limits, Stop
from asplan.process import run_isolated
from asplan.result import Outcome, Result
from asplan.text import printable, shortened

if TYPE_CHECKING:
    from rich.status import Status


class Line:
    """A line on standard error that says what is being done; none where that is no terminal."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._status = _status() if sys.stderr.isatty() else None

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._status:
            self._status.stop()

    @property
    def seconds(self) -> float:
        """Since it was made."""
        return time.monotonic() - self._start

    def show(self, *parts: str) -> None:
        """Show what is being done and for how long."""
        if self._status:
            from asplan.text import plain

            seconds = f"{self.seconds:.0f} s"
            self._status.update(plain(" · ".join([*filter(None, parts), seconds])))
            self._status._live.refresh()


class Progress(Line):
    """Says what is proven so far."""

    def __call__(self, result: Result) -> None:
        """Show what a partial result says."""
        self.show(result.reason, *bounds(result), f"{result.statistics.conflicts or 0} conflicts")


def _status() -> Status | None:
    """The line, where the terminal can show one."""
    from rich.status import Status

    from asplan.cli.tables import make_console

    console = make_console(stderr=True)
    if not console.is_terminal:
        return None
    status = Status("reading", console=console)
    # The display is refreshed by hand: a thread of its own must not live across a fork.
    status._live.auto_refresh = False
    return status


def bounds(result: Result) -> list[str]:
    """What is proven of every plan."""
    lines = []
    if result.lower_bound > 0:
        counted = "actions" if result.optimized == "actions" else "steps"
        lines.append(f"has at least {result.lower_bound} {counted}")
    if result.lower_cost > 0:
        lines.append(f"costs at least {result.lower_cost}")
    return lines


# What a command hands to whoever started it, as it is: JSON, warnings, an exit status.


def exit_status(result: Result) -> int:
    """What the command line ends with."""
    if result.stopped == Stop.INTERRUPT:
        return 130
    return {Outcome.UNSOLVABLE: 3, Outcome.UNKNOWN: 1}.get(result.outcome, 0)


def print_json(data: Any) -> None:
    """Print plain data for other programs."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(data, indent=2, ensure_ascii=not unicode)
    click.echo(re.sub(r"[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text))


def print_warnings(result: Result) -> None:
    """Print what the caller should know about the input, on standard error."""
    for warning in result.warnings:
        warn(warning)


def warn(text: str) -> None:
    """Print a warning on standard error."""
    click.echo(printable(f"asplan: warning: {shortened(text, LONGEST)}"), err=True)


# The work of a command in a worker, where limits and Ctrl-C hold whatever it is doing.
#
# A command that prints one thing when it is done leaves that to its worker, too; only what is being
# done, and the exit status, come back.


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
