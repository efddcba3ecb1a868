r"""The exceptions of asplan, with a place in the input and a hint for the user.

>>> str(AsplanError("car b leaves the board", at=Location("x.lp", 3, 1), hint="move it"))
'x.lp:3:1: car b leaves the board\n  move it'
"""

import errno
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath

from asplan.core.dataclass import dataclass
from asplan.core.text import printable, shortened
from asplan.version import __version__

_NOT_WRITTEN = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
LONGEST = 590  # most characters of a message; a longer one loses its middle
_ROOT = PurePath(__file__).parents[1]
_SUGGESTED = 3  # most names in a hint
_LISTED = 20  # most known names in a hint; of more, it has some
_MANY = 200  # most names to compare with a misspelt one, and most characters of a name


@dataclass(frozen=True, order=True)
class Location:
    """A place in a file; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class AsplanError(Exception):
    """The base class of all expected errors: a message, the place `at`, and a hint to the user."""

    exit_status = 2

    def __init__(
        self, message: str, *, at: Location | None = None, hint: str = "", mend: str = ""
    ) -> None:
        self.message = message
        self.at = at
        self.hint = hint or mend  # plug-ins for version 0.1 pass `mend`
        super().__init__(message)

    @property
    def placed_message(self) -> str:
        """The place and the message, without the hint."""
        return f"{self.at}: {self.message}" if self.at else self.message

    def __str__(self) -> str:
        where = f"{shortened(str(self.at))}: " if self.at else ""
        hint = f"\n  {shortened(self.hint)}" if self.hint else ""
        message = shortened(self.message, LONGEST - len(where) - len(hint))
        return printable(where + message + hint)

    def _render_traceback_(self) -> list[str]:
        """Return the lines that a notebook shows: the message only."""
        return [f"{type(self).__name__}: {self}"]

    def __reduce__(self) -> tuple[object, ...]:
        # The worker process sends its errors to its parent; plug-ins' may need more arguments.
        return _rebuild, (type(self), self.args), self.__dict__


def _rebuild(kind: type[AsplanError], arguments: tuple[object, ...]) -> AsplanError:
    """Make an error without a call of its `__init__`, because pickle restores its attributes."""
    return kind.__new__(kind, *arguments)


@dataclass(frozen=True)
class InputWarning:
    """A warning about a likely mistake in an input. It never changes an answer.

    >>> print(InputWarning("undefined", "nothing defines ocurs/2", Location("x.lp", 3, 1)))
    x.lp:3:1: nothing defines ocurs/2 [undefined]

    Attributes
    ----------
    code
        The stable name, as in `-W no-CODE`; docs/warnings.md lists all codes.
    text, hint
        The likely mistake, and how to mend it; the hint may be empty.
    at
        The place of the mistake; None for a missing part, or for the whole input.
    doubt
        True if answers may be worthless in case the warning is right.
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
    """The error for options that contradict each other or have invalid values."""


class InputError(AsplanError):
    """The error for an input that cannot be read, parsed or understood."""


class Stopped(AsplanError):
    """The error for work that a limit has ended before there is an answer."""

    exit_status = 1


class MissingExtra(AsplanError):
    """The error for a missing package, which a feature of asplan needs."""


class InvalidPlan(AsplanError):
    """The error for a plan that is not valid, with the step, the action and the reason."""

    exit_status = 4

    def __init__(
        self,
        message: str,
        *,
        step: int | None = None,
        at: Location | None = None,
        hint: str = "",
        mend: str = "",
        by_variant: bool = False,
    ) -> None:
        self.step = step  # the first step that is not applicable, if there is one
        self.by_variant = by_variant  # true if another variant of the domain may allow the step
        self.warnings: tuple[InputWarning, ...] = ()  # about the program that refuses the plan
        super().__init__(message, at=at, hint=hint, mend=mend)


@contextmanager
def needs_extra(message: str, extra: str, or_else: str = "") -> Iterator[None]:
    """Raise `MissingExtra` if an import in this block fails.

    `{}` in `message` stands for the missing package. The hint is the command that installs the
    extra, followed by `or_else`.
    """
    try:
        yield
    except ImportError as error:
        if (error.name or "").startswith("asplan"):
            raise
        from asplan.core.installing import pip_install

        package = (error.name or "").partition(".")[0]
        hint = f"{pip_install(extra)}{or_else}"
        raise MissingExtra(message.format(package), hint=hint) from None


