"""What goes on: settings and files lead to runs, and what these tell is pinned to the board."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from asplan.bug import Bug
from asplan.program.files import real_path
from asplan.studio.board import Board, source
from asplan.studio.settings import Settings, to_page
from asplan.studio.watching import Files
from asplan.studio.workshop import News, Order, Workshop

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
        self._shown = [real_path(file) for file in settings.named]
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
            self._shown = [real_path(file) for file in settings.named]
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
            self._files.follow(value["followed"])
            # What was found for the files stands in front of them: their encoding.
            self._shown = list(dict.fromkeys([*value["shown"], *self._shown]))
            self._show()
            return
        if section == "player":
            self.player = value.pop("page", "")
        marked = {**value, "number": news.number} if isinstance(value, dict) else value
        self.board.pin(section, marked)

    def _show(self) -> None:
        shown = [source(file) for file in self._shown[:_MOST_FILES]]
        if self.board.said("sources") != shown:
            self.board.pin("sources", shown)
