"""One family of exceptions: what was wrong, where, and what to do about it.

>>> str(AsplanError("car b leaves the board", at=Location("x.lp", 3, 1), hint="move it"))
'x.lp:3:1: car b leaves the board\\n  move it'
"""

import errno
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from asplan.core.text import printable, shortened
from asplan.version import __version__

_NOT_WRITTEN = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
LONGEST = 590  # characters of a message; a longer one is cut in its middle
_ROOT = PurePath(__file__).parents[1]
_SUGGESTED = 3  # names that a hint suggests at most
_MANY = 200  # names, and characters of a name, among which it is fast to look for the nearest


@dataclass(frozen=True, order=True)
class Location:
    """A place in a file; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class AsplanError(Exception):
    """Base of all errors raised on purpose; short when written out, and steering no terminal."""

    exit_status = 2

    def __init__(
        self, message: str, *, at: Location | None = None, hint: str = "", mend: str = ""
    ) -> None:
        # Plug-ins that were made for version 0.1 say `mend`.
        self.message, self.at, self.hint = message, at, hint or mend
        super().__init__(message)

    @property
    def what(self) -> str:
        """The place and the message, without the hint."""
        return f"{self.at}: {self.message}" if self.at else self.message

    def __str__(self) -> str:
        where = f"{shortened(str(self.at))}: " if self.at else ""
        hint = f"\n  {shortened(self.hint)}" if self.hint else ""
        message = shortened(self.message, LONGEST - len(where) - len(hint))
        return printable(where + message + hint)

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the message alone."""
        return [f"{type(self).__name__}: {self}"]

    def __reduce__(self) -> tuple[object, ...]:
        # The worker process hands its errors to its parent; a plug-in's may take other arguments.
        return _rebuild, (type(self), self.args), self.__dict__


def _rebuild(kind: type[AsplanError], arguments: tuple[object, ...]) -> AsplanError:
    """Make an error without its `__init__`; pickle restores its attributes."""
    return kind.__new__(kind, *arguments)


@dataclass(frozen=True)
class InputWarning:
    """One warning: what is most likely wrong in an input. It never changes an answer.

    >>> print(InputWarning("undefined", "nothing defines ocurs/2", Location("x.lp", 3, 1)))
    x.lp:3:1: nothing defines ocurs/2 [undefined]

    Attributes
    ----------
    code
        Its stable name, as in `-W no-CODE`; docs/warnings.md lists them all.
    text, hint
        What is odd, and what to do about it; the hint may be empty.
    at
        Where; None for what is missing, or concerns the input as a whole.
    doubt
        Whether the answer may be worthless if the warning is right.
    """

    code: str
    text: str
    at: Location | None = None
    hint: str = ""
    doubt: bool = False

    def __str__(self) -> str:
        where = f"{self.at}: " if self.at else ""
        hint = f"\n  {self.hint}" if self.hint else ""
        return f"{where}{self.text} [{self.code}]{hint}"


class UsageError(AsplanError):
    """Options that contradict each other or name what does not exist."""


class InputError(AsplanError):
    """A file that cannot be read, parsed or understood."""


class Stopped(AsplanError):
    """A limit ended the work before there was anything to answer."""

    exit_status = 1


class MissingExtra(AsplanError):
    """A feature needs a package that is not installed."""


class InvalidPlan(AsplanError):
    """A plan does not do what it claims: the step, the action and the reason."""

    exit_status = 4

    def __init__(self, message: str, *, step: int | None = None, **more: Any) -> None:
        self.step = step  # the first that does not apply, if there is one
        super().__init__(message, **more)


@contextmanager
def needs_extra(what: str, extra: str, or_else: str = "") -> Iterator[None]:
    """Raise `MissingExtra` for a package that is imported here: `{}` in the message."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").startswith("asplan"):
            raise
        from asplan.core.installing import pip_install

        package = (error.name or "").partition(".")[0]
        hint = f"{pip_install(extra)}{or_else}"
        raise MissingExtra(what.format(package), hint=hint) from None


def system_error(error: OSError) -> UsageError:
    """What the system refuses, in its words.

    >>> str(system_error(OSError(errno.ENOSPC, "No space left on device")))
    'cannot write the output: No space left on device'
    """
    place = "cannot write the output" if error.errno in _NOT_WRITTEN else "the system refuses"
    return UsageError(f"{error.filename or place}: {error.strerror or error}")


def nearest(name: str, known: Iterable[str], *, noun: str, first: Sequence[str] = ()) -> str:
    """Return a hint for a misspelt name: the nearest known names, else all of them.

    Names in `first` are as near, and come before those.
    """
    from difflib import get_close_matches

    names = sorted(known)
    alike = names if len(names) <= _MANY else [n for n in names if n[:1] == name[:1]][:_MANY]
    close = get_close_matches(name[:_MANY], alike, n=_SUGGESTED, cutoff=0.5)
    return suggest([*first, *close][:_SUGGESTED]) or f"known {noun}: {', '.join(names) or 'none'}"


def suggest(names: Iterable[str]) -> str:
    """Return the hint that one of some names may be meant; empty if there are none."""
    found = " or ".join(names)
    return f"did you mean {found}?" if found else ""


class Bug(AsplanError):
    """What escaped all checks: a mistake of asplan's own, or of a package that it works with."""

    exit_status = 70
    stations: tuple[str, ...] = ()  # what was being done before, in order
    details: str = ""  # the traceback, where it is that of another process

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: all that helps to find it."""
        import traceback

        return traceback.format_exception(self)


def bug_of(error: BaseException) -> Bug:
    """An exception that nobody has foreseen, as a bug.

    >>> bug_of(ZeroDivisionError("division by zero")).message
    'ZeroDivisionError: division by zero (no place is known)'
    """
    if isinstance(error, Bug):
        return error
    import traceback

    text = " ".join(str(error).split())
    what = f"{type(error).__name__}: {text}" if text else type(error).__name__
    bug = Bug(f"{what} ({_place(error)})")
    bug.details = "".join(traceback.format_exception(error))
    bug.add_note(bug.details)
    return bug


def _place(error: BaseException) -> str:
    """The last line of asplan, and the very last, that were executed."""
    import traceback

    def named(frame: traceback.FrameSummary) -> str:
        path = PurePath(frame.filename)
        known = path.relative_to(_ROOT.parent) if path.is_relative_to(_ROOT) else path
        return f"{'/'.join(known.parts[-3:])}:{frame.lineno}"

    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if PurePath(frame.filename).is_relative_to(_ROOT)]
    return ", ".join(dict.fromkeys(map(named, [*own[-1:], *frames[-1:]]))) or "no place is known"


def what_to_send(bug: Bug, words: Iterable[str]) -> str:
    """What people read of a bug: what to do, and all that helps to find it."""
    import platform

    import clingo

    head = (
        "this is a bug in asplan, or in a package that it uses, whatever it was given. Please "
        "report it with these lines and the files that they name; --debug shows more."
    )
    lines = [
        f"asplan {__version__}, clingo {clingo.__version__}, "
        f"Python {platform.python_version()}, {platform.system()}",
        shlex.join(["asplan", *words]),
        f"reached: {'; '.join(bug.stations) or 'the command line'}",
        bug.message,
    ]
    text = "\n  ".join([head, *(shortened(" ".join(line.split()), 90) for line in lines)])
    return printable(shortened(text, LONGEST))
