"""Writes a scene as an animation: MP4 or WebM through imageio and PyAV, GIF or WebP directly.

Frames are drawn one by one, so memory does not grow with their number. imageio would keep all
pictures of a GIF or WebP until the last: five times the memory, seven times as slow, files three
times as large (`scripts/render_speed.py`). So this module has its own writers for GIF and WebP.
"""

import math
import struct
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image
from PIL.GifImagePlugin import getdata

from asplan.drawing.colours import (
    CLEAR,
    DIM,
    DONE,
    INK,
    NONE,
    TRACK,
    WHITE,
    Indices,
    Palette,
    rgb,
)
from asplan.drawing.scene import Scene, Timing
from asplan.drawing.stage import Stage

Progress = Callable[[int, int], None]  # called with frames written and frames in all

Pixels = npt.NDArray[np.uint8]  # of shape (height, width, 3)


class Patch(NamedTuple):
    """A rectangular image that replaces a part of the picture.

    `left` and `top` are the position of its left top corner in pixels.
    """

    left: int
    top: int
    image: Image.Image

    @property
    def area(self) -> tuple[slice, slice]:
        """The rows and columns of the whole picture that the patch covers."""
        rows = slice(self.top, self.top + self.image.height)
        columns = slice(self.left, self.left + self.image.width)
        return rows, columns


class StepChange(NamedTuple):
    """The patches that turn one frame into the next, and the time (ms) for which the new frame
    stays.
    """

    patches: list[Patch]
    duration: int


def count_frames(stage: Stage, timing: Timing) -> int:
    """Return the number of frames of the animation: one for the initial state, several for each
    step.
    """
    return 1 + stage.scene.last * timing.frames


def iterate_changes(stage: Stage, timing: Timing) -> Iterator[StepChange]:
    """Yield the change from frame to frame; the first change is the whole first picture."""
    last = stage.scene.last
    whole = Patch(0, 0, stage.draw_picture(0))
    yield StepChange([whole], timing.start if last else timing.end)
    for step in range(last):
        for number in range(1, timing.frames + 1):
            patches = _draw_patches(stage, step, number, timing.frames)
            duration = timing.frame
            if number == timing.frames:
                duration += timing.end if step + 1 == last else timing.rest
            yield StepChange(patches, duration)


def _draw_patches(
    stage: Stage,
    step: int,
    number: int,
    frames: int,
) -> list[Patch]:
    """Draw the patches of frame `number` of a step; the step has the frames 1 to `frames`.

    The first frame of a step also has a new caption.
    """
    before = (number - 1) / frames
    now = number / frames
    patches = []
    for box in stage.find_changes(step, before, now):
        left, top = box[:2]
        image = stage.draw_patch(box, step, now)
        patches.append(Patch(left, top, image))
    if number == 1 and stage.strip:
        caption = stage.draw_caption(step + 1)
        patches.append(Patch(0, stage.drawing, caption))
    return patches


# Films have a fixed rate, which every player and cutting program understands. A frame that stays
# longer is repeated; repetitions cost next to nothing.

_LONGEST_TICK = 40  # milliseconds; motion below 25 frames a second looks jerky

# How ffmpeg converts RGB to YUV (matrix and range); without these players would have to guess.
_COLOURS = {"colorspace": "smpte170m", "color_range": "tv"}


class Codec(NamedTuple):
    """A video encoder of ffmpeg with its options, and the suffix of the files that it writes."""

    name: str
    suffix: str
    options: dict[str, str]


_MP4 = Codec("libx264", ".mp4", {"preset": "veryfast", "crf": "20"})
# Without `realtime` the encoder takes six times as long for a file a fifth smaller.
_WEBM = Codec(
    "libvpx-vp9",
    ".webm",
    {
        "deadline": "realtime",
        "cpu-used": "6",
        "crf": "24",
    },
)


