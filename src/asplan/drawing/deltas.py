"""The frames of an animation in at most 255 colours, each with only the pixels that changed.

Frames are made as they are asked for, so memory does not grow with their number. That is why GIF
and animated WebP and PNG have writers here: imageio's keeps all pictures whole until the last, so
that already forty steps take it five times the memory and more, up to seven times as long, and
files become three times as large (`scripts/render_speed.py` measures both).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from asplan.drawing.caption import DIM, DONE, TRACK
from asplan.drawing.changes import Patch, changes
from asplan.drawing.colours import INK, NONE, WHITE, rgb
from asplan.drawing.palette import CLEAR, Indices, Palette
from asplan.drawing.stage import Stage
from asplan.drawing.timing import Timing

_SAMPLES = 12


class Frame(NamedTuple):
    """Pixels to show at a place for some milliseconds; where they are CLEAR nothing changed."""

    pixels: Indices
    left: int
    top: int
    duration: int


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
    width, height = stage.size
    shown = np.full((height, width), CLEAR, dtype=np.uint8)
    for patches, duration in changes(stage, timing):
        yield _difference(shown, patches, palette, duration)


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
