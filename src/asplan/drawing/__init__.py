"""Shows a plan: drawing rules in ASP make a scene of it, and a scene becomes GIF, page or picture.

`trajectory` says what holds at each step, `rules` runs the rules, `scene` is what they drew;
`raster`, `stage` and `palette` turn it into pixels for `gif` and `png`, `html` into a player.

>>> import asplan
>>> asplan.render(asplan.solve("two_cars.lp"), "two_cars.gif")          # doctest: +SKIP
PosixPath('two_cars.gif')
"""

from __future__ import annotations

import os
from pathlib import Path

from asplan.drawing.formats import Progress, Settings, check_output, find_format
from asplan.forking import holds_locks
from asplan.result import Result

__all__ = ["render"]


@holds_locks
def render(
    result: Result,
    path: str | os.PathLike[str],
    *,
    draw: str | os.PathLike[str] | None = None,
    size: int = 480,
    speed: float = 1.0,
    frames: int = 10,
    step: int = 0,
    caption: bool = True,
    progress: Progress | None = None,
    allow_includes: bool = False,
) -> Path:
    """Draw the plan of a result and store it; the suffix chooses GIF, HTML or PNG.

    Parameters
    ----------
    draw
        A file with drawing rules; without it those of the domain, or the draw.lp beside the
        encoding.
    size
        The longer side of the drawing in pixels (GIF, PNG); the caption comes below it.
    speed
        How fast an animation runs (GIF, HTML); 1 is 0.45 seconds a step.
    frames
        Frames from one step to the next (GIF); fewer where they would be too short to be seen.
    step
        The step to draw (PNG).
    caption
        Whether the step and its action are written below the drawing (GIF, PNG).
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
        There is no plan, there are no drawing rules, the format is unknown or does not have an
        option, or the file cannot be written.
    InputError
        The drawing rules, or what they derive, make no sense.
    """
    from asplan.drawing.rules import make_scene
    from asplan.files import whole_file

    path = Path(path)
    settings = Settings(size=size, speed=speed, frames=frames, step=step, caption=caption)
    check_output(path, settings)
    scene = make_scene(result, None if draw is None else os.fspath(draw), allow_includes)
    with whole_file(path) as file:
        find_format(path).write(file, scene, settings, progress or (lambda done, of: None))
    return path
