"""Shows a plan: drawing rules in ASP make a scene of it, and a scene a film, page or picture.

`rules` runs the rules, `shapes` reads what they derive, and `scene` holds it. `stage` turns it into
pixels for pictures and films; `svg` and `html` keep the shapes.

>>> import asplan
>>> asplan.render(asplan.solve("two_cars.lp"), "two_cars.gif")          # doctest: +SKIP
PosixPath('two_cars.gif')
"""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path

from asplan.core.limits import heeds_interrupts, holds_locks
from asplan.drawing.formats import Progress, Settings, check_outputs, scene_of, write_drawing
from asplan.result import Result

__all__ = ["render"]


@heeds_interrupts
@holds_locks
def render(
    result: Result,
    path: str | os.PathLike[str],
    *,
    draw: str | os.PathLike[str] | None = None,
    size: int | None = None,
    speed: float = 1.0,
    frames: int = 10,
    step: int | Sequence[int] = 0,
    caption: bool = True,
    explain: bool = False,
    progress: Progress | None = None,
    allow_includes: bool = False,
) -> Path:
    """Draw the plan of a result and store it; the suffix chooses the format.

    Animations are `.gif`, `.mp4`, `.webm` and `.webp`, pictures `.png` and `.svg`; `.html`
    is a page with a player.

    Parameters
    ----------
    draw
        A file with drawing rules; without it those of the domain, or the draw.lp beside the
        encoding. Where there are none the picture is a board, or a timeline of what holds.
    size
        The longer side of the drawing in pixels (not of a page); the caption comes below it. If it
        is not given, that is 480, or as much as the default picture needs.
    speed
        How fast an animation or a page runs; 1 is 0.45 seconds a step, and in an animation of many
        steps less, so that it does not last longer than two minutes.
    frames
        Of an animation from one step to the next; fewer where they would be too short to be seen.
    step
        The step to draw in a picture, or several, which stand side by side.
    caption
        Whether the step and its action are written below the drawing (not of a page).
    explain
        Whether a page says of each atom why it holds, or no longer does, where one clicks on it.
    progress
        Called with the number of frames that are done, and of all.
    allow_includes
        Let the drawing rules, and the files of a stored result, include files that are not below
        the folder of the including file.

    Returns
    -------
    Path
        The file. It is written whole or not at all.

    Raises
    ------
    UsageError
        There is no plan, the format is unknown or does not have an option, or the file cannot be
        written.
    InputError
        The drawing rules, or what they derive, make no sense.
    MissingExtra
        A film needs the extra `video`.
    """
    path = Path(path)
    settings = Settings(size, speed, frames, step, caption, explain)
    check_outputs([path], settings)
    rules = None if draw is None else os.fspath(draw)
    scene = scene_of(result, settings, rules, allow_includes)
    for slip in scene.warnings:
        warnings.warn(str(slip), stacklevel=2)
    write_drawing(path, scene, settings, progress or (lambda done, of: None))
    return path
