r"""Text and numbers from outside of asplan, in a form that is safe to show and to use.

>>> shortened("a" * 30 + "b" * 30, 20)
'aaaaaaaaaaaa…bbbbbbb'
>>> amount(1, "slide"), amount(2, "slide")
('1 slide', '2 slides')
>>> printable("red\x1b[31m")
'red\\x1b[31m'
>>> printable(b"board\xff.lp".decode(errors="surrogateescape"))
'board\\udcff.lp'
>>> [parse_natural(word) for word in ("12", "²", "٣", "9" * 5000)]
[12, None, None, None]
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
"""Control characters of terminals except line ends and tabs, marks of text direction, and
surrogates, by which Python represents bytes of a file's name that are not UTF-8."""


def shortened(text: str, longest: int = 200) -> str:
    """Return a text, its middle replaced by `…` if it has more than `longest` characters."""
    if len(text) <= longest:
        return text
    tail = longest * 3 // 8
    return f"{text[: longest - tail - 1]}…{text[len(text) - tail :]}"


def amount(number: int, noun: str) -> str:
    """Return a number with a noun, to which `s` is added unless the number is 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def printable(text: str) -> str:
    """Return a text with Python's escapes for control characters and surrogates."""
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


LARGEST = 2**31 - 1  # clingo's integers have 32 bits


def parse_natural(word: str) -> int | None:
    """Return the number of a word of ASCII digits, at most `LARGEST`; None for any other word."""
    if not (word.isascii() and word.isdigit()):
        return None
    digits = word.lstrip("0") or "0"
    if len(digits) > len(str(LARGEST)) or int(digits) > LARGEST:
        return None
    return int(digits)


def decimal_text(number: Fraction, digits: int = 6) -> str:
    """Return a number as text, rounded to at most `digits` decimal places.

    >>> from fractions import Fraction
    >>> [decimal_text(Fraction(n), 3) for n in ("5", "-2.50", "2/3", "-1/9999")]
    ['5', '-2.5', '0.667', '0']
    """
    scaled = round(number * 10**digits)
    integer, rest = divmod(abs(scaled), 10**digits)
    sign = "-" if scaled < 0 else ""
    decimals = str(rest).rjust(digits, "0").rstrip("0")
    point = "." if decimals else ""
    return f"{sign}{integer}{point}{decimals}"


def as_number(number: Fraction) -> int | str:
    """Return a number for JSON, exactly: an integer, or text such as `3/20`."""
    return int(number) if number.denominator == 1 else str(number)


def list_counts(numbers: Mapping[str, int]) -> str:
    """Return names as text, each with its count if that is above 1.

    >>> list_counts({"p1": 1, "p2": 3})
    'p1, p2 ×3'
    """
    return ", ".join(f"{name} ×{n}" if n > 1 else name for name, n in numbers.items())


def plain_text(text: str, style: str = "") -> Text:
    """Return a text of rich that a terminal shows as it is, without control characters."""
    from rich.text import Text

    return Text(printable(text), style=style)
