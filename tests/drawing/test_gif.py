"""GIF files: the pixels show the plan, and the timing is right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from plans import RED, own_plan, two_cars

import asplan
from asplan.drawing.rules import make_scene
from asplan.drawing.scene import iterate_poses
from asplan.drawing.stage import Stage, pixels_of
from asplan.result import Result


@pytest.fixture(scope="module")
def gif(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return asplan.render(two_cars(), tmp_path_factory.mktemp("gif") / "two_cars.gif")


def frames(path: Path) -> Iterator[Image.Image]:
    with Image.open(path) as image:
        for number in range(image.n_frames):
            image.seek(number)
            yield image.convert("RGB")


def red_columns(image: Image.Image) -> tuple[int, int]:
    """The first and the last column with much red, left of the red arrow in the frame."""
    red = (np.asarray(image)[:, :440] == RED).all(axis=2).sum(axis=0)
    columns = np.nonzero(red > 20)[0]
    return int(columns[0]), int(columns[-1])


def red_car(step: int, result: Result) -> tuple[int, int]:
    """The first and the last column of pixels on which a step has the red car."""
    scene = make_scene(result)
    [pose] = [pose for pose in iterate_poses(scene.objects, step) if pose.object.name == "r"]
    left, _, right, _ = pixels_of(pose.shape, 480 / scene.width)
    return left, right - 1


@pytest.mark.parametrize("step", [0, 2, 4, 6])
def test_the_red_car_stands_where_the_plan_puts_it(step: int, gif: Path) -> None:
    image = list(frames(gif))[10 * step]
    assert image.size == (480, 516)
    assert red_columns(image) == red_car(step, two_cars())
    # Cell (3,1) begins 60 units from the left of a picture 720 units wide.
    assert red_car(0, two_cars())[0] == round((60 + 5) * 480 / 720)


def test_between_two_steps_the_red_car_is_on_its_way(gif: Path) -> None:
    lefts = [red_columns(image)[0] for image in list(frames(gif))[20:31]]
    assert lefts == sorted(lefts)
    assert lefts[0] == red_car(2, two_cars())[0]
    assert lefts[-1] == red_car(3, two_cars())[0]
    moves = np.diff(lefts)
    assert moves[4] > moves[0]
    assert moves[4] > moves[-1]


def test_frames_have_their_number_and_duration(gif: Path) -> None:
    with Image.open(gif) as image:
        assert image.n_frames == 1 + 6 * 10
        assert image.info["loop"] == 0
        durations = []
        for number in range(image.n_frames):
            image.seek(number)
            durations.append(image.info["duration"])
    step = [30] * 9 + [180]
    assert durations == [1000, *step * 5, *step[:9], 2030]


def test_frames_contain_only_changes(gif: Path) -> None:
    with Image.open(gif) as image:
        image.seek(25)
        [(_, (left, top, right, bottom), *_)] = image.tile
    assert right - left < 480 / 2
    assert bottom - top < 480 / 5


def test_frames_are_never_too_short_to_be_shown(tmp_path: Path) -> None:
    path = asplan.render(two_cars(), tmp_path / "fast.gif", size=100, speed=10.0)
    with Image.open(path) as image:
        assert image.n_frames == 1 + 6
        image.seek(1)
        assert image.info["duration"] == 30 + 20


def test_a_step_without_a_visible_change_keeps_its_frames(tmp_path: Path) -> None:
    (tmp_path / "draw.lp").write_text("canvas(10,10). rect(a,0,0,5,5).")
    result = own_plan(tmp_path, "", [], [["wait"], ["wait"]])
    path = asplan.render(result, tmp_path / "idle.gif", size=64, caption=False)
    with Image.open(path) as image:
        assert image.n_frames == 1 + 2 * 10


def test_things_appear_vanish_and_change_their_shape(tmp_path: Path) -> None:
    (tmp_path / "draw.lp").write_text(
        """
        canvas(64,64).          style((a;b;c),fill,"#d7263d").
        rect(0,a,0,0,20,20).
        circle(1,b,50,50,10).   appears(b).
        rect(0,c,40,0,20,20).   circle(1,c,50,10,10).
        """
    )
    path = asplan.render(
        own_plan(tmp_path, "", [], [["go"]]), tmp_path / "own.gif", size=64, caption=False
    )
    first, *middle, last = frames(path)
    at = {name: image.getpixel for name, image in {"first": first, "last": last}.items()}
    assert (at["first"]((10, 10)), at["last"]((10, 10))) == (RED, (255, 255, 255))
    assert (at["first"]((50, 50)), at["last"]((50, 50))) == ((255, 255, 255), RED)
    assert (at["first"]((41, 1)), at["last"]((50, 10))) == (RED, RED)
    fading = [image.getpixel((10, 10))[1] for image in middle]
    assert fading == sorted(fading)
    assert RED[1] < fading[5] < 255


ODD = {
    "lifted above and below the picture": "canvas(100,100). style(a,over,100). layer(a,1). "
    "rect(T,a,10*T,70,20,30) :- T = 0..6. rect(b,0,0,5,5).",
    "a polygon that is lifted": "canvas(100,100). style(a,over,95). "
    "polygon(T,a,((10*T,40),(10*T+20,40),(10*T,100))) :- T = 0..6.",
    "less than a pixel, at the edge": "canvas(1000000,1). "
    "rect(T,a,999999-T,0,1,1) :- T = 0..6. rect(b,0,0,500000,1).",
    "less than a pixel high": "canvas(1,1000000). rect(T,a,0,999999-T,1,1) :- T = 0..6.",
    "a crowd": "canvas(120,120). circle(T,a(I),5+10*(I\\10),5+10*(I/10)+T*(I\\3),4) "
    ":- T = 0..6, I = 0..89.",
}


@pytest.mark.parametrize("name", ODD)
def test_odd_drawings_are_whole_pictures(name: str, tmp_path: Path) -> None:
    """Clipped shapes and crowded steps equal the still picture of the step."""
    rules = tmp_path / "odd.lp"
    rules.write_text(ODD[name])
    path = asplan.render(two_cars(), tmp_path / "odd.gif", draw=rules, size=100, caption=False)
    shown = list(frames(path))
    assert len(shown) == 61
    stage = Stage(make_scene(two_cars(), str(rules)), 100, caption=False)
    for step in range(7):
        expected = np.asarray(stage.draw_picture(step), dtype=int)
        assert np.abs(np.asarray(shown[10 * step], dtype=int) - expected).max() < 90


@pytest.mark.parametrize("length", [20, 1_000, 1_000_000])
def test_captions_are_cut_to_their_room(length: int) -> None:
    from asplan.drawing.lettering import load_font, shorten

    cut = shorten("w" * length, 100, load_font(10))
    assert cut.endswith("…")
    assert load_font(10).getlength(cut) <= 100 < load_font(10).getlength(cut[:-1] + "w…")
    assert shorten("w" * length, 0, load_font(10)) == "…"
    assert shorten("wide", 100, load_font(10)) == "wide"
