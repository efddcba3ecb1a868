"""What a Python user calls; here is what the functions share: files, an encoding, constants."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from asplan.core.errors import UsageError
from asplan.core.files import exists
from asplan.core.text import shortened
from asplan.problem import Inputs, constants_of

File = str | os.PathLike[str]
Files = File | Iterable[File]  # one file, or several in a list


def paths(files: Iterable[Files]) -> tuple[str, ...]:
    """The files of a call, in order, alone or in lists; `UsageError` where one is neither."""
    found: list[str] = []
    for given in files:
        if isinstance(given, str | bytes | os.PathLike) or not isinstance(given, Iterable):
            given = [given]
        for file in given:
            if not isinstance(file, str | os.PathLike):
                hint = "give names, paths or lists of them"
                raise UsageError(f"{shortened(repr(file))} is no file", hint=hint)
            found.append(os.fspath(file))
            if "\n" in found[-1] and not exists(found[-1]):
                hint = "a program that comes as text is given as text=…"
                raise UsageError("a file was asked for, and this has several lines", hint=hint)
    return tuple(found)


def inputs_of(files: Iterable[Files], given: Mapping[str, Any]) -> Inputs:
    """What a call of the API asks about, by the names of its parameters; checked as it is read."""
    encoding, actions = given.get("encoding"), given.get("actions", ())
    allowed = ("allow_scripts", "allow_includes", "fresh")
    flags: dict[str, Any] = {name: bool(given.get(name)) for name in allowed}
    return Inputs(
        paths(files),
        given.get("text"),
        None if encoding is None else os.fspath(encoding),
        read_constants(given.get("constants"), given.get("metric")),
        steps=given.get("steps"),
        switches=tuple(given.get("switches", ())),
        actions=(actions,) if isinstance(actions, str) else tuple(actions),
        horizon_constant=given.get("horizon_constant"),
        **flags,
    )


def read_constants(constants: Mapping[str, object] | None, metric: str | None) -> dict[str, str]:
    """Constants with their values as text; `UsageError` where one is wrong, or said twice."""
    words = [f"{name}={value}" for name, value in (constants or {}).items()]
    return constants_of(words, {"metric": metric})
