"""What escaped all checks: a mistake of asplan's own, or of a package that it works with.

>>> try:  # doctest: +ELLIPSIS
...     1 / 0
... except ZeroDivisionError as error:
...     print(bug_of(error).message)
ZeroDivisionError: division by zero (...)
"""

from __future__ import annotations

import shlex
import traceback
from collections.abc import Iterable
from pathlib import PurePath

from asplan.errors import LONGEST, AsplanError
from asplan.text import printable, shortened
from asplan.version import __version__

_ROOT = PurePath(__file__).parent
_LONGEST_LINE = 90


class Bug(AsplanError):
    """Something that should never happen, whatever was given; the message is one line.

    Attributes
    ----------
    stations
        What was being done before, in order.
    details
        The traceback, where it is that of another process.
    """

    exit_status = 70
    stations: tuple[str, ...] = ()
    details: str = ""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: all that helps to find it."""
        return traceback.format_exception(self)


def bug_of(error: BaseException) -> Bug:
    """An exception that nobody has foreseen, as a bug."""
    if isinstance(error, Bug):
        return error
    text = " ".join(str(error).split())
    what = f"{type(error).__name__}: {text}" if text else type(error).__name__
    bug = Bug(f"{what} ({_place(error)})")
    bug.details = "".join(traceback.format_exception(error))
    bug.add_note(bug.details)
    return bug


def _place(error: BaseException) -> str:
    """The last line of asplan, and the very last, that were executed."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if PurePath(frame.filename).is_relative_to(_ROOT)]
    shown = dict.fromkeys(f"{_module(f.filename)}:{f.lineno}" for f in [*own[-1:], *frames[-1:]])
    return ", ".join(shown) or "no place is known"


def _module(file: str) -> str:
    path = PurePath(file)
    known = path.relative_to(_ROOT.parent) if path.is_relative_to(_ROOT) else path
    return "/".join(known.parts[-3:])


def what_to_send(bug: Bug, words: Iterable[str]) -> str:
    """What people are told of a bug: what to do, and all that helps to find it."""
    import platform

    import clingo

    versions = f"asplan {__version__}, clingo {clingo.__version__}"
    system = f"Python {platform.python_version()}, {platform.system()}"
    lines = [
        "this is a bug in asplan, or in a package that it uses, whatever it was given. Please "
        "report it with these lines and the files that they name; --debug shows more.",
        f"{versions}, {system}",
        shlex.join(["asplan", *words]),
        f"reached: {'; '.join(bug.stations) or 'the command line'}",
        bug.message,
    ]
    head, *rest = lines
    text = "\n  ".join([head, *(shortened(" ".join(r.split()), _LONGEST_LINE) for r in rest)])
    return printable(shortened(text, LONGEST))
