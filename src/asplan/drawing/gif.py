"""Writes a scene as a GIF, each frame as soon as it is drawn."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import BinaryIO

from PIL import Image
from PIL.GifImagePlugin import getdata

from asplan.drawing.changes import number_of_frames
from asplan.drawing.deltas import frames, make_palette
from asplan.drawing.palette import CLEAR
from asplan.drawing.stage import Stage
from asplan.drawing.timing import Timing

_FOREVER = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"


def write_gif(
    file: BinaryIO, stage: Stage, timing: Timing, progress: Callable[[int, int], None]
) -> None:
    """Write 1 + steps x `timing.frames` frames, to be repeated for ever."""
    palette = make_palette(stage)
    file.write(b"GIF89a" + struct.pack("<HHBBB", *stage.size, 0xF7, 0, 0) + palette.table())
    file.write(_FOREVER)
    for number, frame in enumerate(frames(stage, timing, palette), 1):
        image = Image.fromarray(frame.pixels)
        place = frame.left, frame.top
        # Disposal 1: the frame stays, and the next is laid over it.
        for part in getdata(image, place, duration=frame.duration, transparency=CLEAR, disposal=1):
            file.write(part)
        progress(number, number_of_frames(stage, timing))
    file.write(b";")
