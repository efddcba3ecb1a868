"""How a command works: in a worker under limits, with a line on a terminal, and an exit status."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial, wraps
from importlib import import_module
from inspect import unwrap
from typing import TYPE_CHECKING, Any, Self

import click

from asplan.core.errors import LONGEST, InputWarning, Stopped
from asplan.core.files import await_input
from asplan.core.limits import Limits, Stop
from asplan.core.process import Done, run_isolated
from asplan.core.text import plain, printable, shortened
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
        return time.monotonic() - self._start

    def warn_of(self, warnings: Iterable[InputWarning]) -> None:
        """Print the warnings that were not printed before, above the line."""
        new = [warning for warning in warnings if warning not in self._warned]
        self._warned.update(new)
        self.say(*(f"warning: {warning}" for warning in new))

    def say(self, *texts: str) -> None:
        if texts and self._status:
            self._status.stop()
        for text in texts:
            click.echo(printable(f"asplan: {shortened(text, LONGEST)}"), err=True)
        if texts and self._status:
            self._status.start()

    def show(self, *parts: str) -> None:
        if self._status:
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
    click.echo(printable(f"asplan: warning: {shortened(text, LONGEST)}"), err=True)


Doing = Callable[[str], None]  # says what is being done


def in_worker(*inputs: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Decorates a function that does the work of a command, in the place next to it.

    It does so in a child process, where limits and Ctrl-C hold whatever it does, and prints there
    what comes of it; only what it does (its first argument is told) and the exit status come back.
    Standard input, if it is among the files that parameters named `inputs` have, is read before.
    Raises `Stopped` where a limit is reached, and what the function raises.
    """

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        @wraps(function)
        def command(*, limits: Limits, **given: Any) -> int:
            start = time.monotonic()
            limits.check()
            named = (given[name] for name in inputs)
            files = [file for f in named for file in ([f] if isinstance(f, str) else f)]
            await_input(files, limits.seconds)
            work = partial(_work, function.__module__, function.__name__, given)
            begin = Done(0, "reading the files")
            with Line() as line:
                done = run_isolated(work, limits, lambda now: line.show(now.reason), begin, start)
            if done.stopped == Stop.INTERRUPT:
                click.echo(f"asplan: {done.reason}", err=True)
                return 130
            if done.stopped:
                raise Stopped(done.reason)
            return int(done.value)

        return command

    return decorate


def _work(module: str, name: str, given: dict[str, Any], report: Callable[[Done], None]) -> Done:
    """Find the function again, as its name means the command, which no process can hand over."""
    function = unwrap(getattr(import_module(module), name).callback)
    return Done(function(lambda doing: report(Done(0, doing)), **given))
