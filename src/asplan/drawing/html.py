"""Web pages in one file: style, script and data are part of the page.

All text from a file enters a page as JSON or escaped. The page's content security policy allows
only the script and the style that the page contains, and no network request.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from itertools import groupby

from asplan.core.errors import AsplanError
from asplan.core.page import breakable
from asplan.core.text import printable
from asplan.drawing.lettering import measure_width
from asplan.drawing.rules import make_scene
from asplan.drawing.scene import Look, Object, Scene, Timing
from asplan.result import Result

_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})

Data = dict[str, object]  # data for a page, by name; JSON can write it


def read_part(
    folder: str,
    name: str,
    package: str = "asplan.drawing",
) -> str:
    """Read a part of a page (template, style or script) from a folder of a package."""
    return (files(package) / folder / name).read_text(encoding="utf-8")


def fill_page(
    template: str,
    title: str,
    style: str,
    script: str,
    data: Data,
) -> str:
    """Return a page: the template with its placeholders `{{name}}` filled.

    The names are title, heading (the title, which may break after `_`), style, script, data, and
    style-hash and script-hash for the content security policy of the page.
    """
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    values = {
        "title": html.escape(printable(title)),
        "heading": breakable(title),
        "style": style,
        "style-hash": _hash(style),
        "script": script,
        "script-hash": _hash(script),
        # Without these characters JSON cannot end the element that contains it.
        "data": text.translate(_ESCAPES),
    }
    # One pass: the values themselves are never searched for places.
    return re.sub(r"\{\{([a-z-]+)\}\}", lambda place: values[place[1]], template)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()


PLAYER = "player"  # the folder with the parts of the player

MOST_CHANGES = 50_000  # with more changes of fluents the page omits the states


def make_page(scene: Scene, timing: Timing) -> str:
    """Return a page that plays a plan and lists its actions."""
    return _fill_player(
        "page.html",
        "player",
        scene.title,
        _plan_data(scene),
        timing,
    )


def make_pair_page(scenes: Mapping[str, Scene], timing: Timing) -> str:
    """Return a page that plays two named plans side by side and marks where they differ."""
    plans = []
    fluents: list[set[str]] = []
    for name, scene in scenes.items():
        plans.append({**_plan_data(scene), "name": name})
        fluents.append(set().union(*scene.states))
    first, second = fluents
    data: Data = {"scenes": plans, "common": not first.isdisjoint(second)}
    return _fill_player(
        "pair.html",
        "pair",
        " and ".join(scenes),
        data,
        timing,
    )


def _fill_player(
    template: str,
    script: str,
    title: str,
    data: Data,
    timing: Timing,
) -> str:
    names = ("drawing", "solid", "why", script)
    scripts = "".join(read_part(PLAYER, f"{name}.js") for name in names)
    return fill_page(
        template=read_part(PLAYER, template),
        title=title,
        style=read_part(PLAYER, "style.css"),
        script=scripts,
        data={**data, "move": timing.move, "rest": timing.rest},
    )


def _plan_data(scene: Scene) -> Data:
    changes = _find_changes(scene)
    are_too_many = sum(map(len, changes.values())) > MOST_CHANGES
    return {
        **encode_scene(scene),
        "actions": scene.actions,
        "fluents": [] if are_too_many else sorted(changes.items()),
        "why": scene.why,
    }


def _find_changes(scene: Scene) -> dict[str, list[int]]:
    """Map each fluent to the steps at which its truth changes: it becomes true, then false, and so
    on.
    """
    changes: dict[str, list[int]] = {}
    before: set[str] = set()
    for step, state in enumerate(scene.states):
        now = set(state)
        for fluent in before ^ now:
            changes.setdefault(fluent, []).append(step)
        before = now
    return changes


def make_player_frame(result: Result) -> str | None:
    """Return an iframe with the page of a plan, for a notebook; None if the result
    cannot be drawn.
    """
    try:
        scene = make_scene(result)
    except AsplanError:
        return None
    page = html.escape(make_page(scene, Timing()))
    title = html.escape(printable(scene.title))
    return (
        f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="{title}" '
        'style="width: 100%; height: 640px; border: 0"></iframe>'
    )


def encode_scene(scene: Scene) -> Data:
    """Return a scene as the data that drawing.js reads."""
    objects = []
    for thing in scene.objects:
        shapes = dict.fromkeys(shape for shape in thing.shapes if shape)
        numbers = {shape: number for number, shape in enumerate(shapes)}
        # The steps at which the shape changes, each with the number of the new shape.
        track: list[tuple[int, int | None]] = []
        step = 0
        for shape, run in groupby(thing.shapes):
            track.append((step, None if shape is None else numbers[shape]))
            step += len(list(run))
        data = encode_object(thing)
        data["shapes"] = list(shapes)
        data["track"] = track
        objects.append(data)
    return {
        "width": scene.width,
        "height": scene.height,
        "last": scene.last,
        "objects": objects,
        **_encode_fold(scene),
    }


def _encode_fold(scene: Scene) -> Data:
    """Return the fold of a scene as data of the page; empty for a scene without a fold.

    A list x, y, a, b, c means that the point x, y of the picture is at a, b, c in space.
    """
    places = [(*point, *place) for point, place in scene.fold.items()]
    return {"fold": places} if places else {}


def encode_object(thing: Object) -> Data:
    """Return an object, without its shapes, as the data that drawing.js reads."""
    return {
        "name": thing.name,
        "label": thing.label,
        "ems": round(max(0.1, measure_width(thing.label)), 3),
        "look": _encode_look(thing.look),
    }


def _encode_look(look: Look) -> Data:
    return {
        "fill": look.fill,
        "stroke": look.stroke,
        "text": look.text,
        "radius": look.radius,
        "opacity": look.opacity,
        "over": look.over,
        "strokeWidth": look.stroke_width,
    }
