"""Pages and texts from templates; a page needs nothing else, has no script and makes no request.

Templates are Jinja's. What they are given is text from anywhere, which is made harmless on its way.
The page's content security policy allows its one style sheet and the pictures written into it.
"""

import base64
import hashlib
from collections.abc import Callable
from html import escape
from importlib.resources import files
from typing import Any

from asplan.core.text import printable


def page(template: str, style: str = "", **values: Any) -> str:
    """A page from a template that extends `core/page.html`, in which `values` are escaped."""
    from markupsafe import Markup

    style = (files("asplan.core") / "page.css").read_text(encoding="utf-8") + style
    allowed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; img-src data:"
    own = {"style": Markup(style), "policy": Markup(policy)}
    return filled(template, safe, **values, **own)


def safe(text: object) -> str:
    """Text from anywhere, as HTML shows it."""
    return escape(printable(str(text)))


def filled(template: str, harmless: Callable[[str], str], **values: Any) -> str:
    """A template, named by its path in the package, with values that a function makes harmless."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("asplan", "."),
        autoescape=True,
        finalize=lambda v: v if isinstance(v, Markup) else Markup(harmless(str(v))),
        keep_trailing_newline=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    return environment.get_template(template).render(values)
