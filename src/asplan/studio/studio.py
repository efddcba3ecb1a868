"""What there is to see, in sections of plain data, for as many browsers as look at it."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, Pipe
from typing import Any

from asplan.engines import find_engine
from asplan.errors import AsplanError, Bug, bug_of
from asplan.files import real_path
from asplan.process import start_child
from asplan.studio.runs import Gone, failed, run
from asplan.studio.settings import Settings, to_page
from asplan.studio.watching import Files
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
        # A pipe would be waited for, by all who look.
        with open(file, "rb", opener=_opened_at_once) as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                return {"file": file, "lines": [], "note": "it is no regular file"}
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


def _opened_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


# A process that runs one thing after the other, and drops what it does when a new order comes.
#
# It is started before the server has threads and connections. So each run is a plain fork of a
# process that has neither: it inherits no lock and no open connection, and begins at once, as all is
# imported already. A run is given up by ending its worker, which works in whatever clingo is doing.


_PATIENCE = 0.3
"""Seconds that the process gets to end by itself."""


@dataclass(frozen=True)
class Order:
    """Do a run; or, without settings, nothing any more."""

    number: int
    settings: Settings | None = None


@dataclass(frozen=True)
class News:
    """What a run tells: a section of the page, and what is in it from now on."""

    number: int
    section: str
    value: Any


@dataclass(frozen=True)
class Workshop:
    """Our ends of the pipes: orders go out, `News` come in."""

    orders: Connection
    news: Connection


@contextmanager
def started() -> Iterator[Workshop]:
    """Start the process, and end it with whatever it is doing."""
    find_engine("asp").load()
    theirs, ours = Pipe(duplex=False)
    child, news = start_child(partial(_attend, theirs, ours))
    theirs.close()
    try:
        yield Workshop(ours, news)
    finally:
        ours.close()
        deadline = time.monotonic() + _PATIENCE
        while child.status() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        child.kill()
        news.close()


def _attend(orders: Connection, other_end: Connection, news: Connection) -> int:
    """Follow orders until nobody can give any; what the process does."""
    other_end.close()  # else the pipe would stay open for ever
    try:
        while True:
            order: Order = orders.recv()
            if order.settings is not None:
                _follow(order.number, order.settings, orders, news)
    except (EOFError, BrokenPipeError):
        return 0


def _follow(number: int, settings: Settings, orders: Connection, news: Connection) -> None:
    def tell(section: str, value: Any) -> None:
        news.send(News(number, section, value))

    def go_on() -> None:
        if orders.poll():
            raise Gone

    try:
        run(settings, tell, go_on)
    except Gone:
        return
    except AsplanError as error:
        failed(error, tell)
    except BrokenPipeError:
        raise
    except Exception as error:
        failed(bug_of(error), tell)
    tell("doing", "")


# What goes on: settings and files lead to runs, and what these tell is pinned to the board.


_MOST_FILES = 20
"""Files that are shown; however many a program includes, all are followed."""


class Studio:
    """The state of it all; everything but `hear` belongs to the event loop.

    Attributes
    ----------
    board
        What browsers show.
    player
        The page with the player for the last plan.
    """

    def __init__(self, settings: Settings, workshop: Workshop) -> None:
        self.loop = asyncio.get_running_loop()
        self.settings, self.board, self.player = settings, Board(), ""
        self._workshop, self._number = workshop, 0
        self._lost = False
        self._files = Files()
        self._files.follow(settings.named)
        self._shown = list(settings.named)
        self.board.pin("settings", to_page(settings))

    def begin(self) -> None:
        """Run what the settings ask for; what runs already is given up."""
        self._order(self.settings)
        began = {"began": time.time(), "limit": self.settings.time_limit}
        self.board.pin("run", {**began, "number": self._number})
        self.board.pin("doing", "reading the files")
        self._show()

    def stop(self) -> None:
        """Give up what runs."""
        if self.board.said("doing"):
            self._order(None)
            self.board.pin("stopped", self._number)
            self.board.pin("doing", "")

    def change(self, settings: Settings) -> None:
        """Run with other settings."""
        if settings != self.settings:
            self.settings = settings
            self._shown = list(settings.named)
            self._files.follow(settings.named)
            self.board.pin("settings", to_page(settings))
        self.begin()

    async def follow(self) -> None:
        """Begin a run whenever a file has changed."""
        async for _ in self._files.changes():
            self.begin()

    def hear(self, loop: asyncio.AbstractEventLoop, lost: Callable[[], None]) -> None:
        """Bring what the workshop tells to the board; call it in a thread of its own.

        `lost` is called when there is no workshop any more.
        """
        with suppress(RuntimeError):  # the loop has ended before us
            with suppress(EOFError, OSError):
                while True:
                    news: News = self._workshop.news.recv()
                    loop.call_soon_threadsafe(self._heard, news)
            self._lost = True
            lost()

    def check(self) -> None:
        """Raise `Bug` if the workshop has ended by itself."""
        if self._lost:
            raise Bug("the process that works for the studio has ended")

    def _order(self, settings: Settings | None) -> None:
        self._number += 1
        with suppress(OSError):  # it has ended, which `check` tells
            self._workshop.orders.send(Order(self._number, settings))

    def _heard(self, news: News) -> None:
        if news.number != self._number:
            return  # of a run that was given up
        section, value = news.section, news.value
        if section == "files":
            shown, followed = value["shown"], [*value["shown"], *value["others"]]
            self._files.follow(followed)
            # What was found for the files stands in front of them: their encoding.
            self._shown = list(dict.fromkeys([*shown, *self._shown]))
            if value["are_all"]:
                self._shown = [file for file in self._shown if file in shown]
                self._files.keep(followed)
            self._show()
            return
        if section == "player":
            self.player = value.pop("page", "")
        marked = {**value, "number": news.number} if isinstance(value, dict) else value
        self.board.pin(section, marked)

    def _show(self) -> None:
        # A link may lead elsewhere than before, so it is the names that are kept.
        files = list(dict.fromkeys(map(real_path, self._shown)))
        shown = [source(file) for file in files[:_MOST_FILES]]
        if self.board.said("sources") != shown:
            self.board.pin("sources", shown)
