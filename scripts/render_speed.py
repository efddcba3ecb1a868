"""How fast plans are drawn, how large the files get, and how much memory that takes.

The longest of the hardest 6x6 boards, 81 steps (51 slides), at 480 pixels and 6 frames a step: once
as asplan writes it, with only what changed in each frame, and once with whole pictures handed to
Pillow's own writer of animations. Then 1000 steps, for memory. Each runs in a process of its own.

    python scripts/render_speed.py [--plan PLAN.json] [--markdown]
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PIL import Image

import asplan
import tables
from asplan.drawing.rules import make_scene
from asplan.drawing.stage import Stage
from asplan.drawing.timing import make_timing
from asplan.plan import Plan
from asplan.result import Result
from asplan.stored import read_plan_file
from measuring import HARDEST

FRAMES, SIZE = 6, 480

RESTS_ON = (
    "src/asplan/drawing/gif.py",
    "src/asplan/drawing/raster.py",
    "src/asplan/drawing/stage.py",
    "src/asplan/drawing/trajectory.py",
    "encodings/rush_hour/draw.lp",
)


def ours(result: Result, target: Path) -> int:
    """Draw and write as `asplan.drawing` does; the number of frames."""
    asplan.render(result, target, size=SIZE, frames=FRAMES)
    return 1 + FRAMES * len(result.plan or ())


def whole_pictures(result: Result, target: Path) -> int:
    """Draw every frame whole and let Pillow find out what changed."""
    scene = make_scene(result)
    stage, timing = Stage(scene, SIZE, caption=True), make_timing(frames=FRAMES)
    moments = [(0, 0.0)]
    moments += [(t, n / FRAMES) for t in range(scene.last) for n in range(1, FRAMES + 1)]
    pictures = (stage.picture(step, progress).quantize(255) for step, progress in moments)
    first: Image.Image = next(pictures)
    first.save(target, save_all=True, append_images=pictures, duration=timing.frame, loop=0)
    return len(moments)


def long_plan(result: Result) -> Result:
    """A car goes to and fro for 1000 steps."""
    first = next(iter(result.plan or ()))
    [action] = first
    back = {"left": "right", "right": "left", "up": "down", "down": "up"}
    car, direction, cells = action.removeprefix("move(").removesuffix(")").split(",")
    plan = Plan((first, (f"move({car},{back[direction]},{cells})",)) * 500)
    return replace(result, plans=(plan,), horizon=1000)


def measured(draw: Callable[[Result, Path], int], result: Result) -> tuple[int, float, float, int]:
    """Frames, seconds, megabytes of the file, and megabytes of memory at the peak."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measure, (draw, result))


def _measure(draw: Callable[[Result, Path], int], result: Result) -> tuple[int, float, float, int]:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "plan.gif"
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
    tables.add_option(parser)
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        result = plan(given.plan, folder)
        for name, draw, shown in [
            (f"{result.horizon} steps, as asplan writes them", ours, result),
            ("the same, whole pictures, Pillow's writer", whole_pictures, result),
            ("1000 steps, as asplan writes them", ours, long_plan(result)),
        ]:
            frames, seconds, size, memory = measured(draw, shown)
            speed = f"{frames / seconds:.0f}"
            rows.append((name, str(frames), f"{seconds:.2f}", speed, f"{size:.2f}", str(memory)))
    columns = ("", "frames", "seconds", "frames a second", "file, MB", "memory, MB")
    tables.show(columns, rows, markdown=given.markdown)


if __name__ == "__main__":
    main()
