"""A progress bar in HTML for a notebook, which disappears when the call ends."""

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from asplan.core.budget import Reporter, ignore_report
from asplan.core.page import escape_text

_PATIENCE = 0.5
"""The seconds before the bar appears."""

_PAUSE = 0.1
"""The seconds between two updates of the bar."""

Partial = TypeVar("Partial")

State = tuple[str, float | None]
"""The current activity, and the finished share of the work from 0 to 1; None if unknown."""


@contextmanager
def progress_report(
    progress: Reporter[Partial] | None, state: Callable[[Partial], State]
) -> Iterator[Reporter[Partial]]:
    """Yield a receiver of partial results: the caller's, a bar in a notebook, or one that ignores
    them.

    Parameters
    ----------
    progress
        The caller's function, or None.
    state
        Returns the activity and the finished share that the bar shows for a partial result.
    """
    if progress is not None or not in_notebook():
        yield progress or ignore_report
        return
    bar = Bar()
    try:
        yield lambda partial: bar.show(*state(partial))
    finally:
        bar.clear()


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class _DisplayHandle(Protocol):
    """IPython's handle of a displayed object."""

    def update(self, obj: object) -> None:
        """Replace the displayed object."""


class Bar:
    """A progress bar below the running cell."""

    def __init__(self) -> None:
        self._handle: _DisplayHandle | None = None
        self._next = time.monotonic() + _PATIENCE

    def show(self, activity: str, share: float | None = None) -> None:
        """Show an activity and the finished share of the work, unless the last update is very
        recent.
        """
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _PAUSE
        value = ""
        if share is not None:
            bounded = min(1.0, max(0.0, share))
            value = f' value="{bounded:.3f}"'
        self._put(f"<progress{value}></progress> {escape_text(activity)}")

    def clear(self) -> None:
        """Remove the bar."""
        if self._handle is not None:
            self._put("")

    def _put(self, html: str) -> None:
        display = importlib.import_module("IPython.display")
        if self._handle is None:
            self._handle = display.display(display.HTML(html), display_id=True)
        else:
            self._handle.update(display.HTML(html))
