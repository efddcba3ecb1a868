"""Pictures of steps: one, or several in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from PIL import Image

from asplan.drawing.colours import WHITE
from asplan.drawing.stage import Stage
from asplan.errors import UsageError

WIDEST = 32_768
"""Pixels; many programs show no wider picture."""


def row(stage: Stage, steps: Sequence[int]) -> tuple[list[int], int]:
    """The left edges of the pictures of some steps side by side, and how wide all are together.

    Raises
    ------
    UsageError
        There is no such step, or none or too many are asked for.
    """
    if not steps:
        raise UsageError("there is no step to show")
    for step in steps:
        if not 0 <= step <= stage.scene.last:
            last = stage.scene.last
            raise UsageError(f"there is no step {step}: the plan has steps 0 to {last}")
    between = max(4, stage.width // 20)
    lefts = [i * (stage.width + between) for i in range(len(steps))]
    width = lefts[-1] + stage.width
    if width > WIDEST:
        raise UsageError(
            f"{len(steps)} steps side by side are {width} pixels wide, and the most is {WIDEST}",
            mend="choose fewer steps or a smaller --size",
        )
    return lefts, width


def write_png(file: BinaryIO, stage: Stage, steps: Sequence[int]) -> None:
    """Write the pictures of some steps, from left to right."""
    lefts, width = row(stage, steps)
    image = Image.new("RGB", (width, stage.size[1]), WHITE)
    for left, step in zip(lefts, steps, strict=True):
        image.paste(stage.picture(step), (left, 0))
    image.save(file, "PNG", optimize=True)
