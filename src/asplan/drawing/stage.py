"""A scene at a size in pixels, with its caption: whole pictures, and patches of what changed."""

from __future__ import annotations

from PIL import Image

from asplan.drawing.caption import Caption, make_caption, paint_caption
from asplan.drawing.colours import WHITE
from asplan.drawing.raster import Pixels, paint, pixels
from asplan.drawing.scene import Scene, poses
from asplan.errors import UsageError

LARGEST = 4096
_CROWD = 40
"""If more things move, all that they touch is drawn at once."""


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
        """The strip below the drawing."""
        return paint_caption(self.layout(step))

    def layout(self, step: int) -> Caption:
        """What is written below the drawing, and where."""
        return make_caption(self.scene, step, self.width, self.strip)


def around(boxes: list[Pixels]) -> Pixels:
    """The rectangle around some rectangles."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
