"""The generator of a domain's puzzles: its options, and attempts to make a puzzle that fits them.

A *wish* holds the values of the options, such as the size of the board. An attempt depends only on
the wish and on the random numbers that it draws. So the same seed gives the same puzzles on any
machine, in one process or in many.

An option's value is given as a word, and a *reader* makes a number, a range or a size of the word.
A reader raises `ValueError` with a description of valid words.

>>> ranges(1)("20..30"), ranges(1)("7")
(Range(least=20, most=30), Range(least=7, most=7))
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from random import Random
from typing import Any, NamedTuple, TypeAlias

from asplan.clingo import parse_term
from asplan.core.dataclass import dataclass
from asplan.core.plan import Plan
from asplan.core.text import LARGEST, parse_natural
from asplan.domains.model import Action, Model, State

OptionValue: TypeAlias = Any  # the reader of each option decides on the type
Wish: TypeAlias = Any  # each generator has its own class of wishes
OptionValues = Mapping[str, OptionValue]

Read = Callable[[str], OptionValue]


class Range(NamedTuple):
    """The whole numbers from `least` to `most`, both included."""

    least: int
    most: int

    def has(self, number: int) -> bool:
        """Return True if the number is in the range."""
        return self.least <= number <= self.most

    def __str__(self) -> str:
        if self.least >= self.most:
            return str(self.least)
        return f"{self.least}..{self.most}"


class Size(NamedTuple):
    """The size of a board."""

    rows: int
    columns: int

    def __str__(self) -> str:
        return f"{self.rows}x{self.columns}"


@dataclass(frozen=True)
class Option:
    """An option of a generator, such as the number of moves of a puzzle."""

    name: str
    help: str
    read: Read | None = None
    """Returns the value of the option for a user's word; None for a flag."""
    metavar: str = ""
    default: str | None = None
    """The word used if the option is not given; None if the option then does not
    restrict puzzles.
    """


def ranges(least: int, most: int = LARGEST) -> Read:
    """Return a function that reads ranges such as `20..30` or `7`, with both ends from `least` to
    `most`.
    """

    def read(word: str) -> Range:
        first, dots, last = word.partition("..")
        lower = parse_natural(first)
        upper = parse_natural(last if dots else first)
        if lower is None or upper is None:
            raise ValueError("pass a number such as 7, or a range such as 3..7")
        if upper < lower:
            raise ValueError(f"the range is the wrong way round; did you mean {upper}..{lower}?")
        if lower < least or upper > most:
            raise ValueError(f"pass numbers {_limits(least, most)}")
        return Range(lower, upper)

    return read


def numbers(least: int, most: int = LARGEST) -> Read:
    """Return a function that reads whole numbers from `least` to `most`."""

    def read(word: str) -> int:
        number = parse_natural(word)
        if number is None or not least <= number <= most:
            raise ValueError(f"pass a number {_limits(least, most)}")
        return number

    return read


def sizes(least: int, most: int) -> Read:
    """Return a function that reads board sizes such as `6x6`, with both numbers from `least` to
    `most`.

    The number of rows comes before the number of columns.
    """

    def read(word: str) -> Size:
        parts = re.fullmatch(r"([0-9]{1,9})x([0-9]{1,9})", word)
        if parts is None:
            raise ValueError("pass rows and columns, such as 6x6")
        rows = int(parts[1])
        columns = int(parts[2])
        size = Size(rows, columns)
        if min(size) < least or max(size) > most:
            raise ValueError(f"a board has {least} to {most} rows and columns")
        return size

    return read


def _limits(least: int, most: int) -> str:
    return f"from {least}" if most == LARGEST else f"from {least} to {most}"


@dataclass(frozen=True)
class Puzzle:
    """A puzzle whose difficulty is proven."""

    title: str
    """The first line of the puzzle's file."""
    facts: str
    """The instance, as text."""
    picture: str
    """The initial state as lines of text."""
    difficulty: Mapping[str, int]
    """Exact measures of the difficulty, such as `{"slides": 20}`, in the order of their report."""
    constants: Mapping[str, str] = field(default_factory=dict)
    """The variant of the domain in which shortest plans are counted, such as `{"metric": "slide"}`.
    """


Shortest = Callable[[str, str], Plan]
"""Finds a proven shortest plan.

The arguments are the facts of a solvable instance as text, and the name of an engine.
"""


def before_the_last(
    moves: int,
    plan: Plan,
    model: Model[State, Action],
) -> State | None:
    """Return the state in which a plan has `moves` moves left; None if the plan has fewer moves.

    If the plan is a shortest one, the shortest plan from this state has exactly `moves` moves.
    """
    moves_before = len(plan) - moves
    if moves_before < 0:
        return None
    state = model.initial
    for term in plan.actions[:moves_before]:
        action = model.parse_action(parse_term(term))
        state = model.apply(state, action)
    return state


@dataclass(frozen=True)
class Generator:
    """The generator of a domain: its options, and a function that tries to make a puzzle."""

    about: str
    """A line that describes the generator to users."""
    options: Sequence[Option]
    wish: Callable[[OptionValues], Wish]
    """Makes a wish from the values of the options, None for each option that is not given. It
    raises `UsageError` for a contradiction.
    """
    attempt: Callable[[Wish, Random, Shortest], Puzzle | None]
    """Tries to make a puzzle that fulfils a wish; returns None if it fails. It always ends, and
    draws all random numbers from its `Random`. Puzzles that differ only by names or mirror images
    must be equal.
    """
