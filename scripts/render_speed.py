"""The speed of drawing plans, the size of the files, and the memory.

The longest of the hardest 6x6 boards, 81 steps (51 slides), at 480 pixels in every format of
animations: as asplan writes it, and, where imageio has a way that needs no extra, with whole
pictures handed to imageio. Then 1000 steps, for memory. Each runs in a process of its own.

    python scripts/render_speed.py [--plan PLAN.json] [--markdown]
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import imageio.v3 as iio
import numpy as np

import asplan
from asplan.core.plan import Plan
from asplan.drawing.rules import make_scene
from asplan.drawing.scene import make_timing
from asplan.drawing.stage import Stage
from asplan.result import Result
from asplan.stored import read_plan_file
from lib import tables
from lib.measuring import HARDEST
from lib.quick import add_quick

SIZE = 480
OURS = ("gif", "webp", "mp4", "webm")
IMAGEIO = ("gif", "webp")

RESTS_ON = (
    "src/asplan/drawing/scene.py",
    "src/asplan/drawing/film.py",
    "src/asplan/drawing/stage.py",
    "src/asplan/drawing/rules.py",
    "encodings/rush_hour/draw.lp",
)


def ours(result: Result, target: Path) -> int:
    """Draw and write as `asplan.drawing` does; the number of frames."""
    asplan.render(result, target, size=SIZE)
    steps = len(result.plan or ())
    return 1 + steps * make_timing(steps=steps).frames


def whole_pictures(result: Result, target: Path) -> int:
    """Draw every frame whole, and let imageio write them."""
    scene = make_scene(result)
    stage, timing = Stage(scene, SIZE, caption=True), make_timing(steps=scene.last)
    parts = range(1, timing.frames + 1)
    moments = [(0, 0.0), *((t, n / timing.frames) for t in range(scene.last) for n in parts)]
    options = {"lossless": True} if target.suffix == ".webp" else {}
    with iio.imopen(target, "w", plugin="pillow") as animation:
        for step, progress in moments:
            picture = np.asarray(stage.draw_picture(step, progress))
            animation.write(picture, duration=timing.frame, loop=0, **options)
    return len(moments)


def long_plan(result: Result) -> Result:
    """A car goes to and fro for 1000 steps."""
    first = next(iter(result.plan or ()))
    [action] = first
    back = {"left": "right", "right": "left", "up": "down", "down": "up"}
    car, direction, cells = action.removeprefix("move(").removesuffix(")").split(",")
    plan = Plan((first, (f"move({car},{back[direction]},{cells})",)) * 500)
    return replace(result, plans=(plan,), horizon=1000)


def measured(
    draw: Callable[[Result, Path], int], result: Result, suffix: str
) -> tuple[int, float, float, int]:
    """Frames, seconds, megabytes of the file, and megabytes of memory at the peak."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measure, (draw, result, suffix))


def _measure(
    draw: Callable[[Result, Path], int], result: Result, suffix: str
) -> tuple[int, float, float, int]:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / f"plan.{suffix}"
        start = time.perf_counter()
        frames = draw(result, target)
        seconds = time.perf_counter() - start
        size = target.stat().st_size / 1e6
    return frames, seconds, size, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def plan(file: str | None, folder: str) -> Result:
    """The plan to draw: the one in a file, or a shortest one of the hardest board."""
    if file is not None:
        return read_plan_file(file)
    board = Path(folder) / "hardest.txt"
    board.write_text(HARDEST)
    return asplan.solve(board, engine="bfs")


def main() -> None:
    """Print one line for each way."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--plan", help="a plan file for the board, instead of solving it first")
    add_quick(parser, "all of it: it is short")
    tables.add_option(parser)
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        result = plan(given.plan, folder)
        longer = long_plan(result)
        runs = [
            *((f"{s}, {result.horizon} steps", ours, result, s) for s in OURS),
            *((f"{s}, the same, imageio's writer", whole_pictures, result, s) for s in IMAGEIO),
            *((f"{s}, 1000 steps", ours, longer, s) for s in OURS),
        ]
        for name, draw, shown, suffix in runs:
            print(name, file=sys.stderr)
            frames, seconds, size, memory = measured(draw, shown, suffix)
            speed = f"{frames / seconds:.0f}"
            rows.append((name, str(frames), f"{seconds:.2f}", speed, f"{size:.2f}", str(memory)))
    columns = ("", "frames", "seconds", "frames a second", "file, MB", "memory, MB")
    tables.show(columns, rows, markdown=given.markdown)


if __name__ == "__main__":
    main()
