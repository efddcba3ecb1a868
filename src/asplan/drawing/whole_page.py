"""Web pages that need nothing else: style, script and data stand in the page itself.

All text from a file reaches a page as JSON or escaped, and the page's own rules (a content
security policy) allow no script and no style but the ones it was written with, and no request.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib.resources import files
from typing import Any


def part(folder: str, name: str) -> str:
    """A part of a page, from a folder of this package."""
    return (files("asplan.drawing") / folder / name).read_text(encoding="utf-8")


def whole_page(template: str, title: str, style: str, script: str, data: dict[str, Any]) -> str:
    """A template with all that it names put in: title, style, script, their hashes, and data."""
    values = {
        "title": html.escape(title),
        "style": style,
        "style-hash": _hash(style),
        "script": script,
        "script-hash": _hash(script),
        "data": _embedded(data),
    }
    # In one pass, so that what is put in is never searched for places itself.
    return re.sub(r"\{\{([a-z-]+)\}\}", lambda place: values[place[1]], template)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _embedded(data: dict[str, Any]) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
