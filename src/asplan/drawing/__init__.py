"""Drawings of plans: drawing rules in ASP derive a scene, which becomes a film, page or picture.

`rules` runs the drawing rules, `shapes` reads the atoms that they derive, and `scene` defines the
scene made of them. A plan without drawing rules becomes a `board` or a `timeline`. `stage` turns a
scene into pixels for the pictures of `stills` and the animations of `film`; SVG pictures and the
pages of `html` are made from the shapes directly.

>>> import asplan
>>> asplan.render(asplan.solve("two_cars.lp"), "two_cars.gif")          # doctest: +SKIP
PosixPath('two_cars.gif')
"""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path

from asplan.core.limits import hold_locks, keep_interrupts
from asplan.drawing.formats import (
    Progress,
    Settings,
    check_outputs,
    prepare_scene,
    write_drawing,
)
from asplan.result import Result

__all__ = ["render"]


@keep_interrupts()
@hold_locks()
def render(  # noqa: PLR0913 (the public options, one by one)
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
    show: Sequence[str] = (),
    coordinates: bool = False,
    progress: Progress | None = None,
    allow_includes: bool = False,
) -> Path:
    """Draw the plan of a result into a file; the suffix chooses the format.

    Animations are `.gif`, `.mp4`, `.webm` and `.webp`, pictures `.png` and `.svg`; `.html`
    is a page with a player.

    Parameters
    ----------
    draw
        A file with drawing rules. By default the rules of the domain are used, or the draw.lp
        beside the encoding. Without rules the picture is a board, or a timeline of the fluents.
    size
        The longer side of the drawing in pixels (not of a page); the caption comes below it. The
        default is 480, or as much as the default picture needs.
    speed
        The speed of an animation or a page; 1 is 0.45 seconds a step. An animation of many steps
        runs faster, so that it does not last longer than two minutes.
    frames
        Frames of an animation from one step to the next; fewer if they would be too short to be
        seen.
    step
        The step to draw in a picture, or several steps, which are drawn side by side.
    caption
        Whether to write the step and its action below the drawing (not of a page).
    explain
        Whether a click on an atom in a page shows why it holds, or no longer does.
    show
        Predicates whose atoms are drawn at each time, as the encoding derives them: cells are
        tinted, and moves are arrows.
    coordinates
        Whether to number the rows and the columns of the board.
    progress
        A function called with the number of frames written so far and with their total number.
    allow_includes
        Let the drawing rules, and the files of a stored result, include files outside the folder
        of the including file.

    Returns
    -------
    Path
        The file. It is written whole or not at all.

    Raises
    ------
    UsageError
        There is no plan, the format is unknown or does not have an option, the file cannot be
        written, or the encoding derives no atoms of a predicate in `show`.
    InputError
        The drawing rules are wrong, or derive a wrong drawing.
    MissingExtra
        A film needs the extra `video`.
    """
    path = Path(path)
    settings = Settings(
        size,
        speed,
        frames,
        step,
        caption,
        explain,
        tuple(show),
        coordinates,
    )
    check_outputs([path], settings)
    rules = None if draw is None else os.fspath(draw)
    scene = prepare_scene(result, settings, rules, allow_includes)
    for warning in scene.warnings:
        warnings.warn(str(warning), stacklevel=2)
    write_drawing(path, scene, settings, progress or (lambda done, total: None))
    return path
