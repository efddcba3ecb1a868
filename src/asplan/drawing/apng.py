"""Writes a scene as an animated PNG, each frame as soon as it is drawn.

The chunks are those of PNG's third edition, https://www.w3.org/TR/png-3/.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from itertools import count
from typing import BinaryIO

import numpy as np

from asplan.drawing.changes import number_of_frames
from asplan.drawing.deltas import Frame, frames, make_palette
from asplan.drawing.palette import CLEAR, Indices
from asplan.drawing.stage import Stage
from asplan.drawing.timing import Timing

_EIGHT_BITS_OF_A_PALETTE = 8, 3, 0, 0, 0
_STAYS, _OVER = 0, 1


def write_apng(
    file: BinaryIO, stage: Stage, timing: Timing, progress: Callable[[int, int], None]
) -> None:
    """Write 1 + steps x `timing.frames` frames, to be repeated for ever."""
    palette, total = make_palette(stage), number_of_frames(stage, timing)
    file.write(b"\x89PNG\r\n\x1a\n")
    file.write(_chunk(b"IHDR", struct.pack(">IIBBBBB", *stage.size, *_EIGHT_BITS_OF_A_PALETTE)))
    file.write(_chunk(b"acTL", struct.pack(">II", total, 0)))
    file.write(_chunk(b"PLTE", palette.table()))
    file.write(_chunk(b"tRNS", b"\xff" * CLEAR + b"\0"))
    places = count()
    for number, frame in enumerate(frames(stage, timing, palette), 1):
        file.write(_control(frame, next(places)))
        data = _compressed(frame.pixels)
        if number == 1:
            # What knows no animations shows this one.
            file.write(_chunk(b"IDAT", data))
        else:
            file.write(_chunk(b"fdAT", struct.pack(">I", next(places)) + data))
        progress(number, total)
    file.write(_chunk(b"IEND", b""))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _control(frame: Frame, place: int) -> bytes:
    """Where a frame is laid over those before, and for how long."""
    height, width = frame.pixels.shape
    area = width, height, frame.left, frame.top
    stands = frame.duration, 1000
    return _chunk(b"fcTL", struct.pack(">IIIIIHHBB", place, *area, *stands, _STAYS, _OVER))


def _compressed(pixels: Indices) -> bytes:
    """Rows without a filter: neighbouring numbers of a palette say nothing of each other."""
    return zlib.compress(np.insert(pixels, 0, 0, axis=1).tobytes(), 9)
