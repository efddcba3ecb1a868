"""Measures and fits text for labels and captions, in the font that pictures use."""

from bisect import bisect
from functools import cache
from io import BytesIO
from pathlib import Path

from PIL import ImageFont

from asplan.drawing.scene import LONGEST_LABEL, DrawnShape

_SAMPLE = 64  # pixels of the letters by which widths are measured


@cache
def load_font(pixels: int) -> ImageFont.FreeTypeFont:
    """Load DejaVu Sans Bold, which comes with matplotlib, at a height in pixels."""
    import matplotlib

    # Pillow does not say why it cannot open a file, so it gets the content.
    file = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans-Bold.ttf")
    return ImageFont.truetype(BytesIO(file.read_bytes()), pixels)


@cache
def measure_width(text: str) -> float:
    """Return the width of a text in ems; one em is the height of the font."""
    return load_font(_SAMPLE).getlength(text) / _SAMPLE


def fit_letters(label: str, shape: DrawnShape) -> float:
    """Return the greatest font height at which a label fits its shape, in units of the scene."""
    left, top, right, bottom = shape.box
    width = right - left
    height = bottom - top
    widest = 0.8 * width / max(measure_width(label), 0.1)
    return min(0.5 * height, 0.5 * width, widest)


def shorten(
    text: str,
    room: float,
    letters: ImageFont.FreeTypeFont,
) -> str:
    """Cut the end of a text, if necessary, so that it is at most `room` pixels wide in the font
    `letters`.
    """
    text = text[:LONGEST_LABEL]
    if letters.getlength(text) <= room:
        return text

    def measure_start(length: int) -> float:
        return letters.getlength(text[:length] + "…")

    too_long = bisect(range(len(text)), room, key=measure_start)
    return text[: max(0, too_long - 1)] + "…"


def shorten_label(text: str, room: float, letters: float) -> str:
    """Cut the end of a label so that it fits `room` units at a font height of `letters` units."""
    return shorten(text, room * 0.8 * _SAMPLE / letters, load_font(_SAMPLE))
