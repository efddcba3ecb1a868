"""Notices changes of files, however an editor saves them.

Folders are watched, because watching a file ends when the file is replaced. An event in a folder
triggers a comparison of the files' stamps; the comparison also takes place regularly.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from watchfiles import awatch

from asplan.core.files import Stamp, stamp_of

_QUIET = 50  # milliseconds without an event after which a file counts as saved
_LONGEST = 400  # milliseconds after which an ongoing series of events is examined anyway
_POLL = 500  # milliseconds between comparisons without events
_GONE = 0.3  # seconds in which a file may come back: some editors remove it and write a new one


class WatchedFiles:
    """The files that are watched, each with its stamp at the last comparison.

    A stamp is the time of change, size and inode of a file.
    """

    def __init__(self) -> None:
        self._stamps: dict[str, Stamp] = {}
        self._folders_changed = asyncio.Event()

    def follow(self, files: Iterable[str]) -> None:
        """Watch further files."""
        new = {file: stamp_of(file) for file in files}
        self._set(new | self._stamps)

    def keep(self, files: Iterable[str]) -> None:
        """Stop watching all files except the given ones."""
        kept = set(files)
        self._set({file: stamp for file, stamp in self._stamps.items() if file in kept})

    def _set(self, stamps: dict[str, Stamp]) -> None:
        before = self._folders()
        self._stamps = stamps
        if self._folders() != before:
            self._folders_changed.set()

    async def changes(self) -> AsyncIterator[None]:
        """Yield None after each change of a watched file, for ever."""
        while True:
            self._folders_changed.clear()
            events = awatch(
                *self._folders(),
                recursive=False,
                watch_filter=None,  # an editor may write under any name before it renames
                debounce=_LONGEST,
                step=_QUIET,
                stop_event=self._folders_changed,
                rust_timeout=_POLL,
                yield_on_timeout=True,
            )
            try:
                async for _ in events:
                    if await self.compare():
                        yield
            except (OSError, RuntimeError):  # a folder is gone, or no more can be watched
                await asyncio.sleep(_POLL / 1000)
                if await self.compare():
                    yield

    async def compare(self) -> bool:
        """Return whether a file has changed since the last comparison; store the present stamps of
        files.

        A missing file is given some time to come back, because some editors remove a file to
        replace it.
        """
        deadline = time.monotonic() + _GONE
        while True:
            now = {file: stamp_of(file) for file in self._stamps}
            changed = [file for file, stamp in now.items() if stamp != self._stamps[file]]
            if all(now[file] for file in changed) or time.monotonic() > deadline:
                self._stamps = now
                return bool(changed)
            await asyncio.sleep(_QUIET / 1000)

    def _folders(self) -> frozenset[Path]:
        """Return the folders of the watched files, and of the files that links lead to."""
        folders = set()
        for file in self._stamps:
            folders.add(Path(file).absolute().parent)
            folders.add(Path(os.path.realpath(file)).parent)
        return frozenset(folders)
