"""Pages and texts from Jinja's templates; pages have no script and make no request.

Values may come from any source, so they are escaped. The content security policy of a page allows
its one style sheet and the pictures inside it.
"""

import base64
import hashlib
from collections.abc import Callable
from html import escape
from importlib.resources import files

from asplan.core.text import printable


def render_page(template: str, style: str = "", **values: object) -> str:
    """Return a page from a template that extends `core/page.html`, with escaped values."""
    from markupsafe import Markup

    style = (files("asplan.core") / "page.css").read_text(encoding="utf-8") + style
    allowed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; img-src data:"
    own = {"style": Markup(style), "policy": Markup(policy)}
    return render_template(template, escape_text, **values, **own)


def escape_text(text: object) -> str:
    """Return text as HTML that shows it."""
    return escape(printable(str(text)))


def render_template(template: str, escape_value: Callable[[str], str], **values: object) -> str:
    """Return a template of the package, filled with escaped values; `Markup` stays as it is."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def finalize(value: object) -> Markup:
        return value if isinstance(value, Markup) else Markup(escape_value(str(value)))

    environment = Environment(
        loader=PackageLoader("asplan", "."),
        autoescape=True,
        finalize=finalize,
        keep_trailing_newline=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    return environment.get_template(template).render(values)
