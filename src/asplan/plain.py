"""Text from anywhere, for a terminal."""

from __future__ import annotations

from rich.text import Text

from asplan.text import printable


def plain(text: str, style: str = "") -> Text:
    """Text from anywhere: nothing in it is markup, or steers the terminal."""
    return Text(printable(text), style=style)
