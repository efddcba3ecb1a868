"""An animation as what changes from one frame to the next: all that writers of animations read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from PIL import Image

from asplan.drawing.stage import Stage
from asplan.drawing.timing import Timing

Patch = tuple[int, int, Image.Image]
"""Left, top, and the pixels there."""


class Change(NamedTuple):
    """Patches to lay over what is shown, and how many milliseconds the result stands."""

    patches: list[Patch]
    duration: int


def number_of_frames(stage: Stage, timing: Timing) -> int:
    """How many changes there are."""
    return 1 + stage.scene.last * timing.frames


def changes(stage: Stage, timing: Timing) -> Iterator[Change]:
    """The frames in order: the first is a whole picture."""
    last = stage.scene.last
    yield Change([(0, 0, stage.picture(0))], timing.start if last else timing.end)
    for step in range(last):
        for number in range(1, timing.frames + 1):
            patches = _patches(stage, step, (number - 1) / timing.frames, number / timing.frames)
            if number == 1 and stage.strip:
                patches.append((0, stage.drawing, stage.caption(step + 1)))
            duration = timing.frame
            if number == timing.frames:
                duration += timing.end if step + 1 == last else timing.rest
            yield Change(patches, duration)


def _patches(stage: Stage, step: int, before: float, now: float) -> list[Patch]:
    boxes = stage.changes(step, before, now)
    return [(box[0], box[1], stage.patch(box, step, now)) for box in boxes]
