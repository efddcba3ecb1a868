"""Colours: names, the default fill colours, and a palette for all frames of an animation.

>>> parse_colour("teal"), parse_colour("#0af")
('#008080', '#00aaff')
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import chain

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
"""The default fill colours, used in this order and then from the start again.

A search found fifteen colours that differ from each other, from red and from a light background.
They differ for normal vision and for protanopia, deuteranopia and tritanopia, simulated after
Machado, Oliveira and Fernandes (2009). The least distance of any two in OKLab is 0.076, the same
as among the eight colours of Okabe and Ito (2008).
"""

NONE = "none"
WHITE = "#ffffff"
INK = "#1d232b"
DIM = "#6b7480"
TRACK = "#e4e7eb"  # the empty part of a progress bar
DONE = "#66aaff"  # the filled part

RGB = tuple[int, int, int]


def parse_colour(text: str) -> str:
    """Return a colour, such as `teal` or `#0af`, as `#rrggbb`; `none` stays `none`.

    Raises `ValueError` for any other text; its message suggests a colour.
    """
    if text == NONE:
        return NONE
    if re.fullmatch(r"#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}", text) or text in colormap:
        return "#{:02x}{:02x}{:02x}".format(*getrgb(text))
    number = 'a number such as "#ff8800" or "#f80"'
    if text.startswith("#"):
        raise ValueError(f"write {number}")
    matches = get_close_matches(text.lower(), colormap, n=2)
    close = " or ".join(matches) or "a CSS name such as teal"
    raise ValueError(f"use {close}, or {number}")


def rgb(colour: str) -> RGB:
    """Return the red, green and blue components of `#rrggbb`, each from 0 to 255."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def readable_on(colour: str) -> str:
    """Return a text colour readable on a background: white on dark, INK (nearly black) on light.

    The luminance is that of WCAG 2.2.
    """
    if colour == NONE:
        return INK
    red, green, blue = (_linear(part / 255) for part in rgb(colour))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return WHITE if luminance < 0.215 else INK


def _linear(part: float) -> float:
    """Undo the gamma correction of an sRGB component from 0 to 1."""
    if part <= 0.04045:
        return part / 12.92
    return float(((part + 0.055) / 1.055) ** 2.4)


Indices = npt.NDArray[np.uint8]

CLEAR = 255  # the index of transparent pixels, which keep the colour of the last frame
_BITS = 6  # bits of each colour component that select a cell of the colour cube
_MOST_EXACT = 160  # colours that are kept unchanged


class Palette:
    """A palette of up to 255 colours with a look-up table from colours to indices.

    The `exact` colours are kept unchanged (the first `_MOST_EXACT` of them); the other entries are
    colours that represent the sample images. Pillow's own search misses the nearest colour at times
    (Pillow#1852).
    """

    def __init__(self, exact: Iterable[RGB], samples: Iterable[Image.Image]) -> None:
        kept = list(dict.fromkeys(exact))[:_MOST_EXACT]
        cells = {_cell_of(colour) for colour in kept}
        mixed = _mix_colours(samples, CLEAR - len(kept))
        others = [colour for colour in mixed if _cell_of(colour) not in cells]
        self.colours: tuple[RGB, ...] = (*kept, *others)
        colours = np.array(self.colours, dtype=np.float32)
        self._table = _nearest_indices(colours)
        # Reversed, so that the first of several exact colours in a cell wins.
        for index, colour in reversed(list(enumerate(kept))):
            self._table[_cell_of(colour)] = index
        self.opaque = np.zeros((CLEAR + 1, 4), dtype=np.uint8)
        for index, colour in enumerate(self.colours):
            self.opaque[index] = (*colour, 255)

    def indices(self, image: Image.Image) -> Indices:
        """Return the palette index of each pixel, by row and column."""
        parts = np.asarray(image, dtype=np.uint32) >> (8 - _BITS)
        red = parts[..., 0] << (2 * _BITS)
        green = parts[..., 1] << _BITS
        found: Indices = self._table[red | green | parts[..., 2]]
        return found

    def table(self) -> bytes:
        """Return the colours as GIF stores them: 256 entries of red, green and
        blue, one byte each.
        """
        return bytes(chain.from_iterable(self.colours)).ljust(768, b"\0")


def _cell_of(colour: RGB) -> int:
    """Return the index of the cell of the colour cube (64 cells along each axis) that contains a
    colour.
    """
    red, green, blue = (part >> (8 - _BITS) for part in colour)
    return red << (2 * _BITS) | green << _BITS | blue


def _mix_colours(samples: Iterable[Image.Image], number: int) -> list[RGB]:
    """Return at most `number` colours that represent all colours of the samples, by median cut."""
    # A colour counts once however large its area is, or flat areas would take all entries.
    found: set[object] = set()
    for image in samples:
        counted = image.getcolors(image.width * image.height) or ()
        found.update(colour for _, colour in counted)
    colours = np.array(sorted(found), dtype=np.uint8)[np.newaxis]  # type: ignore[type-var]
    mapped = Image.fromarray(colours).quantize(number, Image.Quantize.MEDIANCUT)
    parts = mapped.getpalette() or []
    reds = parts[::3]
    greens = parts[1::3]
    blues = parts[2::3]
    return list(zip(reds, greens, blues, strict=False))


def _nearest_indices(colours: npt.NDArray[np.float32]) -> Indices:
    """Return a table with an entry for each of the 64x64x64 cells of the colour cube.

    An entry is the index of the colour nearest to the cell's centre.
    """
    cells = np.arange(1 << _BITS, dtype=np.float32)
    side = (cells + 0.5) * (1 << (8 - _BITS))
    squares = (colours**2).sum(axis=1)
    rows = []
    for red in side:
        axes = np.meshgrid(red, side, side, indexing="ij")
        plane = np.stack(axes, axis=-1).reshape(-1, 3)
        distances = squares - 2 * plane @ colours.T
        rows.append(distances.argmin(axis=1))
    return np.concatenate(rows).astype(np.uint8)
