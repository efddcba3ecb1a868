"""A scene as pixels, with the strip below it that says what happens in which step.

Each shape becomes a few masks through which one colour is painted. Masks are drawn four times too
large and scaled down, which smooths their edges; an object that only moves keeps its masks.
"""

from bisect import bisect
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw, ImageFont

from asplan.core.errors import UsageError
from asplan.drawing.colours import INK, NONE, RGB, WHITE, rgb
from asplan.drawing.scene import Look, Pose, Scene, Shape, poses
from asplan.drawing.shapes import LONGEST_LABEL


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


TRACK, DONE, DIM = "#e4e7eb", "#66aaff", "#6b7480"


@dataclass(frozen=True)
class Caption:
    """What a strip says of a step, and where, in pixels; its bar is filled up to `done`."""

    width: int
    height: int
    bar: int
    done: int
    margin: int
    middle: int
    letters: int
    action: str
    count: str


def shorten(text: str, room: float, letters: ImageFont.FreeTypeFont) -> str:
    """A text that is no wider than its room, cut at the end where it must be."""
    text = text[:LONGEST_LABEL]
    if letters.getlength(text) <= room:
        return text
    too_long = bisect(range(len(text)), room, key=lambda n: letters.getlength(text[:n] + "…"))
    return text[: max(0, too_long - 1)] + "…"


LARGEST = 4096
_CROWD = 40  # if more things move, all that they touch is drawn at once


class Stage:
    """Draws a scene whose longer side has `size` pixels: pictures, and patches of what changed."""

    def __init__(self, scene: Scene, size: int, caption: bool) -> None:
        if not 32 <= size <= LARGEST:
            raise UsageError(f"the size {size} is not between 32 and {LARGEST} pixels")
        self.scene = scene
        self.scale = size / max(scene.width, scene.height)
        self.width = max(1, round(scene.width * self.scale))
        self.drawing = max(1, round(scene.height * self.scale))
        self.strip = max(20, round(size * scene.strip)) if caption else 0
        self.size = self.width, self.drawing + self.strip
        # The backdrop holds what never changes and lies behind all that does.
        changes = (i for i, thing in enumerate(scene.objects) if len(set(thing.shapes)) > 1)
        first = next(changes, len(scene.objects))
        self._moving = scene.objects[first:]
        self._backdrop = Image.new("RGB", self.size, WHITE)
        paint(self._backdrop, (0, 0), poses(scene.objects[:first], 0), self.scale)

    def picture(self, step: int, progress: float = 0.0) -> Image.Image:
        image = self.patch((0, 0, self.width, self.drawing), step, progress)
        whole = self._backdrop.copy()
        whole.paste(image, (0, 0))
        if self.strip:
            shown = step + bool(progress)
            whole.paste(self.caption(shown), (0, self.drawing))
        return whole

    def patch(self, box: Pixels, step: int, progress: float = 0.0) -> Image.Image:
        image = self._backdrop.crop(box)
        paint(image, box[:2], poses(self._moving, step, progress), self.scale)
        return image

    def changes(self, step: int, before: float, now: float) -> list[Pixels]:
        """Where the drawing changes between two moments on the way from a step to the next."""
        found = []
        for thing in self._moving:
            if thing.shapes[step] != thing.shapes[step + 1]:
                moments = (poses((thing,), step, progress) for progress in (before, now))
                box = around([pixels(p.shape, self.scale) for m in moments for p in m])
                left, top, right, bottom = box
                # What is lifted, or less than a pixel at the edge, may lie beyond the picture.
                box = max(left, 0), max(top, 0), min(right, self.width), min(bottom, self.drawing)
                if box[0] < box[2] and box[1] < box[3]:
                    found.append(box)
        return found if len(found) <= _CROWD else [around(found)]

    def layout(self, step: int) -> Caption:
        """What is written below the drawing, and where; the action is cut where it is too long."""
        scene, width, height = self.scene, self.width, self.strip
        last, margin, bar = scene.last, height // 3, max(2, height // 12)
        size, count = max(8, round(height * 0.42)), f"{step} / {last}"
        letters = font(size)
        room = width - 3 * margin - letters.getlength(f"{last} / {last}")
        action = shorten(scene.actions[step - 1] if step else "", room, letters)
        done = round(width * step / last) if last else width
        middle = (height + bar) // 2
        return Caption(width, height, bar, done, margin, middle, size, action, count)

    def caption(self, step: int) -> Image.Image:
        caption = self.layout(step)
        image = Image.new("RGB", (caption.width, caption.height), WHITE)
        draw, letters = ImageDraw.Draw(image), font(caption.letters)
        draw.rectangle((0, 0, caption.width, caption.bar - 1), fill=TRACK)
        if caption.done:
            draw.rectangle((0, 0, caption.done - 1, caption.bar - 1), fill=DONE)
        right = caption.width - caption.margin, caption.middle
        draw.text(right, caption.count, DIM, letters, anchor="rm")
        draw.text((caption.margin, caption.middle), caption.action, INK, letters, anchor="lm")
        return image


def around(boxes: list[Pixels]) -> Pixels:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
