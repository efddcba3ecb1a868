"""Colours: those that have names, the default ones, and a palette for all frames of a scene.

>>> parse_colour("teal"), parse_colour("#0af")
('#008080', '#00aaff')
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches

import numpy as np
import numpy.typing as npt
from PIL import Image
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
    """A colour as `#rrggbb`, or `none`; `ValueError` with a hint where the text is none."""
    if text == NONE:
        return NONE
    if re.fullmatch(r"#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}", text) or text in colormap:
        return "#{:02x}{:02x}{:02x}".format(*getrgb(text))
    number = 'a number such as "#ff8800" or "#f80"'
    if text.startswith("#"):
        raise ValueError(f"write {number}")
    close = " or ".join(get_close_matches(text.lower(), colormap, n=2)) or "a CSS name such as teal"
    raise ValueError(f"use {close}, or {number}")


def rgb(colour: str) -> RGB:
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def readable_on(colour: str) -> str:
    """White on a dark colour, INK on a light one, by the relative luminance of WCAG 2.2."""
    if colour == NONE:
        return INK
    parts = (part / 255 for part in rgb(colour))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return WHITE if 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.215 else INK


Indices = npt.NDArray[np.uint8]

CLEAR = 255  # the index that lets the frame before show through
_BITS, _EXACT = 6, 160


class Palette:
    """Up to 255 colours, some exact, found by a table: Pillow misses some (Pillow#1852)."""

    def __init__(self, exact: Iterable[RGB], samples: Iterable[Image.Image]) -> None:
        kept = list(dict.fromkeys(exact))[:_EXACT]
        cells = {_cell(colour) for colour in kept}
        mixed = [c for c in _mixed(samples, CLEAR - len(kept)) if _cell(c) not in cells]
        self.colours: tuple[RGB, ...] = (*kept, *mixed)
        self._table = _nearest(np.array(self.colours, dtype=np.float32))
        for index, colour in reversed(list(enumerate(kept))):
            self._table[_cell(colour)] = index
        self.opaque = np.zeros((CLEAR + 1, 4), dtype=np.uint8)
        self.opaque[: len(self.colours)] = [(*colour, 255) for colour in self.colours]

    def indices(self, image: Image.Image) -> Indices:
        """The palette index of each pixel, by row and column."""
        parts = np.asarray(image, dtype=np.uint32) >> (8 - _BITS)
        cells = parts[..., 0] << (2 * _BITS) | parts[..., 1] << _BITS | parts[..., 2]
        found: Indices = self._table[cells]
        return found

    def table(self) -> bytes:
        return bytes(part for colour in self.colours for part in colour).ljust(768, b"\0")


def _cell(colour: RGB) -> int:
    red, green, blue = (part >> (8 - _BITS) for part in colour)
    return red << (2 * _BITS) | green << _BITS | blue


def _mixed(samples: Iterable[Image.Image], number: int) -> list[RGB]:
    # A colour counts once however large its area is, or flat areas would take all entries.
    found = {c for image in samples for _, c in image.getcolors(image.width * image.height) or ()}
    colours = np.array(sorted(found), dtype=np.uint8)[np.newaxis]
    mapped = Image.fromarray(colours).quantize(number, Image.Quantize.MEDIANCUT)
    parts = mapped.getpalette() or []
    return list(zip(parts[::3], parts[1::3], parts[2::3], strict=False))


def _nearest(colours: npt.NDArray[np.float32]) -> Indices:
    """For each cell of the colour cube the index of the colour nearest to its middle."""
    side = (np.arange(1 << _BITS, dtype=np.float32) + 0.5) * (1 << (8 - _BITS))
    squares = (colours**2).sum(axis=1)
    rows = []
    for red in side:
        plane = np.stack(np.meshgrid(red, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
        rows.append((squares - 2 * plane @ colours.T).argmin(axis=1))
    return np.concatenate(rows).astype(np.uint8)
