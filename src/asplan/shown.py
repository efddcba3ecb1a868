"""What a notebook shows, and what becomes a table, without knowing how: `asplan.notebook` does."""

from __future__ import annotations

from typing import Any

from asplan.registry import function_at

_html = function_at("asplan.notebook.pages:html_of")
_frame = function_at("asplan.notebook.frames:frame_of")


class Shown:
    """A base of plain data that people look at."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """The data as a piece of a page, for a notebook."""
        return _html(self)  # type: ignore[no-any-return]

    def to_frame(self) -> Any:
        """The data as a `pandas.DataFrame`; docs/notebooks.md names its columns.

        Raises
        ------
        MissingExtra
            pandas is not installed.
        """
        return _frame(self)
