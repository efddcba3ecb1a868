"""What people wish of a puzzle that is to be made, as words: numbers, ranges and sizes.

A reader turns a word into a value, and raises `ValueError` with what the word should be.

>>> ranges(1)("20..30"), ranges(1)("7")
(Range(least=20, most=30), Range(least=7, most=7))
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from asplan.numbers import LARGEST, whole

Read = Callable[[str], Any]


class Range(NamedTuple):
    """The whole numbers from `least` to `most`, both among them."""

    least: int
    most: int

    def has(self, number: int) -> bool:
        """Whether a number is one of them."""
        return self.least <= number <= self.most

    def __str__(self) -> str:
        return f"{self.least}..{self.most}" if self.least < self.most else f"{self.least}"


class Size(NamedTuple):
    """Of a board."""

    rows: int
    columns: int

    def __str__(self) -> str:
        return f"{self.rows}x{self.columns}"


@dataclass(frozen=True)
class Option:
    """One thing that can be wished.

    Attributes
    ----------
    read
        From the word for it to its value; None where it is a flag.
    default
        The word that is meant where nothing is said; None where the wish is open then.
    """

    name: str
    help: str
    read: Read | None = None
    metavar: str = ""
    default: str | None = None


def ranges(least: int, most: int = LARGEST) -> Read:
    """A reader of ranges: `20..30`, or `7`, with both ends within limits."""

    def read(word: str) -> Range:
        first, dots, last = word.partition("..")
        lower, upper = whole(first), whole(last if dots else first)
        if lower is None or upper is None:
            raise ValueError("it is a number such as 7, or a range such as 3..7")
        found = Range(lower, upper)
        if found.most < found.least:
            raise ValueError(f"the range is the wrong way round; {found.most}..{found.least}?")
        if found.least < least or found.most > most:
            raise ValueError(f"the numbers are {_limits(least, most)}")
        return found

    return read


def numbers(least: int, most: int = LARGEST) -> Read:
    """A reader of whole numbers within limits."""

    def read(word: str) -> int:
        number = whole(word)
        if number is None or not least <= number <= most:
            raise ValueError(f"it is a number {_limits(least, most)}")
        return number

    return read


def sizes(least: int, most: int) -> Read:
    """A reader of sizes, rows before columns: `6x6`; neither is below or above a limit."""

    def read(word: str) -> Size:
        parts = re.fullmatch(r"([0-9]{1,9})x([0-9]{1,9})", word)
        if parts is None:
            raise ValueError("it is rows and columns, such as 6x6")
        size = Size(int(parts[1]), int(parts[2]))
        if not least <= min(size) <= max(size) <= most:
            raise ValueError(f"a board has {least} to {most} rows and columns")
        return size

    return read


def _limits(least: int, most: int) -> str:
    return f"from {least}" if most == LARGEST else f"from {least} to {most}"
