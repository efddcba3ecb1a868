"""Writes a scene as an animation: a film through imageio and PyAV, or GIF or WebP.

Frames are made as they are needed, so memory does not grow with their number. imageio keeps all
pictures until the last, which takes five times the memory and seven times as long, for files three
times as large (`scripts/render_speed.py`); so GIF and WebP have writers here.
"""

import math
import struct
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

import imageio.v3 as iio
import numpy as np
import numpy.typing as npt
from PIL import Image
from PIL.GifImagePlugin import getdata

from asplan.drawing.colours import CLEAR, INK, NONE, WHITE, Indices, Palette, rgb
from asplan.drawing.scene import Timing
from asplan.drawing.stage import DIM, DONE, TRACK, Stage

Progress = Callable[[int, int], None]  # called with the frames that are done, and of all

Patch = tuple[int, int, Image.Image]  # left, top, and the pixels there


class StepChange(NamedTuple):
    """Patches to lay over what is shown, and how many milliseconds the result stands."""

    patches: list[Patch]
    duration: int


def number_of_frames(stage: Stage, timing: Timing) -> int:
    return 1 + stage.scene.last * timing.frames


def changes(stage: Stage, timing: Timing) -> Iterator[StepChange]:
    """The frames in order: the first is a whole picture."""
    last = stage.scene.last
    yield StepChange([(0, 0, stage.picture(0))], timing.start if last else timing.end)
    for step in range(last):
        for number in range(1, timing.frames + 1):
            before, now = (number - 1) / timing.frames, number / timing.frames
            boxes = stage.changes(step, before, now)
            patches = [(*box[:2], stage.patch(box, step, now)) for box in boxes]
            if number == 1 and stage.strip:
                patches.append((0, stage.drawing, stage.caption(step + 1)))
            duration = timing.frame
            if number == timing.frames:
                duration += timing.end if step + 1 == last else timing.rest
            yield StepChange(patches, duration)


# Films have a fixed rate, which every player and cutting program understands: a frame that stands
# longer is there several times, and costs next to nothing after the first.

_LONGEST_TICK = 40  # milliseconds; what moves at fewer than 25 frames a second looks slow to start

# The matrix by which ffmpeg makes YUV of RGB, and the range; players would have to guess them.
_COLOURS = {"colorspace": "smpte170m", "color_range": "tv"}


class Codec(NamedTuple):
    """An encoder of ffmpeg, the suffix of its container, and the encoder's options."""

    name: str
    suffix: str
    options: dict[str, str]


_MP4 = Codec("libx264", ".mp4", {"preset": "veryfast", "crf": "20"})
# Not in real time the encoder takes six times as long for a file a fifth smaller.
_WEBM = Codec("libvpx-vp9", ".webm", {"deadline": "realtime", "cpu-used": "6", "crf": "24"})


def _write_film(
    codec: Codec, file: BinaryIO, stage: Stage, timing: Timing, progress: Progress
) -> None:
    """Write each frame as it is drawn; pauses are rounded to whole frames of the film."""
    tick = timing.frame / math.ceil(timing.frame / _LONGEST_TICK)
    total = number_of_frames(stage, timing)
    clock = written = 0.0
    # PyAV does not survive a file that cannot be written; the film is small, the pictures are not.
    whole = BytesIO()
    with iio.imopen(whole, "w", plugin="pyav", extension=codec.suffix) as film:
        film.init_video_stream(codec.name, fps=1000 / tick, pixel_format="yuv420p")
        # imageio has no other way to them: github.com/imageio/imageio/issues/1062
        stream: Any = film._video_stream
        stream.options = {**codec.options, **_COLOURS}
        for number, (picture, duration) in enumerate(_pictures(stage, timing), 1):
            clock += duration / tick
            while written < round(clock):
                film.write_frame(picture)
                written += 1
            progress(number, total)
    file.write(whole.getbuffer())


