"""Numbers that strangers write: plain digits, and not too many of them.

>>> whole("12"), whole("²"), whole("٣"), whole("9" * 5000)
(12, None, None, None)
"""

from __future__ import annotations

LARGEST = 2**31 - 1
"""clingo's integers have 32 bits."""


def whole(word: str) -> int | None:
    """The number from 0 to `LARGEST` that a word of digits writes; None for any other word.

    `str.isdigit` takes characters that `int` refuses, and `int` refuses thousands of digits.
    """
    if not (word.isascii() and word.isdigit()):
        return None
    digits = word.lstrip("0") or "0"
    if len(digits) > len(str(LARGEST)) or int(digits) > LARGEST:
        return None
    return int(digits)
