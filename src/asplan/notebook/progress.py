"""A progress bar in HTML for a notebook.

The bar disappears when the call ends. If the answer is the value of the same cell, it is shown in
the place of the bar, so that the cell has one output.
"""

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from asplan.core.budget import Reporter, ignore_report
from asplan.core.page import escape_text
from asplan.core.plan import NotebookData

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

    def update(self, obj: object, *, raw: bool) -> None:
        """Replace the displayed object by `obj`; with `raw`, `obj` maps media types to texts."""


@dataclass
class _Place:
    """The place of the bar in the outputs of a cell.

    `is_free` is true while neither a bar nor an answer is shown there.
    """

    cell: int
    handle: _DisplayHandle
    is_free: bool = False


_place: _Place | None = None
"""The place in the cell that showed a bar last."""


def _show_answer(answer: NotebookData) -> None:
    """Show an answer in the place of a bar that was removed from the same cell.

    If there is no place of this kind, raise `NotImplementedError`, so that IPython shows the answer
    as usual.
    """
    place = _place
    if place is None or not place.is_free or place.cell != _shell().execution_count:
        raise NotImplementedError
    place.is_free = False
    place.handle.update({"text/html": answer._repr_html_(), "text/plain": repr(answer)}, raw=True)


def _shell() -> Any:  # noqa: ANN401  # IPython has no types
    return sys.modules["IPython"].get_ipython()


class Bar:
    """A progress bar below the running cell."""

    def __init__(self) -> None:
        self._place: _Place | None = None
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
        if self._place is not None:
            self._put("")
            self._place.is_free = True

    def _put(self, html: str) -> None:
        texts = {"text/html": html, "text/plain": ""}
        if self._place is None:
            self._place = _take_place(texts)
        else:
            self._place.handle.update(texts, raw=True)


def _take_place(texts: dict[str, str]) -> _Place:
    """Show texts in the running cell, in the free place of an earlier bar or in a new place.

    `texts` maps media types to texts.
    """
    global _place  # one kernel runs one cell at a time
    shell = _shell()
    cell = shell.execution_count
    if _place is not None and _place.is_free and _place.cell == cell:
        _place.is_free = False
        _place.handle.update(texts, raw=True)
        return _place
    display = importlib.import_module("IPython.display")
    shell.display_formatter.ipython_display_formatter.for_type(NotebookData, _show_answer)
    _place = _Place(cell, display.display(texts, raw=True, display_id=True))
    return _place
