"""How the states of a space look: their colours, and each as the drawing rules draw it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from asplan.core.figures import import_matplotlib
from asplan.domains.model import Model
from asplan.drawing.pictures import Pictures, as_written, draw_space
from asplan.drawing.scene import Scene
from asplan.problem import Problem
from asplan.statespace.analysis import Space

DEAD = "#c8324a"
"""Of states from which no goal can be reached."""
_NEAR, _FAR = 0.9, 0.05
"""The part of the colour map that is seen on white."""


@dataclass(frozen=True)
class Shades:
    """What the colours of states mean: each stands for a number."""

    what: str
    """What the number is."""
    colours: tuple[str, ...]
    """One for each number from 0."""
    numbers: tuple[int | None, ...]
    """That of each state; None for a dead end."""

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


_SHAPES = 500_000
"""How many there may be of all states together."""


@dataclass(frozen=True)
class Looks:
    """Each state as a few lines of text, and as a step of a scene where there are drawing rules."""

    scene: Scene | None
    texts: tuple[str, ...]


def looks_of(problem: Problem, model: Model[Any, Any], space: Space) -> Looks:
    """What the states look like; raises as `draw_by_rules` does."""
    written, states = as_written(problem, model, space)
    holds = [tuple(written.fluents(state)) for state in states]
    pictures = draw_space(problem, model, space, holds)
    return Looks(_scene(pictures) if pictures else None, tuple(map(written.text, states)))


def _scene(pictures: Pictures) -> Scene | None:
    """The states as steps; None where that were too much for a page."""
    number = len(pictures.poses[0])
    if sum(len(set(poses)) > 1 for poses in pictures.poses) * number > _SHAPES:
        return None
    things = tuple(
        replace(thing, shapes=tuple(thing.shapes[pose - 1] if pose else None for pose in poses))
        for thing, poses in zip(pictures.things, pictures.poses, strict=True)
    )
    return Scene("", pictures.width, pictures.height, things, ("",) * (number - 1))
