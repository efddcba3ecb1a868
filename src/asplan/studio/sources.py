"""The files that the page shows and saves."""

import os
import stat
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypedDict

import msgspec

from asplan.catalog import shipped_as
from asplan.core.errors import UsageError
from asplan.core.files import atomic_file
from asplan.core.text import printable

MOST_LINES = 2000  # lines of a file that are shown
_MOST_BYTES = 2**20  # bytes of a file that are read
_BOM = b"\xef\xbb\xbf"


class SourceData(TypedDict):
    """A file as the page shows it.

    A file is editable only if it is shown whole. It then has a version, which is the hash of its
    content; otherwise the version is empty and the note gives the reason.
    """

    file: str
    text: str
    note: str
    version: str
    editable: bool


class FileConflict(UsageError):
    """The error for a file that has changed since the page read it."""


def show_source(file: str) -> SourceData:
    """Read a file for the page; a note gives the reason if it is not whole or not editable."""
    try:
        content = _read(file)
    except OSError as error:
        return _make_source(file, "", error.strerror or "it cannot be read")
    if content is None:
        return _make_source(file, "", "it is not a regular file")
    text = content[:_MOST_BYTES].decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    lines = text.removesuffix("\n").split("\n")
    if len(content) > _MOST_BYTES or len(lines) > MOST_LINES:
        note = "only the beginning is shown"
    elif shipped_as(file):
        note = "ships with asplan, so it is not edited here"
    elif "\r" in text or _encode_like(content, text) != content:
        note = "mixed line ends or no UTF-8, so it is not edited here"
    else:
        return _make_source(file, text, "", sha256(content).hexdigest())
    return _make_source(file, "\n".join(map(printable, lines[:MOST_LINES])), note)


def _make_source(
    file: str,
    text: str,
    note: str,
    version: str = "",
) -> SourceData:
    return {
        "file": file,
        "text": text,
        "note": note,
        "version": version,
        "editable": bool(version),
    }


def _read(file: str) -> bytes | None:
    """Return the beginning of a file; None if it is not regular, as reading a pipe might block."""
    without_waiting = getattr(os, "O_NONBLOCK", 0)  # Windows has no such flag

    def open_at_once(path: str, flags: int) -> int:
        return os.open(path, flags | without_waiting)

    with open(file, "rb", opener=open_at_once) as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            return None
        return opened.read(_MOST_BYTES + 1)


def _encode_like(content: bytes, text: str) -> bytes:
    """Encode a text with the line ends and the byte order mark of a file's content."""
    line_end = "\r\n" if b"\r\n" in content else "\n"
    mark = _BOM if content.startswith(_BOM) else b""
    return mark + text.replace("\n", line_end).encode()


class _SaveRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A request to save a text; `version` is the version of the file that the user edited."""

    file: str
    version: str
    text: str


def save_source(body: bytes, files: Sequence[SourceData]) -> None:
    """Save the text in a request's body into one of the editable files.

    `files` are the files that the page shows. Raises `UsageError` for any other file and for a text
    that is too long, and `FileConflict` if the file has changed since the page read it.
    """
    try:
        request = msgspec.json.decode(body, type=_SaveRequest)
        size = len(request.text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise UsageError(f"this cannot be saved: {error}") from None
    if not any(shown["file"] == request.file and shown["editable"] for shown in files):
        raise UsageError(f"no file that can be saved here: {printable(request.file)}")
    if os.path.realpath(request.file) != request.file:
        raise FileConflict(f"{printable(request.file)} has become a link")
    if size > _MOST_BYTES or request.text.count("\n") > MOST_LINES:
        raise UsageError(f"the text is too long: at most {MOST_LINES} lines are saved here")
    path = Path(request.file)
    current = show_source(request.file)
    if current["version"] != request.version:
        raise FileConflict(f"{path.name} has changed on disk")
    before = _read(request.file) or b""
    mode = stat.S_IMODE(path.stat().st_mode)
    with atomic_file(path) as opened:
        opened.write(_encode_like(before, request.text))
    path.chmod(mode)
