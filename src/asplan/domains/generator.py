"""How a domain makes puzzles, attempt by attempt, and the options that say how they are to be.

An attempt depends on what is asked for and on the numbers that it draws, and on nothing else: so
the same seed gives the same puzzles on any machine, in one process or in many.

The word of an option is read as a number, a range or a size; a reader raises `ValueError` with what
the word should be.

>>> ranges(1)("20..30"), ranges(1)("7")
(Range(least=20, most=30), Range(least=7, most=7))
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from clingo import parse_term

from asplan.core.plan import Plan
from asplan.core.text import LARGEST, whole

Read = Callable[[str], Any]


class Range(NamedTuple):
    """The whole numbers from `least` to `most`, both among them."""

    least: int
    most: int

    def has(self, number: int) -> bool:
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
    """One thing that can be asked of a puzzle."""

    name: str
    help: str
    read: Read | None = None
    """From the word for it to its value; None where it is a flag."""
    metavar: str = ""
    default: str | None = None
    """The word that is meant where none is given; None where the puzzle is free in this then."""


def ranges(least: int, most: int = LARGEST) -> Read:
    """A reader of ranges: `20..30`, or `7`, with both ends within limits."""

    def read(word: str) -> Range:
        first, dots, last = word.partition("..")
        lower, upper = whole(first), whole(last if dots else first)
        if lower is None or upper is None:
            raise ValueError("it is a number such as 7, or a range such as 3..7")
        if upper < lower:
            raise ValueError(f"the range is the wrong way round; {upper}..{lower}?")
        if lower < least or upper > most:
            raise ValueError(f"the numbers are {_limits(least, most)}")
        return Range(lower, upper)

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


@dataclass(frozen=True)
class Puzzle:
    """A puzzle whose difficulty is proven."""

    title: str
    """The first line of its file."""
    facts: str
    """Its instance."""
    picture: str
    """The state at time 0 as lines of text."""
    difficulty: Mapping[str, int]
    """What is known of it exactly, in the order in which it is told: `{"slides": 20, …}`."""


Shortest = Callable[[str, str], Plan]
"""From the facts of an instance that has a plan to a shortest one, which an engine that is named
has proven to be so."""


def before_the_last(moves: int, plan: Plan, model: Any) -> Any | None:
    """The state in which so many moves of a shortest plan are left; None if it has not so many."""
    done = len(plan) - moves
    if done < 0:
        return None
    state = model.initial
    for action in plan.actions[:done]:
        state = model.apply(state, model.parse_action(parse_term(action)))
    return state


@dataclass(frozen=True)
class Generator:
    """What can be asked of the puzzles of a domain, and how they are made."""

    about: str
    """One line for people."""
    options: Sequence[Option]
    wish: Callable[[Mapping[str, Any]], Any]
    """From the values of the options, None for what is left open, to what `attempt` is given;
    raises `UsageError` for what contradicts itself."""
    attempt: Callable[[Any, Random, Shortest], Puzzle | None]
    """Tries to make a puzzle; None where nothing came of it. It ends in any case. Puzzles that are
    the same but for names or mirror images are equal. It draws all its numbers from what it is
    given, and may ask for a shortest plan."""
