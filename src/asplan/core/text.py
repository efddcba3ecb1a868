"""Text and numbers from files and from others, made fit to be shown and used.

>>> shortened("a" * 30 + "b" * 30, 20)
'aaaaaaaaaaaa…bbbbbbb'
>>> amount(1, "slide"), amount(2, "slide")
('1 slide', '2 slides')
>>> printable("red\\x1b[31m")
'red\\\\x1b[31m'
>>> printable(b"board\\xff.lp".decode(errors="surrogateescape"))
'board\\\\udcff.lp'
>>> whole("12"), whole("²"), whole("٣"), whole("9" * 5000)
(12, None, None, None)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from rich.text import Text

_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What steers a terminal, turns the direction of a text, or cannot be written in UTF-8, as a byte
of a file's name that is no text: all but line ends and tabs."""


def shortened(text: str, longest: int = 200) -> str:
    """A text of at most so many characters; three dots stand for what is cut out of its middle."""
    if len(text) <= longest:
        return text
    tail = longest * 3 // 8
    return f"{text[: longest - tail - 1]}…{text[len(text) - tail :]}"


def amount(number: int, noun: str) -> str:
    """A number of things, in the singular where it is one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def printable(text: str) -> str:
    """A text in which characters are written out that a terminal obeys, or that are no text."""
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


LARGEST = 2**31 - 1  # clingo's integers have 32 bits


def whole(word: str) -> int | None:
    """The number from 0 to `LARGEST` that a word of digits writes; None for any other word."""
    if not (word.isascii() and word.isdigit()):
        return None
    digits = word.lstrip("0") or "0"
    if len(digits) > len(str(LARGEST)) or int(digits) > LARGEST:
        return None
    return int(digits)


def decimal_text(number: Fraction, digits: int = 6) -> str:
    """A number with at most so many digits behind the point; the last is rounded.

    >>> from fractions import Fraction
    >>> [decimal_text(Fraction(n), 3) for n in ("5", "-2.50", "2/3", "-1/9999")]
    ['5', '-2.5', '0.667', '0']
    """
    scaled = round(number * 10**digits)
    whole, rest = divmod(abs(scaled), 10**digits)
    part = str(rest).rjust(digits, "0").rstrip("0")
    return f"{'-' if scaled < 0 else ''}{whole}{'.' if part else ''}{part}"


def as_number(number: Fraction) -> int | str:
    """A number for JSON, exactly: a whole number as such, any other as text, as in `3/20`."""
    return int(number) if number.denominator == 1 else str(number)


def counted(numbers: Mapping[str, int]) -> str:
    """Names, each with how often it counts.

    >>> counted({"p1": 1, "p2": 3})
    'p1, p2 ×3'
    """
    return ", ".join(f"{name} ×{n}" if n > 1 else name for name, n in numbers.items())


def plain(text: str, style: str = "") -> Text:
    """Text from anywhere: nothing in it is markup, or steers the terminal."""
    from rich.text import Text

    return Text(printable(text), style=style)
