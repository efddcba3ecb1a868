"""What both models know about a board: each vehicle's range, and which pairs can meet."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from asplan.domains.rush_hour.model import RushHour


@dataclass(frozen=True)
class Vehicle:
    """A car with its offset at the start, and the offsets between which no wall stands."""

    name: str
    length: int
    axis: str
    line: int
    start: int
    least: int
    most: int

    def covers(self, offset: int) -> range:
        """The places of its line that it covers at an offset."""
        return range(offset, offset + self.length)


@dataclass(frozen=True)
class Board:
    """The vehicles, the red car first.

    Attributes
    ----------
    same_line
        Pairs of indices, the first being left of or above the second.
    crossing
        Pairs of indices of a horizontal and a vertical vehicle.
    """

    vehicles: tuple[Vehicle, ...]
    goal: int
    steps_only: bool
    same_line: tuple[tuple[int, int], ...]
    crossing: tuple[tuple[int, int], ...]

    def unsolvable(self) -> str | None:
        """Whether a wall stands between the red car and its goal; else None."""
        red = self.vehicles[0]
        if red.least <= self.goal <= red.most:
            return None
        return "a wall stands between the red car and its goal"


def board_of(model: RushHour) -> Board:
    """The board of an instance."""
    vehicles = tuple(_vehicle(model, index) for index in range(len(model.cars)))
    indices = sorted(range(len(vehicles)), key=lambda index: vehicles[index].start)
    same = [
        (a, b)
        for a, b in combinations(indices, 2)
        if (vehicles[a].axis, vehicles[a].line) == (vehicles[b].axis, vehicles[b].line)
    ]
    crossing = [
        (h, v) for h in indices for v in indices if vehicles[h].axis == "h" != vehicles[v].axis
    ]
    return Board(vehicles, model.goal, model.metric == "step", tuple(same), tuple(crossing))


def _vehicle(model: RushHour, index: int) -> Vehicle:
    car, start = model.cars[index], model.start[index]
    least = most = start
    while model.is_open(car.cell(least - 1)):
        least -= 1
    while model.is_open(car.cell(most + car.length)):
        most += 1
    return Vehicle(model.names[index], car.length, car.axis, car.line, start, least, most)
