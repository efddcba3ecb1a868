"""What all functions of the API understand: files, an encoding, constants."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from asplan.errors import UsageError
from asplan.files import exists
from asplan.problem import Inputs
from asplan.problem.lp import constants_of
from asplan.text import shortened

File = str | os.PathLike[str]
Files = File | Iterable[File]
"""One file, or several in a list."""


def paths(files: Iterable[Files]) -> tuple[str, ...]:
    """The files of a call, in order, whether they came one by one or in lists.

    Raises
    ------
    UsageError
        Something is neither a file nor a list of files.
    """
    return tuple(path for given in files for path in _paths(given))


def _paths(given: Files) -> Iterable[str]:
    if isinstance(given, str | os.PathLike):
        return [_path(given)]
    if isinstance(given, Iterable) and not isinstance(given, bytes):
        return map(_path, given)
    raise _no_file(given)


def _path(file: File) -> str:
    if not isinstance(file, str | os.PathLike):
        raise _no_file(file)
    path = os.fspath(file)
    if "\n" in path and not exists(path):
        raise UsageError(
            "a file was asked for, and this has several lines",
            hint="a program that comes as text is given as text=…",
        )
    return path


def _no_file(given: object) -> UsageError:
    return UsageError(
        f"{shortened(repr(given))} is no file", hint="give names, paths or lists of them"
    )


def make_words(
    files: Iterable[Files],
    encoding: File | None,
    constants: Mapping[str, object] | None,
    metric: str | None,
    allow_scripts: bool = False,
    allow_includes: bool = False,
    text: str | None = None,
) -> Inputs:
    """The words of a call; raises as `paths` and `read_constants` do."""
    return Inputs(
        paths(files),
        text,
        None if encoding is None else os.fspath(encoding),
        read_constants(constants, metric),
        allow_scripts,
        allow_includes,
    )


def read_constants(constants: Mapping[str, object] | None, metric: str | None) -> dict[str, str]:
    """Constants with their values as text.

    Raises
    ------
    UsageError
        A name or a value is malformed, or contradicts `metric`.
    """
    words = [f"{name}={value}" for name, value in (constants or {}).items()]
    return constants_of(words, {"metric": metric})
