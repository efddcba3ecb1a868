"""How long the frames of an animation stand."""

from __future__ import annotations

from dataclasses import dataclass

from asplan.errors import UsageError

SHORTEST = 20
"""Milliseconds; viewers show a shorter frame for a tenth of a second."""


@dataclass(frozen=True)
class Timing:
    """The clock of an animation, in milliseconds.

    Attributes
    ----------
    frames
        Frames from one step to the next; the last of them shows the step reached.
    frame
        How long a frame stands.
    rest
        How much longer the last frame of a step stands.
    start, end
        How long the first and the last step stand before the animation goes on or starts again.
    """

    frames: int = 10
    frame: int = 30
    rest: int = 150
    start: int = 1000
    end: int = 2000

    @property
    def step(self) -> int:
        """How long one step takes."""
        return self.frames * self.frame + self.rest


LONGEST = 120_000
"""Milliseconds, about, that the steps of an animation take at most at the normal speed."""


def make_timing(speed: float = 1.0, frames: int = 10, steps: int = 0) -> Timing:
    """A clock that runs faster (speed above 1) or slower, and faster where there are many steps.

    Where frames would get too short for viewers, there are fewer of them.

    Raises
    ------
    UsageError
        Speed or frames make no sense.
    """
    if not 0.1 <= speed <= 10:
        raise UsageError(f"the speed {speed:g} is not between 0.1 and 10")
    if not 1 <= frames <= 60:
        raise UsageError(f"{frames} frames for a step are not between 1 and 60")
    normal = Timing()
    speed *= max(1, steps * normal.step / LONGEST)
    moving = normal.frames * normal.frame / speed
    frames = max(1, min(frames, int(moving / SHORTEST)))
    return Timing(
        frames=frames,
        frame=_tens(moving / frames),
        rest=_tens(normal.rest / speed),
        start=normal.start,
        end=normal.end,
    )


def _tens(milliseconds: float) -> int:
    """GIF counts hundredths of a second."""
    return max(SHORTEST, round(milliseconds / 10) * 10)
