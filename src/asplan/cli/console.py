"""The terminal, as what prints sees it."""

from __future__ import annotations

from typing import Any

from rich.console import Console


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave the error to whoever decides how a command ends."""
        raise


def make_console(**settings: Any) -> Console:
    """A console for standard output, or for standard error."""
    return _Console(highlight=False, **settings)
