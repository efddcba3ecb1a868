"""What all functions of the API understand: files, an encoding, constants."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from asplan.loading import Words
from asplan.loading.lp import constants_of

File = str | os.PathLike[str]


def make_words(
    files: Iterable[File],
    encoding: File | None,
    constants: Mapping[str, object] | None,
    metric: str | None,
    allow_scripts: bool = False,
    allow_includes: bool = False,
    text: str | None = None,
) -> Words:
    """The words of a call; raises as `read_constants` does."""
    return Words(
        tuple(os.fspath(file) for file in files),
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
