"""A file of counts, each part written down as soon as it is counted.

The first line says what is counted; each other one holds the counts of a part. A line is written in
one go, so that whatever ends the work spoils the last line at most, and the work can be taken up
again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from asplan.errors import InputError, UsageError
from asplan.files import check_writable

Part = tuple[int, Mapping[str, int]]
"""The number of a part, and its counts."""


@contextmanager
def keeping(
    file: Path, start: Mapping[str, Any], resume: bool
) -> Iterator[tuple[dict[int, Mapping[str, int]], Callable[[Part], None]]]:
    """The parts that a file has, and what adds one to it.

    Parameters
    ----------
    start
        What is counted.
    resume
        Whether to go on with a file that is there.

    Raises
    ------
    UsageError
        The file is there, counts something else, or cannot be written.
    InputError
        It holds no counts.
    """
    check_writable(file)
    known = _read(file, start, resume)
    number = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)

    def add(line: Mapping[str, Any]) -> None:
        os.write(number, json.dumps(line).encode() + b"\n")

    try:
        if not file.stat().st_size:
            add(start)
        yield known, lambda part: add({"part": part[0], "counts": dict(part[1])})
    finally:
        os.close(number)


def _read(file: Path, start: Mapping[str, Any], resume: bool) -> dict[int, Mapping[str, int]]:
    """The parts that a file has; a last line that was cut off is taken away."""
    data = file.read_bytes() if file.exists() else b""
    if not data:
        return {}
    if not resume:
        raise UsageError(
            f"{file} is there already",
            mend="say --resume to go on with it, or name another file by -o",
        )
    whole = data[: data.rfind(b"\n") + 1]
    first, *lines = map(_line, whole.splitlines() or [b""])
    parts: dict[int, Any] = {line.get("part", -1): line.get("counts") for line in lines}
    if "parts" not in first or not all(map(_is_part, parts, parts.values())):
        mend = "-o names a file that asplan generate --all writes"
        raise InputError(f"{file} holds no counts", mend=mend)
    if first != start:
        raise UsageError(f"{file} counts something else", mend="name another file by -o")
    os.truncate(file, len(whole))
    return parts


def _line(data: bytes) -> dict[str, Any]:
    """The object of a line; an empty one where there is none."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_part(number: Any, counts: Any) -> bool:
    whole = isinstance(counts, dict) and all(type(count) is int for count in counts.values())
    return type(number) is int and whole
