"""Files: the suffix chooses the format, and a file is written whole or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from plans import RED, own_plan, two_cars

import asplan
from asplan.core.errors import UsageError
from asplan.core.files import atomic_file
from asplan.core.installing import pip_install
from asplan.drawing.formats import Settings, check_outputs
from asplan.drawing.rules import make_scene

MOVING = ".gif, .mp4, .webm, .webp"
KNOWN = f"the suffix chooses the format: {MOVING}, .html, .png, .svg"

REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "unknown suffix": ("a.avi", {}, f"{{path}}: there is no format .avi\n  {KNOWN}"),
    "no suffix": ("gif", {}, f"{{path}}: the name has no suffix\n  {KNOWN}"),
    "step of a GIF": ("a.gif", {"step": 3}, "{path}: the option step is only for .png, .svg"),
    "step of a film": ("a.mp4", {"step": (0, 1)}, "{path}: the option step is only for .png, .svg"),
    "size of a page": (
        "a.html",
        {"size": 100},
        f"{{path}}: the option size is only for {MOVING}, .png, .svg",
    ),
    "speed of a picture": (
        "a.png",
        {"speed": 2.0},
        f"{{path}}: the option speed is only for {MOVING}, .html",
    ),
    "frames of an SVG": (
        "a.svg",
        {"frames": 2},
        f"{{path}}: the option frames is only for {MOVING}",
    ),
    "no such step": ("a.png", {"step": 7}, "there is no step 7: the plan has steps 0 to 6"),
    "negative step": ("a.png", {"step": -1}, "there is no step -1: the plan has steps 0 to 6"),
    "no such step of a strip": (
        "a.svg",
        {"step": range(4, 9)},
        "there is no step 7: the plan has steps 0 to 6",
    ),
    "no steps": ("a.png", {"step": ()}, "there is no step to show"),
    "too wide": (
        "a.png",
        {"step": (0,) * 10, "size": 4096},
        "10 steps side by side are 42796 pixels wide, and the most is 32768\n"
        "  choose fewer steps or a smaller --size",
    ),
    "tiny": ("a.gif", {"size": 31}, "the size is 31 pixels, but it must be from 32 to 4096"),
    "huge": ("a.gif", {"size": 4097}, "the size is 4097 pixels, but it must be from 32 to 4096"),
    "slow": ("a.gif", {"speed": 0.05}, "the speed 0.05 is not a number from 0.1 to 10"),
    "frames": ("a.gif", {"frames": 61}, "61 frames for each step: the number must be from 1 to 60"),
    "folder": ("sub.gif", {}, "cannot write {path}: it is a folder"),
    "no folder": ("x/a.gif", {}, "cannot write {path}: there is no folder {folder}"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_settings_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "sub.gif").mkdir()
    file, options, message = REFUSED[name]
    path = tmp_path / file
    with pytest.raises(UsageError) as caught:
        asplan.render(two_cars(), path, **options)
    assert str(caught.value) == message.format(path=path, folder=path.parent)
    assert [p.name for p in tmp_path.iterdir()] == ["sub.gif"]


@pytest.mark.parametrize("missing", ["av", "imageio"])
def test_a_film_needs_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    path = tmp_path / "a.mp4"
    with pytest.raises(asplan.MissingExtra) as caught:
        asplan.render(two_cars(), path)
    assert str(caught.value) == (
        f"{path}: films need PyAV (av) and imageio, which are not installed\n"
        f"  {pip_install('video')}"
    )
    assert asplan.render(two_cars(), tmp_path / "a.gif").is_file()
    assert asplan.render(two_cars(), tmp_path / "a.svg").is_file()


def test_drawing_modules_are_imported_late() -> None:
    code = (
        "import sys, asplan.drawing.formats; print([m for m in ('av', 'imageio', 'PIL', 'numpy')"
        " if m in sys.modules])"
    )
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "[]\n"


def test_a_setting_of_one_of_several_files_is_enough(tmp_path: Path) -> None:
    check_outputs([tmp_path / "a.gif", tmp_path / "a.png"], Settings(step=3, frames=2))


@pytest.mark.parametrize("step", [0, 3, 6])
def test_a_picture_of_one_step(step: int, tmp_path: Path) -> None:
    path = asplan.render(two_cars(), tmp_path / "a.PNG", step=step, size=720, caption=False)
    with Image.open(path) as image:
        assert (image.format, image.size) == ("PNG", (720, 720))
        red = (np.asarray(image.convert("RGB")) == RED).all(axis=2).sum(axis=0)
    column = {0: 1, 3: 2, 6: 5}[step]
    columns = np.nonzero(red > 40)[0]
    assert (columns[0], columns[-1]) == (100 * column - 40 + 5, 100 * column + 160 - 5 - 1)


def test_a_broken_drawing_leaves_the_old_file(tmp_path: Path) -> None:
    target, rules = tmp_path / "a.gif", tmp_path / "draw.lp"
    target.write_text("old")
    rules.write_text("canvas(1,1). rect(a,0,0,2,2).")
    with pytest.raises(asplan.InputError):
        asplan.render(two_cars(), target, draw=rules)
    assert target.read_text() == "old"


def test_an_interrupted_file_leaves_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "a.gif"
    target.write_text("old")

    def write() -> None:
        with atomic_file(target) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_complete_file_replaces_the_old_one(tmp_path: Path) -> None:
    target, link = tmp_path / "a.gif", tmp_path / "link.gif"
    target.write_text("old")
    link.symlink_to(target)
    with atomic_file(link) as file:
        file.write(b"new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert link.is_symlink()


def test_a_relative_path_without_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert asplan.render(two_cars(), "a.png") == Path("a.png")
    assert (tmp_path / "a.png").is_file()


def test_a_label_of_two_lines_is_drawn_as_one(tmp_path: Path) -> None:
    (tmp_path / "draw.lp").write_text('canvas(9,9). rect(a,0,0,9,9). label(a,"one\\ntwo").')
    result = own_plan(tmp_path, "", [], [])
    assert make_scene(result).objects[0].label == "one two"
    assert asplan.render(result, tmp_path / "a.png").is_file()
