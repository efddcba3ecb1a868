"""The files as the page shows and saves them; and when one has changed, however an editor saves it.

What is watched are folders, as a file that is replaced takes its watch with it. A stir there is
only a reason to look whether a file is otherwise than before, which is done now and then anyway.
"""

import asyncio
import os
import stat
import time
from collections.abc import AsyncIterator, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from watchfiles import awatch

from asplan.core.errors import UsageError
from asplan.core.files import Stamp, stamp_of, whole_file
from asplan.core.text import printable
from asplan.problem.catalog import shipped_as

MOST_LINES = 2000  # lines of a file that are shown
_MOST_BYTES = 2**20  # bytes of a file that are read for that
_BOM = b"\xef\xbb\xbf"


class Conflict(UsageError):
    """A file is not what the page has read any more."""


def source(file: str) -> dict[str, Any]:
    """The text of a file as it can be shown; `editable` if it is whole and may be saved."""
    try:
        data = _read(file)
    except OSError as error:
        return _shown(file, "", error.strerror or "it cannot be read")
    if data is None:
        return _shown(file, "", "it is no regular file")
    text = data[:_MOST_BYTES].decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    lines = text.removesuffix("\n").split("\n")
    if len(data) > _MOST_BYTES or len(lines) > MOST_LINES:
        note = "only the beginning is shown"
    elif shipped_as(file):
        note = "ships with asplan, so it is not edited here"
    elif "\r" in text or _encoded(text, data) != data:
        note = "mixed line ends or no UTF-8, so it is not edited here"
    else:
        return _shown(file, text, "", sha256(data).hexdigest())
    return _shown(file, "\n".join(map(printable, lines[:MOST_LINES])), note)


def _shown(file: str, text: str, note: str, version: str = "") -> dict[str, Any]:
    found = {"file": file, "text": text, "note": note, "version": version}
    return found | {"editable": bool(version)}


def _read(file: str) -> bytes | None:
    """The beginning of a file; None of one that is not regular: a pipe would be waited for."""
    at_once = getattr(os, "O_NONBLOCK", 0)
    with open(file, "rb", opener=lambda path, flags: os.open(path, flags | at_once)) as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            return None
        return opened.read(_MOST_BYTES + 1)


def _encoded(text: str, before: bytes) -> bytes:
    """A text with the line ends, and the byte order mark, that the file had."""
    ends = "\r\n" if b"\r\n" in before else "\n"
    return (_BOM if before.startswith(_BOM) else b"") + text.replace("\n", ends).encode()


class _Wanted(msgspec.Struct, forbid_unknown_fields=True):
    """What the page sends: a text, and the version of the file that it was made from."""

    file: str
    version: str
    text: str


def save(body: bytes, files: list[dict[str, Any]]) -> None:
    """Write a text that a page sends into a file it was shown; `Conflict` if that changed."""
    try:
        wanted = msgspec.json.decode(body, type=_Wanted)
        text = wanted.text.encode()
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise UsageError(f"this is nothing to save: {error}") from None
    if not any(shown["file"] == wanted.file and shown["editable"] for shown in files):
        raise UsageError(f"no file that can be saved here: {printable(wanted.file)}")
    if os.path.realpath(wanted.file) != wanted.file:
        raise Conflict(f"{printable(wanted.file)} has become a link")
    if len(text) > _MOST_BYTES or wanted.text.count("\n") > MOST_LINES:
        raise UsageError(f"the text is too long: at most {MOST_LINES} lines are saved here")
    now = source(wanted.file)
    if now["version"] != wanted.version:
        raise Conflict(f"{Path(wanted.file).name} has changed on disk")
    path, before = Path(wanted.file), _read(wanted.file) or b""
    mode = stat.S_IMODE(path.stat().st_mode)
    with whole_file(path) as opened:
        opened.write(_encoded(wanted.text, before))
    path.chmod(mode)


_QUIET = 50  # milliseconds without a stir after which a file counts as saved
_LONGEST = 400  # milliseconds after which stirs that go on are looked at all the same
_UNTOLD = 500  # milliseconds after which one looks without a stir
_GONE = 0.3  # seconds in which a file that has gone may come back: some editors write a new one


class Files:
    """The files that are followed, each with how it looked when somebody last looked."""

    def __init__(self) -> None:
        self._known: dict[str, Stamp] = {}
        self._more = asyncio.Event()

    def follow(self, files: Iterable[str]) -> None:
        self._set({file: stamp_of(file) for file in files} | self._known)

    def keep(self, files: Iterable[str]) -> None:
        kept = set(files)
        self._set({file: found for file, found in self._known.items() if file in kept})

    def _set(self, known: dict[str, Stamp]) -> None:
        before, self._known = self._folders(), known
        if self._folders() != before:
            self._more.set()

    async def changes(self) -> AsyncIterator[None]:
        # None of the filters of watchfiles: an editor may write under any name before it renames.
        how: dict[str, Any] = {"watch_filter": None, "debounce": _LONGEST, "step": _QUIET}
        how |= {"stop_event": self._more, "rust_timeout": _UNTOLD, "yield_on_timeout": True}
        while True:
            self._more.clear()
            try:
                async for _ in awatch(*self._folders(), recursive=False, **how):
                    if await self._changed():
                        yield
            except (OSError, RuntimeError):  # a folder is gone, or no more can be watched
                await asyncio.sleep(_UNTOLD / 1000)
                if await self._changed():
                    yield

    async def _changed(self) -> bool:
        """Whether a file looks otherwise; one that is gone has some time to come back."""
        deadline = time.monotonic() + _GONE
        while True:
            now = {file: stamp_of(file) for file in self._known}
            changed = [file for file, found in now.items() if found != self._known[file]]
            if all(now[file] for file in changed) or time.monotonic() > deadline:
                self._known = now
                return bool(changed)
            await asyncio.sleep(_QUIET / 1000)

    def _folders(self) -> frozenset[Path]:
        paths = [path for file in self._known for path in (file, os.path.realpath(file))]
        return frozenset(Path(path).absolute().parent for path in paths)
