"""clingo's messages, turned into our errors.

clingo writes what is wrong to a logger and then raises a bare RuntimeError. Whoever calls clingo
does it inside `reporting()`, hands over its `Messages` as the logger, and gets an `InputError`
that keeps clingo's words and place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from clingo import MessageCode

from asplan.errors import AsplanError, InputError, Location

_PLACED = re.compile(r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+)(-[\d:]+)?: error: (?P<text>.*)")


class Messages:
    """A logger for clingo that keeps errors and drops remarks.

    `text_name` stands for the file where a program was given as text.
    """

    def __init__(self, text_name: str = "<stdin>") -> None:
        self.errors: list[str] = []
        self.text_name = text_name

    def __call__(self, code: MessageCode, text: str) -> None:
        if code == MessageCode.RuntimeError or "error:" in text:
            self.errors.append(text.strip().replace("<string>:", f"{self.text_name}:"))


@contextmanager
def reporting(messages: Messages | None = None) -> Iterator[Messages]:
    """Turn a RuntimeError of clingo into an InputError with clingo's own message.

    A control keeps the logger it was made with; whoever uses it again hands that logger over.
    """
    messages = Messages() if messages is None else messages
    messages.errors.clear()
    try:
        yield messages
    except AsplanError:
        raise
    except (RuntimeError, MemoryError) as error:
        text = messages.errors[0] if messages.errors else str(error)
        raise _placed(text, more=len(messages.errors) - 1) from error


def _placed(text: str, more: int) -> InputError:
    mend = f"{more} more like this" if more > 0 else ""
    if match := re.match(_PLACED.pattern, text, re.DOTALL):
        at = Location(match["file"], int(match["line"]), int(match["column"]))
        return InputError(match["text"].strip(), at=at, mend=mend)
    text = text.replace("error: ", "", 1).replace("In context '<libclingo>': ", "", 1)
    if text.startswith("redefinition of atom"):
        mend = "each ground call may define only new atoms: give the atom the time as an argument"
    return InputError(text, mend=mend)
