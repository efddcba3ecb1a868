"""Text from outside: files, standard input, and what may not be in them.

Whatever is read is text in UTF-8 of a limited size. Everything else is refused here, with the
reason, so that nobody after it has to think of devices without an end or of bytes that are no
text.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from asplan.errors import InputError

STDIN = "-"
"""The word for standard input where a file is expected."""

LARGEST = 2**28
"""Bytes of one file that are read at most."""

LONGEST_LINE = 2**20
"""Characters of one line at most, in files that are read line by line."""

Path = str | os.PathLike[str]


def exists(path: Path) -> bool:
    """Whether a path names anything; a word that cannot be a name (too long, say) does not."""
    return os.path.exists(path)  # noqa: PTH110


def is_there(path: Path) -> bool:
    """Whether a path names something that can be read: a file, or a pipe as a shell makes it."""
    return exists(path) and not os.path.isdir(path)  # noqa: PTH112


def is_regular(path: Path) -> bool:
    """Whether a path names a file that can be read more than once."""
    return os.path.isfile(path)  # noqa: PTH113


def real_path(path: Path) -> str:
    """A path without links in it, from the root; raises as `read_text` does."""
    with _explained(path):
        return os.path.realpath(path)


def read_text(path: Path) -> str:
    """The text of a file, without a byte order mark.

    Raises
    ------
    InputError
        There is no such file, it cannot be read, is too large, or is no text in UTF-8.
    """
    with _explained(path), open(path, "rb") as file:  # noqa: PTH123
        data = file.read(LARGEST + 1)
    return _decoded(data, os.fspath(path))


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a file, one at a time and however many there are.

    A byte that is no text stays in its line as a mark of replacement. Raises as `read_text` does,
    and where a line has no end.
    """
    with _explained(path), open(path, encoding="utf-8-sig", errors="replace") as file:  # noqa: PTH123
        number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                raise InputError(f"{os.fspath(path)}: line {number} is too long for a board")
            yield line


@cache
def standard_input() -> str:
    """What comes in on standard input, read once; a worker process inherits it.

    Raises
    ------
    InputError
        It is closed or a folder, or what comes in is none of `read_text`'s texts.
    """
    name = "standard input"
    if sys.stdin is None or sys.stdin.closed:
        raise InputError(f"{name} is closed, so nothing can be read from it")
    with _explained(name):
        data = sys.stdin.buffer.read(LARGEST + 1)
    return _decoded(data, name)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what the system says of a path into an InputError."""
    name = os.fspath(path)
    try:
        yield
    except FileNotFoundError:
        what = f"no such file: {name}" if name else "a file without a name: the word is empty"
        raise InputError(what) from None
    except IsADirectoryError:
        raise InputError(f"{name} is a folder, where a file is expected") from None
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from None
    except ValueError:  # a NUL, or half a character
        raise InputError(f"no file can have this name: {name}") from None


def _decoded(data: bytes, name: str) -> str:
    if len(data) > LARGEST:
        raise InputError(f"{name} has more than {LARGEST >> 20} MB, the most that asplan reads")
    if (zero := data.find(b"\0")) >= 0:
        raise InputError(f"{name} is no text: byte {zero} is a NUL")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not text in UTF-8 (byte {error.start})") from None