def system_error(error: OSError) -> UsageError:
    """Return an error of the operating system as a `UsageError`.

    >>> str(system_error(OSError(errno.ENOSPC, "No space left on device")))
    'cannot write the output: No space left on device'
    """
    place = "cannot write the output" if error.errno in _NOT_WRITTEN else "the system refuses"
    return UsageError(f"{error.filename or place}: {error.strerror or error}")


def nearest(name: str, known: Iterable[str], *, noun: str, first: Sequence[str] = ()) -> str:
    """Return a hint for a misspelt name: the most similar known names.

    If none is similar, return all known names, or some if they are many. The names in `first` are
    always suggested. `noun` is a plural noun for the known names, such as `engines`.
    """
    from difflib import get_close_matches

    names = sorted(known)
    if len(names) > _MANY:
        compared = [other for other in names if other[:1] == name[:1]][:_MANY]
    else:
        compared = names
    close = get_close_matches(name[:_MANY], compared, n=_SUGGESTED, cutoff=0.5)
    if len(names) > _LISTED:
        names = [*get_close_matches(name[:_MANY], compared, n=_SUGGESTED, cutoff=0.0), "…"]
    return suggest([*first, *close][:_SUGGESTED]) or f"known {noun}: {', '.join(names) or 'none'}"


def suggest(names: Iterable[str]) -> str:
    """Return the hint `did you mean …?` with some names; empty if there are none."""
    choice = " or ".join(names)
    return f"did you mean {choice}?" if choice else ""


class Bug(AsplanError):
    """An unexpected error: a mistake in asplan, or in a package that it uses."""

    exit_status = 70
    stations: tuple[str, ...] = ()  # the last activities that were reported before it, in order
    details: str = ""  # the traceback of another process, if it was raised there

    def _render_traceback_(self) -> list[str]:
        """Return the lines that a notebook shows: the whole traceback."""
        import traceback

        return traceback.format_exception(self)


def bug_of(error: BaseException) -> Bug:
    """Return a `Bug` made of an unexpected exception.

    >>> bug_of(ZeroDivisionError("division by zero")).message
    'ZeroDivisionError: division by zero (no place is known)'
    """
    if isinstance(error, Bug):
        return error
    import traceback

    text = " ".join(str(error).split())
    kind = type(error).__name__
    message = f"{kind}: {text}" if text else kind
    bug = Bug(f"{message} ({_place(error)})")
    bug.details = "".join(traceback.format_exception(error))
    bug.add_note(bug.details)
    return bug


def _place(error: BaseException) -> str:
    """Return the file and line at which an error was raised, and asplan's line that led there."""
    import traceback

    def named(frame: traceback.FrameSummary) -> str:
        path = PurePath(frame.filename)
        short = path.relative_to(_ROOT.parent) if path.is_relative_to(_ROOT) else path
        return f"{'/'.join(short.parts[-3:])}:{frame.lineno}"

    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if PurePath(frame.filename).is_relative_to(_ROOT)]
    return ", ".join(dict.fromkeys(map(named, [*own[-1:], *frames[-1:]]))) or "no place is known"


def bug_report(bug: Bug, words: Iterable[str]) -> str:
    """Return the report of a bug for users to send; `words` are the words of the command line."""
    import platform

    from asplan.clingo import VERSION

    head = (
        "this is a bug in asplan or in a package that it uses. Please report it with these "
        "lines and the files that they name; --debug shows more."
    )
    lines = [
        f"asplan {__version__}, clingo {VERSION}, "
        f"Python {platform.python_version()}, {platform.system()}",
        shlex.join(["asplan", *words]),
        f"reached: {'; '.join(bug.stations) or 'the command line'}",
        bug.message,
    ]
    text = "\n  ".join([head, *(shortened(" ".join(line.split()), 90) for line in lines)])
    return printable(shortened(text, LONGEST))
