"""Writes a scene as one web page that needs nothing else: a player with the plan beside it.

All text from a file reaches the page as JSON or escaped, and the page's own rules (a content
security policy) allow no script and no style but the ones it was written with, and no request.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib.resources import files
from itertools import groupby
from typing import Any

from asplan.drawing.lettering import width_in_ems
from asplan.drawing.scene import Object, Scene, Shape
from asplan.drawing.timing import Timing


def page(scene: Scene, timing: Timing) -> str:
    """The page, as text."""
    style, script = _part("style.css"), _part("player.js")
    values = {
        "title": html.escape(scene.title),
        "style": style,
        "style-hash": _hash(style),
        "script": script,
        "script-hash": _hash(script),
        "scene": _embedded(_scene(scene, timing)),
    }
    # In one pass, so that what is put in is never searched for places itself.
    return re.sub(r"\{\{([a-z-]+)\}\}", lambda place: values[place[1]], _part("page.html"))


def frame(scene: Scene, timing: Timing) -> str:
    """The page in a frame of its own, for a notebook."""
    inner = html.escape(page(scene, timing))
    return (
        f'<iframe srcdoc="{inner}" sandbox="allow-scripts" title="{html.escape(scene.title)}" '
        'style="width: 100%; height: 640px; border: 0"></iframe>'
    )


def _part(name: str) -> str:
    return (files("asplan.drawing") / "player" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _embedded(data: dict[str, Any]) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _scene(scene: Scene, timing: Timing) -> dict[str, Any]:
    return {
        "width": scene.width,
        "height": scene.height,
        "actions": scene.actions,
        "move": timing.frames * timing.frame,
        "rest": timing.rest,
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
