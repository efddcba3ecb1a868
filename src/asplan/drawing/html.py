"""Web pages that need nothing else: style, script and data stand in the page itself.

All text from a file reaches a page as JSON or escaped, and the page's own rules (a content
security policy) allow no script and no style but the ones it was written with, and no request.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
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


MOST_CHANGES = 50_000  # beyond them the page does not say what holds


def page(scene: Scene, timing: Timing) -> str:
    """A player with the plan beside it, as text."""
    return _player_page("page.html", "player", scene.title, _plan_data(scene), timing)


def pair_page(scenes: Mapping[str, Scene], timing: Timing) -> str:
    """Two plans by their names, side by side and in step, with what differs marked."""
    one, two = ({f for state in scene.states for f in state} for scene in scenes.values())
    plans = [_plan_data(scene) | {"name": name} for name, scene in scenes.items()]
    data = {"scenes": plans, "common": not one.isdisjoint(two)}  # some fluent is known of both
    return _player_page("pair.html", "pair", " and ".join(scenes), data, timing)


def _player_page(
    template: str, script: str, title: str, data: dict[str, Any], timing: Timing
) -> str:
    data |= {"move": timing.frames * timing.frame, "rest": timing.rest}
    scripts = "".join(part(PLAYER, f"{name}.js") for name in ("drawing", "why", script))
    return whole_page(part(PLAYER, template), title, part(PLAYER, "style.css"), scripts, data)


def _plan_data(scene: Scene) -> dict[str, Any]:
    # Each fluent with the steps at which it begins to hold, or to hold no longer, in turn.
    changes: dict[str, list[int]] = {}
    before: set[str] = set()
    for step, state in enumerate(scene.states):
        for fluent in before ^ set(state):
            changes.setdefault(fluent, []).append(step)
        before = set(state)
    many = sum(map(len, changes.values())) > MOST_CHANGES
    told = {"actions": scene.actions, "fluents": [] if many else sorted(changes.items())}
    return scene_data(scene) | told | {"why": scene.why}


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
    """What drawing.js needs of a scene."""
    objects = []
    for thing in scene.objects:
        distinct = list(dict.fromkeys(shape for shape in thing.shapes if shape))
        numbers = {shape: number for number, shape in enumerate(distinct)}
        runs = groupby(range(len(thing.shapes)), key=lambda step: thing.shapes[step])
        # At which steps the shape changes, and to which.
        track = [(next(steps), numbers.get(shape)) for shape, steps in runs]
        objects.append({**thing_data(thing), "shapes": distinct, "track": track})
    size = {"width": scene.width, "height": scene.height, "last": scene.last}
    return {**size, "objects": objects}


def thing_data(thing: Object) -> dict[str, Any]:
    look = asdict(thing.look)
    return {
        "name": thing.name,
        "label": thing.label,
        "ems": round(max(0.1, width_in_ems(thing.label)), 3),
        "look": look | {"strokeWidth": look.pop("stroke_width")},
    }
