"""The functions for Python users. This module reads the parameters that they share."""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from asplan.core.errors import UsageError
from asplan.core.files import exists
from asplan.core.text import shortened
from asplan.problem import Inputs, constants_of

File = str | os.PathLike[str]
Files = File | Iterable[File]  # a file, or several in a list
Arguments: TypeAlias = Mapping[str, Any]  # the arguments of a call by name, of any type


def paths(files: Iterable[Files]) -> tuple[str, ...]:
    """Return the names of files that are passed singly or in lists.

    Raise `UsageError` for a value that is no name of a file.
    """
    return tuple(_path(file) for file in _flatten(files))


def _flatten(files: Iterable[Files]) -> Iterator[object]:
    for item in files:
        if isinstance(item, str | bytes | os.PathLike) or not isinstance(item, Iterable):
            yield item
        else:
            yield from item


def _path(file: object) -> str:
    if not isinstance(file, str | os.PathLike):
        hint = "pass names, paths or lists of them"
        raise UsageError(f"{shortened(repr(file))} is not a file", hint=hint)
    path = os.fspath(file)
    if "\n" in path and not exists(path):
        hint = "pass the text of a program as text=…"
        raise UsageError("the name of a file has several lines", hint=hint)
    return path


def inputs_of(
    files: Iterable[Files],
    arguments: Arguments,
) -> Inputs:
    """Return the `Inputs` of a call.

    `arguments` has its other parameters by name; unknown names are ignored.
    """
    encoding = arguments.get("encoding")
    actions = arguments.get("actions", ())
    return Inputs(
        files=paths(files),
        text=arguments.get("text"),
        encoding=None if encoding is None else os.fspath(encoding),
        constants=read_constants(arguments.get("constants"), arguments.get("metric")),
        steps=arguments.get("steps"),
        switches=tuple(arguments.get("switches", ())),
        actions=(actions,) if isinstance(actions, str) else tuple(actions),
        horizon_constant=arguments.get("horizon_constant"),
        fresh=bool(arguments.get("fresh")),
        allow_scripts=bool(arguments.get("allow_scripts")),
        allow_includes=bool(arguments.get("allow_includes")),
    )


def read_constants(
    constants: Mapping[str, object] | None,
    metric: str | None,
) -> dict[str, str]:
    """Return constants with their values as text; `metric` is the value of the constant `metric`.

    Raise `UsageError` if a constant is invalid or set twice.
    """
    words = [f"{name}={value}" for name, value in (constants or {}).items()]
    return constants_of(words, {"metric": metric})
