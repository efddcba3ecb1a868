"""A line on standard error that says what is being done."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

from asplan.result import Result

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
            from asplan.plain import plain

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

    from asplan.cli.console import make_console

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
