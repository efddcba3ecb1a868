"""Web pages that need nothing else: style, script and data stand in the page itself.

All text from a file reaches a page as JSON or escaped, and the page's own rules (a content
security policy) allow no script and no style but the ones it was written with, and no request.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib.resources import files
from itertools import groupby
from typing import Any

from asplan.core.errors import AsplanError
from asplan.core.text import printable
from asplan.drawing.rules import make_scene
from asplan.drawing.scene import Object, Scene, Timing
from asplan.drawing.stage import width_in_ems
from asplan.result import Result


def part(folder: str, name: str, package: str = "asplan.drawing") -> str:
    return (files(package) / folder / name).read_text(encoding="utf-8")


def whole_page(template: str, title: str, style: str, script: str, data: dict[str, Any]) -> str:
    """A template with all that it names put in: title, style, script, their hashes, and data."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    values = {
        "title": html.escape(printable(title)),
        "style": style,
        "style-hash": _hash(style),
        "script": script,
        "script-hash": _hash(script),
        # JSON that cannot end the element it stands in.
        "data": text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"),
    }
    # In one pass, so that what is put in is never searched for places itself.
    return re.sub(r"\{\{([a-z-]+)\}\}", lambda place: values[place[1]], template)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


PLAYER = "player"  # the folder with the parts of a page that plays a plan


def page(scene: Scene, timing: Timing) -> str:
    data = _plan_data(scene) | _times(timing)
    return _player_page("page.html", ("drawing", "why", "player"), scene.title, data)


def pair_page(scenes: Mapping[str, Scene], timing: Timing) -> str:
    """Two plans by their names, side by side and in step, with what differs marked."""
    one, two = ({f for state in scene.states for f in state} for scene in scenes.values())
    data = {
        "scenes": [_plan_data(scene) | {"name": name} for name, scene in scenes.items()],
        "common": not one.isdisjoint(two),
    }
    scripts = "drawing", "why", "pair"
    return _player_page("pair.html", scripts, " and ".join(scenes), data | _times(timing))


def _player_page(template: str, scripts: Iterable[str], title: str, data: dict[str, Any]) -> str:
    script = "".join(part(PLAYER, f"{name}.js") for name in scripts)
    return whole_page(part(PLAYER, template), title, part(PLAYER, "style.css"), script, data)


def _plan_data(scene: Scene) -> dict[str, Any]:
    told = {"actions": scene.actions, "fluents": _fluents(scene), "why": scene.why}
    return scene_data(scene) | told


def _times(timing: Timing) -> dict[str, int]:
    return {"move": timing.frames * timing.frame, "rest": timing.rest}


MOST_CHANGES = 50_000  # beyond them the page does not say what holds


def _fluents(scene: Scene) -> list[tuple[str, list[int]]]:
    """Each fluent with the steps at which it begins to hold, or to hold no longer, in turn."""
    changes: dict[str, list[int]] = {}
    before: set[str] = set()
    for step, state in enumerate(scene.states):
        now = set(state)
        for fluent in now ^ before:
            changes.setdefault(fluent, []).append(step)
        before = now
    many = sum(map(len, changes.values())) > MOST_CHANGES
    return [] if many else sorted(changes.items())


def player(result: Result) -> str | None:
    """The page in a frame, for a notebook; None where there is no plan or nothing draws it."""
    try:
        scene = make_scene(result)
    except AsplanError:
        return None
    inner, title = html.escape(page(scene, Timing())), html.escape(printable(scene.title))
    return (
        f'<iframe srcdoc="{inner}" sandbox="allow-scripts" title="{title}" '
        'style="width: 100%; height: 640px; border: 0"></iframe>'
    )


def scene_data(scene: Scene) -> dict[str, Any]:
    return {
        "width": scene.width,
        "height": scene.height,
        "last": scene.last,
        "objects": [_object(thing) for thing in scene.objects],
    }


def _object(thing: Object) -> dict[str, Any]:
    distinct = list(dict.fromkeys(shape for shape in thing.shapes if shape))
    numbers = {shape: number for number, shape in enumerate(distinct)}
    runs = groupby(range(len(thing.shapes)), key=lambda step: thing.shapes[step])
    return {
        **thing_data(thing),
        "shapes": distinct,
        # At which steps the shape changes, and to which.
        "track": [(next(steps), numbers.get(shape)) for shape, steps in runs],
    }


def thing_data(thing: Object) -> dict[str, Any]:
    look = asdict(thing.look)
    return {
        "name": thing.name,
        "label": thing.label,
        "ems": round(max(0.1, width_in_ems(thing.label)), 3),
        "look": look | {"strokeWidth": look.pop("stroke_width")},
    }
