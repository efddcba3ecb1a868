"""Writes a scene as one web page that needs nothing else: a player with the plan beside it."""

from __future__ import annotations

import html
from itertools import groupby
from typing import Any

from asplan.drawing.lettering import width_in_ems
from asplan.drawing.scene import Object, Scene, Shape
from asplan.drawing.timing import Timing
from asplan.drawing.whole_page import part, whole_page

PLAYER = "player"
"""The folder with the parts of the page."""


def page(scene: Scene, timing: Timing) -> str:
    """The page, as text."""
    script = part(PLAYER, "drawing.js") + part(PLAYER, "player.js")
    data = {
        **scene_data(scene),
        "actions": scene.actions,
        "move": timing.frames * timing.frame,
        "rest": timing.rest,
    }
    return whole_page(
        part(PLAYER, "page.html"), scene.title, part(PLAYER, "style.css"), script, data
    )


def frame(scene: Scene, timing: Timing) -> str:
    """The page in a frame of its own, for a notebook."""
    inner = html.escape(page(scene, timing))
    return (
        f'<iframe srcdoc="{inner}" sandbox="allow-scripts" title="{html.escape(scene.title)}" '
        'style="width: 100%; height: 640px; border: 0"></iframe>'
    )


def scene_data(scene: Scene) -> dict[str, Any]:
    """What drawing.js needs of a scene."""
    return {
        "width": scene.width,
        "height": scene.height,
        "last": scene.last,
        "objects": [_object(thing) for thing in scene.objects],
    }


def _object(thing: Object) -> dict[str, Any]:
    look = thing.look
    distinct = list(dict.fromkeys(shape for shape in thing.shapes if shape))
    return {
        "name": thing.name,
        "label": thing.label,
        "ems": round(max(0.1, width_in_ems(thing.label)), 3),
        "look": {
            "fill": look.fill,
            "stroke": look.stroke,
            "strokeWidth": look.stroke_width,
            "text": look.text,
            "radius": look.radius,
            "opacity": look.opacity,
            "over": look.over,
        },
        "shapes": distinct,
        "track": _track(thing.shapes, {shape: index for index, shape in enumerate(distinct)}),
    }


def _track(
    shapes: tuple[Shape | None, ...], index: dict[Shape, int]
) -> list[tuple[int, int | None]]:
    """At which steps the shape changes, and to which."""
    runs = groupby(range(len(shapes)), key=lambda step: shapes[step])
    return [(next(steps), None if shape is None else index[shape]) for shape, steps in runs]
