"""A bar of HTML in a notebook that says what a call is doing; it goes away when that is done."""

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from asplan.core.page import safe
from asplan.engines.run import ignore_report

_PATIENCE, _PAUSE = 0.5, 0.1  # seconds before the bar appears, and between two of its states

Partial = TypeVar("Partial")
State = tuple[str, float | None]
"""What is being done, and which part of the whole is done, 0 to 1, where that is known."""


@contextmanager
def progress_report(
    progress: Callable[[Partial], None] | None, state: Callable[[Partial], State]
) -> Iterator[Callable[[Partial], None]]:
    """Whom a call tells how far it is: its caller, or a bar in a notebook, or nobody."""
    if progress is not None or not in_notebook():
        yield progress or ignore_report
        return
    bar = Bar()
    try:
        yield lambda partial: bar.show(*state(partial))
    finally:
        bar.clear()


def in_notebook() -> bool:
    if (shell := sys.modules.get("IPython")) is None:
        return False
    return hasattr(shell.get_ipython(), "kernel")


class Bar:
    """A bar below the cell that runs."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._next = time.monotonic() + _PATIENCE

    def show(self, doing: str, share: float | None = None) -> None:
        if (now := time.monotonic()) < self._next:
            return
        self._next = now + _PAUSE
        value = "" if share is None else f' value="{min(1.0, max(0.0, share)):.3f}"'
        self._put(f"<progress{value}></progress> {safe(doing)}")

    def clear(self) -> None:
        if self._handle is not None:
            self._put("")

    def _put(self, html: str) -> None:
        display = importlib.import_module("IPython.display")
        if self._handle is None:
            self._handle = display.display(display.HTML(html), display_id=True)
        else:
            self._handle.update(display.HTML(html))
