"""The formats by suffix, and the settings that each of them has."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from asplan.drawing.timing import make_timing
from asplan.errors import UsageError
from asplan.files import check_writable

if TYPE_CHECKING:
    from asplan.drawing.scene import Scene

Progress = Callable[[int, int], None]
"""Called with the number of frames that are done, and of all."""


@dataclass(frozen=True)
class Settings:
    """How a scene is shown.

    Attributes
    ----------
    size
        The longer side of the drawing in pixels; the caption comes below it.
    speed
        How fast an animation runs; 1 is 0.45 seconds a step.
    frames
        Frames from one step to the next.
    step
        The step that a still picture shows.
    caption
        Whether the step and its action are written below the drawing.
    """

    size: int = 480
    speed: float = 1.0
    frames: int = 10
    step: int = 0
    caption: bool = True


@dataclass(frozen=True)
class Format:
    """A kind of file: how it is written, and which settings it has."""

    write: Callable[[BinaryIO, Scene, Settings, Progress], None]
    settings: frozenset[str]


# What draws is imported when it is needed: it takes longer than the rest of asplan together.


def _gif(file: BinaryIO, scene: Scene, settings: Settings, progress: Progress) -> None:
    from asplan.drawing.gif import write_gif
    from asplan.drawing.stage import Stage

    stage = Stage(scene, settings.size, settings.caption)
    write_gif(file, stage, make_timing(settings.speed, settings.frames), progress)


def _html(file: BinaryIO, scene: Scene, settings: Settings, progress: Progress) -> None:
    from asplan.drawing.html import page

    file.write(page(scene, make_timing(settings.speed)).encode())
    progress(1, 1)


def _png(file: BinaryIO, scene: Scene, settings: Settings, progress: Progress) -> None:
    from asplan.drawing.stage import Stage

    if not 0 <= settings.step <= scene.last:
        raise UsageError(f"there is no step {settings.step}: the plan has steps 0 to {scene.last}")
    stage = Stage(scene, settings.size, settings.caption)
    stage.picture(settings.step).save(file, "PNG", optimize=True)
    progress(1, 1)


FORMATS = {
    ".gif": Format(_gif, frozenset({"size", "speed", "frames", "caption"})),
    ".html": Format(_html, frozenset({"speed"})),
    ".png": Format(_png, frozenset({"size", "step", "caption"})),
}


def find_format(path: Path, others: Iterable[str] = ()) -> Format:
    """The format that the suffix of a file names; `UsageError` if there is none.

    `others` are suffixes that the caller knows besides.
    """
    if found := FORMATS.get(path.suffix.lower()):
        return found
    known = ", ".join([*FORMATS, *others])
    problem = f"there is no format {path.suffix}" if path.suffix else "the name has no suffix"
    raise UsageError(f"{path}: {problem}", mend=f"the suffix chooses the format: {known}")


def check_output(
    path: Path, settings: Settings, suffix: str | None = None, others: Iterable[str] = ()
) -> None:
    """Raise `UsageError` for what can be known to fail before anything is solved or drawn.

    Parameters
    ----------
    suffix
        The one that the file must have, where the format was named otherwise.
    others
        Suffixes that the caller knows besides.
    """
    known = find_format(path, others).settings
    if suffix is not None and path.suffix.lower() != suffix:
        raise UsageError(f"{path}: the name does not end with {suffix}")
    for field in fields(Settings):
        if field.name not in known and getattr(settings, field.name) != field.default:
            owners = ", ".join(s for s, form in FORMATS.items() if field.name in form.settings)
            raise UsageError(f"{path}: only {owners} has {field.name}")
    check_writable(path)
