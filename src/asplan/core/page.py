"""One web page that needs nothing else: no script, and no request.

All text from files reaches the page escaped; the page's own rules (a content security policy) allow
its one style sheet and the pictures that are written into it, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from html import escape
from importlib.resources import files

from asplan.core.text import printable


def page(title: str, parts: Iterable[str], style: str = "") -> str:
    """A page of parts, which are HTML already; `style` is added to the style sheet of all pages."""
    style = (files("asplan.core") / "page.css").read_text(encoding="utf-8") + style
    allowed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; img-src data:"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{safe(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


def safe(text: str) -> str:
    """Text from anywhere, as HTML shows it."""
    return escape(printable(text))
