"""Animations in every format: read back, they show the plan and keep its clock."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import imageio.v3 as iio
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from plans import own_plan, rush_hour, two_cars

import asplan
from asplan.catalog import find_instance
from asplan.drawing.rules import make_scene
from asplan.drawing.scene import LONGEST, make_timing
from asplan.drawing.stage import Stage
from conftest import THOROUGH, crossed

Pixels = npt.NDArray[np.uint8]

FILMS = ("mp4", "webm")
DELTAS = ("gif", "webp")
MOVING = (*FILMS, *DELTAS)
SOME = MOVING if THOROUGH else ("webm", "gif")
"""One of each kind, and their encoders are two."""

COLOUR = {"mp4": 8, "webm": 8, "gif": 0, "webp": 0}
"""How far a colour in the middle of a thing may be from what the drawing rules say."""


def shown(path: Path) -> Iterator[tuple[Pixels, int]]:
    """Return the frames of a file, each with its duration in milliseconds."""
    if path.suffix[1:] in FILMS:
        milliseconds = 1000 / iio.immeta(path, plugin="pyav")["fps"]
        for picture in iio.imiter(path, plugin="pyav"):
            yield picture, milliseconds
        return
    with Image.open(path) as image:
        for number in range(image.n_frames):
            image.seek(number)
            pixels = np.asarray(image.convert("RGB"))
            yield pixels, image.info["duration"]


def at(path: Path, *moments: float) -> list[Pixels]:
    """Return the frames at some moments, in milliseconds from the start, in ascending order."""
    wanted, found, clock = list(moments), [], 0.0
    for picture, duration in shown(path):
        clock += duration
        while wanted and wanted[0] < clock:
            found.append(picture)
            wanted.pop(0)
    return found


def length(path: Path) -> float:
    return sum(duration for _, duration in shown(path))


def difference(left: Pixels, right: Any) -> float:
    """The mean difference of two pictures, from 0 to 255."""
    return float(np.abs(left.astype(int) - np.asarray(right, dtype=int)).mean())


@pytest.mark.parametrize("suffix", MOVING)
def test_each_step_is_seen_at_its_time(suffix: str, tmp_path: Path) -> None:
    path = asplan.render(two_cars(), tmp_path / f"a.{suffix}", size=160)
    stage = Stage(make_scene(two_cars()), 160, caption=True)
    ends = [1000 + 450 * step - 75 for step in range(7)]
    pictures = at(path, *ends)
    assert len(pictures) == 7
    for step, picture in enumerate(pictures):
        assert picture.shape == (160 + 20, 160, 3)
        assert difference(picture, stage.draw_picture(step)) < 4
        # The other steps look different, or this would show nothing.
        assert difference(picture, stage.draw_picture((step + 3) % 7)) > 4
    assert length(path) == pytest.approx(1000 + 6 * 450 - 150 + 2000, abs=30)


@pytest.mark.parametrize("suffix", MOVING)
def test_colours_are_those_of_the_rules(suffix: str, tmp_path: Path) -> None:
    colours = {"red": (255, 0, 0), "teal": (0, 128, 128), "gold": (255, 215, 0), "#808080": 128}
    places = dict(zip(colours, range(0, 40, 10), strict=True))
    rules = "canvas(40,20). rect(white,0,0,40,20). style(white,fill,white). layer(white,-1)."
    for colour, x in places.items():
        rules += f' rect(T,{x},{x},T*2,10,10) :- T=0..2. style({x},fill,"{colour}").'
    (tmp_path / "draw.lp").write_text(rules)
    result = own_plan(tmp_path, "", [], [["a"], ["b"]])
    path = asplan.render(result, tmp_path / f"a.{suffix}", size=160, caption=False)
    [first] = at(path, 500)
    for colour, x in places.items():
        pixel = first[20, 4 * x + 20].astype(int)
        assert np.abs(pixel - colours[colour]).max() <= COLOUR[suffix], colour
    assert np.abs(first[70, 80].astype(int) - 255).max() <= COLOUR[suffix]


@pytest.mark.parametrize("suffix", SOME)
def test_animations_obey_size_speed_frames_and_caption(suffix: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"size": 75, "speed": 2.0, "frames": 3, "caption": False}
    path = asplan.render(two_cars(), tmp_path / f"a.{suffix}", **options)
    frames = list(shown(path))
    timing = make_timing(2.0, 3)
    # yuv420p has one colour for two pixels, so films have even sides.
    side = 76 if suffix in FILMS else 75
    assert {picture.shape for picture, _ in frames} == {(side, side, 3)}
    if suffix in DELTAS:
        assert len(frames) == 1 + 6 * 3
    assert length(path) == pytest.approx(1000 + 6 * timing.step - timing.rest + 2000, abs=25)


@pytest.mark.parametrize("suffix", SOME)
def test_a_plan_of_no_steps_is_a_still_animation(suffix: str, tmp_path: Path) -> None:
    result = rush_hour(find_instance("two_cars.lp"), [])
    path = asplan.render(result, tmp_path / f"a.{suffix}", size=100)
    stage = Stage(make_scene(result), 100, caption=True)
    pictures = [picture for picture, _ in shown(path)]
    assert len(pictures) == 1 or suffix in FILMS
    assert max(difference(picture, stage.draw_picture(0)) for picture in pictures) < 5
    if suffix in FILMS:
        assert length(path) == pytest.approx(2000, abs=30)


@pytest.mark.parametrize(
    ("suffix", "canvas"),
    crossed(MOVING, ["canvas(1000000,1)", "canvas(1,1000000)", "canvas(33,17)"]),
)
def test_canvases_with_odd_sides_are_animated(suffix: str, canvas: str, tmp_path: Path) -> None:
    (tmp_path / "draw.lp").write_text(f"{canvas}. rect(0,a,0,0,1,1). appears(a).")
    result = own_plan(tmp_path, "", [], [["a"]])
    path = asplan.render(result, tmp_path / f"a.{suffix}", size=101, caption=False)
    assert len(list(shown(path))) > 10


@pytest.mark.parametrize("suffix", SOME)
def test_progress_is_reported_for_each_frame(suffix: str, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    asplan.render(
        two_cars(),
        tmp_path / f"a.{suffix}",
        size=64,
        frames=2,
        progress=lambda *done: told.append(done),
    )
    assert told == [(number, 13) for number in range(1, 14)]


@pytest.mark.parametrize("suffix", DELTAS)
def test_frames_equal_whole_pictures(suffix: str, tmp_path: Path) -> None:
    """Nothing is left behind where something moved away."""
    stage = Stage(make_scene(two_cars()), 200, caption=True)
    path = asplan.render(two_cars(), tmp_path / f"a.{suffix}", size=200)
    frames = [picture for picture, _ in shown(path)]
    assert len(frames) == 61
    for number in (0, 3, 17, 25, 34, 60):
        step, part = divmod(number, 10)
        whole = np.asarray(stage.draw_picture(step, part / 10), dtype=int)
        assert np.abs(frames[number] - whole).max() <= 24


@pytest.mark.parametrize("suffix", DELTAS)
def test_animations_start_again_for_ever(suffix: str, tmp_path: Path) -> None:
    path = asplan.render(two_cars(), tmp_path / f"a.{suffix}", size=64, frames=1)
    with Image.open(path) as image:
        assert image.info["loop"] == 0


@pytest.mark.parametrize(
    ("steps", "step", "frames"), [(266, 450, 10), (300, 430, 10), (1000, 120, 4), (5000, 40, 1)]
)
def test_many_steps_run_faster_and_with_fewer_frames(steps: int, step: int, frames: int) -> None:
    timing = make_timing(steps=steps)
    assert (timing.step, timing.frames) == (step, frames)
    assert make_timing(0.5, steps=steps).step > step
    if steps < 2000:
        assert steps * timing.step < 1.1 * LONGEST


LONG = """
import sys
from pathlib import Path
import asplan
from asplan.core.plan import Plan
from asplan.result import Result

moves = ("move(b,down,1)",), ("move(b,up,1)",)
result = Result(files=(sys.argv[1],), plans=(Plan(moves * 500),), domain="rush_hour")
asplan.render(result, sys.argv[2], frames=2, size=200)
# The peak of this process; getrusage would count that of the parent before exec, too.
status = Path("/proc/self/status").read_text().splitlines()
print(next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024)
"""


@pytest.mark.parametrize("suffix", ["gif"] + ["mp4", "webp"] * THOROUGH)
def test_a_thousand_steps_need_little_memory(suffix: str, tmp_path: Path) -> None:
    """2001 frames of 200 x 220 pixels are 264 MB, so keeping them would be seen."""
    target = tmp_path / f"long.{suffix}"
    run = subprocess.run(
        [sys.executable, "-c", LONG, find_instance("two_cars.lp"), str(target)],
        capture_output=True,
        text=True,
        check=True,
    )
    if suffix == "mp4":
        assert iio.improps(target, plugin="pyav").n_images > 2001
    else:
        with Image.open(target) as image:
            assert image.n_frames == 2001
    assert int(run.stdout) < 220
