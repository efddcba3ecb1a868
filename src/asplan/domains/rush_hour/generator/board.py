"""A board without names: cars are told apart by where they are."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase
from typing import NamedTuple

from clingo import Function

from asplan.domains.rush_hour.lines import Cell
from asplan.domains.rush_hour.model import Car, RushHour

RED = "r"


class Piece(NamedTuple):
    """A car where it is: its row (`h`) or column (`v`), and its first cell there, from 1."""

    axis: str
    line: int
    first: int
    length: int

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that it covers."""
        places = range(self.first, self.first + self.length)
        if self.axis == "h":
            return tuple((self.line, place) for place in places)
        return tuple((place, self.line) for place in places)


@dataclass(frozen=True, order=True)
class Board:
    """A board; the pieces besides the red one, and the walls, are sorted."""

    rows: int
    columns: int
    red: Piece
    others: tuple[Piece, ...]
    walls: tuple[Cell, ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All cars, the red one first."""
        return self.red, *self.others

    def without(self, piece: Piece) -> Board:
        """The board after one of its other cars was taken off."""
        others = tuple(other for other in self.others if other != piece)
        return Board(self.rows, self.columns, self.red, others, self.walls)

    def canonical(self) -> Board:
        """Of the board and its mirror image the lesser one.

        The image is that from top to bottom, for the way out is to stay on the right. It is the
        same puzzle only where the red car is in the row in the middle, and so is in both.
        """
        return min(self, self._mirrored()) if 2 * self.red.line == self.rows + 1 else self

    def _mirrored(self) -> Board:
        def image(piece: Piece) -> Piece:
            axis, line, first, length = piece
            if axis == "h":
                return Piece(axis, self.rows + 1 - line, first, length)
            return Piece(axis, line, self.rows + 2 - first - length, length)

        return Board(
            self.rows,
            self.columns,
            image(self.red),
            tuple(sorted(map(image, self.others))),
            tuple(sorted((self.rows + 1 - row, column) for row, column in self.walls)),
        )

    def problem(self) -> RushHour:
        """The instance; its cars are named as one reads, row by row."""
        names = iter(_names(len(self.others)))
        cars = [(RED, self.red)]
        cars += [(next(names), piece) for piece in sorted(self.others, key=_reading)]
        return RushHour(
            rows=self.rows,
            columns=self.columns,
            walls=frozenset(self.walls),
            cars=tuple(Car(Function(name), p.length, p.axis, p.line) for name, p in cars),
            start=tuple(piece.first for _, piece in cars),
            goal=self.columns - self.red.length + 1,
        )


def _reading(piece: Piece) -> Cell:
    return piece.cells[0]


def _names(count: int) -> list[str]:
    """Letters, or `c1`, `c2` and so on where there are not enough of them."""
    letters = [letter for letter in ascii_lowercase if letter not in (RED, "a")]
    return letters[:count] if count <= len(letters) else [f"c{n}" for n in range(1, count + 1)]
