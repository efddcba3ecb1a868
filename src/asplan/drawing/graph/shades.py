"""The colours of states: by their distance to a goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from asplan.figures import import_matplotlib
from asplan.search.space import Space

DEAD = "#c8324a"
"""Of states from which no goal can be reached."""
_NEAR, _FAR = 0.9, 0.05
"""The part of the colour map that is seen on white."""


@dataclass(frozen=True)
class Shades:
    """What the colours of states mean.

    Attributes
    ----------
    what
        What the number is that a colour stands for.
    colours
        One for each number from 0.
    numbers
        That of each state; None for a dead end.
    """

    what: str
    colours: tuple[str, ...]
    numbers: tuple[int | None, ...]

    def of(self, state: int) -> str:
        """The colour of a state, as `#rrggbb`."""
        number = self.numbers[state]
        return DEAD if number is None else self.colours[number]


def shades_of(space: Space) -> Shades:
    """By the fewest moves to a goal; where no goal can be reached, by those from the start."""
    what, numbers = "fewest moves to a goal", tuple(space.distances)
    if not space.goals:
        what, numbers = "fewest moves from the start; no goal can be reached", tuple(space.depths)
    most = max(number for number in numbers if number is not None)
    import_matplotlib()
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    def shade(number: int) -> Any:
        return colormaps["viridis"](_NEAR + (_FAR - _NEAR) * number / max(1, most))

    return Shades(what, tuple(to_hex(shade(n)) for n in range(most + 1)), numbers)
