"""Drawing from the command line."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from PIL import Image

from asplan.catalog import find_instance
from asplan.core.files import atomic_file, stamp_of
from asplan.drawing.formats import Outputs
from conftest import run


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    done = run("solve", "two_cars", "-e", "origin", "--json")
    path = tmp_path_factory.mktemp("plan") / "plan.json"
    path.write_text(done.stdout)
    return path


STARTS = {
    "gif": b"GIF89a",
    "mp4": b"\0\0\0 ftypisom",
    "webm": b"\x1a\x45\xdf\xa3",
    "webp": b"RIFF",
    "html": b"<!DOCTYPE html>",
    "png": b"\x89PNG",
    "svg": b"<?xml",
}


WRITTEN = {"html": "a page with 6 steps"} | dict.fromkeys(["png", "svg"], "3 steps, 310x120 pixels")


def test_render_writes_each_format_in_one_run(plan: Path, tmp_path: Path) -> None:
    targets = {suffix: tmp_path / f"plan.{suffix}" for suffix in STARTS}
    words = [word for target in targets.values() for word in ("-o", str(target))]
    done = run("render", str(plan), *words, "--size", "100", "--step", "0,2..3")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [
        f"asplan: {target} is written: {WRITTEN.get(suffix, '61 frames, 100x120 pixels')}"
        for suffix, target in targets.items()
    ]
    for suffix, start in STARTS.items():
        assert targets[suffix].read_bytes().startswith(start)
    with Image.open(targets["png"]) as strip:
        assert strip.size == (3 * 100 + 2 * 5, 120)


def test_render_has_all_settings(plan: Path, tmp_path: Path) -> None:
    target = tmp_path / "plan.gif"
    words = ["--size", "100", "--frames", "3", "--speed", "2", "--no-caption"]
    assert run("render", str(plan), "-o", str(target), *words).returncode == 0
    with Image.open(target) as image:
        assert (image.size, image.n_frames) == ((100, 100), 1 + 6 * 3)
    still = tmp_path / "plan.png"
    assert run("render", str(plan), "-o", str(still), "--step", "6").returncode == 0


def test_solve_draws(tmp_path: Path) -> None:
    gif, page, film = tmp_path / "a.gif", tmp_path / "a.html", tmp_path / "a.mp4"
    words = ["--json", "--gif", str(gif), "--html", str(page), "-o", str(film)]
    done = run("solve", "two_cars", "-e", "origin", *words)
    assert done.returncode == 0
    assert done.stderr == (
        f"asplan: {gif} is written: 61 frames, 480x516 pixels\n"
        f"asplan: {page} is written: a page with 6 steps\n"
        f"asplan: {film} is written: 61 frames, 480x516 pixels\n"
    )
    assert json.loads(done.stdout)["horizon"] == 6
    with Image.open(gif) as image:
        assert image.n_frames == 61
    assert page.stat().st_size > 10_000
    assert film.stat().st_size > 10_000


def test_a_program_of_ones_own_with_its_drawing(tmp_path: Path) -> None:
    """`--draw` draws a program without any Python, as in the guide."""
    program, rules = tmp_path / "walk.lp", tmp_path / "looks.lp"
    program.write_text(
        """
        at(0,0).
        #program step(t).
        { occurs(go,t) }.
        at(X+1,t) :- at(X,t-1), occurs(go,t).
        at(X,t)   :- at(X,t-1), not occurs(go,t).
        #program check(t).
        :- query(t), not at(3,t).  holds(at(X),t) :- at(X,t).
        #show occurs/2.  #show holds/2.
        """
    )
    rules.write_text("canvas(50,10). circle(T,walker,5+10*X,5,5) :- holds(at(X),T).")
    target = tmp_path / "walk.gif"
    done = run("solve", str(program), "--gif", str(target), "--draw", str(rules))
    assert done.returncode == 0
    assert done.stderr == f"asplan: {target} is written: 31 frames, 480x132 pixels\n"
    with Image.open(target) as image:
        assert (image.n_frames, image.size) == (31, (480, 96 + 36))


def test_without_a_plan_no_file_is_written(tmp_path: Path) -> None:
    target = tmp_path / "a.gif"
    done = run("solve", "two_cars", "-e", "origin", "--max-horizon", "2", "--gif", str(target))
    assert done.returncode == 1
    assert done.stderr == f"asplan: there is no plan, so {target} is not written\n"
    assert not target.exists()


REFUSED = {
    "suffix of --gif": (["--gif", "a.html"], "a.html: the name does not end with .gif"),
    "suffix of --html": (["--html", "a.gif"], "a.gif: the name does not end with .html"),
    "format of --gif": (["--gif", "a.mp4"], "a.mp4: the name does not end with .gif"),
    "unknown suffix": (
        ["-o", "a.mp4", "-o", "a.avi"],
        "a.avi: there is no format .avi\n  the suffix chooses the format: .gif, .mp4, .webm, "
        ".webp, .html, .png, .svg, .ipc, .plan, .soln",
    ),
    "no folder": (["--gif", "x/a.gif"], "cannot write x/a.gif: there is no folder {folder}/x"),
    "rules alone": (["--draw", "d.lp"], "--draw needs a drawing, such as -o plan.gif"),
    "no rules": (["--gif", "a.gif", "--draw", "d.lp"], "no such file: d.lp"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_solve_refuses_before_it_solves(name: str, tmp_path: Path) -> None:
    words, message = REFUSED[name]
    done = run("solve", "sample05", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"asplan: {message.format(folder=tmp_path)}\n"
    assert list(tmp_path.iterdir()) == []


def test_a_failed_drawing_keeps_the_seconds_of_the_result(tmp_path: Path) -> None:
    rules = tmp_path / "draw.lp"
    rules.write_text("canvas(1,1). rect(a,0,0,2,2).")
    words = ["--gif", str(tmp_path / "a.gif"), "--draw", str(rules), "--json"]
    done = run("solve", "two_cars", "-e", "origin", *words)
    assert (done.returncode, done.stderr.startswith(f"asplan: {rules}:1:")) == (2, True)
    result = json.loads(done.stdout)
    assert result["outcome"] == "optimal"
    assert result["seconds"]["total"] > 0


GRAPH = "asplan: a.{} is written\n"
PAGE = "asplan: a.html is written: a page with 6 steps\n"
NAMELESS = [
    (["solve", "{board}", "-e", "origin", "-o", "a.html"], "<title>board\\udcff</title>", PAGE),
    (["analyse", "{board}", "--graph", "a.html"], "<title>board\\udcff", GRAPH.format("html")),
    (["analyse", "{board}", "--graph", "a.svg"], None, GRAPH.format("svg")),
    (["analyse", "{board}", "--plot", "a.svg"], None, ""),
    (["compare", "{board}", "-e", "origin", "--horizon", "1", "--plot", "a.png"], None, ""),
]


@pytest.mark.parametrize(("words", "title", "written"), NAMELESS, ids=lambda words: str(words))
def test_the_name_of_an_instance_may_be_no_text(
    tmp_path: Path, words: list[str], title: str | None, written: str
) -> None:
    board = os.fsdecode(b"board\xff.lp")
    shutil.copy(str(find_instance("two_cars")), tmp_path / board)
    done = run(*(word.format(board=board) for word in words), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, written)
    target = tmp_path / words[-1]
    assert target.stat().st_size > 1000
    assert title is None or title in target.read_text()


def test_a_file_with_a_future_time_is_written(tmp_path: Path) -> None:
    """The clock of the file's machine may be behind ours."""
    files = [str(tmp_path / name) for name in ("new.svg", "old.svg", "kept.svg", "none.svg")]
    for file in files[1:3]:
        Path(file).write_text("old")
    outputs = Outputs(tuple(files))
    before = {file: stamp_of(file) for file in files}
    for file in files[:2]:
        with atomic_file(Path(file)) as opened:
            opened.write(b"new")
        os.utime(file, (0, 0))
    assert outputs.missing(before) == files[2:]


def test_render_needs_a_plan(tmp_path: Path) -> None:
    file = tmp_path / "none.json"
    file.write_text(run("solve", "two_cars", "-e", "origin", "--max-horizon", "2", "--json").stdout)
    done = run("render", str(file), "-o", str(tmp_path / "a.gif"))
    assert done.returncode == 2
    assert done.stderr == f"asplan: {file} holds no plan: its outcome is unknown\n"


def test_a_plan_that_does_not_fit_is_no_plan(plan: Path, tmp_path: Path) -> None:
    data = json.loads(plan.read_text())
    data["plan"][0] = data["plans"][0][0] = ["move(b,up,2)"]
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(data))
    done = run("render", str(file), "-o", str(tmp_path / "a.gif"))
    assert done.returncode == 4
    assert done.stderr == (
        "asplan: step 1: move(b,up,2) does not apply: metric step moves one cell at a time, not 2\n"
    )
    assert not (tmp_path / "a.gif").exists()
