"""Tables and paragraphs as HTML; all text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from asplan.text import printable


def text(words: object) -> str:
    """Text from anywhere: nothing in it is markup."""
    return escape(printable(str(words)))


def paragraph(words: str, bold: str = "", small: str = "") -> str:
    """A paragraph, with bold words in front of it and small ones in a line below."""
    front = f"<b>{text(bold)}</b> " if bold else ""
    below = f"<br><small>{text(small)}</small>" if small else ""
    return f"<p>{front}{text(words)}{below}</p>"


def table(
    heads: Sequence[str], rows: Iterable[Sequence[object]], *, words: Sequence[str] = ()
) -> str:
    """A table of figures; the columns in `words` hold words, and begin at the left."""
    sides = ["left" if head in words else "right" for head in heads]
    head = "".join(_cell("th", h, side) for h, side in zip(heads, sides, strict=True))
    body = "".join(
        f"<tr>{''.join(_cell('td', v, side) for v, side in zip(row, sides, strict=True))}</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(tag: str, value: object, side: str) -> str:
    shown = "–" if value is None else f"{value:.3f}" if isinstance(value, float) else value
    return f'<{tag} style="text-align: {side}">{text(shown)}</{tag}>'
