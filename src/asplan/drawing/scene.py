"""A scene: objects with one shape at each step, how they move to the next, and how fast.

Lengths are in the integer units of the drawing rules; x goes right and y goes down.

>>> near, far = Shape("circle", (10, 10, 5)), Shape("circle", (30, 10, 5))
>>> between(near, far, 0.5)
[(Shape(kind='circle', numbers=(20.0, 10.0, 5.0)), 1.0)]
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from asplan.core.errors import InputWarning, UsageError

Box = tuple[float, float, float, float]  # left, top, right, bottom


class Shape(NamedTuple):
    """A rectangle (x, y, w, h), a circle (x, y, r) or a polygon (x1, y1, x2, y2, …)."""

    kind: str
    numbers: tuple[float, ...]

    @property
    def box(self) -> Box:
        n = self.numbers
        if self.kind == "rect":
            return n[0], n[1], n[0] + n[2], n[1] + n[3]
        if self.kind == "circle":
            return n[0] - n[2], n[1] - n[2], n[0] + n[2], n[1] + n[2]
        return min(n[::2]), min(n[1::2]), max(n[::2]), max(n[1::2])


@dataclass(frozen=True)
class Look:
    """Colours are `#rrggbb` or `none`, opacity 0 to 1; `over` is the height it is lifted to."""

    fill: str
    stroke: str
    text: str
    stroke_width: float = 0
    radius: float = 0
    opacity: float = 1
    over: float | None = None


@dataclass(frozen=True)
class Object:
    """A thing with a name; `shapes` are its shapes at steps 0, 1, …, None where it is not there."""

    name: str
    label: str
    look: Look
    shapes: tuple[Shape | None, ...]


class Pose(NamedTuple):
    """How an object is to be drawn at one moment."""

    object: Object
    shape: Shape
    opacity: float


@dataclass(frozen=True)
class Scene:
    """What a plan looks like; objects go from the farthest to the nearest."""

    title: str
    width: int
    height: int
    objects: tuple[Object, ...]
    actions: tuple[str, ...]  # what happens in steps 1, 2, …, as text
    size: int = 480  # the longer side in pixels, where nobody asks for another
    strip: float = 0.075  # the height of the caption as a share of the size
    states: Sequence[tuple[str, ...]] = ()  # the fluents after steps 0, 1, …, as text
    warnings: tuple[InputWarning, ...] = ()  # what is most likely wrong in the drawing rules
    why: Mapping[str, Any] | None = None
    """Why what holds does, where that is wanted: what `explain_states` says."""

    @property
    def last(self) -> int:
        return len(self.actions)


def poses(objects: tuple[Object, ...], step: int, progress: float = 0.0) -> Iterator[Pose]:
    """Where objects are on the way from a step (progress 0) to the next (progress 1)."""
    for thing in objects:
        ahead = thing.shapes[step + 1] if progress else thing.shapes[step]
        share, over = ease(progress), thing.look.over
        for shape, presence in between(thing.shapes[step], ahead, share):
            if over is not None and ahead != thing.shapes[step]:
                shape = lifted(shape, share, over)
            yield Pose(thing, shape, presence * thing.look.opacity)


def ease(progress: float) -> float:
    """Slow at both ends: the cubic whose slope is 0 at 0 and at 1."""
    return progress * progress * (3 - 2 * progress)


def between(old: Shape | None, new: Shape | None, share: float) -> list[tuple[Shape, float]]:
    """The shapes, with opacities, for a change of which a share is done: turning, or fading."""
    if old == new:
        return [(old, 1.0)] if old else []
    if old and new and old.kind == new.kind and len(old.numbers) == len(new.numbers):
        pairs = zip(old.numbers, new.numbers, strict=True)
        return [(Shape(old.kind, tuple(a + (b - a) * share for a, b in pairs)), 1.0)]
    fading = [(old, 1.0 - share), (new, share)]
    return [(shape, presence) for shape, presence in fading if shape and presence > 0]


def lifted(shape: Shape, share: float, over: float) -> Shape:
    rise = (over - shape.box[1]) * (1 - (2 * share - 1) ** 4)
    if shape.kind == "polygon":
        return Shape(shape.kind, tuple(n + rise * (i % 2) for i, n in enumerate(shape.numbers)))
    x, y, *lengths = shape.numbers
    return Shape(shape.kind, (x, y + rise, *lengths))


SHORTEST = 20  # milliseconds; viewers show a shorter frame for a tenth of a second
LONGEST = 120_000  # milliseconds, about, that an animation takes at most at the normal speed


@dataclass(frozen=True)
class Timing:
    """The clock of an animation, in milliseconds.

    A step has some frames, the last of which shows the step reached and stands for `rest` more.
    The first and the last step stand for `start` and `end` before the animation goes on.
    """

    frames: int = 10
    frame: int = 30
    rest: int = 150
    start: int = 1000
    end: int = 2000

    @property
    def step(self) -> int:
        return self.frames * self.frame + self.rest


def make_timing(speed: float = 1.0, frames: int = 10, steps: int = 0) -> Timing:
    """A clock for a speed, faster where there are many steps; short frames are fewer."""
    if not 0.1 <= speed <= 10:
        raise UsageError(f"the speed {speed:g} is not between 0.1 and 10")
    if not 1 <= frames <= 60:
        raise UsageError(f"{frames} frames for a step are not between 1 and 60")
    normal = Timing()
    speed *= max(1, steps * normal.step / LONGEST)
    moving = normal.frames * normal.frame / speed
    frames = max(1, min(frames, int(moving / SHORTEST)))
    return Timing(frames, _tens(moving / frames), _tens(normal.rest / speed))


def _tens(milliseconds: float) -> int:
    """GIF counts hundredths of a second."""
    return max(SHORTEST, round(milliseconds / 10) * 10)
