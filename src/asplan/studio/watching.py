"""Says when a file has changed, however an editor saves it.

What is watched are folders, as a file that is replaced by another one takes its watch with it. A
stir in a folder is only a reason to look; what counts is whether a file looks otherwise than
before. So a change is found also where a system tells nothing, half a second later.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from watchfiles import awatch

Look = tuple[int, int, int] | None  # time of change, size and number of a file; None without one

_QUIET = 50  # milliseconds without a stir after which a file counts as saved
_LONGEST = 400  # milliseconds after which stirs that go on are looked at all the same
_UNTOLD = 500  # milliseconds after which one looks without a stir
_GONE = 0.3  # seconds in which a file that has gone may come back: some editors write a new one


class Files:
    """The files that are followed, each with how it looked when somebody last looked."""

    def __init__(self) -> None:
        self._known: dict[str, Look] = {}
        self._more = asyncio.Event()

    def follow(self, files: Iterable[str]) -> None:
        self._set({file: look(file) for file in files} | self._known)

    def keep(self, files: Iterable[str]) -> None:
        kept = set(files)
        self._set({file: found for file, found in self._known.items() if file in kept})

    def _set(self, known: dict[str, Look]) -> None:
        before, self._known = self._folders(), known
        if self._folders() != before:
            self._more.set()

    async def changes(self) -> AsyncIterator[None]:
        """Yield whenever a file is not what it was."""
        while True:
            self._more.clear()
            try:
                # None of the filters of watchfiles: an editor may write under any name before it
                # renames.
                async for _ in awatch(
                    *self._folders(),
                    watch_filter=None,
                    debounce=_LONGEST,
                    step=_QUIET,
                    stop_event=self._more,
                    rust_timeout=_UNTOLD,
                    yield_on_timeout=True,
                    recursive=False,
                ):
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
            now = {file: look(file) for file in self._known}
            changed = [file for file, found in now.items() if found != self._known[file]]
            if all(now[file] for file in changed) or time.monotonic() > deadline:
                self._known = now
                return bool(changed)
            await asyncio.sleep(_QUIET / 1000)

    def _folders(self) -> frozenset[Path]:
        """The folders of the files, and of what they are links to."""
        paths = [path for file in self._known for path in (file, os.path.realpath(file))]
        return frozenset(Path(path).absolute().parent for path in paths)


def look(file: str) -> Look:
    try:
        found = Path(file).stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
