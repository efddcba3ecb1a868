"""Scenes: named objects with a shape at each step, their motion between steps, and the timing.

Lengths are in the integer units of the drawing rules; x goes right and y goes down. Step 0 is the
initial state, step n the state after n steps of the plan.

>>> near = DrawnShape("circle", (10, 10, 5))
>>> far = DrawnShape("circle", (30, 10, 5))
>>> interpolate(near, far, 0.5)
[(DrawnShape(kind='circle', numbers=(20.0, 10.0, 5.0)), 1.0)]
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputWarning, UsageError
from asplan.core.plan import Plan

Box = tuple[float, float, float, float]  # left, top, right, bottom

LONGEST_LABEL = 1_000  # characters


class DrawnShape(NamedTuple):
    """A geometric shape: its kind, and its numbers.

    `rect` has the numbers x, y, width, height; `circle` has x and y of the centre and the radius;
    `polygon` has x1, y1, x2, y2, ….
    """

    kind: str
    numbers: tuple[float, ...]

    @property
    def box(self) -> Box:
        """The bounding box: left, top, right, bottom."""
        if self.kind == "rect":
            left, top, width, height = self.numbers
            return left, top, left + width, top + height
        if self.kind == "circle":
            x, y, radius = self.numbers
            return x - radius, y - radius, x + radius, y + radius
        across = self.numbers[::2]
        down = self.numbers[1::2]
        return min(across), min(down), max(across), max(down)


@dataclass(frozen=True)
class Look:
    """The style of an object.

    Colours are `#rrggbb` or `none`; opacity is from 0 to 1; `radius` rounds the corners of a
    rectangle. If `over` is set, an object that moves is lifted on its way until its top is at the
    height `over`.
    """

    fill: str
    stroke: str
    text: str
    stroke_width: float = 0
    radius: float = 0
    opacity: float = 1
    over: float | None = None


@dataclass(frozen=True)
class Object:
    """An object with a name; `shapes` has its shape at each step 0, 1, …, or None while it is
    absent.
    """

    name: str
    label: str
    look: Look
    shapes: tuple[DrawnShape | None, ...]


class Pose(NamedTuple):
    """An object at one moment: its shape and opacity, which may be between those of two steps."""

    object: Object
    shape: DrawnShape
    opacity: float


@dataclass(frozen=True)
class Scene:
    """The drawing of a plan; the objects are in the order in which they are
    painted, nearest last.
    """

    title: str
    width: int
    height: int
    objects: tuple[Object, ...]
    actions: tuple[str, ...]
    """The actions of each step 1, 2, …, as text."""
    size: int = 480
    """The default length of the longer side of the picture, in pixels."""
    strip: float = 0.075
    """The height of the caption below the picture, as a share of `size`."""
    states: Sequence[tuple[str, ...]] = ()
    """The fluents at each step 0, 1, …, as text; empty if they are not known."""
    warnings: tuple[InputWarning, ...] = ()
    """Likely mistakes in the drawing rules."""
    fold: Mapping[tuple[int, int], tuple[int, int, int]] = field(default_factory=dict)
    """The places in space of points of the picture, for a solid that can be turned."""
    why: Mapping[str, object] | None = None
    """The reason for each true atom, as `explain_states` returns it; None if not requested."""

    @property
    def last(self) -> int:
        """The number of the last step; step 0 is the initial state."""
        return len(self.actions)

    @property
    def first_moving(self) -> int:
        """The index of the first object whose shape changes; the number of objects if none
        changes.
        """
        for index, thing in enumerate(self.objects):
            if len(set(thing.shapes)) > 1:
                return index
        return len(self.objects)


def action_lines(plan: Plan) -> tuple[str, ...]:
    """Return a line of text for each step of a plan: its actions, as their source writes them."""
    lines = []
    for step in plan:
        lines.append(", ".join(map(plan.name, step)))
    return tuple(lines)


def iterate_poses(
    objects: tuple[Object, ...],
    step: int,
    progress: float = 0.0,
) -> Iterator[Pose]:
    """Yield the poses of objects between a step (progress 0) and the next step (progress 1)."""
    share = ease(progress)
    for thing in objects:
        current = thing.shapes[step]
        following = thing.shapes[step + 1] if progress else current
        height = thing.look.over if following != current else None
        for shape, opacity in interpolate(current, following, share):
            shown = shape if height is None else lift(shape, share, height)
            yield Pose(thing, shown, opacity * thing.look.opacity)


def ease(progress: float) -> float:
    """Return a progress from 0 to 1 with slow start and slow end: the cubic 3p² - 2p³."""
    return progress * progress * (3 - 2 * progress)


def interpolate(
    old: DrawnShape | None,
    new: DrawnShape | None,
    share: float,
) -> list[tuple[DrawnShape, float]]:
    """Return the shapes, with opacities, on the way from `old` (share 0) to `new` (share 1).

    Shapes of one kind turn into each other; any others fade out and in.
    """
    if old == new:
        return [(old, 1.0)] if old else []
    if old and new and _are_alike(old, new):
        return [(_blend(old, new, share), 1.0)]
    fading = [(old, 1.0 - share), (new, share)]
    return [(shape, opacity) for shape, opacity in fading if shape and opacity > 0]


def _are_alike(old: DrawnShape, new: DrawnShape) -> bool:
    return old.kind == new.kind and len(old.numbers) == len(new.numbers)


def _blend(old: DrawnShape, new: DrawnShape, share: float) -> DrawnShape:
    pairs = zip(old.numbers, new.numbers, strict=True)
    numbers = (start + (end - start) * share for start, end in pairs)
    return DrawnShape(old.kind, tuple(numbers))


def lift(shape: DrawnShape, share: float, height: float) -> DrawnShape:
    """Raise a shape while it moves.

    Halfway (share 0.5) the top of the shape is at `height`; at both ends (0 and 1) the shape is
    unchanged.
    """
    _, top, _, _ = shape.box
    rise = (height - top) * (1 - (2 * share - 1) ** 4)
    if shape.kind == "polygon":
        corners = list(shape.numbers)
        corners[1::2] = (y + rise for y in corners[1::2])
        return DrawnShape(shape.kind, tuple(corners))
    x, y, *lengths = shape.numbers
    return DrawnShape(shape.kind, (x, y + rise, *lengths))


SHORTEST = 20  # milliseconds; viewers show shorter frames for 100 instead
LONGEST = 120_000  # milliseconds; about the longest animation at the normal speed


@dataclass(frozen=True)
class Timing:
    """The timing of an animation, in milliseconds.

    A step has `frames` frames, each shown for the time `frame`; the last frame stays for the time
    `rest` in addition. The initial state is shown for the time `start`, the final state for the
    time `end`.
    """

    frames: int = 10
    frame: int = 30
    rest: int = 150
    start: int = 1000
    end: int = 2000

    @property
    def move(self) -> int:
        """The time in which objects move from one step to the next."""
        return self.frames * self.frame

    @property
    def step(self) -> int:
        """The time of a step: the motion and the pause after it."""
        return self.move + self.rest


def make_timing(
    speed: float = 1.0,
    frames: int = 10,
    steps: int = 0,
) -> Timing:
    """Make the timing for a speed (1 is normal) and a number of frames for each step.

    A plan of many `steps` is played faster, so that the animation does not exceed `LONGEST`. A step
    gets fewer frames if they would be shorter than `SHORTEST`. Raises `UsageError` for a speed or a
    number of frames out of range.
    """
    if not 0.1 <= speed <= 10:
        raise UsageError(f"the speed {speed:g} is not a number from 0.1 to 10")
    if not 1 <= frames <= 60:
        raise UsageError(f"{frames} frames for each step: the number must be from 1 to 60")
    normal = Timing()
    haste = speed * max(1, steps * normal.step / LONGEST)
    move = normal.move / haste
    shown = max(1, min(frames, int(move / SHORTEST)))
    frame = _round_to_tens(move / shown)
    rest = _round_to_tens(normal.rest / haste)
    return Timing(shown, frame, rest)


def _round_to_tens(milliseconds: float) -> int:
    """Round to multiples of 10 milliseconds, the unit of time of GIF files."""
    return max(SHORTEST, round(milliseconds / 10) * 10)
