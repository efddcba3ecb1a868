"""Writes a scene as a GIF.

Each frame holds only what changed since the one before, the rest of its rectangle being clear, and
is written as soon as it is drawn. So memory does not grow with the number of frames; Pillow's own
writer of whole animations keeps them all.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

import numpy as np
from PIL import Image
from PIL.GifImagePlugin import getdata

from asplan.drawing.colours import INK, NONE, WHITE, rgb
from asplan.drawing.palette import CLEAR, Indices, Palette
from asplan.drawing.stage import DIM, DONE, TRACK, Stage
from asplan.drawing.timing import Timing

Progress = Callable[[int, int], None]
"""Called with the number of frames that are done, and of all."""

Patch = tuple[int, int, Image.Image]
"""Left, top, and the pixels there."""

_SAMPLES = 12
_FOREVER = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"


class Frame(NamedTuple):
    """Pixels to show at a place for some milliseconds."""

    pixels: Indices
    left: int
    top: int
    duration: int


def write_gif(file: BinaryIO, stage: Stage, timing: Timing, progress: Progress) -> None:
    """Write 1 + steps x `timing.frames` frames, to be repeated for ever."""
    palette = make_palette(stage)
    total = 1 + stage.scene.last * timing.frames
    file.write(b"GIF89a" + struct.pack("<HHBBB", *stage.size, 0xF7, 0, 0) + palette.table())
    file.write(_FOREVER)
    for number, frame in enumerate(frames(stage, timing, palette), 1):
        image = Image.fromarray(frame.pixels)
        place = frame.left, frame.top
        # Disposal 1: the frame stays, and the next is laid over it.
        for part in getdata(image, place, duration=frame.duration, transparency=CLEAR, disposal=1):
            file.write(part)
        progress(number, total)
    file.write(b";")


def make_palette(stage: Stage) -> Palette:
    """A palette with all colours that objects have, and mixtures taken from a few pictures."""
    scene = stage.scene
    named = [INK, WHITE, TRACK, DONE, DIM]
    for thing in scene.objects:
        named += [thing.look.fill, thing.look.stroke, thing.look.text]
    moments = sorted({round(i * scene.last / _SAMPLES) for i in range(_SAMPLES)})
    pictures = [stage.picture(t, 0.5 if t < scene.last else 0.0) for t in moments]
    return Palette((rgb(colour) for colour in named if colour != NONE), pictures)


def frames(stage: Stage, timing: Timing, palette: Palette) -> Iterator[Frame]:
    """The frames in order: the first whole, each other one only where it differs."""
    last = stage.scene.last
    shown = palette.indices(stage.picture(0))
    yield Frame(shown.copy(), 0, 0, timing.start if last else timing.end)
    for step in range(last):
        for number in range(1, timing.frames + 1):
            patches = _patches(stage, step, (number - 1) / timing.frames, number / timing.frames)
            if number == 1 and stage.strip:
                patches.append((0, stage.drawing, stage.caption(step + 1)))
            duration = timing.frame
            if number == timing.frames:
                duration += timing.end if step + 1 == last else timing.rest
            yield _difference(shown, patches, palette, duration)


def _patches(stage: Stage, step: int, before: float, now: float) -> list[Patch]:
    boxes = stage.changes(step, before, now)
    return [(box[0], box[1], stage.patch(box, step, now)) for box in boxes]


def _difference(shown: Indices, patches: list[Patch], palette: Palette, duration: int) -> Frame:
    """Lay patches over what is shown; the frame has the pixels that this changed."""
    new = shown.copy()
    for left, top, image in patches:
        new[top : top + image.height, left : left + image.width] = palette.indices(image)
    changed = new != shown
    rows, columns = changed.any(axis=1).nonzero()[0], changed.any(axis=0).nonzero()[0]
    if not rows.size:
        return Frame(np.full((1, 1), CLEAR, dtype=np.uint8), 0, 0, duration)
    area = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    pixels = np.where(changed[area], new[area], np.uint8(CLEAR))
    shown[:] = new
    return Frame(pixels, int(columns[0]), int(rows[0]), duration)
