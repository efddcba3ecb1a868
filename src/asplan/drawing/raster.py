"""Draws poses as pixels, and measures letters.

Each shape becomes a few masks through which one colour is painted. Masks are drawn four times too
large and scaled down, which smooths their edges; an object that only moves keeps its masks.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw, ImageFont

from asplan.drawing.colours import NONE, RGB, rgb
from asplan.drawing.scene import Look, Pose, Shape


def text_size(label: str, shape: Shape) -> float:
    """The height of letters with which a label fits its shape."""
    left, top, right, bottom = shape.box
    width, height = right - left, bottom - top
    return min(0.5 * height, 0.5 * width, 0.8 * width / max(width_in_ems(label), 0.1))


@cache
def width_in_ems(label: str) -> float:
    return font(64).getlength(label) / 64


@cache
def font(pixels: int) -> ImageFont.FreeTypeFont:
    """The font of labels and captions, DejaVu Sans, which comes with matplotlib."""
    import matplotlib

    # Pillow does not say why it cannot open a file, so it gets what is in it.
    file = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans-Bold.ttf")
    return ImageFont.truetype(BytesIO(file.read_bytes()), pixels)


Pixels = tuple[int, int, int, int]  # left, top, right, bottom

SAMPLES = 4


class Coat(NamedTuple):
    """One colour and the mask through which it is painted."""

    colour: RGB
    mask: Image.Image


def paint(image: Image.Image, origin: tuple[int, int], poses: Iterable[Pose], scale: float) -> None:
    """Draw poses, the far ones first, on an image whose top left pixel is at `origin`."""
    width, height = image.size
    for pose in poses:
        left, top, right, bottom = pixels(pose.shape, scale)
        x, y = left - origin[0], top - origin[1]
        if x < width and y < height and right > origin[0] and bottom > origin[1]:
            for colour, mask in coats(pose, scale):
                image.paste(colour, (x, y, x + mask.width, y + mask.height), mask)


def pixels(shape: Shape, scale: float) -> Pixels:
    """The pixels that a shape may touch. Edges fall between pixels, so that they are sharp."""
    left, top, right, bottom = (round(edge * scale) for edge in shape.box)
    return left, top, max(right, left + 1), max(bottom, top + 1)


def coats(pose: Pose, scale: float) -> tuple[Coat, ...]:
    """What is painted for a pose, from its top left pixel on."""
    left, top, right, bottom = pixels(pose.shape, scale)
    corners: tuple[float, ...] = ()
    if pose.shape.kind == "polygon":
        edges = pose.shape.box
        corners = tuple(
            round((n - edges[i % 2]) * scale * SAMPLES) for i, n in enumerate(pose.shape.numbers)
        )
    thing = pose.object
    letters = max(1, round(text_size(thing.label, pose.shape) * scale)) if thing.label else 0
    size = right - left, bottom - top
    form = PixelForm(pose.shape.kind, size, corners, round(pose.opacity * 255))
    return _coats(form, thing.look, scale, thing.label, letters)


class PixelForm(NamedTuple):
    """A shape without its place; corners are in samples."""

    kind: str
    size: tuple[int, int]
    corners: tuple[float, ...]
    opacity: int


@lru_cache(maxsize=512)
def _coats(form: PixelForm, look: Look, scale: float, label: str, letters: int) -> tuple[Coat, ...]:
    border = max(1, round(look.stroke_width * scale)) if look.stroke_width else 0
    outer = _mask(form, look.radius * scale, 0)
    found = []
    if border and look.stroke != NONE:
        inner = _mask(form, look.radius * scale, border)
        solid = look.fill != NONE and form.opacity == 255
        found.append(Coat(rgb(look.stroke), outer if solid else ImageChops.subtract(outer, inner)))
        outer = inner
    if look.fill != NONE:
        found.append(Coat(rgb(look.fill), outer))
    if label and look.text != NONE:
        mask = Image.new("L", form.size, 0)
        middle = form.size[0] / 2, form.size[1] / 2
        ImageDraw.Draw(mask).text(middle, label, fill=255, font=font(letters), anchor="mm")
        found.append(Coat(rgb(look.text), mask))
    if form.opacity == 255:
        return tuple(found)
    fainter = [value * form.opacity // 255 for value in range(256)]
    return tuple(Coat(colour, mask.point(fainter)) for colour, mask in found)


def _mask(form: PixelForm, radius: float, inset: int) -> Image.Image:
    """Where a shape is, less a border of some pixels."""
    width, height = (side * SAMPLES for side in form.size)
    mask = Image.new("L", (width, height), 0)
    draw = ImageDraw.Draw(mask)
    edge = inset * SAMPLES
    box = (edge, edge, width - 1 - edge, height - 1 - edge)
    if form.kind == "polygon":
        draw.polygon(form.corners, fill=255)
        if inset:
            points = [*form.corners, *form.corners[:4]]
            draw.line(points, fill=0, width=2 * edge, joint="curve")
    elif box[0] > box[2] or box[1] > box[3]:
        pass
    elif form.kind == "circle":
        draw.ellipse(box, fill=255)
    else:
        draw.rounded_rectangle(box, max(0, (radius - inset) * SAMPLES), fill=255)
    return mask.reduce(SAMPLES)