def _write_film(
    codec: Codec,
    file: BinaryIO,
    stage: Stage,
    timing: Timing,
    progress: Progress,
) -> None:
    """Write a scene as a video, frame by frame; pauses are rounded to whole frames of the video."""
    import imageio.v3 as iio  # from an extra that GIF and WebP do not need

    tick = timing.frame / math.ceil(timing.frame / _LONGEST_TICK)
    total = count_frames(stage, timing)
    clock = 0.0
    written = 0
    # PyAV crashes if a file cannot be written, so the film, which is small, is kept in memory.
    content = BytesIO()
    with iio.imopen(content, "w", plugin="pyav", extension=codec.suffix) as film:
        film.init_video_stream(codec.name, fps=1000 / tick, pixel_format="yuv420p")
        # imageio has no public access to options: github.com/imageio/imageio/issues/1062
        stream = film._video_stream
        assert stream is not None
        stream.options = {**codec.options, **_COLOURS}
        for number, (picture, duration) in enumerate(_draw_pictures(stage, timing), 1):
            clock += duration / tick
            while written < round(clock):
                film.write_frame(picture)
                written += 1
            progress(number, total)
    file.write(content.getbuffer())


def _draw_pictures(stage: Stage, timing: Timing) -> Iterator[tuple[Pixels, int]]:
    """Yield whole pictures with their durations in milliseconds.

    An odd width or height is extended by repeating the last pixel, as yuv420p needs even sides.
    """
    width, height = stage.size
    shown = np.empty((height, width, 3), dtype=np.uint8)
    padding = ((0, height % 2), (0, width % 2), (0, 0))
    for patches, duration in iterate_changes(stage, timing):
        for patch in patches:
            shown[patch.area] = np.asarray(patch.image)
        yield np.pad(shown, padding, mode="edge"), duration


# GIF and WebP get at most 255 colours here, and each frame stores only the changed pixels.


class Frame(NamedTuple):
    """A frame of a GIF or WebP: palette indices for a rectangle, shown for `duration` milliseconds.

    Pixels with the index CLEAR keep the colour of the frame before.
    """

    pixels: Indices
    left: int
    top: int
    duration: int


_SAMPLES = 12  # pictures whose colours fill the palette


def make_palette(stage: Stage) -> Palette:
    """Make the palette of an animation.

    It keeps the named colours of the scene, and adds colours found in some sample pictures.
    """
    scene = stage.scene
    steps = {round(i * scene.last / _SAMPLES) for i in range(_SAMPLES)}
    pictures = [
        stage.draw_picture(step, 0.5 if step < scene.last else 0.0) for step in sorted(steps)
    ]
    return Palette(_named_colours(scene), pictures)


def _named_colours(scene: Scene) -> list[tuple[int, int, int]]:
    colours = [INK, WHITE, TRACK, DONE, DIM]
    for thing in scene.objects:
        colours += [thing.look.fill, thing.look.stroke, thing.look.text]
    return [rgb(colour) for colour in colours if colour != NONE]


def iterate_frames(
    stage: Stage,
    timing: Timing,
    palette: Palette,
    progress: Progress,
) -> Iterator[Frame]:
    """Yield the frames in order: the first covers the whole picture, each later one the changed
    pixels.

    `progress` is called with the number of frames made so far and their total number.
    """
    width, height = stage.size
    total = count_frames(stage, timing)
    shown = np.full((height, width), CLEAR, dtype=np.uint8)
    for number, (patches, duration) in enumerate(iterate_changes(stage, timing), 1):
        new = shown.copy()
        for patch in patches:
            new[patch.area] = palette.indices(patch.image)
        yield _make_frame(shown, new, duration)
        shown = new
        progress(number, total)


