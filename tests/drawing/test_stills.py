"""Pictures of steps: strips, and SVG with the shapes and texts of the scene."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from plans import own_plan, two_cars

import asplan
from asplan.drawing.rules import make_scene
from asplan.drawing.stage import Stage

SVG = "{http://www.w3.org/2000/svg}"


def read_svg(path: Path) -> ElementTree.Element:
    return ElementTree.parse(path).getroot()


def things(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """The group of each thing, by its name."""
    groups = root.findall(f".//{SVG}svg/{SVG}g")
    return {group.findtext(f"{SVG}title", ""): group for group in groups}


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_a_strip_is_pictures_in_a_row(tmp_path: Path) -> None:
    steps = (6, 0, 3)
    path = asplan.render(two_cars(), tmp_path / "a.png", step=steps, size=200)
    stage = Stage(make_scene(two_cars()), 200, caption=True)
    with Image.open(path) as strip:
        assert strip.size == (3 * 200 + 2 * 10, 220)
        for place, step in enumerate(steps):
            part = strip.crop((210 * place, 0, 210 * place + 200, 220))
            assert np.array_equal(np.asarray(part), np.asarray(stage.draw_picture(step)))
        assert strip.getpixel((205, 100)) == (255, 255, 255)


@pytest.mark.parametrize("step", [0, 3, 6])
def test_an_svg_has_the_shapes_of_the_scene(step: int, tmp_path: Path) -> None:
    scene = make_scene(two_cars())
    root = read_svg(asplan.render(two_cars(), tmp_path / "a.svg", step=step))
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == (
        *("480", "516"),
        "0 0 480 516",
    )
    assert not list(root.iter(f"{SVG}image"))
    groups = things(root)
    assert list(groups) == [thing.name for thing in scene.objects]
    for thing in scene.objects:
        shape = thing.shapes[step]
        assert shape is not None
        [drawn] = groups[thing.name].findall(f"{SVG}{shape.kind}")
        assert drawn.get("fill") == thing.look.fill
        if shape.kind == "rect" and thing.look.stroke == "none":
            sides = [float(drawn.get(key, "")) for key in ("x", "y", "width", "height", "rx")]
            assert sides == [*shape.numbers, thing.look.radius]
        assert texts(groups[thing.name]) == ([thing.label] if thing.label else [])
    said = [scene.actions[step - 1] if step else "", f"{step} / 6"]
    assert sorted(texts(root)[-2:]) == sorted(said)


def test_an_svg_may_be_a_strip_without_captions(tmp_path: Path) -> None:
    path = asplan.render(two_cars(), tmp_path / "a.svg", step=range(3), size=100, caption=False)
    root = read_svg(path)
    assert (root.get("width"), root.get("height")) == ("310", "100")
    assert len(root.findall(f"{SVG}g/{SVG}svg")) == 3
    assert not any("/" in text for text in texts(root))


def test_odd_texts_stay_in_their_places(tmp_path: Path) -> None:
    (tmp_path / "draw.lp").write_text(
        'canvas(9,9). rect(a,0,0,9,9). label(a,"</text><script>&\x01\ufffe").'
    )
    result = own_plan(tmp_path, "", [], [['say("]]>")']])
    root = read_svg(asplan.render(result, tmp_path / "a.svg", step=1))
    assert texts(root) == ["</text><script>&\\x01\ufffd", "1 / 1", 'say("]]>")']


LOOKS = {
    "rush hour": None,
    "lines": "canvas(100,100). rect(a,5,5,40,30). style(a,stroke,red). style(a,stroke_width,6). "
    "style(a,radius,12). circle(b,70,30,20). style(b,stroke,navy). style(b,stroke_width,4). "
    "circle(c,30,70,20). style(c,fill,none). style(c,stroke,teal). style(c,stroke_width,8). "
    "polygon(d,((60,60),(95,60),(75,95))). style(d,stroke,black). style(d,stroke_width,6).",
    "half seen": 'canvas(99,99). rect(a,5,5,60,60). style(a,opacity,40). label(a,"A"). '
    "circle(b,60,60,30). style(b,opacity,60). layer(b,1). style(b,stroke,red). "
    "style(b,stroke_width,9).",
    "labels": 'canvas(200,100). rect(a,5,5,90,90). label(a,"wide label"). circle(b,150,50,45). '
    'label(b,"B"). style(b,fill,none). style(b,text,red).',
}


@pytest.mark.parametrize("name", LOOKS)
def test_a_browser_shows_the_svg_as_the_png_is(name: str, tmp_path: Path, browser: Any) -> None:
    options: dict[str, Any] = {"size": 300}
    if rules := LOOKS[name]:
        options["draw"] = tmp_path / "draw.lp"
        options["draw"].write_text(rules)
    vector = asplan.render(two_cars(), tmp_path / "a.svg", **options).read_bytes()
    with Image.open(asplan.render(two_cars(), tmp_path / "a.png", **options)) as image:
        expected = np.asarray(image.convert("RGB"), dtype=int)
    page = tmp_path / "page.html"
    source = base64.b64encode(vector).decode()
    page.write_text(f'<body style="margin:0"><img src="data:image/svg+xml;base64,{source}">')
    browser.get(page.as_uri())
    browser.set_window_size(600, 600)
    with Image.open(BytesIO(browser.get_screenshot_as_png())) as image:
        seen = np.asarray(image.convert("RGB"), dtype=int)
    height, width, _ = expected.shape
    apart = np.abs(seen[:height, :width] - expected).max(axis=2)
    # Edges are smoothed otherwise, and letters stand a fraction of a pixel elsewhere.
    assert (apart > 64).mean() < 0.02
    assert apart.mean() < 3
