"""Scenes as pixels, with a caption below that shows the step and its action.

A shape is painted with one to three stencils (stroke, fill and label); a stencil is a mask through
which one colour is painted. Masks are drawn four times too large and scaled down, which smooths
their edges. The masks of an object that moves without changing its form are used again.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw

from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.drawing.colours import DIM, DONE, INK, NONE, RGB, TRACK, WHITE, rgb
from asplan.drawing.lettering import fit_letters, load_font, shorten
from asplan.drawing.scene import DrawnShape, Look, Pose, Scene, iterate_poses

Pixels = tuple[int, int, int, int]  # left, top, right, bottom

SAMPLES = 4  # samples to a pixel, in each direction, of a mask before it is scaled down


class Stencil(NamedTuple):
    """A colour and the mask through which it is painted."""

    colour: RGB
    mask: Image.Image


class Outline(NamedTuple):
    """The form of a shape in pixels, independent of its place.

    The corners of a polygon are in samples, `SAMPLES` to a pixel.
    """

    kind: str
    size: tuple[int, int]
    corners: tuple[float, ...]
    opacity: int  # 0 to 255


def paint(
    image: Image.Image,
    origin: tuple[int, int],
    poses: Iterable[Pose],
    scale: float,
) -> None:
    """Paint poses on an image of a part of the picture.

    `origin` is the pixel of the whole picture at the top left corner of the image. `scale` is the
    number of pixels to a unit of the scene.
    """
    for pose in poses:
        left, top, right, bottom = pixels_of(pose.shape, scale)
        x = left - origin[0]
        y = top - origin[1]
        is_left_or_above = right <= origin[0] or bottom <= origin[1]
        is_right_or_below = x >= image.width or y >= image.height
        if is_left_or_above or is_right_or_below:
            continue
        for colour, mask in make_stencils(pose, scale):
            image.paste(colour, (x, y), mask)


def pixels_of(shape: DrawnShape, scale: float) -> Pixels:
    """Return the box of pixels that a shape occupies, at least one pixel wide and high.

    Edges are rounded to the border between two pixels, so that they are sharp.
    """
    left, top, right, bottom = (round(edge * scale) for edge in shape.box)
    return left, top, max(right, left + 1), max(bottom, top + 1)


def make_stencils(pose: Pose, scale: float) -> tuple[Stencil, ...]:
    """Return the stencils of a pose, in the order of painting; all begin at the pose's top left
    pixel.
    """
    shape = pose.shape
    label = pose.object.label
    left, top, right, bottom = pixels_of(shape, scale)
    corners = _sample_corners(shape, scale) if shape.kind == "polygon" else ()
    outline = Outline(
        kind=shape.kind,
        size=(right - left, bottom - top),
        corners=corners,
        opacity=round(pose.opacity * 255),
    )
    letters = 0
    if label:
        letters = max(1, round(fit_letters(label, shape) * scale))
    return _make_stencils(
        outline,
        pose.object.look,
        scale,
        label,
        letters,
    )


def _sample_corners(shape: DrawnShape, scale: float) -> tuple[float, ...]:
    """Return the corners of a polygon in samples, relative to the left and top of
    its bounding box.
    """
    left, top, _, _ = shape.box
    corners = []
    for x, y in zip(shape.numbers[::2], shape.numbers[1::2], strict=True):
        corners.append(round((x - left) * scale * SAMPLES))
        corners.append(round((y - top) * scale * SAMPLES))
    return tuple(corners)


@lru_cache(maxsize=512)
def _make_stencils(
    outline: Outline,
    look: Look,
    scale: float,
    label: str,
    letters: int,
) -> tuple[Stencil, ...]:
    stencils = _draw_area(outline, look, scale)
    if label and look.text != NONE:
        mask = _draw_label(outline, label, letters)
        stencils.append(Stencil(rgb(look.text), mask))
    if outline.opacity == 255:
        return tuple(stencils)
    fainter = [value * outline.opacity // 255 for value in range(256)]
    return tuple(Stencil(colour, mask.point(fainter)) for colour, mask in stencils)


def _draw_area(
    outline: Outline,
    look: Look,
    scale: float,
) -> list[Stencil]:
    """Return the stencils of the stroke and the fill."""
    radius = look.radius * scale
    area = _draw_mask(outline, radius, 0)
    stencils = []
    if look.stroke_width and look.stroke != NONE:
        width = max(1, round(look.stroke_width * scale))
        inner = _draw_mask(outline, radius, width)
        # An opaque fill is painted over the stroke, which may then cover the whole area.
        is_covered = look.fill != NONE and outline.opacity == 255
        ring = area if is_covered else ImageChops.subtract(area, inner)
        stencils.append(Stencil(rgb(look.stroke), ring))
        area = inner
    if look.fill != NONE:
        stencils.append(Stencil(rgb(look.fill), area))
    return stencils


def _draw_label(
    outline: Outline,
    label: str,
    letters: int,
) -> Image.Image:
    mask = Image.new("L", outline.size, 0)
    width, height = outline.size
    middle = (width / 2, height / 2)
    ImageDraw.Draw(mask).text(
        middle,
        label,
        fill=255,
        font=load_font(letters),
        anchor="mm",
    )
    return mask


def _draw_mask(
    outline: Outline,
    radius: float,
    inset: int,
) -> Image.Image:
    """Draw the mask of an outline, shrunk by `inset` pixels on all sides."""
    width, height = (side * SAMPLES for side in outline.size)
    mask = Image.new("L", (width, height), 0)
    draw = ImageDraw.Draw(mask)
    edge = inset * SAMPLES
    box = (edge, edge, width - 1 - edge, height - 1 - edge)
    is_empty = box[0] > box[2] or box[1] > box[3]
    if outline.kind == "polygon":
        _draw_polygon(draw, outline.corners, edge)
    elif outline.kind == "circle" and not is_empty:
        draw.ellipse(box, fill=255)
    elif not is_empty:
        rounding = max(0, (radius - inset) * SAMPLES)
        draw.rounded_rectangle(box, rounding, fill=255)
    return mask.reduce(SAMPLES)


def _draw_polygon(
    draw: ImageDraw.ImageDraw,
    corners: tuple[float, ...],
    edge: int,
) -> None:
    draw.polygon(corners, fill=255)
    if edge:
        closed = [*corners, *corners[:4]]
        draw.line(closed, fill=0, width=2 * edge, joint="curve")


@dataclass(frozen=True)
class Caption:
    """The layout of a caption, in pixels: a progress bar, below it the action and the step count.

    The bar is `bar` high and filled up to the x coordinate `done`. Text is centred at the y
    coordinate `middle`, `margin` away from the sides, with letters of the height `letters`.
    """

    width: int
    height: int
    bar: int
    done: int
    margin: int
    middle: int
    letters: int
    action: str
    count: str


LARGEST = 4096  # pixels of the longer side
_MOST_PATCHES = 40  # if more objects move, one patch around all of them is drawn


class Stage:
    """A scene as pixels: draws whole pictures, and the patches that change between two frames.

    Parameters
    ----------
    size
        The longer side of the drawing in pixels.
    caption
        Whether pictures have a caption.

    Attributes
    ----------
    scale
        Pixels to a unit of the scene.
    width, drawing, strip
        Pixels: the width, the height of the drawing, and the height of the caption below.
    size
        Width and height of a whole picture in pixels.
    """

    def __init__(self, scene: Scene, size: int, caption: bool) -> None:
        if not 32 <= size <= LARGEST:
            raise UsageError(f"the size is {size} pixels, but it must be from 32 to {LARGEST}")
        self.scene = scene
        self.scale = size / max(scene.width, scene.height)
        self.width = max(1, round(scene.width * self.scale))
        self.drawing = max(1, round(scene.height * self.scale))
        self.strip = max(20, round(size * scene.strip)) if caption else 0
        self.size = (self.width, self.drawing + self.strip)
        # The backdrop shows the objects that never change, up to the first one that does.
        first = scene.first_moving
        self._moving = scene.objects[first:]
        self._backdrop = Image.new("RGB", self.size, WHITE)
        still = iterate_poses(scene.objects[:first], 0)
        paint(self._backdrop, (0, 0), still, self.scale)

    def draw_picture(self, step: int, progress: float = 0.0) -> Image.Image:
        """Draw the whole picture between a step (progress 0) and the next step (progress 1)."""
        whole = (0, 0, self.width, self.drawing)
        drawing = self.draw_patch(whole, step, progress)
        picture = self._backdrop.copy()
        picture.paste(drawing, (0, 0))
        if self.strip:
            shown = step + bool(progress)
            picture.paste(self.draw_caption(shown), (0, self.drawing))
        return picture

    def draw_patch(
        self,
        box: Pixels,
        step: int,
        progress: float = 0.0,
    ) -> Image.Image:
        """Draw the part of the drawing inside a box, between a step and the next step."""
        image = self._backdrop.crop(box)
        poses = iterate_poses(self._moving, step, progress)
        paint(image, box[:2], poses, self.scale)
        return image

    def find_changes(
        self,
        step: int,
        before: float,
        now: float,
    ) -> list[Pixels]:
        """Return boxes around the parts of the drawing that differ between two moments of a step.

        `before` and `now` are the moments: shares, from 0 to 1, of the way from the step to the
        next one.
        """
        found = []
        for thing in self._moving:
            if thing.shapes[step] == thing.shapes[step + 1]:
                continue
            boxes = []
            for progress in (before, now):
                poses = iterate_poses((thing,), step, progress)
                boxes += [pixels_of(pose.shape, self.scale) for pose in poses]
            box = self._clip(enclose(boxes))
            if box[0] < box[2] and box[1] < box[3]:
                found.append(box)
        return found if len(found) <= _MOST_PATCHES else [enclose(found)]

    def _clip(self, box: Pixels) -> Pixels:
        """Cut a box at the borders of the drawing; lifted objects and rounding may exceed them."""
        left, top, right, bottom = box
        return (
            max(left, 0),
            max(top, 0),
            min(right, self.width),
            min(bottom, self.drawing),
        )

    def lay_out_caption(self, step: int) -> Caption:
        """Return the layout of the caption at a step; the text of a long action is cut."""
        last = self.scene.last
        margin = self.strip // 3
        bar = max(2, self.strip // 12)
        letters = max(8, round(self.strip * 0.42))
        font = load_font(letters)
        room = self.width - 3 * margin - font.getlength(f"{last} / {last}")
        action = self.scene.actions[step - 1] if step else ""
        return Caption(
            width=self.width,
            height=self.strip,
            bar=bar,
            done=round(self.width * step / last) if last else self.width,
            margin=margin,
            middle=(self.strip + bar) // 2,
            letters=letters,
            action=shorten(action, room, font),
            count=f"{step} / {last}",
        )

    def draw_caption(self, step: int) -> Image.Image:
        """Draw the caption at a step: progress bar, action and step count."""
        caption = self.lay_out_caption(step)
        image = Image.new("RGB", (caption.width, caption.height), WHITE)
        draw = ImageDraw.Draw(image)
        font = load_font(caption.letters)
        end = caption.bar - 1  # Pillow includes the last pixel
        draw.rectangle((0, 0, caption.width, end), fill=TRACK)
        if caption.done:
            draw.rectangle((0, 0, caption.done - 1, end), fill=DONE)
        right = (caption.width - caption.margin, caption.middle)
        draw.text(
            right,
            caption.count,
            DIM,
            font,
            anchor="rm",
        )
        left = (caption.margin, caption.middle)
        draw.text(
            left,
            caption.action,
            INK,
            font,
            anchor="lm",
        )
        return image


def enclose(boxes: list[Pixels]) -> Pixels:
    """Return the smallest box around some boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
