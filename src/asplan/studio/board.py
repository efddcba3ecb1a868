"""What there is to see, in sections of plain data, for as many browsers as look at it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from asplan.text import printable

MOST_LINES = 2000
"""Lines of a file that are shown."""

_MOST_BYTES = 2**20
"""Bytes of a file that are read for that."""

_HEARTBEAT = 15.0
"""Seconds without news after which a browser is asked whether it is still there."""


class Board:
    """Sections by name. Whoever looks gets all of them, and then those that change."""

    def __init__(self) -> None:
        self._sections: dict[str, tuple[int, Any]] = {}
        self._version = 0
        self._changed = asyncio.Event()
        self.closed = False

    def pin(self, section: str, value: Any) -> None:
        """Let a section say something from now on."""
        self._version += 1
        self._sections[section] = self._version, value
        self._stir()

    def said(self, section: str) -> Any:
        """What a section says; None if it has never said anything."""
        return self._sections.get(section, (0, None))[1]

    def close(self) -> None:
        """Let all who look go."""
        self.closed = True
        self._stir()

    def _stir(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def look(self) -> AsyncIterator[tuple[str, Any] | None]:
        """The sections and their changes until the board is closed; None now and then.

        Who is slow misses what was replaced meanwhile, and nothing else.
        """
        seen = 0
        while not self.closed:
            changed = self._changed
            fresh = [(n, v, s) for s, (n, v) in self._sections.items() if n > seen]
            for number, value, section in sorted(fresh, key=lambda found: found[0]):
                yield section, value
                seen = number
            if changed is self._changed:
                try:
                    await asyncio.wait_for(changed.wait(), _HEARTBEAT)
                except TimeoutError:
                    yield None


def source(file: str) -> dict[str, Any]:
    """The lines of a file as they can be shown; of a long one those at its beginning."""
    try:
        with open(file, "rb") as opened:  # noqa: PTH123
            data = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        return {"file": file, "lines": [], "note": error.strerror or "it cannot be read"}
    text = data[:_MOST_BYTES].decode("utf-8-sig", errors="replace")
    lines = text.removesuffix("\n").split("\n")
    is_cut = len(data) > _MOST_BYTES or len(lines) > MOST_LINES
    return {
        "file": file,
        "lines": [printable(line.removesuffix("\r")) for line in lines[:MOST_LINES]],
        "note": "only the beginning is shown" if is_cut else "",
    }
