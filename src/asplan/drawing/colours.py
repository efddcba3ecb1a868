"""Colours: those that have names, and the default ones for objects that were given none.

>>> parse_colour("teal"), parse_colour("#0af")
('#008080', '#00aaff')
"""

from __future__ import annotations

import re
from difflib import get_close_matches

from PIL.ImageColor import colormap, getrgb

# fmt: off
PALETTE = (
    "#66aaff", "#ffbb11", "#9966dd", "#22ddbb", "#225577",
    "#ff7722", "#337733", "#dd88cc", "#663300", "#aaff88",
    "#ccccff", "#bb5577", "#aaaa77", "#6633aa", "#2288aa",
)
# fmt: on
"""Fill colours for objects without one, in this order, then from the start again.

Found by a search for fifteen colours, red and a light ground that stay apart both for normal
vision and for protanopia, deuteranopia and tritanopia as Machado, Oliveira and Fernandes (2009)
simulate them. The least distance of any two in OKLab is 0.076, the same as among the eight colours
of Okabe and Ito (2008).
"""

NONE = "none"
WHITE, INK = "#ffffff", "#1d232b"

RGB = tuple[int, int, int]


def parse_colour(text: str) -> str:
    """A colour as `#rrggbb`, or `none`.

    Raises
    ------
    ValueError
        It is neither a CSS name nor written `#rgb` or `#rrggbb`; the message is a mend.
    """
    if text == NONE:
        return NONE
    if re.fullmatch(r"#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}", text) or text in colormap:
        return "#{:02x}{:02x}{:02x}".format(*getrgb(text))
    raise ValueError(_mend(text))


def _mend(text: str) -> str:
    number = 'a number such as "#ff8800" or "#f80"'
    if text.startswith("#"):
        return f"write {number}"
    close = " or ".join(get_close_matches(text.lower(), colormap, n=2)) or "a CSS name such as teal"
    return f"use {close}, or {number}"


def rgb(colour: str) -> RGB:
    """The three parts of `#rrggbb`, 0 to 255."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def readable_on(colour: str) -> str:
    """White on a dark colour, INK on a light one, whichever stands out more.

    They do so equally where the relative luminance of WCAG 2.2 is 0.215.
    """
    if colour == NONE:
        return INK
    red, green, blue = (_linear(part / 255) for part in rgb(colour))
    return WHITE if 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.215 else INK


def _linear(part: float) -> float:
    return float(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
