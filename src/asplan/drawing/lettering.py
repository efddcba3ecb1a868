"""Letters: the font, and the size at which a label fits its shape."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from pathlib import Path

from PIL import ImageFont

from asplan.drawing.scene import Shape


def text_size(label: str, shape: Shape) -> float:
    """The height of letters with which a label fits its shape."""
    left, top, right, bottom = shape.box
    width, height = right - left, bottom - top
    return min(0.5 * height, 0.5 * width, 0.8 * width / max(width_in_ems(label), 0.1))


@cache
def width_in_ems(label: str) -> float:
    """The width of a text, for letters of height 1."""
    return font(64).getlength(label) / 64


@cache
def font(pixels: int) -> ImageFont.FreeTypeFont:
    """The font of labels and captions, DejaVu Sans, which comes with matplotlib."""
    import matplotlib

    # Pillow does not say why it cannot open a file, so it gets what is in it.
    file = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans-Bold.ttf")
    return ImageFont.truetype(BytesIO(file.read_bytes()), pixels)
