"""One family of exceptions: what was wrong, where, and what to do about it.

>>> str(AsplanError("car b leaves the board", at=Location("x.lp", 3, 1), mend="move it"))
'x.lp:3:1: car b leaves the board\\n  move it'
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

LONGEST = 600
"""Characters that a message has at most, place and mend included."""

_PLACE, _MEND = 200, 150
"""What is left of a long path and of a long mend where a message is too long."""

_MANY = 200
"""Names, and characters of a name, among which the nearest is looked for: that takes its time."""


@dataclass(frozen=True, order=True)
class Location:
    """A place in a file; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class AsplanError(Exception):
    """Base of all errors that asplan raises on purpose.

    `exit_status` is what the command line ends with: 2 is bad usage or bad input.
    """

    exit_status = 2

    def __init__(self, message: str, *, at: Location | None = None, mend: str = "") -> None:
        self.message, self.at, self.mend = message, at, mend
        super().__init__(message)

    def __str__(self) -> str:
        where = printable(f"{self.at}: ") if self.at else ""
        mend = printable(f"\n  {self.mend}") if self.mend else ""
        message = printable(self.message)
        if len(where) + len(message) + len(mend) > LONGEST:
            where, mend = shortened(where, _PLACE), shortened(mend, _MEND)
            message = shortened(message, LONGEST - len(where) - len(mend))
        return where + message + mend

    def __reduce__(self) -> tuple[object, ...]:
        # The worker process hands its errors to its parent.
        return _rebuild, (type(self), self.message, self.at, self.mend)


def _rebuild(kind: type[AsplanError], message: str, at: Location | None, mend: str) -> AsplanError:
    return kind(message, at=at, mend=mend)


class UsageError(AsplanError):
    """Options that contradict each other or name what does not exist."""


class InputError(AsplanError):
    """A file that cannot be read, parsed or understood."""


class MissingExtra(AsplanError):
    """A feature needs a package that is not installed."""


class InvalidPlan(AsplanError):
    """A plan does not do what it claims: the step, the action and the reason."""

    exit_status = 4


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters: its beginning and its end.

    >>> shortened("a car of 100000000000000000000 cells", 21)
    'a car of 1…0000 cells'
    """
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[: most - 1 - half]}…{text[-half:]}"


def printable(text: str) -> str:
    """A text in which what moves the cursor, or is no character at all, is written as a number.

    Messages quote what strangers wrote.

    >>> print(printable("two\\nlines, a bell \\a"))
    two
    lines, a bell \\x07
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def nearest(name: str, known: Iterable[str], *, noun: str) -> str:
    """A mend for a misspelt name: the nearest known names, else all of them."""
    names = sorted(known)
    alike = names if len(names) <= _MANY else [n for n in names if n[:1] == name[:1]][:_MANY]
    close = get_close_matches(name[:_MANY], alike, n=3, cutoff=0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"known {noun}: {', '.join(names)}"