def _pictures(stage: Stage, timing: Timing) -> Iterator[tuple[npt.NDArray[np.uint8], int]]:
    """Whole pictures with even sides, as yuv420p wants them: the last pixel may be there twice."""
    width, height = stage.size
    shown = np.empty((height, width, 3), dtype=np.uint8)
    for patches, duration in changes(stage, timing):
        for left, top, image in patches:
            shown[top : top + image.height, left : left + image.width] = np.asarray(image)
        yield np.pad(shown, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge"), duration


# The other animations have at most 255 colours, and each frame holds only the pixels that changed.


class Frame(NamedTuple):
    """Pixels to show at a place for some milliseconds; where they are CLEAR nothing changed."""

    pixels: Indices
    left: int
    top: int
    duration: int


_SAMPLES = 12


def make_palette(stage: Stage) -> Palette:
    scene = stage.scene
    named = [INK, WHITE, TRACK, DONE, DIM]
    for thing in scene.objects:
        named += [thing.look.fill, thing.look.stroke, thing.look.text]
    moments = sorted({round(i * scene.last / _SAMPLES) for i in range(_SAMPLES)})
    pictures = [stage.picture(t, 0.5 if t < scene.last else 0.0) for t in moments]
    return Palette((rgb(colour) for colour in named if colour != NONE), pictures)


def frames(stage: Stage, timing: Timing, palette: Palette, progress: Progress) -> Iterator[Frame]:
    """The frames in order: the first whole, each other one only where it differs."""
    width, height = stage.size
    shown = np.full((height, width), CLEAR, dtype=np.uint8)
    for number, (patches, duration) in enumerate(changes(stage, timing), 1):
        new = shown.copy()
        for left, top, image in patches:
            new[top : top + image.height, left : left + image.width] = palette.indices(image)
        changed = new != shown
        rows, columns = changed.any(axis=1).nonzero()[0], changed.any(axis=0).nonzero()[0]
        if rows.size:
            area = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            pixels = np.where(changed[area], new[area], np.uint8(CLEAR))
            yield Frame(pixels, int(columns[0]), int(rows[0]), duration)
        else:
            yield Frame(np.full((1, 1), CLEAR, dtype=np.uint8), 0, 0, duration)
        shown = new
        progress(number, number_of_frames(stage, timing))


_FOREVER = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"


def write_gif(file: BinaryIO, stage: Stage, timing: Timing, progress: Progress) -> None:
    palette = make_palette(stage)
    file.write(b"GIF89a" + struct.pack("<HHBBB", *stage.size, 0xF7, 0, 0) + palette.table())
    file.write(_FOREVER)
    for frame in frames(stage, timing, palette, progress):
        image = Image.fromarray(frame.pixels)
        place = frame.left, frame.top
        # Disposal 1: the frame stays, and the next is laid over it.
        for part in getdata(image, place, duration=frame.duration, transparency=CLEAR, disposal=1):
            file.write(part)
    file.write(b";")


# The chunks are those of https://developers.google.com/speed/webp/docs/riff_container.

_ANIMATED, _WITH_ALPHA = 0x02, 0x10
_HEADER = 12  # bytes before the first chunk


def write_webp(file: BinaryIO, stage: Stage, timing: Timing, progress: Progress) -> None:
    palette = make_palette(stage)
    flags = struct.pack("<I", _ANIMATED | _WITH_ALPHA)
    start = _riff_chunk(b"VP8X", flags + b"".join(_three_bytes(side - 1) for side in stage.size))
    start += _riff_chunk(b"ANIM", struct.pack("<IH", 0, 0))
    length = 4 + len(start)
    file.write(bytes(_HEADER) + start)
    for frame in frames(stage, timing, palette, progress):
        length += file.write(_webp_frame(frame, palette))
    file.seek(0)
    file.write(b"RIFF" + struct.pack("<I", length) + b"WEBP")


def _riff_chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def _three_bytes(number: int) -> bytes:
    return struct.pack("<I", number)[:3]


def _webp_frame(frame: Frame, palette: Palette) -> bytes:
    """A frame to be laid over those before; WebP counts its place in pairs of pixels."""
    odd = (frame.top % 2, 0), (frame.left % 2, 0)
    pixels = np.pad(frame.pixels, odd, constant_values=CLEAR)
    height, width = pixels.shape
    numbers = frame.left // 2, frame.top // 2, width - 1, height - 1, frame.duration
    still = BytesIO()
    Image.fromarray(palette.opaque[pixels]).save(still, "WEBP", lossless=True)
    control = b"".join(map(_three_bytes, numbers)) + b"\0"
    return _riff_chunk(b"ANMF", control + still.getvalue()[_HEADER:])


WRITERS: dict[str, Callable[[BinaryIO, Stage, Timing, Progress], None]] = {
    "gif": write_gif,
    "webp": write_webp,
    "mp4": partial(_write_film, _MP4),
    "webm": partial(_write_film, _WEBM),
}
"""What writes an animation, by suffix; all but the films are repeated for ever."""
