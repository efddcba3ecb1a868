"""Means of all commands: the status line on a terminal, the worker process, and plain output."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from importlib import import_module
from inspect import unwrap
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import click

from asplan.core.budget import Reporter
from asplan.core.errors import LONGEST, InputWarning, Stopped
from asplan.core.files import await_input
from asplan.core.limits import Limits, Stop
from asplan.core.text import plain_text, printable, shortened

if TYPE_CHECKING:
    from rich.status import Status

    from asplan.core.process import Done

Arguments: TypeAlias = dict[str, Any]  # options of a command by name, each of its own type


class ProgressLine:
    """A line with the current activity, shown on standard error if that is a terminal."""

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
            # The line is refreshed by hand: a thread for that must not live across a fork.
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
        """The seconds since the status line was made."""
        return time.monotonic() - self._start

    def warn_of(self, warnings: Iterable[InputWarning]) -> None:
        """Print warnings above the status line, except warnings that were printed before."""
        new = [warning for warning in warnings if warning not in self._warned]
        self._warned.update(new)
        if new:
            from asplan.cli.diagnostics import print_warning

            with self.paused():
                for warning in new:
                    print_warning(warning)

    def print(self, text: str) -> None:
        """Print a text above the status line."""
        with self.paused():
            note(shortened(text, LONGEST))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Remove the line from the terminal during a block."""
        if self._status:
            self._status.stop()
        yield
        if self._status:
            self._status.start()

    def show(self, *parts: str) -> None:
        """Replace the text of the line by some texts and the seconds since the start."""
        if self._status:
            seconds = f"{self.seconds:.0f} s"
            self._status.update(plain_text(" · ".join([*filter(None, parts), seconds])))
            self._status._live.refresh()


def stop_status(stopped: Stop | None, is_incomplete: bool = False) -> int:
    """Return the exit status of work: 130 if interrupted, 1 if stopped or incomplete, else 0."""
    return 130 if stopped == Stop.INTERRUPT else int(is_incomplete or stopped is not None)


def print_json(data: object) -> None:
    """Print data as JSON, for other programs."""
    import json

    has_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(data, indent=2, ensure_ascii=not has_unicode)
    click.echo(re.sub(r"[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text))


def warn(text: str) -> None:
    """Print a warning on standard error."""
    click.echo(printable(f"asplan: warning: {shortened(text, LONGEST)}"), err=True)


def note(text: str) -> None:
    """Print a message on standard error."""
    click.echo(printable(f"asplan: {text}"), err=True)


def in_worker(*inputs: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator that runs the function of a command in a child process.

    So limits and Ctrl-C can end the function at any time. The decorated function prints in the
    child and returns the exit status. Its first argument is a function to which it reports its
    current activity. `inputs` names the parameters with files; if one of these is standard input,
    it is read before the child starts. The command raises `Stopped` at a limit, and the errors of
    the function.
    """

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        @wraps(function)
        def command(*, limits: Limits, **given: object) -> int:
            from asplan.core.process import Done, run_isolated

            start = time.monotonic()
            limits.check()
            await_input(_files_of(given, inputs), limits.seconds)
            work = partial(_work, function.__module__, function.__name__, given)
            begin = Done(0, "reading the files")
            with ProgressLine() as line:
                done = run_isolated(work, limits, lambda now: line.show(now.reason), begin, start)
            if done.stopped == Stop.INTERRUPT:
                click.echo(f"asplan: {done.reason}", err=True)
                return 130
            if done.stopped:
                raise Stopped(done.reason)
            return int(done.value)

        return command

    return decorate


def _files_of(given: Arguments, names: Iterable[str]) -> Iterator[str]:
    """Yield the files in the parameters with these names; each has one file or several."""
    for name in names:
        value = given[name]
        if isinstance(value, str):
            yield value
        else:
            yield from value


def _work(
    module: str,
    name: str,
    given: Arguments,
    report: Reporter[Done],
) -> Done:
    """Run a command's undecorated function in the child; return a `Done` with its exit status.

    `module` and `name` lead to the command.
    """
    from asplan.core.process import Done

    function = unwrap(getattr(import_module(module), name).callback)
    return Done(function(lambda activity: report(Done(0, activity)), **given))