def _make_frame(shown: Indices, new: Indices, duration: int) -> Frame:
    """Make the frame that turns the palette indices `shown` into `new`.

    It covers the smallest rectangle with all changes, or one transparent pixel if there is none.
    """
    changed = new != shown
    rows = changed.any(axis=1).nonzero()[0]
    columns = changed.any(axis=0).nonzero()[0]
    if not rows.size:
        clear = np.full((1, 1), CLEAR, dtype=np.uint8)
        return Frame(clear, 0, 0, duration)
    top = int(rows[0])
    left = int(columns[0])
    area = (slice(top, rows[-1] + 1), slice(left, columns[-1] + 1))
    pixels = np.where(changed[area], new[area], np.uint8(CLEAR))
    return Frame(pixels, left, top, duration)


_COLOUR_TABLE = 0xF7  # flags of a GIF: a global table of 256 colours
_FOREVER = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"


def write_gif(
    file: BinaryIO,
    stage: Stage,
    timing: Timing,
    progress: Progress,
) -> None:
    """Write an animated GIF that repeats for ever."""
    palette = make_palette(stage)
    width, height = stage.size
    file.write(
        b"GIF89a"
        + struct.pack(
            "<HHBBB",
            width,
            height,
            _COLOUR_TABLE,
            0,
            0,
        )
    )
    file.write(palette.table())
    file.write(_FOREVER)
    for frame in iterate_frames(stage, timing, palette, progress):
        parts = getdata(
            Image.fromarray(frame.pixels),
            (frame.left, frame.top),
            duration=frame.duration,
            transparency=CLEAR,
            disposal=1,  # the next frame is drawn over this one
        )
        for part in parts:
            file.write(part)
    file.write(b";")


# The chunks are those of https://developers.google.com/speed/webp/docs/riff_container.

_ANIMATED = 0x02
_WITH_ALPHA = 0x10
_HEADER = 12  # bytes before the first chunk


def write_webp(
    file: BinaryIO,
    stage: Stage,
    timing: Timing,
    progress: Progress,
) -> None:
    """Write an animated, lossless WebP that repeats for ever."""
    palette = make_palette(stage)
    flags = struct.pack("<I", _ANIMATED | _WITH_ALPHA)
    size = b"".join(_three_bytes(side - 1) for side in stage.size)
    start = _riff_chunk(b"VP8X", flags + size)
    start += _riff_chunk(b"ANIM", struct.pack("<IH", 0, 0))
    length = 4 + len(start)
    file.write(bytes(_HEADER) + start)
    for frame in iterate_frames(stage, timing, palette, progress):
        length += file.write(_webp_frame(frame, palette))
    file.seek(0)
    file.write(b"RIFF" + struct.pack("<I", length) + b"WEBP")


def _riff_chunk(name: bytes, data: bytes) -> bytes:
    padding = b"\0" * (len(data) % 2)
    return name + struct.pack("<I", len(data)) + data + padding


def _three_bytes(number: int) -> bytes:
    return struct.pack("<I", number)[:3]


def _webp_frame(frame: Frame, palette: Palette) -> bytes:
    """Return the WebP chunk of a frame.

    WebP can store only even left and top coordinates. A frame at an odd coordinate is extended by a
    transparent column or row.
    """
    odd = ((frame.top % 2, 0), (frame.left % 2, 0))
    pixels = np.pad(frame.pixels, odd, constant_values=CLEAR)
    height, width = pixels.shape
    still = BytesIO()
    Image.fromarray(palette.opaque[pixels]).save(still, "WEBP", lossless=True)
    numbers = (
        frame.left // 2,
        frame.top // 2,
        width - 1,
        height - 1,
        frame.duration,
    )
    control = b"".join(map(_three_bytes, numbers)) + b"\0"
    return _riff_chunk(b"ANMF", control + still.getvalue()[_HEADER:])


WRITERS: dict[str, Callable[[BinaryIO, Stage, Timing, Progress], None]] = {
    "gif": write_gif,
    "webp": write_webp,
    "mp4": partial(_write_film, _MP4),
    "webm": partial(_write_film, _WEBM),
}
"""The writers of animations by suffix; MP4 and WebM play once, GIF and WebP repeat for ever."""
