"""Writes a scene as a film, MP4 or WebM, through imageio and PyAV.

Films have a fixed rate, which every player and cutting program understands: a frame that stands
longer is there several times, and costs next to nothing after the first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any, BinaryIO

import imageio.v3 as iio
import numpy as np
import numpy.typing as npt

from asplan.drawing.changes import Change, changes, number_of_frames
from asplan.drawing.stage import Stage
from asplan.drawing.timing import Timing

_LONGEST_TICK = 40
"""Milliseconds; what moves at fewer than 25 frames a second looks slow to start."""

# The matrix by which ffmpeg makes YUV of RGB, and the range; players would have to guess them.
_COLOURS = {"colorspace": "smpte170m", "color_range": "tv"}


@dataclass(frozen=True)
class Codec:
    """An encoder of ffmpeg, the container it goes into, and the encoder's options."""

    name: str
    container: str
    options: Mapping[str, str]


_MP4 = Codec("libx264", "mp4", {"preset": "veryfast", "crf": "20"})
# Not in real time the encoder takes six times as long for a file a fifth smaller.
_WEBM = Codec("libvpx-vp9", "webm", {"deadline": "realtime", "cpu-used": "6", "crf": "24"})


def write_mp4(
    file: BinaryIO, stage: Stage, timing: Timing, progress: Callable[[int, int], None]
) -> None:
    """Write each frame as it is drawn; pauses are rounded to whole frames of the film."""
    _write(file, stage, timing, progress, _MP4)


def write_webm(
    file: BinaryIO, stage: Stage, timing: Timing, progress: Callable[[int, int], None]
) -> None:
    """Write each frame as it is drawn; pauses are rounded to whole frames of the film."""
    _write(file, stage, timing, progress, _WEBM)


def _write(
    file: BinaryIO,
    stage: Stage,
    timing: Timing,
    progress: Callable[[int, int], None],
    codec: Codec,
) -> None:
    tick = timing.frame / math.ceil(timing.frame / _LONGEST_TICK)
    total = number_of_frames(stage, timing)
    clock = written = 0.0
    # PyAV does not survive a file that cannot be written; the film is small, the pictures are not.
    whole, suffix = BytesIO(), f".{codec.container}"
    with iio.imopen(whole, "w", plugin="pyav", extension=suffix) as film:
        film.init_video_stream(codec.name, fps=1000 / tick, pixel_format="yuv420p")
        # imageio has no other way to them: github.com/imageio/imageio/issues/1062
        stream: Any = film._video_stream
        stream.options = {**codec.options, **_COLOURS}
        for number, (picture, duration) in enumerate(_pictures(stage, changes(stage, timing)), 1):
            clock += duration / tick
            while written < round(clock):
                film.write_frame(picture)
                written += 1
            progress(number, total)
    file.write(whole.getbuffer())


def _pictures(
    stage: Stage, moments: Iterator[Change]
) -> Iterator[tuple[npt.NDArray[np.uint8], int]]:
    """Whole pictures with even sides, as yuv420p wants them: the last pixel may be there twice."""
    width, height = stage.size
    shown = np.empty((height, width, 3), dtype=np.uint8)
    for patches, duration in moments:
        for left, top, image in patches:
            shown[top : top + image.height, left : left + image.width] = np.asarray(image)
        yield np.pad(shown, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge"), duration
