"""The sections of the page: the current content of each, for any number of browsers."""

import asyncio
from collections.abc import AsyncIterator
from operator import itemgetter

_HEARTBEAT = 15.0  # seconds without changes after which a browser is sent something


class Sections:
    """The contents of the page's sections, which are its independently updated parts, by name.

    A browser receives the contents of all sections first, and then each change.
    """

    def __init__(self) -> None:
        self._contents: dict[str, tuple[int, object]] = {}
        self._version = 0
        self._changed = asyncio.Event()
        self._is_closed = False

    def put(self, section: str, content: object) -> None:
        """Replace the content of a section."""
        self._version += 1
        self._contents[section] = (self._version, content)
        self._wake()

    def get(self, section: str) -> object:
        """Return the content of a section; None if it has none."""
        _, content = self._contents.get(section, (0, None))
        return content

    def close(self) -> None:
        """End all iterations of `iterate_changes`."""
        self._is_closed = True
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def iterate_changes(self) -> AsyncIterator[tuple[str, object] | None]:
        """Yield the name and content of each section, then of each section that changes, until
        closed.

        None is yielded after some time without changes, to keep the connection alive.
        """
        seen = 0
        while not self._is_closed:
            changed = self._changed
            for number, section, content in self._find_newer(seen):
                yield section, content
                seen = number
            if changed is self._changed:
                try:
                    await asyncio.wait_for(changed.wait(), _HEARTBEAT)
                except TimeoutError:
                    yield None

    def _find_newer(self, version: int) -> list[tuple[int, str, object]]:
        """Return the sections that changed after a version, in the order of their changes.

        Each item has the version of the change, the section's name and its content.
        """
        newer = []
        for section, (number, content) in self._contents.items():
            if number > version:
                newer.append((number, section, content))
        return sorted(newer, key=itemgetter(0))
