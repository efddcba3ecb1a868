"""Writes a scene as an animated WebP without loss, each frame as soon as it is drawn.

The chunks are those of https://developers.google.com/speed/webp/docs/riff_container.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from io import BytesIO
from typing import BinaryIO

import numpy as np
from PIL import Image

from asplan.drawing.changes import number_of_frames
from asplan.drawing.deltas import Frame, frames, make_palette
from asplan.drawing.palette import CLEAR, Palette
from asplan.drawing.stage import Stage
from asplan.drawing.timing import Timing

_ANIMATED, _WITH_ALPHA = 0x02, 0x10
_HEADER = 12
"""Bytes before the first chunk."""


def write_webp(
    file: BinaryIO, stage: Stage, timing: Timing, progress: Callable[[int, int], None]
) -> None:
    """Write 1 + steps x `timing.frames` frames, to be repeated for ever."""
    palette, total = make_palette(stage), number_of_frames(stage, timing)
    flags = struct.pack("<I", _ANIMATED | _WITH_ALPHA)
    start = _chunk(b"VP8X", flags + b"".join(_three_bytes(side - 1) for side in stage.size))
    start += _chunk(b"ANIM", struct.pack("<IH", 0, 0))
    length = 4 + len(start)
    file.write(bytes(_HEADER) + start)
    for number, frame in enumerate(frames(stage, timing, palette), 1):
        length += file.write(_frame(frame, palette))
        progress(number, total)
    file.seek(0)
    file.write(b"RIFF" + struct.pack("<I", length) + b"WEBP")


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def _three_bytes(number: int) -> bytes:
    return struct.pack("<I", number)[:3]


def _frame(frame: Frame, palette: Palette) -> bytes:
    """A frame to be laid over those before; WebP counts its place in pairs of pixels."""
    odd = (frame.top % 2, 0), (frame.left % 2, 0)
    pixels = np.pad(frame.pixels, odd, constant_values=CLEAR)
    height, width = pixels.shape
    numbers = frame.left // 2, frame.top // 2, width - 1, height - 1, frame.duration
    image = Image.fromarray(palette.colours_of(pixels))
    still = BytesIO()
    image.save(still, "WEBP", lossless=True)
    control = b"".join(map(_three_bytes, numbers)) + b"\0"
    return _chunk(b"ANMF", control + still.getvalue()[_HEADER:])
