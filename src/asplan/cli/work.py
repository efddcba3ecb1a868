"""How a command works: in a worker under limits, with a line on a terminal, and an exit status."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import click

from asplan.core.errors import LONGEST, InputWarning, Stopped
from asplan.core.files import await_input
from asplan.core.limits import Limits, Stop
from asplan.core.process import run_isolated
from asplan.core.text import printable, shortened
from asplan.result import Result

if TYPE_CHECKING:
    from rich.status import Status


class Line:
    """A line on standard error that says what is being done; none where that is no terminal."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._warned: set[InputWarning] = set()
        self._status: Status | None = None
        if not sys.stderr.isatty():
            return
        from rich.status import Status

        from asplan.cli.tables import make_console

        console = make_console(stderr=True)
        if console.is_terminal:
            self._status = Status("reading", console=console)
            # The display is refreshed by hand: a thread of its own must not live across a fork.
            self._status._live.auto_refresh = False

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

    def warn_of(self, warnings: Iterable[InputWarning]) -> None:
        """Print the warnings that were not printed before, above the line."""
        new = [warning for warning in warnings if warning not in self._warned]
        self._warned.update(new)
        self.say(*(f"warning: {warning}" for warning in new))

    def say(self, *texts: str) -> None:
        """Print texts above the line."""
        if texts and self._status:
            self._status.stop()
        for text in texts:
            click.echo(printable(f"asplan: {shortened(text, LONGEST)}"), err=True)
        if texts and self._status:
            self._status.start()

    def show(self, *parts: str) -> None:
        """Show what is being done and for how long."""
        if self._status:
            from asplan.core.text import plain

            seconds = f"{self.seconds:.0f} s"
            self._status.update(plain(" · ".join([*filter(None, parts), seconds])))
            self._status._live.refresh()


def stop_status(stopped: Stop | None, otherwise: bool = False) -> int:
    """The exit status of work that may have been stopped, or may be incomplete otherwise."""
    return 130 if stopped == Stop.INTERRUPT else int(otherwise or stopped is not None)


def bounds(result: Result) -> list[str]:
    """What is proven of every plan."""
    lines = []
    if result.lower_bound > 0:
        counted = result.optimized if result.optimized in ("actions", "layers") else "steps"
        lines.append(f"has at least {result.lower_bound} {counted}")
    if result.lower_cost > 0:
        lines.append(f"costs at least {result.lower_cost}")
    return lines


def print_json(data: Any) -> None:
    """Print plain data for other programs."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    import json

    text = json.dumps(data, indent=2, ensure_ascii=not unicode)
    click.echo(re.sub(r"[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text))


def warn(text: str) -> None:
    """Print a warning on standard error."""
    click.echo(printable(f"asplan: warning: {shortened(text, LONGEST)}"), err=True)


Doing = Callable[[str], None]
"""Says what is being done."""


@dataclass(frozen=True)
class Work:
    """What a worker reports: what it is doing, and at the end the exit status."""

    reason: str = "reading the files"
    stopped: Stop | None = None
    status: int = 0


def in_worker(body: Callable[[Doing], int], limits: Limits, files: tuple[str, ...] = ()) -> int:
    """Do the work of a command in a child process, where limits and Ctrl-C hold whatever it does.

    The worker itself prints what comes of it; only what it does, and the exit status, come back.
    Standard input, if it is among the files that are read, is read before. Raises `Stopped` where a
    limit is reached, and what the work raises.
    """
    start = time.monotonic()
    limits.check()
    await_input(files, limits.seconds)
    with Line() as line:
        work = partial(_work, body)
        done = run_isolated(work, limits, lambda w: line.show(w.reason), Work(), start)
    if done.stopped == Stop.INTERRUPT:
        click.echo(f"asplan: {done.reason}", err=True)
        return 130
    if done.stopped:
        raise Stopped(done.reason)
    return done.status


def _work(body: Callable[[Doing], int], report: Callable[[Work], None]) -> Work:
    return Work(status=body(lambda doing: report(Work(doing))))
