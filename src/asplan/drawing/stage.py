"""A scene at a size in pixels, with the strip below it that says what happens in which step."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

from asplan.core.errors import UsageError
from asplan.drawing.colours import INK, WHITE
from asplan.drawing.raster import Pixels, font, paint, pixels
from asplan.drawing.scene import Scene, poses
from asplan.drawing.shapes import LONGEST_LABEL

TRACK, DONE, DIM = "#e4e7eb", "#66aaff", "#6b7480"


@dataclass(frozen=True)
class Caption:
    """What a strip says of a step, and where; lengths are in pixels.

    The bar along the top is filled up to `done`. The action stands at the left margin, the count at
    the right one, both at the height `middle`.
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
