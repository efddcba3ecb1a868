"""Web pages and texts made from Jinja's templates.

Pages have no script and make no requests: their content security policy allows only their one style
sheet and the pictures inside of them. Values may come from any source, so they are escaped.
"""

import base64
import hashlib
import re
from collections.abc import Callable
from html import escape
from importlib.resources import files

from asplan.core.text import printable


def render_page(template: str, style: str = "", **values: object) -> str:
    """Return the HTML of a template that extends `core/page.html`, filled with escaped values.

    `style` has CSS rules in addition to those of all pages.
    """
    from markupsafe import Markup

    style = (files("asplan.core") / "page.css").read_text(encoding="utf-8") + style
    allowed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; img-src data:"
    own = {"style": Markup(style), "policy": Markup(policy)}
    return render_template(template, escape_text, **values, **own)


def escape_text(text: object) -> str:
    """Return HTML that shows a text as it is, with control characters as escapes."""
    return escape(printable(str(text)))


def breakable(text: object) -> str:
    """Return HTML that shows a text as it is, in which a line may break after `_` and `/`.

    >>> breakable("three_and_five.lp reads no/2")
    'three_<wbr>and_<wbr>five.lp reads no/2'
    """
    return re.sub(r"([_/]+)(?=[^\W\d_])", r"\1<wbr>", escape_text(text))


def render_template(template: str, escape_value: Callable[[str], str], **values: object) -> str:
    """Return the text of a template in asplan's package, filled with values.

    `escape_value` escapes the values, except those of the type `Markup`.
    """
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
    environment.filters["breakable"] = lambda text: Markup(breakable(text))
    return environment.get_template(template).render(values)
