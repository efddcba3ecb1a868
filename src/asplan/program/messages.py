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

_PLACED = re.compile(
    r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+)(-[\d:]+)?: error: (?P<text>.*)", re.DOTALL
)
_UNNAMED = "<string>:"
"""What clingo calls the file of a text."""


class Messages:
    """A logger for clingo that keeps errors and drops remarks.

    `text_name` stands for the file where the place of an error has none.
    """

    def __init__(self, text_name: str = "<text>") -> None:
        self.errors: list[str] = []
        self.text_name = text_name

    def __call__(self, code: MessageCode, text: str) -> None:
        if code == MessageCode.RuntimeError or "error:" in text:
            text = text.strip()
            if text.startswith(_UNNAMED):
                text = f"{self.text_name}:{text.removeprefix(_UNNAMED)}"
            self.errors.append(text)


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
    except RuntimeError as error:
        text = messages.errors[0] if messages.errors else str(error)
        raise _placed(text, more=len(messages.errors) - 1) from error


def _placed(text: str, more: int) -> InputError:
    mend = f"{more} more like this" if more > 0 else ""
    if match := _PLACED.match(text):
        at = Location(match["file"], int(match["line"]), int(match["column"]))
        # Only the first place has the name of its file; the others are of the same statement.
        what = match["text"].strip().replace(_UNNAMED, f"{at.file}:")
        return InputError(what, at=at, mend=mend)
    text = text.replace("error: ", "", 1).replace("In context '<libclingo>': ", "", 1)
    if text.startswith("redefinition of atom"):
        mend = "each ground call may define only new atoms: give the atom the time as an argument"
    return InputError(text, mend=mend)
