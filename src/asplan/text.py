"""Text from files and from others, made fit to be shown.

>>> shortened("a" * 30 + "b" * 30, 20)
'aaaaaaaaaaaa…bbbbbbb'
>>> printable("red\\x1b[31m")
'red\\\\x1b[31m'
"""

from __future__ import annotations

import re

_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What steers a terminal, or turns the direction of a text: all but line ends and tabs."""


def shortened(text: str, longest: int = 200) -> str:
    """A text of at most so many characters; three dots stand for what is cut out of its middle."""
    if len(text) <= longest:
        return text
    tail = longest * 3 // 8
    return f"{text[: longest - tail - 1]}…{text[len(text) - tail :]}"


def printable(text: str) -> str:
    """A text in which characters that a terminal obeys are written out."""
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
