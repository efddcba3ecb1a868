"""The strip below a drawing: which step of how many, what happens, how far the plan is."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

from asplan.drawing.atoms import LONGEST_LABEL
from asplan.drawing.colours import INK, WHITE
from asplan.drawing.lettering import font
from asplan.drawing.scene import Scene

TRACK, DONE, DIM = "#e4e7eb", "#66aaff", "#6b7480"


@dataclass(frozen=True)
class Caption:
    """What a strip says of a step, and where; lengths are in pixels.

    Attributes
    ----------
    bar
        The height of the bar along the top, whose left part, up to `done`, is filled.
    middle
        The height on which both texts stand: the action at the left margin, the count at the
        right one.
    letters
        The height of letters.
    """

    width: int
    height: int
    bar: int
    done: int
    margin: int
    middle: int
    letters: int
    action: str
    count: str


def make_caption(scene: Scene, step: int, width: int, height: int) -> Caption:
    """Lay out the strip of a step; the action is cut where it is too long."""
    last, margin, bar = scene.last, height // 3, max(2, height // 12)
    size = max(8, round(height * 0.42))
    letters = font(size)
    room = width - 3 * margin - letters.getlength(f"{last} / {last}")
    return Caption(
        width=width,
        height=height,
        bar=bar,
        done=round(width * step / last) if last else width,
        margin=margin,
        middle=(height + bar) // 2,
        letters=size,
        action=shorten(scene.actions[step - 1] if step else "", room, letters),
        count=f"{step} / {last}",
    )


def paint_caption(caption: Caption) -> Image.Image:
    """The strip as pixels."""
    image = Image.new("RGB", (caption.width, caption.height), WHITE)
    draw, letters = ImageDraw.Draw(image), font(caption.letters)
    draw.rectangle((0, 0, caption.width, caption.bar - 1), fill=TRACK)
    if caption.done:
        draw.rectangle((0, 0, caption.done - 1, caption.bar - 1), fill=DONE)
    right = caption.width - caption.margin, caption.middle
    draw.text(right, caption.count, DIM, letters, anchor="rm")
    draw.text((caption.margin, caption.middle), caption.action, INK, letters, anchor="lm")
    return image


def shorten(text: str, room: float, letters: ImageFont.FreeTypeFont) -> str:
    """A text that is no wider than its room, cut at the end where it must be."""
    text = text[:LONGEST_LABEL]
    if letters.getlength(text) <= room:
        return text
    too_long = bisect(range(len(text)), room, key=lambda n: letters.getlength(text[:n] + "…"))
    return text[: max(0, too_long - 1)] + "…"
