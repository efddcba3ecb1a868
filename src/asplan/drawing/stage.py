"""A scene at a size in pixels, with its caption: whole pictures, and patches of what changed."""

from __future__ import annotations

from bisect import bisect

from PIL import Image, ImageDraw, ImageFont

from asplan.drawing.atoms import LONGEST_LABEL
from asplan.drawing.colours import INK, WHITE
from asplan.drawing.lettering import font
from asplan.drawing.raster import Pixels, paint, pixels
from asplan.drawing.scene import Scene, poses
from asplan.errors import UsageError

LARGEST = 4096
_CROWD = 40
"""If more things move, all that they touch is drawn at once."""
TRACK, DONE, DIM = "#e4e7eb", "#66aaff", "#6b7480"


class Stage:
    """Draws a scene.

    Parameters
    ----------
    size
        The longer side of the drawing in pixels; the caption comes below it.
    caption
        Whether to write the step and its action below the drawing.
    """

    def __init__(self, scene: Scene, size: int, caption: bool) -> None:
        if not 32 <= size <= LARGEST:
            raise UsageError(f"the size {size} is not between 32 and {LARGEST} pixels")
        self.scene = scene
        self.scale = size / max(scene.width, scene.height)
        self.width = max(1, round(scene.width * self.scale))
        self.drawing = max(1, round(scene.height * self.scale))
        self.strip = max(20, round(size * 0.075)) if caption else 0
        still = next((i for i, o in enumerate(scene.objects) if not o.is_still), None)
        self._moving = scene.objects[still:] if still is not None else ()
        self._backdrop = Image.new("RGB", self.size, WHITE)
        paint(self._backdrop, (0, 0), poses(scene.objects[:still], 0), self.scale)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture with its caption."""
        return self.width, self.drawing + self.strip

    def picture(self, step: int, progress: float = 0.0) -> Image.Image:
        """The whole picture on the way from a step to the next."""
        image = self.patch((0, 0, self.width, self.drawing), step, progress)
        whole = self._backdrop.copy()
        whole.paste(image, (0, 0))
        if self.strip:
            shown = step + bool(progress)
            whole.paste(self.caption(shown), (0, self.drawing))
        return whole

    def patch(self, box: Pixels, step: int, progress: float = 0.0) -> Image.Image:
        """A part of the drawing."""
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

    def caption(self, step: int) -> Image.Image:
        """The strip below the drawing: which step of how many, what happens, how far it is."""
        image = Image.new("RGB", (self.width, self.strip), WHITE)
        draw = ImageDraw.Draw(image)
        last, margin = self.scene.last, self.strip // 3
        bar = max(2, self.strip // 12)
        draw.rectangle((0, 0, self.width, bar - 1), fill=TRACK)
        done = round(self.width * step / last) if last else self.width
        if done:
            draw.rectangle((0, 0, done - 1, bar - 1), fill=DONE)
        letters = font(max(8, round(self.strip * 0.42)))
        middle = (self.strip + bar) // 2
        count = f"{step} / {last}"
        draw.text((self.width - margin, middle), count, fill=DIM, font=letters, anchor="rm")
        room = self.width - 3 * margin - letters.getlength(f"{last} / {last}")
        action = self.scene.actions[step - 1] if step else ""
        draw.text((margin, middle), shorten(action, room, letters), INK, letters, anchor="lm")
        return image


def shorten(text: str, room: float, letters: ImageFont.FreeTypeFont) -> str:
    """A text that is no wider than its room, cut at the end where it must be."""
    text = text[:LONGEST_LABEL]
    if letters.getlength(text) <= room:
        return text
    too_long = bisect(range(len(text)), room, key=lambda n: letters.getlength(text[:n] + "…"))
    return text[: max(0, too_long - 1)] + "…"


def around(boxes: list[Pixels]) -> Pixels:
    """The rectangle around some rectangles."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
