"""What can be wished of a board, and what contradicts itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from asplan.domains.rush_hour.generator.hardest import Start
from asplan.domains.wishes import Option, Range, Size, numbers, ranges, sizes
from asplan.errors import UsageError

RED_LENGTH = 2
LARGEST = 16
"""Rows or columns of a board that is made."""

OPTIONS = (
    Option("slides", "Fewest slides, such as 20..30.", ranges(1), "A..B"),
    Option("steps", "Fewest steps of one cell.", ranges(1), "A..B"),
    Option("size", "Rows and columns.", sizes(2, LARGEST), "RxC", "6x6"),
    Option("row", "The red car's row; else that in or above the middle.", numbers(1), "N"),
    Option("cars", "Cars, the red one among them.", ranges(1), "A..B"),
    Option("lengths", "Cells of a car besides the red one.", ranges(1), "A..B", "2..3"),
    Option("walls", "Cells with a wall.", ranges(0), "A..B", "0"),
    Option("states", "States that can be reached.", ranges(1), "A..B", "1..10000"),
    Option("minimal", "No car can be left out without changing the fewest moves."),
)


@dataclass(frozen=True)
class Wish:
    """What a board is to be like.

    Attributes
    ----------
    drawn
        The cars of a board to begin with.
    cars
        Those of the board that is made.
    slides, steps
        The fewest moves to the goal; None if any will do.
    """

    size: Size
    row: int
    drawn: Range
    cars: Range
    lengths: Range
    walls: Range
    states: Range
    slides: Range | None = None
    steps: Range | None = None
    minimal: bool = False

    @property
    def metric(self) -> str:
        """In which starts are to be hard: slides, unless only steps are wished for."""
        return "step" if self.slides is None and self.steps is not None else "slide"

    @property
    def moves(self) -> Range | None:
        """The wish for that metric."""
        return self.slides or self.steps

    def grants(self, start: Start) -> bool:
        """Whether a start is what is wished for."""
        return all(
            wished is None or wished.has(number)
            for wished, number in (
                (self.slides, start.slides),
                (self.steps, start.steps),
                (self.cars, len(start.board.pieces)),
                (self.states, start.states),
            )
        )


def make_wish(said: Mapping[str, Any]) -> Wish:
    """The wish that the options make.

    Raises
    ------
    UsageError
        It contradicts itself, or no board can be so.
    """
    size: Size = said["size"]
    row = said["row"] or (size.rows + 1) // 2
    if size.columns <= RED_LENGTH:
        raise UsageError(
            f"on a board of {size} the red car has no way to go", mend="it needs three columns"
        )
    if row > size.rows:
        raise UsageError(f"the red car's row is {row}, but the board has {size.rows} rows")
    lengths, walls = said["lengths"], said["walls"]
    room = size.rows * size.columns - RED_LENGTH - walls.least
    if room < 0:
        raise UsageError(f"{walls.least} walls leave no room for a car on a board of {size}")
    if lengths.least > max(size):
        raise UsageError(f"no car of {lengths.least} cells fits on a board of {size}")
    most = 1 + room // lengths.least
    cars = said["cars"] or Range(1, most)
    if cars.least > most:
        raise UsageError(
            f"{cars.least} cars do not fit on a board of {size}",
            mend=f"beside the red car and {walls.least} walls at most {most - 1} cars of "
            f"{lengths.least} cells have room",
        )
    return Wish(
        size=size,
        row=row,
        drawn=Range(cars.least, min(cars.most, most)) if said["cars"] else _usual(size),
        cars=cars,
        lengths=lengths,
        walls=walls,
        states=said["states"],
        slides=said["slides"],
        steps=said["steps"],
        minimal=said["minimal"],
    )


def _usual(size: Size) -> Range:
    """As many cars as hard boards have: 9 to 13 on the classic one."""
    cells = size.rows * size.columns
    return Range(max(2, cells // 4), max(2, cells * 13 // 36))
